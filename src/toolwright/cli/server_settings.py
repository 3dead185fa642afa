"""The settings of `serve`, from its flags and the project."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from .._files import read_named
from .._json_values import is_list, is_object
from .._log.levels import LEVELS
from ..serve.settings import SETTINGS, Flag, Place, ServerConfig, Setting, hint_for, server_config
from .usage import UsageError

if TYPE_CHECKING:
    import argparse

    from ..serve.access.oauth import SignIn

_MOST_KEYS = 1024 * 1024
OF_COMMAND: Mapping[str, type] = MappingProxyType(
    {"transport": str, "workers": int, "reload": bool, "log_level": str}
)
"""Settings of a project that are flags of the command itself, and no flags of the table."""
_OF_SESSIONS = ("max_sessions", "max_sessions_per_client", "session_idle")
_WORDS: Mapping[type, str] = MappingProxyType(
    {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
)

Given = Mapping[str, Any]
"""What flags and the project give, by `dest_of`: only what was really given."""


def flag_of(name: str) -> str:
    """Return the flag of a setting, for messages."""
    row = SETTINGS.get(name)
    return row.flags[0].name if row is not None and row.flags else f"--{name.replace('_', '-')}"


def dest_of(name: str, flag: Flag) -> str:
    """Return the name under which a flag of a setting is in what was given."""
    return flag.part or name


def _flags() -> Iterator[tuple[str, Setting, Flag]]:
    for name, row in SETTINGS.items():
        if name not in OF_COMMAND:
            for flag in row.flags:
                yield name, row, flag


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the table. Those that are not given are no attributes of the outcome."""
    import argparse

    groups: dict[str, Any] = {"": parser}
    for name, row, flag in _flags():
        if row.group not in groups:
            groups[row.group] = parser.add_argument_group(row.group)
        kind = _kind_of(name)
        options: dict[str, Any]
        if kind is bool:
            options = {"action": "store_false" if row.default else "store_true"}
        else:
            options = {"metavar": flag.metavar, "action": "append" if flag.is_repeatable else None}
            if kind in (int, float):
                options["type"] = kind
        note = _note(row)
        groups[row.group].add_argument(
            flag.name,
            dest=dest_of(name, flag),
            default=argparse.SUPPRESS,
            help=f"{flag.help} ({note})" if note else flag.help,
            **{key: value for key, value in options.items() if value is not None},
        )


