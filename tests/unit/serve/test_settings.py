"""The settings of a server: one list for `serve`, `asgi`, the command and the docs."""

import argparse
import re

import pytest

from toolwright import Toolbox
from toolwright.cli.main import parser
from toolwright.cli.server_settings import ServeArguments, flag_of, read_settings
from toolwright.serve import AppSettings, HttpSettings, StdioSettings, settings
from toolwright.serve.server import serve
from toolwright.serve.settings import SETTINGS, ServerConfig, server_config

TYPES = {"http": HttpSettings, "asgi": AppSettings, "stdio": StdioSettings}


@pytest.fixture(scope="module")
def flags():
    commands = next(
        each for each in parser("serve")._actions if isinstance(each, argparse._SubParsersAction)
    )
    return {
        flag: action
        for action in commands.choices["serve"]._actions
        for flag in action.option_strings
    }


@pytest.mark.parametrize("place", TYPES)
def test_type_checkers_see_the_table(place):
    of_table = {
        name: ServerConfig.__annotations__[name]
        for name, row in SETTINGS.items()
        if place in row.places
    }
    said = {
        name: hint.__forward_arg__
        for part in TYPES[place].__mro__[:-1] + getattr(TYPES[place], "__orig_bases__", ())
        for name, hint in getattr(part, "__annotations__", {}).items()
    }
    assert said == of_table, f"{TYPES[place].__name__} has not what the table has"


@pytest.mark.promise("settings.every-flag")
@pytest.mark.parametrize("name", [name for name, row in SETTINGS.items() if row.flags])
def test_a_setting_has_its_flag_with_the_same_default(name, flags):
    action, default = flags[flag_of(name)], SETTINGS[name].default
    if isinstance(default, int | float | str) and not isinstance(default, bool) and default != "":
        text = f"{default:g}" if isinstance(default, float) else str(default)
        assert re.search(rf"\((4 MiB|{re.escape(text)})[;)]", action.help), action.help


def test_the_command_changes_no_default():
    assert read_settings(ServeArguments(http=True)) == ServerConfig()
    assert read_settings(ServeArguments()) == ServerConfig(drain=1.0)


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


WRONG = [
    ("port", -1, "a port is a number from 0 to 65535; got -1"),
    ("max_body", 0, "max_body must be a whole number of at least 1; got 0"),
    ("max_connections", 1.5, "max_connections must be a whole number of at least 1; got 1.5"),
    ("session_idle", -1, "session_idle must be a positive number; got -1"),
    ("rate_limit", "often", 'rate_limit must be written like "10/s"'),
    ("drain", -1, "drain must be a number of seconds, 0 or more; got -1"),
    ("header_timeout", None, "header_timeout needs a value; got None"),
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG)
def test_a_wrong_value_is_refused(name, value, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        Toolbox("box").serve("http", **{name: value})


def test_settings_are_completed():
    config = server_config("http", {"port": 1, "hosts": ["a.example"], "max_streams": 2})
    assert config == ServerConfig(port=1, hosts=["a.example"], max_streams=2)
    assert server_config("stdio", {}).drain == 1
    assert server_config("stdio", {"drain": 5}).drain == 5


def test_the_list_is_public():
    import toolwright.serve as room
    from toolwright.serve.http import app

    assert set(room.__all__) == {
        *("AppSettings", "HttpSettings", "StdioSettings"),
        *("Caller", "Refusal", "Reply", "SignIn"),
    }
    assert room.AppSettings is settings.AppSettings
    assert room.Reply is app.Reply
    assert all(getattr(room, name).__name__ == name for name in room.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = room.nothing
