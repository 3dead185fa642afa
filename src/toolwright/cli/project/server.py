"""`[tool.toolwright.serve]`: settings of the server, as flags give them."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from ..._json_values import is_list, is_object
from ..._log.levels import LEVELS
from ..http_settings import flag_of
from ..usage import UsageError

_SECRET = "is a secret: give it with {flag} or in the environment (env_file), not in this file"  # noqa: S105 - a message
_CODE = "is code: give it to `serve` or `asgi` in Python"
_NOT_HERE = MappingProxyType(
    {
        "tokens": _SECRET.format(flag="--token"),
        "state_key": _SECRET.format(flag="--state-key-file"),
        "routes": _CODE,
        "middleware": _CODE,
    }
)
_SIGN_IN = MappingProxyType(
    {
        "issuer": "issuer",
        "audience": "audience",
        "jwks": "jwks",
        "scopes": "scope",
        "roles_claim": "roles_claim",
    }
)
"""The settings of `SignIn` that can be given here, and their flags."""
_LISTS = MappingProxyType(
    {"hosts": "allow_host", "origins": "allow_origin", "trusted_proxies": "trusted_proxy"}
)
_OPPOSITES = MappingProxyType({"auth": "no_auth", "short": "sdk"})
_OWN: Mapping[str, type] = MappingProxyType({"workers": int, "reload": bool})
"""Settings of the command alone."""


def known_settings() -> list[str]:
    """Return the names of all settings that may be given here."""
    from ...serve.settings import HttpSettings

    return ["transport", *_OWN, *HttpSettings.__annotations__]


def apply_settings(chosen: argparse.Namespace, given: Mapping[str, Any], file: Path) -> None:
    """Set what the file says, where the command line says nothing. Raises `UsageError`.

    Settings that only HTTP needs are kept from a server on stdio: the file is for both.
    """
    from ...serve.stdio.settings import StdioSettings

    on_stdio = {"transport", "reload", *StdioSettings.__annotations__}
    for name in sorted(given, key=lambda name: name != "transport"):
        for flag, dest, said in _meant(name, given[name], file):
            is_used = chosen.http or name in on_stdio
            if is_used and not _is_given(flag, chosen.given_arguments):
                setattr(chosen, dest, said)


def _meant(name: str, value: Any, file: Path) -> list[tuple[str, str, Any]]:
    """Return the flags that a setting stands for, each with its attribute and value."""
    _check_name(name, file)
    wrong = _Wrong(name, value, file)
    if name == "transport":
        if value not in ("stdio", "http"):
            raise wrong('"stdio" or "http"')
        return [("--http", "http", value == "http")]
    if name == "tls":
        return _tls(value, wrong, file)
    if name == "sign_in":
        return _sign_in(value, wrong)
    if name in _LISTS:
        if not is_list(value) or not all(isinstance(each, str) for each in value):
            raise wrong("a list of texts")
        return [(flag_of(name), _LISTS[name], value)]
    kind = _kind_of(name)
    if not _fits(value, kind):
        raise wrong(_WORDS[kind])
    if name == "log_level" and value.lower() not in LEVELS:
        raise wrong(f"one of {', '.join(LEVELS)}")
    if name in _OPPOSITES:
        return [(flag_of(name), _OPPOSITES[name], not value)]
    return [(flag_of(name), name, value)]


_WORDS: Mapping[type, str] = MappingProxyType(
    {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
)


def _kind_of(name: str) -> type:
    from ...serve.settings import DEFAULTS

    if name in _OWN:
        return _OWN[name]
    default: object = DEFAULTS[name]
    return str if default is None else type(default)


def _fits(value: Any, kind: type) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is kind


def _check_name(name: str, file: Path) -> None:
    if name in _NOT_HERE:
        raise UsageError(f"{file}: `serve.{name}` {_NOT_HERE[name]}")
    known = known_settings()
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(sorted(known))}"
        raise UsageError(f"{file}: unknown setting `serve.{name}`: {hint}")


def _tls(value: Any, wrong: Callable[[str], UsageError], file: Path) -> list[tuple[str, str, Any]]:
    if not is_list(value) or len(value) != 2 or not all(isinstance(each, str) for each in value):
        raise wrong("a list of two files, the certificate and the key")
    cert, key = (str(file.parent / cast("str", each)) for each in value)
    return [("--tls-cert", "tls_cert", cert), ("--tls-key", "tls_key", key)]


def _sign_in(value: Any, wrong: Callable[[str], UsageError]) -> list[tuple[str, str, Any]]:
    if not is_object(value) or not value.keys() <= _SIGN_IN.keys():
        raise wrong(f"a table of {', '.join(_SIGN_IN)}")
    meant: list[tuple[str, str, Any]] = []
    for key, said in value.items():
        dest = _SIGN_IN[key]
        is_text = isinstance(said, str)
        if key in ("issuer", "jwks"):
            if not is_text:
                raise wrong(f"a table whose {key} is text")
            meant.append((f"--{dest}", dest, said))
            continue
        if not is_text and not (is_list(said) and all(isinstance(each, str) for each in said)):
            raise wrong(f"a table whose {key} is text or a list of texts")
        meant.append((f"--{dest.replace('_', '-')}", dest, [said] if is_text else said))
    return meant


class _Wrong:
    """Makes the error for the value of a setting."""

    def __init__(self, name: str, value: Any, file: Path) -> None:
        self.name, self.value, self.file = name, value, file

    def __call__(self, wanted: str) -> UsageError:
        return UsageError(f"{self.file}: `serve.{self.name}` must be {wanted}; got {self.value!r}")


def _is_given(flag: str, words: list[str]) -> bool:
    return any(word == flag or word.startswith(f"{flag}=") for word in words)
