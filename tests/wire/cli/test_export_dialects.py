"""`export --for`: what providers and clients take, and what they cannot, on standard error."""

import json

import pytest

from tests.wire.command_files import here
from tests.wire.processes import good, refused, run
from toolwright.dialects import DIALECTS

__all__ = ["here"]  # a fixture

MAPS = (
    "def order(items: dict[str, int], note: str | None = None) -> str:\n    'Order.'\n"
    "    return ''\n"
    "def unique(ids: set[int]) -> str:\n    'Unique.'\n    return ''\n"
)
EXPLICIT = (
    "from toolwright import Toolbox\nbox = Toolbox('b')\n"
    "schema = {'type': 'object', 'properties': {'a': {'type': 'array', 'items': {'type': 'string'},"
    " 'uniqueItems': True}}}\n"
    "box.add(lambda **given: '', name='f', input_schema=schema)\n"
)


@pytest.mark.promise("dialects.export")
def test_tools_are_written_for_a_provider(here, tmp_path):
    (tmp_path / "maps.py").write_text(MAPS)
    assert good("export", "maps.py", "--for", "openai", "--strict") == (
        "2 tools written to openai-tools.json\n"
    )
    written = json.loads((tmp_path / "openai-tools.json").read_text())
    assert [each["function"]["strict"] for each in written] == [True, True]
    items = written[0]["function"]["parameters"]["properties"]["items"]
    assert items["items"]["required"] == ["key", "value"]
    assert (
        json.loads(good("export", "maps.py", "--for", "openai", "--strict", "-o", "-")) == written
    )


def test_losses_are_notes_on_standard_error(here, tmp_path):
    (tmp_path / "explicit.py").write_text(EXPLICIT)
    done = run("export", "explicit.py", "--for", "gemini", "-o", "-")
    assert done.returncode == 0
    assert len(json.loads(done.stdout)[0]["functionDeclarations"]) == 1
    assert done.stderr.splitlines() == [
        "note: f.a: uniqueItems is only said in words; the tool itself still checks it"
    ]


def test_an_unknown_dialect_brings_the_nearest(here):
    assert "did you mean `anthropic`?" in refused(2, "export", "shop.py", "--for", "antropic")


def test_flags_that_do_not_go_together_are_refused(here):
    assert "--bare" in refused(2, "export", "shop.py", "--for", "openai", "--bare")
    assert "--prefix needs --for" in refused(2, "export", "shop.py", "--prefix", "x_")


def test_strict_is_for_the_provider_alone(here, tmp_path):
    assert "--strict needs --for" in refused(2, "export", "shop.py", "--strict")
    (tmp_path / "maps.py").write_text(MAPS)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.toolwright]\ntarget = "maps.py"\nstrict = true\n'
    )
    plain = json.loads(good("export", "--for", "openai", "-o", "-"))
    assert [each["function"].get("strict", False) for each in plain] == [False, False]
    (tmp_path / "maps.py").write_text(MAPS + "def bad(x): ...\n")
    assert run("export", "maps.py", "--for", "openai", "--strict", "-o", "-").returncode == 0


def test_a_prefix_counts_in_names(here, tmp_path):
    name = "a" * 50
    (tmp_path / "long.py").write_text(f"def {name}() -> str:\n    'Do it.'\n    return ''\n")
    prefix = "mcp_some_server_"
    done = run("export", "long.py", "--for", "cursor", "--prefix", prefix, "-o", "-")
    [tool] = json.loads(done.stdout)
    assert len(prefix + tool["name"]) == 59
    assert f"published as `{tool['name']}`" in done.stderr


@pytest.mark.parametrize("dialect", [each for each in DIALECTS if each in ("nova", "vscode")])
def test_what_is_written_is_what_the_toolbox_renders(here, dialect):
    told = json.loads(good("export", "shop.py", "--for", dialect, "--json"))
    assert told == {"file": f"{dialect}-tools.json", "tools": 3}
