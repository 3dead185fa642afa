"""Where files of the user are, on each platform: those of other programs, and our own."""

import sys

import pytest

from toolwright.cli.known_clients import CLIENTS
from toolwright.serve.sdk.task_records import default_path

LIBRARY = "Library/Application Support"
SET = {
    "XDG_CONFIG_HOME": "/xdg/config",
    "XDG_STATE_HOME": "/xdg/state",
    "APPDATA": "/win/Roaming",
    "LOCALAPPDATA": "/win/Local",
}


@pytest.fixture
def on(tmp_path, monkeypatch):
    """Stand on a platform, with some variables set."""

    def stand(platform, *names):
        monkeypatch.setattr(sys, "platform", platform)
        monkeypatch.setenv("HOME", str(tmp_path))
        for name in SET:
            monkeypatch.delenv(name, raising=False)
        for name in names:
            monkeypatch.setenv(name, SET[name])
        return tmp_path

    # It looks at the platform when it is imported.
    before = [name for name in sys.modules if name.split(".")[0] == "platformdirs"]
    for name in before:
        monkeypatch.delitem(sys.modules, name)
    yield stand
    for name in [name for name in sys.modules if name.split(".")[0] == "platformdirs"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("platform", "names", "folder"),
    [
        ("linux", [], ".config"),
        ("linux", ["XDG_CONFIG_HOME"], "/xdg/config"),
        ("darwin", [], LIBRARY),
        # Claude Desktop and VS Code on macOS do not look at it, so neither may we.
        ("darwin", ["XDG_CONFIG_HOME"], LIBRARY),
        ("win32", [], "AppData/Roaming"),
        ("win32", ["APPDATA", "XDG_CONFIG_HOME"], "/win/Roaming"),
    ],
)
def test_settings_of_other_programs(on, platform, names, folder):
    home = on(platform, *names)
    desktop = CLIENTS["claude-desktop"].path(project=False)
    assert desktop == home / folder / "Claude" / "claude_desktop_config.json"
    assert CLIENTS["vscode"].path(project=False) == home / folder / "Code" / "User" / "mcp.json"
    assert CLIENTS["claude-code"].path(project=False) == home / ".claude.json"


@pytest.mark.parametrize(
    ("platform", "names", "folder"),
    [
        ("linux", [], ".local/state"),
        ("linux", ["XDG_STATE_HOME"], "/xdg/state"),
        ("darwin", [], LIBRARY),
        ("darwin", ["XDG_STATE_HOME"], "/xdg/state"),
    ],
)
def test_the_file_of_tasks(on, platform, names, folder):
    home = on(platform, *names)
    assert default_path() == home / folder / "toolwright" / "tasks.db"


def test_the_file_of_tasks_on_windows(on, monkeypatch):
    """One folder of ours in the one for local data, as before; the system itself is not asked."""
    on("win32")
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", r"C:\Users\ada\AppData\Local")
    parts = default_path().parts
    assert parts == (r"C:\Users\ada\AppData\Local", "toolwright", "tasks.db")
