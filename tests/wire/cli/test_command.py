"""The `toolwright` command as users run it: processes, files, exit codes, one line for a mistake."""

import json
import re
import subprocess
import sys

import pytest

import toolwright
from tests.wire.command_files import NAMES, NOISE, SHOP, here
from tests.wire.processes import good, refused, run

__all__ = ["here"]  # a fixture

PLAIN = "def double(n: int) -> int:\n    'Double it.'\n    return 2 * n\n"
REFUSED = PLAIN + "def bad(x) -> int:\n    return x\n"


def listed(*arguments, **more):
    return [tool["name"] for tool in json.loads(good("list", *arguments, "--json", **more))]


# -- the commands


@pytest.mark.parametrize("command", [[], ["serve"], ["call"]])
def test_help_fits_the_terminal(command):
    for columns in (80, 120):
        said = good(*command, "--help", env={"COLUMNS": str(columns)})
        assert max(map(len, said.splitlines())) <= columns


def test_version_and_help(here):
    assert good("version", fresh=True) == f"toolwright {toolwright.__version__}\n"
    assert json.loads(good("version", "--json"))["toolwright"] == toolwright.__version__
    assert "COMMAND" in good()
    assert "TARGET" in good("--help")
    assert run("nonsense").returncode == 2
    assert run("list").returncode == 2


def test_list(here):
    assert good("list", "shop.py").splitlines() == [
        "add(a: int, b: int = 1) -> int\tAdd two numbers.",
        "orders_find(query: str) -> str\tFind orders.",
        "orders_drop(n: int) -> str\tDrop an order.",
    ]
    tools = json.loads(good("list", "shop.py", "--json"))
    assert [tool["name"] for tool in tools] == NAMES
    assert tools[0]["inputSchema"]["required"] == ["a"]


def test_show(here):
    assert good("show", "shop.py", "add") == (
        "add(a: int, b: int = 1) -> int\n\nAdd two numbers.\n\nMore about it.\n\n"
        "Arguments\n  a  int  required\n  b  int  1\n\nRead-only.\n"
    )
    assert '"default": 1' in good("show", "shop.py", "add", "--schema")
    shown = json.loads(good("show", "shop.py", "orders_find", "--json"))
    assert (shown["name"], shown["annotations"]) == ("orders_find", {"readOnlyHint": True})
    assert json.loads(good("show", "shop.py", "orders.find", "--json")) == shown


def test_a_description_of_several_paragraphs_stays_in_its_row(here):
    here(
        {
            "long.py": "def f(x: int) -> int:\n"
            '    """Do it.\n\n    Args:\n        x: One.\n\n            Two.\n    """\n'
            "    return x\n"
        }
    )
    assert "  x  int  required  One. Two." in good("show", "long.py", "f").splitlines()


def test_export(here, tmp_path):
    assert good("export", "shop.py") == "3 tools written to mcp-tools.json\n"
    written = json.loads((tmp_path / "mcp-tools.json").read_text())
    assert [tool["name"] for tool in written["tools"]] == NAMES
    assert json.loads(good("export", "shop.py", "-o", "-")) == written
    told = json.loads(good("export", "shop.py", "-o", "other.json", "--json"))
    assert told == {"file": "other.json", "tools": 3}
    assert json.loads((tmp_path / "other.json").read_text()) == written


@pytest.mark.promise("everyday.bare")
def test_a_bare_export_is_the_array_of_tools(here, tmp_path):
    whole = json.loads(good("export", "shop.py", "-o", "-"))
    assert json.loads(good("export", "shop.py", "--bare", "-o", "-")) == whole["tools"]
    good("export", "shop.py", "--bare")
    assert json.loads((tmp_path / "mcp-tools.json").read_text()) == whole["tools"]


def test_export_counts_what_it_writes(here, tmp_path):
    here({"lazy.py": "import toolwright\nbox = toolwright.Toolbox('b')\n" + "@box.tool\n" + PLAIN})
    with (tmp_path / "lazy.py").open("a") as file:
        file.write("@box.tool\ndef bad(x: 'Nowhere') -> int: ...\n")
    told = json.loads(run("export", "lazy.py", "--json").stdout)
    written = json.loads((tmp_path / "mcp-tools.json").read_text())
    assert told["tools"] == len(written["tools"]) == 1


def test_an_export_that_cannot_be_written(here):
    assert "nowhere" in refused(2, "export", "shop.py", "-o", "nowhere/tools.json")


# -- targets


def test_targets_in_files_and_modules(here, tmp_path):
    here({"pkg/__init__.py": "", "pkg/tools.py": SHOP, "pkg/plain.py": PLAIN, "plain.py": PLAIN})
    for target in ("shop.py", "./shop.py", "shop.py:box", "shop", "shop:box", tmp_path / "shop.py"):
        assert listed(target) == NAMES
    for target in ("pkg.tools", "pkg.tools:box", "pkg/tools.py:box"):
        assert listed(target) == NAMES
    for target in ("plain.py", "plain", "pkg.plain", "pkg.plain:double", "plain.py:double"):
        assert listed(target) == ["double"]
    assert good("call", "pkg.plain", "double", "n=4") == "8\n"