def _note(row: Setting) -> str:
    """Return what the help says of a setting that is not given."""
    if row.variable:
        return f"${row.variable}"
    if row.default in (None, "") or isinstance(row.default, bool | tuple):
        return ""
    text = row.shown_default or _number(row.default)
    return (
        text
        if row.stdio_default == row.default
        else f"{text}; over stdio {_number(row.stdio_default)}"
    )


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def given_in(parsed: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that are on the command line."""
    dests = {dest_of(name, flag) for name, _, flag in _flags()}
    return {dest: value for dest, value in vars(parsed).items() if dest in dests}


# -- the project


def known_settings() -> list[str]:
    """Return the names of all settings that `[tool.toolwright.serve]` may have."""
    return [*OF_COMMAND, *SETTINGS]


def settings_of_project(table: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Return what `[tool.toolwright.serve]` gives, as flags do. Raises `UsageError`."""
    given: dict[str, Any] = {}
    for name, value in table.items():
        given.update(_as_flags(name, value, file))
    # What is as it would be without it was not given: `auth = true`, `hosts = []`.
    return {key: value for key, value in given.items() if not _says_nothing(key, value)}


def _says_nothing(name: str, value: Any) -> bool:
    row = SETTINGS.get(name)
    is_switch = isinstance(value, bool)
    return value == [] or (is_switch and value is (row.default if row is not None else False))


def _as_flags(name: str, value: Any, file: Path) -> dict[str, Any]:
    _check_name(name, file)

    def wrong(expected: str) -> UsageError:
        return UsageError(f"{file}: `serve.{name}` must be {expected}; got {value!r}")

    choices = {"transport": ("stdio", "http"), "log_level": LEVELS}.get(name)
    if choices is not None and str(value).lower() not in choices:
        raise wrong(" or ".join(f'"{choice}"' for choice in choices))
    if name == "tls":
        return _tls_flags(value, wrong, file.parent)
    if name == "sign_in":
        return _sign_in_flags(value, wrong)
    kind = _kind_of(name)
    if kind is tuple:
        if not _is_texts(value):
            raise wrong("a list of texts")
    elif type(value) not in ((float, int) if kind is float else (kind,)):
        raise wrong(_WORDS[kind])
    return {name: value}


def _kind_of(name: str) -> type:
    if name in OF_COMMAND:
        return OF_COMMAND[name]
    default: object = SETTINGS[name].default
    return str if default is None else type(default)


def _tls_flags(value: Any, wrong: Callable[[str], UsageError], folder: Path) -> dict[str, Any]:
    if not _is_texts(value) or len(value) != 2:
        raise wrong("a list of two files, the certificate and the key")
    flags = SETTINGS["tls"].flags
    return {flag.part: str(folder / path) for flag, path in zip(flags, value, strict=True)}


def _sign_in_flags(value: Any, wrong: Callable[[str], UsageError]) -> dict[str, Any]:
    parts = {flag.part: flag for flag in SETTINGS["sign_in"].flags}
    if not is_object(value) or not value.keys() <= parts.keys():
        raise wrong(f"a table of {', '.join(parts)}")
    given: dict[str, Any] = {}
    for name, item in value.items():
        is_text, is_repeatable = isinstance(item, str), parts[name].is_repeatable
        if not (is_text or (is_repeatable and _is_texts(item))):
            raise wrong(f"a table whose {name} is text{' or a list of texts' * is_repeatable}")
        given[name] = [item] if is_text and is_repeatable else item
    return given


def _is_texts(value: Any) -> bool:
    return is_list(value) and all(isinstance(item, str) for item in value)


def _check_name(name: str, file: Path) -> None:
    if name not in known_settings():
        hint = hint_for(name, "http", *OF_COMMAND)
        raise UsageError(f"{file}: unknown setting `serve.{name}`: {hint}")
    row = SETTINGS.get(name)
    if row is not None and row.is_secret:
        where = f"give it with {flag_of(name)} or in the environment (env_file), not in this file"
        raise UsageError(f"{file}: `serve.{name}` is a secret: {where}")
    if row is not None and not row.flags:
        raise UsageError(f"{file}: `serve.{name}` is code: give it to `serve` or `asgi` in Python")


def with_project(given: Given, project: Given, place: Place) -> dict[str, Any]:
    """Return what was given on the command line, completed from the project.

    Settings that do not apply are left out: the project's table is for stdio and HTTP alike.
    """
    dests = {dest_of(name, flag) for name, row, flag in _flags() if place in row.places}
    return {**{dest: value for dest, value in project.items() if dest in dests}, **given}


# -- values


def check_given(given: Given, place: Place) -> None:
    """Refuse flags that would do nothing on stdio. Raises `UsageError`."""
    for name, row, flag in _flags():
        if dest_of(name, flag) in given and place not in row.places:
            raise UsageError(f"{flag.name} goes with --http: stdio has no use for it")


def read_settings(
    given: Given, place: Place, *, workers: int = 1, state_keys: Sequence[bytes] = ()
) -> ServerConfig:
    """Return the settings of a server; a worker is told its keys. Raises `UsageError`."""
    try:
        return _read(given, place, workers, state_keys)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _read(given: Given, place: Place, workers: int, state_keys: Sequence[bytes]) -> ServerConfig:
    values = {name: given[name] for name in SETTINGS if name in given}
    if place == "stdio":
        return server_config(place, values, flag_of)
    if "path" in values:
        values["path"] = f"/{values['path'].strip('/')}"
    token = os.environ.get(str(SETTINGS["tokens"].variable))
    values["tokens"] = [*values.get("tokens", ()), *filter(None, [token])] or None
    if workers > 1:  # two requests of one session may reach two workers
        values["stateless"] = True
    values["sign_in"] = _sign_in(given)
    _check_together(given, values, workers)
    values["tls"] = _tls(given)
    values["state_key"] = state_keys or _state_keys(given)
    return server_config(place, values, flag_of)


def _check_together(given: Given, values: Given, workers: int) -> None:
    """Refuse values that are not safe, or do nothing, beside the others. Raises `ValueError`."""
    from ..serve.access.address import TrustedProxies, is_local
    from ..serve.access.guard import tokens_from

    server_config("http", values, flag_of)
    tokens_from(values["tokens"])
    TrustedProxies(values.get("trusted_proxies", ()))
    is_closed = bool(values["tokens"] or values["sign_in"])
    host = values.get("host", SETTINGS["host"].default)
    if not (is_local(host) or is_closed or "auth" in given):
        msg = (
            f"{host} can be reached by other machines: give a --token or an --issuer, "
            "or say --no-auth if anyone may call these tools"
        )
        raise ValueError(msg)
    if "failed_sign_ins" in given and not is_closed:
        raise ValueError("--failed-sign-ins goes with --token or --issuer: nobody signs in here")
    useless = [name for name in _OF_SESSIONS if name in given]
    if values.get("stateless") and useless:
        why = "--stateless" if "stateless" in given else "--workers"
        msg = f"{flag_of(useless[0])} does nothing with {why}: there are no sessions"
        raise ValueError(msg)


def _state_keys(given: Given) -> tuple[bytes, ...] | None:
    """Return the keys in a file or a variable, which is removed from the environment of tools."""
    from ..serve.access.state_key import VARIABLE, state_keys

    where, text = f"${VARIABLE}", os.environ.pop(VARIABLE, "")
    if "state_key_file" in given:
        where = given["state_key_file"]
        try:
            text = read_named(where, _MOST_KEYS).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{where} cannot be read as a file of keys") from error
        if not text.split():
            raise UsageError(f"there is no key in {where}")
    try:
        return state_keys(None, {VARIABLE: text}) or None
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error


def _sign_in(given: Given) -> SignIn | None:
    flags = {flag.part: flag.name for flag in SETTINGS["sign_in"].flags}
    options = {part: given[part] for part in flags if part in given}
    if not options:
        return None
    if "issuer" not in options:
        raise ValueError(f"{flags[next(iter(options))]} goes with --issuer: who signs the tokens?")
    if not options.get("audience"):
        raise ValueError(
            "--issuer needs an --audience: a token for another server must not be accepted here"
        )
    from ..serve.access.oauth import SignIn

    return SignIn(**options)


def _tls(given: Given) -> tuple[str, str] | None:
    files = [given.get(flag.part) for flag in SETTINGS["tls"].flags]
    if not any(files):
        return None
    if not all(files):
        raise UsageError("HTTPS needs both: --tls-cert and --tls-key")
    certificate, key = cast("list[str]", files)
    for file in (certificate, key):
        if not Path(file).is_file():
            raise UsageError(f"there is no file {file}")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (OSError, ValueError) as error:
        raise UsageError("--tls-cert and --tls-key are not a certificate and its key") from error
    return certificate, key
