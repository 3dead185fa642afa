"""What names a server: URLs, commands, scripts, entries of mcp.json."""

import json
import sys

import pytest

from toolwright import Toolbox
from toolwright.client import connect
from toolwright.client.targets import ServerAddress, StartedServer, target_of


@pytest.mark.promise("client.target")
def test_a_text_is_a_url_else_a_path_else_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert target_of("https://host/mcp") == ServerAddress("https://host/mcp")
    assert target_of("npx 'a server' --flag") == StartedServer(("npx", "a server", "--flag"))
    assert target_of(["npx", "a; rm -rf"]).argv == ("npx", "a; rm -rf")
    script = tmp_path / "npx server.py"
    script.write_text("")
    for given in (script, "npx server.py"):
        assert target_of(given).argv == (sys.executable, str(script))
    (tmp_path / "server.mjs").write_text("")
    assert target_of("server.mjs").argv[0] == "node"
    assert str(target_of(Toolbox("x"))) == "x"


@pytest.mark.promise("client.variables")
def test_an_entry_of_an_mcp_json_is_a_server(tmp_path, monkeypatch):
    monkeypatch.setenv("KEY", "secret")
    file = tmp_path / "mcp.json"
    file.write_text(
        """{ // with comments, as editors allow them
        "mcpServers": {
            "one": {"command": "run", "args": ["${KEY}", "http://x//y"], "env": {"A": "${env:KEY}"}},
            "two": {"type": "http", "url": "https://h/${NONE:-mcp}", "headers": {"X": "${KEY}"}},
            "bad": {"command": "${MISSING}"}, /* and with */
        },
        }"""
    )
    one = target_of(file, "one")
    assert (one.argv, one.env) == (("run", "secret", "http://x//y"), {"A": "secret"})
    two = target_of(f"{file}:two")
    assert (two.url, two.headers) == ("https://h/mcp", {"X": "secret"})
    with pytest.raises(ValueError, match="variable MISSING, which is not set"):
        target_of(file, "bad")
    with pytest.raises(ValueError, match="has 3 servers; name one of `one`, `two`, `bad`"):
        target_of(file)
    with pytest.raises(ValueError, match="has no server `three`"):
        target_of(file, "three")
    assert "secret" not in f"{one}{one!r}{two}{two!r}"
    alone = tmp_path / "alone.json"
    alone.write_text(json.dumps({"servers": {"x": {"command": "run"}}}))
    assert target_of(str(alone)).argv == ("run",)


@pytest.mark.parametrize(
    "target", ["", "  ", "http://", "https://a b/", "'", 5, None, [], [1], {"x": 1}, b"x", "a\0b"]
)
def test_what_names_no_server_is_refused(target):
    with pytest.raises((TypeError, ValueError)):
        connect(target)


@pytest.mark.parametrize(
    "options",
    [
        {"nope": 1},
        {"headers": 5},
        {"headers": {"a": 1}},
        {"timeout": -1},
        {"era": "old"},
        {"env": []},
    ],
)
def test_wrong_options_are_refused(options):
    with pytest.raises((TypeError, ValueError)):
        connect("https://host/mcp", **options)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"mcpServers": 1}', '"' * 1000, "[" * 100_000])
def test_other_files_are_refused(tmp_path, text):
    file = tmp_path / "mcp.json"
    file.write_text(text)
    with pytest.raises(ValueError, match="mcp.json"):
        connect(file)
    with pytest.raises(ValueError, match="is a folder"):
        connect(tmp_path)
    other = tmp_path / "notes.txt"
    other.write_text("x")
    with pytest.raises(ValueError, match="neither"):
        connect(other)
