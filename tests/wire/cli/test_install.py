"""`install`, `uninstall` and `clients`: files of other programs, in every state they are found in."""

import codecs
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.counting import examples
from tests.unit.cli.jsonc_documents import documents, in_order, parent_of, tokens
from tests.wire.command_files import here, home
from tests.wire.processes import good, refused, run, start
from toolwright.cli.known_clients import CLIENTS, is_ours
from toolwright.cli.settings_file import SettingsFile
from toolwright.cli.usage import UsageError

__all__ = ["here", "home"]  # fixtures

KEYS = {"claude-desktop": "mcpServers", "claude-code": "mcpServers", "cursor": "mcpServers"}
KEYS |= {"vscode": "servers", "gemini-cli": "mcpServers"}
FILES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "gemini-cli": ".gemini/settings.json",
}
BUSY = """\
{
    // What I like
    "globalShortcut": "Ctrl+Space", /* both
    lines */
    "%s": {
        "files": {"command": "npx", "args": ["-y", "x"], "disabled": true, "cwd": "/a"}, // mine
    },
    "title": "ü",
}
"""


def entry_of(path, key, name="shop"):
    return SettingsFile(path).get(key, name)


@pytest.mark.parametrize("client", FILES)
def test_a_first_server(home, client):
    path = home / FILES[client]
    said = good("install", client, "shop.py")
    assert said.startswith(f"`shop` is installed for {CLIENTS[client].title}: {path}\nNext: ")
    entry = entry_of(path, KEYS[client])
    assert entry["command"] == sys.executable
    here = str(Path.cwd())
    assert entry["args"] == ["-m", "toolwright", "serve", "--folder", here, f"{here}/shop.py"]
    assert ("type" in entry) == (client in {"claude-code", "vscode"})
    assert is_ours(entry)
    again = good("install", client, "shop.py")
    assert "nothing to change" in again
    assert good("uninstall", client, "shop").startswith("`shop` is gone")
    assert json.loads(path.read_text()) == {KEYS[client]: {}}


@pytest.mark.parametrize("client", FILES)
def test_what_others_wrote_stays(home, client):
    path = home / FILES[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    before = BUSY % KEYS[client]
    path.write_text(before)
    good("install", client, "shop.py", "--env", "A=1", "--env", "B=x=y", "--select", "orders.*")
    text = path.read_text()
    assert in_order(before, text)
    entry = entry_of(path, KEYS[client])
    assert entry["env"] == {"A": "1", "B": "x=y"}
    assert entry["args"][-1] == "--select=orders.*"
    assert SettingsFile(path).get(KEYS[client], "files")["disabled"] is True
    good("uninstall", client, "shop")
    assert path.read_text() == before
    copies = sorted(path.parent.glob(f"{path.name}.*.bak"))
    assert [copy.read_text() for copy in copies] == [before, text]


@pytest.mark.promise("everyday.nothing-else")
@settings(
    max_examples=examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    documents(),
    st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]),
    st.sampled_from([0o600, 0o644, 0o664]),
)
def test_nothing_that_is_not_ours_changes(tmp_path_factory, document, encoding, mode):
    text, value, path, places = document
    assume("\ud800" not in text)
    text = text.removeprefix("\ufeff")
    mark = {"utf-8": "", "utf-16-le": "\ufeff"}.get(encoding, "\ufeff")
    folder = tmp_path_factory.mktemp("files")
    file = folder / "settings.json"
    data = (mark + text).encode(encoding)
    file.write_bytes(data)
    file.chmod(mode)
    link = folder / "link.json"
    link.symlink_to(file)
    found = SettingsFile(link)
    backup = found.write(found.put(path, {"command": "x", "args": ["ü"]}))
    assert backup.read_bytes() == data
    assert link.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == mode
    after = file.read_bytes().decode(encoding)
    if not places:
        assert in_order(mark + text, after)
    again = SettingsFile(link)
    again.write(again.drop(path))
    left = file.read_bytes()
    if not places and parent_of(value, path):
        assert left == data
    elif not places and parent_of(value, path) is not None:
        assert tokens(left.decode(encoding)) == tokens(mark + text)


BAD = {
    "not JSON": b"{,}",
    "cut off": b'{"mcpServers": {',
    "unquoted": b"{mcpServers: {}}",
    "a list": b"[]",
    "a number": b"5",
    "the servers are a list": b'{"mcpServers": []}',
    "Latin-1": '{"a": "\xfc"}'.encode("latin-1"),
    "half of UTF-16": codecs.BOM_UTF16_LE + b"{",
    "binary": bytes(range(256)),
}


@pytest.mark.promise("everyday.left-alone")
@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_a_file_that_cannot_be_read_is_left_alone(home, data):
    path = home / FILES["cursor"]
    path.parent.mkdir()
    path.write_bytes(data)
    line = refused(2, "install", "cursor", "shop.py")
    assert f"{path} is left alone: " in line
    assert path.read_bytes() == data
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    if data != BAD["the servers are a list"]:
        assert "cannot be read" in good("clients")