def test_a_folder_of_files(here):
    here(
        {
            "many/one.py": PLAIN,
            "many/two.py": SHOP,
            "many/_x.py": "1 / 0",
            "many/test_x.py": "0 / 0",
        }
    )
    assert listed("many") == ["double", *NAMES]
    assert good("call", "many", "add", "a=1") == "2\n"
    here({"clash/one.py": PLAIN, "clash/two.py": PLAIN})
    done = run("list", "clash", "--strict")
    assert done.returncode in {1, 2}
    assert "double" in done.stderr
    here({"empty/readme": ""})
    assert "empty" in refused(2, "list", "empty")


@pytest.mark.parametrize("name", ["json", "things", "mcp"])
def test_a_folder_that_is_a_package(here, name):
    here({f"{name}/__init__.py": "from .inner import box\n" + PLAIN, f"{name}/inner.py": SHOP})
    assert listed(name, fresh=True) == NAMES  # whether a module is loaded before makes a difference
    here({f"{name}/__init__.py": PLAIN})
    assert listed(name, fresh=True) == ["double"]


@pytest.mark.promise("serve.module-that-serves")
def test_a_module_that_serves_itself(here):
    here({"own.py": SHOP + "\nbox.serve()\nbox.serve('http')\n"})
    assert listed("own.py") == NAMES
    assert good("call", "own.py", "add", "a=2", "b=3") == "5\n"


@pytest.mark.parametrize(
    "name", ["my-tools.py", "2tools.py", "my.tools.py", "class.py", "ünïcode.py"]
)
def test_a_file_with_a_strange_name(here, tmp_path, name):
    (tmp_path / name).write_text(SHOP)
    assert listed(name) == NAMES


# -- arguments


@pytest.mark.parametrize(
    ("given", "came"),
    [
        (["value=text"], "('text', None)"),
        (["value=a=b"], "('a=b', None)"),
        (["value="], "('', None)"),
        (["value=5"], "('5', None)"),
        (["value=true"], "(True, None)"),
        (["value=null"], "(None, None)"),
        (["value=[1, 2]", 'more={"a": null}'], "([1, 2], {'a': None})"),
        (['value="5"'], "('5', None)"),
        (["value=[1", "more={x}"], "('[1', '{x}')"),
        (["value=ü☃"], "('ü☃', None)"),
        (["value=@file", "more=-"], "('from a file', 'from stdin')"),
    ],
)
def test_arguments_as_pairs(here, tmp_path, given, came):
    (tmp_path / "file").write_text("from a file")
    assert good("call", "echo.py", "echo", *given, stdin="from stdin") == f"{came}\n"


def test_arguments_as_json(here, tmp_path):
    (tmp_path / "file").write_text('{"a": 40, "b": 2}')
    sent = '{"a": 40, "b": 2}'
    for given in ([sent], ["@file"], ["-"], [" " + sent]):
        told = json.loads(good("call", "shop.py", "add", "--json", *given, stdin=sent))
        assert (told["structuredContent"], told["isError"]) == (42, False)
    for given in (["a=40", "--json"], ["a=40", "--json", "b=1"], ["--json", "a=40", "b=1"]):
        told = json.loads(good("call", "shop.py", "add", *given))
        assert told["structuredContent"] == 41
    assert good("call", "shop.py", "add", "a=-3", "b=1") == "-2\n"


def test_pairs_go_over_json_and_behind_options(here):
    told = json.loads(good("call", "shop.py", "add", "--json", '{"a": 40}', "b=2"))
    assert told["structuredContent"] == 42
    assert good("call", "shop.py", "add", "--select", "*", "a=1") == "2\n"


def test_json_before_everything(here):
    told = json.loads(good("call", "--json", "shop.py", "add", "a=1"))
    assert told["structuredContent"] == 2


DEEP = "[" * 50_000 + "]" * 50_000


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["novalue"], "key=value"),
        (["=1"], "key=value"),
        (["a=@nowhere"], "nowhere"),
        (["a=@latin"], "latin"),
        (["--json", "@nowhere"], "nowhere"),
        (["--json", "{"], "not JSON"),
        (["--json", "-"], "object"),
        (["--json", '{"a": %s}' % DEEP], "JSON"),
    ],
)
def test_arguments_that_cannot_be_read(here, tmp_path, given, said):
    (tmp_path / "latin").write_bytes(b"\xff\xfe")
    assert said in refused(2, "call", "shop.py", "add", *given, stdin="[1]")


def test_a_deep_value_is_no_crash(here):
    done = run("call", "shop.py", "add", f"a={DEEP}")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr


def test_calls_that_fail(here):
    assert refused(1, "call", "shop.py", "add", "a=x") == 'add: `a` must be an integer; got "x"\n'
    assert "`a`" in refused(1, "call", "shop.py", "add")
    done = run("call", "shop.py", "orders.drop", "n=1")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "it is gone")
    done = run("call", "shop.py", "orders.drop", "n=1", "--json")
    assert (done.returncode, json.loads(done.stdout)["isError"]) == (1, True)


