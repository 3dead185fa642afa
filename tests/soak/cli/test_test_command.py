"""`toolwright test`: what it prints, how it ends, and what no tool can do to it."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.wire.cli.test_test_command import shop
from tests.wire.command_files import here
from tests.wire.processes import LONGEST, run, start, until

HANGING = '''
import time
from toolwright import Toolbox
box = Toolbox("box")

@box.tool
def sleeps() -> int:
    """
    >>> sleeps()
    """
    time.sleep(60)

@box.tool(run_on="inline")
def holds() -> int:
    """
    >>> holds()
    """
    time.sleep(60)

@box.tool
def fine() -> int:
    """
    >>> fine()
    """
    return 1
'''


@pytest.mark.promise("testing.bounds")
def test_a_tool_that_hangs_is_bounded_even_if_it_holds_the_loop(here):
    Path("hangs.py").write_text(HANGING)
    done = run("test", "hangs.py", "--timeout", "0.3", "--json")
    results = {each["tool"]: each for each in json.loads(done.stdout)["results"]}
    assert "no answer in time" in results["sleeps"]["detail"]
    assert "its process had to be ended" in results["holds"]["detail"]
    assert results["fine"]["status"] == "passed"


def test_a_command_line_program_is_tested_too(here):
    source = (
        "import argparse\nparser = argparse.ArgumentParser(prog='p')\n"
        "parser.add_argument('--count', type=int, default=1)\n"
        "if __name__ == '__main__':\n    print(parser.parse_args().count)\n"
    )
    Path("program.py").write_text(source)
    done = run("test", "program.py", "--generate", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_a_server_is_tested_as_its_clients_see_it(shop):
    command = f"{sys.executable} -m toolwright serve shop.py"
    done = run("test", "--command", command, "--generate", "5", "--select", "search", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["failed"]) == (0, 0), done.stdout + done.stderr
    assert report["results"][0]["calls"] > 2


def test_ctrl_c_ends_the_tests_without_blaming_a_tool(here):
    Path("waits.py").write_text(
        "import pathlib, time\ndef f() -> int:\n"
        '    """\n    >>> f()\n    """\n'
        "    pathlib.Path('here').touch()\n    while True:\n        time.sleep(0.05)\n"
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start("test", "waits.py", text=True, **pipes) as process:
        until(lambda: Path("here").exists(), "the tool runs")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=LONGEST)
    assert (process.returncode, out) == (130, "")