def test_a_read_only_file_is_left_alone(home):
    path = home / FILES["cursor"]
    path.parent.mkdir()
    path.write_text("{}")
    path.chmod(0o444)
    assert "read-only" in refused(2, "install", "cursor", "shop.py")
    assert path.read_text() == "{}"


def test_a_folder_in_its_place(home):
    (home / FILES["cursor"]).mkdir(parents=True)
    assert "cannot be read" in refused(2, "install", "cursor", "shop.py")


@pytest.mark.promise("everyday.dry-run")
def test_a_dry_run_shows_the_difference_and_writes_nothing(home):
    path = home / FILES["vscode"]
    assert "+" in good("install", "vscode", "shop.py", "--dry-run")
    assert not path.exists()
    good("install", "vscode", "shop.py")
    before = path.read_bytes()
    said = good("install", "vscode", "shop.py", "--env", "A=1", "--dry-run")
    assert '+      "env": {' in said
    assert path.read_bytes() == before
    seen = json.loads(good("uninstall", "vscode", "shop", "--dry-run", "--json"))
    assert seen["changes"] is True
    assert '-    "shop": {' in seen["diff"]


def test_only_so_many_copies_are_kept(home):
    for at in range(9):
        good("install", "cursor", "shop.py", "--env", f"A={at}")
    copies = list((home / ".cursor").glob("*.bak"))
    assert len(copies) == 5


def test_servers_of_others_are_not_replaced(home):
    path = home / FILES["cursor"]
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"shop": {"command": "other"}}}')
    assert "--force" in refused(2, "install", "cursor", "shop.py")
    good("install", "cursor", "shop.py", "--name", "mine")
    good("install", "cursor", "shop.py", "--force")
    assert is_ours(entry_of(path, "mcpServers"))
    good("uninstall", "cursor", "mine")
    assert list(SettingsFile(path).get("mcpServers")) == ["shop"]


def test_a_server_at_a_url(home):
    path = home / FILES["vscode"]
    good("install", "vscode", "https://tools.example/mcp", "--header", "Authorization=Bearer x")
    assert entry_of(path, "servers", "tools") == {
        "type": "http",
        "url": "https://tools.example/mcp",
        "headers": {"Authorization": "Bearer x"},
    }
    good("install", "vscode", "https://tools.example/mcp", "--header", "A=1")
    assert entry_of(path, "servers", "tools")["headers"] == {"A": "1"}
    good("uninstall", "vscode", "tools")
    assert "not a URL" in refused(2, "install", "vscode", "https://[::1")
    assert "Connectors" in refused(2, "install", "claude-desktop", "https://tools.example/mcp")
    assert "--env" in refused(2, "install", "vscode", "https://a.example", "--env", "A=1")
    assert "--header" in refused(2, "install", "vscode", "shop.py", "--header", "A=1")


def test_a_printout_for_other_clients(home):
    shown = json.loads(good("install", "generic", "shop.py", "--name", "other"))
    assert is_ours(shown["mcpServers"]["other"])
    assert list(home.iterdir()) == []


def test_a_file_of_the_project(home):
    good("install", "vscode", "shop.py", "--project")
    assert is_ours(entry_of(Path(".vscode/mcp.json"), "servers"))
    assert "no file for a project" in refused(
        2, "install", "claude-desktop", "shop.py", "--project"
    )
    good("install", "cursor", "shop.py", "--config", "odd.json")
    assert is_ours(entry_of(Path("odd.json"), "mcpServers"))
    rows = json.loads(good("clients", "--json"))
    assert {"client": "vscode", "servers": ["shop"], "exists": True} == {
        key: value
        for row in rows
        if row["file"].startswith(os.getcwd() + "/.vscode")
        for key, value in row.items()
        if key != "file"
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["install", "emacs", "shop.py"], "cursor, vscode, gemini-cli, goose, generic"),
        (["install", "cursor", "missing.py"], "missing.py"),
        (["install", "cursor", "shop.py", "--env", "=A"], "NAME=value"),
        (["install", "cursor", "shop.py", "--name", "a b"], "spaces"),
        (["uninstall", "cursor", "shop"], "no server `shop`"),
        (["uninstall", "generic", "shop"], "by hand"),
    ],
)
def test_mistakes(home, given, said):
    assert said in refused(2, *given)


def test_a_folder_that_is_not_there(home):
    assert "no folder nowhere" in refused(2, "install", "cursor", "shop.py", "--folder", "nowhere")
    line = refused(2, "install", "vscode", "https://a.example", "--folder", ".")
    assert "--folder goes with a server on this machine" in line


