"""goose's settings are YAML: one entry is written, and every other line stays."""

import json
import sys

import pytest
import yaml
from command_files import here, home
from counting import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from processes import good, refused

from toolwright.cli.clients import yaml_text
from toolwright.cli.clients.known import is_ours
from toolwright.cli.clients.settings_file import SettingsFile
from toolwright.cli.usage import UsageError

__all__ = ["here", "home"]  # fixtures

PATH = ("extensions", "shop")
ENTRY = {
    "name": "shop",
    "enabled": True,
    "cmd": "/usr/bin/python",
    "args": ["-m", "a b", "é \x85\n: #", ""],
    "envs": {"A": "1", "yes": "no", "1": ""},
    "timeout": 300,
}
BUSY = """\
# What I like
GOOSE_MODEL: some # words: "ü"
extensions: # mine
  developer:
    enabled: true # on
    description: |
      # no comment
      extensions:

    args:
    - -y
    # about the last one
    - "x: y"
  # between

  other: {enabled: false, cmd: 'it''s'}

# below
GOOSE_MODE: auto
"""


def lines_stay(before, after):
    """Every line of one text stands in the other, in order."""
    rest = iter(after.splitlines())
    return all(line in rest for line in before.splitlines())


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_comments_and_the_rest_stay(eol, mark):
    text = mark + BUSY.replace("\n", eol)
    changed = yaml_text.put(text, PATH, ENTRY)
    assert lines_stay(text, changed)
    assert changed.count(eol) == changed.count("\n")
    assert yaml.safe_load(changed)["extensions"]["shop"] == ENTRY
    assert yaml_text.put(changed, PATH, ENTRY) == changed
    again = yaml_text.put(changed, PATH, {**ENTRY, "timeout": 5})
    assert again == changed.replace("timeout: 300", "timeout: 5")
    assert yaml_text.drop(again, PATH) == text
    assert yaml_text.drop(text, PATH) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", "extensions: {}\n"),
        ("# none", "# none\nextensions: {}\n"),
        ("{}\n", "extensions: {}\n"),
        ("a: 1", "a: 1\nextensions: {}\n"),
        ("extensions: {} # none\n", "extensions: {} # none\n"),
        ("extensions:\nb: 2\n", "extensions: {}\nb: 2\n"),
        ("extensions: null # none\nb: 2", "extensions: {} # none\nb: 2"),
        ("---\na: 1\n...\n", "---\na: 1\nextensions: {}\n...\n"),
        ("extensions: {a: {b: 1}}\n", "extensions: {a: {b: 1}}\n"),
        ("extensions:\n    a:\n", "extensions:\n    a:\n"),
        ('"extensions":\n  a: |+\n    x\n\n', '"extensions":\n  a: |+\n    x\n\n'),
    ],
)
def test_where_there_are_no_servers_yet(text, left):
    changed = yaml_text.put(text, PATH, ENTRY)
    assert yaml_text.read(changed)["extensions"]["shop"] == ENTRY
    assert yaml_text.drop(changed, PATH) == left


KEYS = st.text("abcxyz_-.: é1", min_size=1, max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=30)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
MAPPINGS = st.dictionaries(KEYS, VALUES, max_size=4)


@pytest.mark.promise("everyday.yaml")
@settings(max_examples=examples(300), deadline=None)
@given(
    MAPPINGS,
    st.none() | MAPPINGS,
    VALUES,
    st.sampled_from([False, None, True]),
    st.sampled_from([2, 4]),
    st.data(),
)
def test_nothing_else_changes_whatever_the_file_holds(others, servers, value, flow, indent, data):
    whole = {**others} if servers is None else {**others, "extensions": servers}
    text = yaml.safe_dump(whole, default_flow_style=flow, indent=indent, allow_unicode=True)
    lines = [f"{line}\n" for line in text.split("\n")[:-1]]
    starts = [at for at, line in enumerate(lines) if line[0] not in " -\n"]
    for at in sorted(data.draw(st.sets(st.sampled_from(starts or [0]))), reverse=True):
        lines.insert(at, "# a remark: [\n")
    text = "".join(lines)
    assume(yaml.safe_load(text) == whole)  # PyYAML does not read all that it writes
    try:
        changed = yaml_text.put(text, PATH, value)
    except ValueError:
        assert flow is not False  # braces around everything: not edited
        return
    assert yaml.safe_load(changed) == {**others, "extensions": {**(servers or {}), "shop": value}}
    assert changed.count("# a remark") == text.count("# a remark")
    left = yaml_text.drop(changed, PATH)
    kept = {name: each for name, each in (servers or {}).items() if name != "shop"}
    assert yaml.safe_load(left) == {**others, "extensions": kept}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("extensions: [a]\n", "is not a mapping"),
        ("a: &x 1\nb: *x\n", "anchors"),
        ("a: [1\n", "line 2, column 1"),
        ("a: 1\n---\nb: 2\n", "line 2"),
        ("a: !thing 1\n", "line 1"),
        ("{a: 1, extensions: {}}\n", "without loss"),
        ("extensions:\n  a: 1\nextensions:\n  b: 1\n", "twice"),
        ("a: 2026-99-99\n", "cannot be read"),
        ("[" * 5000 + "]" * 5000, "too deeply"),
        ("# " + "x" * 1_000_000, "too large"),
        ("- a\n", "holds no object"),
        ("a: \x07", "left alone"),
    ],
)
def test_what_cannot_be_edited_is_left_alone(home, text, said):
    path = home / ".config/goose/config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    line = refused(2, "install", "goose", "shop.py")
    assert f"{path} is left alone: " in line
    assert said in line
    assert path.read_text() == text


@pytest.mark.promise("everyday.yaml")
def test_goose(home):
    path = home / ".config/goose/config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(BUSY)
    said = good("install", "goose", "shop.py", "--env", "A=1")
    assert said.startswith(f"`shop` is installed for goose: {path}")
    entry = SettingsFile(path, yaml_text).get("extensions", "shop")
    assert is_ours(entry)
    assert (entry["type"], entry["enabled"], entry["envs"]) == ("stdio", True, {"A": "1"})
    assert "nothing to change" in good("install", "goose", "shop.py", "--env", "A=1")
    good("install", "goose", "https://tools.example/mcp", "--header", "X=1", "--name", "far")
    assert SettingsFile(path, yaml_text).get("extensions", "far") == {
        "name": "far",
        "description": "far",
        "enabled": True,
        "timeout": 300,
        "type": "streamable_http",
        "uri": "https://tools.example/mcp",
        "headers": {"X": "1"},
    }
    rows = json.loads(good("clients", "--json"))
    assert next(row["servers"] for row in rows if row["client"] == "goose") == [
        "developer",
        "other",
        "shop",
        "far",
    ]
    assert "--force" in refused(2, "install", "goose", "shop.py", "--name", "other")
    good("uninstall", "goose", "far")
    good("uninstall", "goose", "shop")
    assert path.read_text() == BUSY


def test_without_pyyaml_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    file = SettingsFile(tmp_path / "config.yaml", yaml_text)
    assert file.value == {}, "where there is no file, nothing needs to be read"
    with pytest.raises(UsageError, match=r"pip install 'toolwright\[yaml\]'"):
        file.put(PATH, ENTRY)