# -- mistakes


@pytest.mark.parametrize(
    ("target", "text", "said"),
    [
        ("missing.py", None, "no file missing.py"),
        ("missing.module", None, "no file or module missing.module"),
        ("missing/", None, "missing/"),
        ("bad.py", "import nowhere_at_all", "needs nowhere_at_all, which is not installed"),
        ("bad", "import nowhere_at_all.sub", "needs nowhere_at_all"),
        ("bad.py", "raise ModuleNotFoundError('get the extra')", "get the extra"),
        ("bad.py", "from json import nowhere", "nowhere"),
        ("bad.py", "\0", "bad.py"),
        ("bad.py", "raise RuntimeError('one\\ntwo')", "RuntimeError: one"),
        ("bad.py", "class E(BaseException): ...\nraise E", "E"),
        ("bad.py", "import sys; sys.exit('bye')", "ended the program"),
        ("bad.py", "import sys; sys.exit(0)", "ended the program"),
        ("bad.py", "x = 1", "no toolbox and no public functions"),
        ("bad.py:nope", SHOP, "has no `nope`; it has `box`"),
        ("bad.py:box.nope", SHOP, "has no `box.nope`"),
        ("bad.py:number", "number = 5", "number"),
        ("bad.py", SHOP + "a, b = Toolbox('a'), Toolbox('b')\ndel box", "say which of `a`, `b`"),
        ("bad.txt", "hello", "bad.txt"),
    ],
)
def test_targets_that_cannot_be_used(here, tmp_path, target, text, said):
    if text is not None:
        place = target.split(":")[0]
        (tmp_path / (place if "." in place else f"{place}.py")).write_text(text)
    line = refused(2, "list", target)
    assert said in line
    assert line.startswith("toolwright: ")


def test_unknown_tools(here):
    for command in ("show", "call"):
        assert "did you mean `add`?" in refused(2, command, "shop.py", "ad")
        assert "unknown tool" in refused(2, command, "shop.py", "add", "--select", "orders*")
        assert "unknown tool" in refused(2, command, "shop.py", "orders.drop", "--read-only")


@pytest.mark.promise("serve.refused-tool")
def test_refused_tools(here):
    here({"some.py": REFUSED})
    done = run("list", "some.py")
    assert (done.returncode, done.stdout) == (0, "double(n: int) -> int\tDouble it.\n")
    assert re.fullmatch(r"refused: bad\.x has no type hint.*\n", done.stderr)
    for command in (["list"], ["call", "double", "n=1"], ["serve"], ["serve", "--http"]):
        done = run(command[0], "some.py", *command[1:], "--strict")
        assert done.returncode == 1
        assert done.stderr.startswith("refused: bad.x")
    assert run("call", "some.py", "double", "n=1").stdout == "2\n"


def test_notes_are_printed_and_are_no_failures(here):
    text = "from collections.abc import Callable\n"
    for at in range(12):
        text += f"def f{at}(x: int, key: Callable = abs) -> int: ...\n"
    here({"some.py": text})
    done = run("list", "some.py", "--strict")
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert lines[0] == "note: f0 leaves `key` out: `Callable` cannot be sent as JSON"
    assert lines[10:] == ["note: 2 more; `toolwright show` has those of one tool"]


def test_choosing(here):
    assert listed("shop.py", "--select", "orders.*") == NAMES[1:]
    assert listed("shop.py", "--select", "*", "--select", "!orders.drop") == NAMES[:2]
    assert listed("shop.py", "--read-only") == NAMES[:2]
    assert listed("shop.py", "--read-only", "--select", "orders.*") == ["orders_find"]
    assert "no tool is called `nothing`" in refused(2, "list", "shop.py", "--select", "nothing")


# -- output


@pytest.mark.parametrize(
    "command", [["list"], ["show", "loud"], ["export", "-o", "-"], ["call", "loud", "n=5"]]
)
def test_noise_is_never_in_the_output(here, command):
    here({"loud.py": NOISE})
    more = [] if command[0] == "export" else ["--json"]
    done = run(command[0], "loud.py", *command[1:], *more, fresh=command[0] == "call")
    assert done.returncode == 0
    assert "noise 1" in done.stderr
    json.loads(done.stdout)
    assert "noise" not in done.stdout


@pytest.mark.parametrize("count", [500, 3])
def test_a_closed_pipe_is_no_error(here, tmp_path, count):
    many = "\n".join(
        f"def tool_{n}(n: int) -> int:\n    'Do {n}.'\n    return n" for n in range(count)
    )
    (tmp_path / "many.py").write_text(many)
    for pipe in ("| head -1", "| true"):
        for command in ("list many.py --json", "export many.py -o -"):
            done = subprocess.run(
                f"{sys.executable} -m toolwright {command} {pipe}",
                shell=True,
                capture_output=True,
                text=True,
                timeout=60,
            )
            assert done.stderr == "", (command, pipe)