@pytest.mark.promise("everyday.env")
def test_a_variable_without_a_value_has_that_of_now(home):
    shown = json.loads(
        good("install", "generic", "shop.py", "--env", "KEY", "--env", "B=", env={"KEY": "s=1"})
    )
    assert shown["mcpServers"]["shop"]["env"] == {"KEY": "s=1", "B": ""}
    line = refused(2, "install", "generic", "shop.py", "--env", "NO_SUCH_VARIABLE")
    assert "--env NO_SUCH_VARIABLE: there is no such variable here" in line


def test_gemini_takes_urls_under_a_key_of_its_own(home):
    good("install", "gemini-cli", "https://tools.example/mcp")
    entry = entry_of(home / FILES["gemini-cli"], "mcpServers", "tools")
    assert entry == {"httpUrl": "https://tools.example/mcp"}
    good("install", "gemini-cli", "shop.py", "--project")
    assert is_ours(entry_of(Path(".gemini/settings.json"), "mcpServers"))


def test_files_that_are_no_settings(tmp_path):
    with pytest.raises(UsageError, match="left alone"):
        SettingsFile(tmp_path / "x").put(("a", "b"), {1, 2})


def test_what_is_no_file_is_left_alone(home, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in ("pipe", "loop"):
        assert "cannot be read" in refused(2, "install", "cursor", "shop.py", "--config", name)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    if os.geteuid() == 0:
        os.mknod(tmp_path / "device", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        refused(2, "install", "cursor", "shop.py", "--config", "device")
        assert stat.S_ISCHR((tmp_path / "device").stat().st_mode)
    assert "needs the name" in refused(2, "install", "cursor", "shop.py", "--config", "")


def test_installs_at_the_same_time_lose_nothing(home, tmp_path):
    started = [
        start(
            *["install", "cursor", "shop.py", "--config", "all.json", "--name", f"s{at}"],
            stdout=subprocess.DEVNULL,
        )
        for at in range(6)
    ]
    assert [each.wait(60) for each in started] == [0] * 6
    servers = json.loads((tmp_path / "all.json").read_text())["mcpServers"]
    assert sorted(servers) == [f"s{at}" for at in range(6)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_stays_with_its_owner(home, tmp_path):
    path = tmp_path / "theirs.json"
    path.write_text("{}")
    path.chmod(0o640)
    os.chown(path, 1234, 1234)
    good("install", "cursor", "shop.py", "--config", "theirs.json")
    for each in (path, *tmp_path.glob("theirs.json.*.bak")):
        known = each.stat()
        assert (known.st_uid, known.st_gid, stat.S_IMODE(known.st_mode)) == (1234, 1234, 0o640)


def test_a_server_that_would_not_work_is_not_installed(home, here):
    here(
        {
            "bad.py": "from toolwright import Toolbox\nbox = Toolbox('bad')\n@box.tool\n"
            "def f(x) -> int:\n    return 1\n@box.tool\ndef g(x: int) -> int:\n    return x\n"
        }
    )
    done = run("install", "generic", "bad.py", "--strict")
    assert done.returncode == 2
    assert "refused" in done.stderr
    assert "no tool is called" in refused(2, "install", "cursor", "shop.py", "--select", "nothing")
    here({"my-tools.py": "def f(x: int) -> int:\n    return x\n"})
    assert list(json.loads(good("install", "generic", "my-tools.py"))["mcpServers"]) == ["my-tools"]


@pytest.mark.promise("everyday.yaml")
def test_goose_keeps_yaml_which_is_printed_and_never_edited(home):
    path = home / ".config/goose/config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text := "GOOSE_MODE: auto # mine\nextensions: {far: {type: stdio}}\n")
    done = run("install", "goose", "shop.py", "--env", "A=é \x85\U0001f600: #", "--env", "yes=no")
    assert str(path) in done.stderr
    entry = yaml.safe_load(done.stdout)["extensions"]["shop"]
    assert is_ours(entry)
    assert (entry["type"], entry["enabled"]) == ("stdio", True)
    assert entry["envs"] == {"A": "é \x85\U0001f600: #", "yes": "no"}
    remote = ["install", "goose", "https://tools.example/mcp", "--name", "far"]
    assert yaml.safe_load(run(*remote, "--header", "X=1").stdout) == {
        "extensions": {
            "far": {
                "name": "far",
                "description": "far",
                "enabled": True,
                "timeout": 300,
                "type": "streamable_http",
                "uri": "https://tools.example/mcp",
                "headers": {"X": "1"},
            }
        }
    }
    assert json.loads(good(*remote, "--json"))["extensions"]["far"]["type"] == "streamable_http"
    assert "by hand" in refused(2, "uninstall", "goose", "far")
    (row,) = (each for each in json.loads(good("clients", "--json")) if each["client"] == "goose")
    assert row == {"client": "goose", "file": str(path), "exists": True, "servers": ["far"]}
    assert path.read_text() == text
