"""Programs that start each other."""

import os
import subprocess
import sys
import textwrap

import pytest

from toolwright.sources.watched_process import DEPTH, MOST_DEPTH

SERVES_ITSELF = """
    import sys
    from toolwright import Toolbox
    from toolwright.sources import CommandLine, Program, Command

    with open(sys.argv[1], "a") as file:
        file.write("x")
    itself = Program(name="it", root=Command(), argv=(sys.executable, __file__, sys.argv[1]))
    box = Toolbox("box")
    box.include(CommandLine(itself))
    print(box.call("it", {}).text)
"""


def test_a_program_that_starts_itself_ends(tmp_path):
    script, count = tmp_path / "itself.py", tmp_path / "count"
    script.write_text(textwrap.dedent(SERVES_ITSELF))
    environ = {key: value for key, value in os.environ.items() if key != DEPTH}
    ended = subprocess.run(
        [sys.executable, script, count], capture_output=True, text=True, check=True, env=environ
    )
    assert count.read_text() == "x" * (MOST_DEPTH + 1)
    assert f"{MOST_DEPTH} programs have already started one another" in ended.stdout


def test_a_parser_is_run_from_the_module_that_has_it_not_from_the_one_that_serves_it(tmp_path):
    (tmp_path / "tool.py").write_text(
        "import argparse\nparser = argparse.ArgumentParser(prog='tool')\n"
        "if __name__ == '__main__':\n    parser.parse_args()\n    print('the tool')\n"
    )
    (tmp_path / "server.py").write_text(
        "from toolwright import Toolbox\nfrom tool import parser\n"
        "if __name__ == '__main__':\n"
        "    box = Toolbox('box')\n    box.include(parser)\n    print(box.call('tool', {}).text)\n"
    )
    ended = subprocess.run(
        [sys.executable, "server.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "the tool" in ended.stdout
