"""The settings of a server: one list for `serve`, `asgi`, the command and the docs."""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

from toolwright import Toolbox
from toolwright.cli.serve_flags import complete
from toolwright.cli.http_settings import flag_of, http_settings
from toolwright.cli.main import parser
from toolwright.serve import AppSettings, HttpSettings, StdioSettings, settings
from toolwright.serve.server import serve
from toolwright.serve.settings import (
    DEFAULTS,
    AppConfig,
    ConnectionLimits,
    HttpConfig,
    SessionLimits,
    http_config,
)
from toolwright.serve.stdio.settings import StdioConfig

NAMES = list(get_type_hints(HttpSettings))
IN_CODE = {"routes", "middleware"}
"""Settings that only a program can write."""
SECURITY = Path(__file__).parents[2] / "docs" / "security.md"
# What an operator reads as the default, where that is not the value itself.
READ_AS = {
    None: "none",
    (): "none",
    "": "none",
    True: "on",
    False: "off",
    4 * 1024 * 1024: "4 MiB",
}
NOT_READ = {"state_key", "resource"}
"""Settings whose default is decided at run time."""


@pytest.fixture(scope="module")
def served():
    commands = next(
        each for each in parser("serve")._actions if isinstance(each, argparse._SubParsersAction)
    )
    return {
        flag: action
        for action in commands.choices["serve"]._actions
        for flag in action.option_strings
    }


@pytest.fixture(scope="module")
def rows():
    """The settings in the tables of the page: default, and whether an app has it."""
    table = {}
    for line in SECURITY.read_text().splitlines():
        cells = [each.strip() for each in line.strip("|").split("|")]
        names = re.fullmatch(r"(`\w+`(?:, `\w+`)*)( \*)?", cells[0])
        if len(cells) < 3 or names is None:
            continue
        many = re.findall(r"`(\w+)`", names[1])
        values = cells[1].split(" and ") if len(many) > 1 else [cells[1]]
        for name, value in zip(many, values, strict=True):
            table[name] = value, names[2] is not None
    return table


def test_types_and_values_are_of_one_list():
    def hints(*parts):
        every = {}
        for each in parts:
            every |= get_type_hints(each)
        return every

    parts = hints(AppConfig, SessionLimits)
    del parts["sessions"]
    assert parts == get_type_hints(AppSettings)
    parts |= hints(HttpConfig, ConnectionLimits)
    del parts["app"], parts["connections"]
    assert parts == get_type_hints(HttpSettings)
    assert get_type_hints(StdioConfig) == get_type_hints(StdioSettings)
    assert DEFAULTS.keys() == set(NAMES)


@pytest.mark.promise("settings.every-flag")
@pytest.mark.parametrize("name", sorted({*NAMES} - IN_CODE))
def test_a_setting_has_its_flag_with_the_same_default(name, served):
    action = served[flag_of(name)]
    default = DEFAULTS[name]
    if action.default not in (None, [], False):
        assert action.default == default
    if isinstance(default, int | float | str) and not isinstance(default, bool) and default != "":
        said = action.help % {"default": action.default}
        text = READ_AS.get(default, f"{default:g}" if isinstance(default, float) else str(default))
        assert re.search(rf"\({re.escape(text)}[;)]", said), said


@pytest.mark.promise("settings.every-flag")
@pytest.mark.parametrize("name", NAMES)
def test_a_setting_has_its_line_in_the_docs(name, rows):
    text, is_for_apps = rows[name]
    assert is_for_apps == (name in get_type_hints(AppSettings))
    if name in NOT_READ:
        return
    default = DEFAULTS[name]
    shown = READ_AS.get(default, f"{default:g}" if isinstance(default, float) else str(default))
    first = re.match(r"[`\w/.,:]+(?: MiB)?", text.replace(",", ""))[0].strip("`")
    assert first == shown


def test_the_command_says_every_setting_and_changes_no_default(served):
    chosen = parser("serve").parse_args(["serve", "shop.py", "--http"])
    complete(chosen)
    made = http_settings(chosen)
    assert made.keys() == set(NAMES)
    same = {
        name: tuple(value) if isinstance(value, list) else value for name, value in made.items()
    }
    assert same == dict(DEFAULTS)


UNKNOWN = [
    ("http", {"prot": 80}, "unknown setting `prot`: did you mean `port`?"),
    ("http", {"max_session": 8}, "unknown setting `max_session`: did you mean `max_sessions`?"),
    ("http", {"zzzzzz": 80}, "unknown setting `zzzzzz`: there are auth, body_timeout, "),
    ("stdio", {"drian": 80}, "unknown setting `drian`: did you mean `drain`?"),
    ("stdio", {"port": 80}, '`port` is a setting of serve("http", ...) only'),
]


@pytest.mark.promise("settings.unknown")
@pytest.mark.parametrize(("transport", "given", "said"), UNKNOWN)
def test_an_unknown_setting_is_refused_with_the_nearest(transport, given, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        Toolbox("box").serve(transport, **given)
    with pytest.raises(TypeError, match=re.escape(said)):
        serve(Toolbox("box").__servable__(), transport, **given)


@pytest.mark.promise("settings.unknown")
def test_an_app_refuses_what_only_a_server_has():
    with pytest.raises(TypeError, match=re.escape("`nothing`")):
        Toolbox("box").asgi(nothing=1)
    with pytest.raises(TypeError, match="did you mean `tokens`"):
        Toolbox("box").asgi(token="a-long-token")
    with pytest.raises(TypeError, match=re.escape('`port` is a setting of serve("http", ...)')):
        Toolbox("box").asgi(port=80)


def test_settings_reach_the_part_that_takes_them():
    config = http_config(
        {"port": 1, "hosts": ["a.example"], "max_streams": 2, "max_connections": 3, "max_body": 4}
    )
    assert (config.port, config.app.max_body) == (1, 4)
    assert config.app.hosts == ("127.0.0.1", "a.example")
    assert (config.app.sessions.max_streams, config.connections.max_connections) == (2, 3)
    slow = http_config({"body_timeout": 5})
    assert slow.app.body_timeout == slow.connections.body_timeout == 5


def test_the_list_is_public():
    import toolwright.serve as room
    from toolwright.serve import in_process

    for name in room.__all__:
        home = in_process if name == "Reply" else settings
        assert getattr(room, name) is getattr(home, name)
    with pytest.raises(AttributeError, match="nothing"):
        _ = room.nothing


def test_a_server_on_stdio_loads_nothing_of_http():
    code = (
        "import sys\n"
        "from toolwright import Toolbox\n"
        "box = Toolbox('quick')\n"
        "def add(a: int, b: int) -> int: return a + b\n"
        "box.add(add)\n"
        "box.serve()\n"
        "loaded = [name for name in sys.modules if name.startswith('toolwright.serve.')]\n"
        "print(*loaded, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="", capture_output=True, text=True, check=True
    )
    loaded = done.stderr.split()
    assert "toolwright.serve.stdio.conversation" in loaded
    assert not [name for name in loaded if name.startswith("toolwright.serve.http")]
    assert not {"toolwright.serve.settings", "toolwright.serve.access.oauth"} & set(loaded)
