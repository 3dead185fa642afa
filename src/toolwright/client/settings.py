"""What a caller may say about a connection."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal, TypedDict, cast

from ..call import OnLog, OnProgress
from ..limits import check_count, check_seconds
from .bounds import CALL_SECONDS, CONNECT_SECONDS, MOST_BYTES

OnForm = Callable[[str, dict[str, Any]], Any] | Callable[[str, dict[str, Any]], Awaitable[Any]]
"""Gets a message and the schema of a form; returns what was filled in, or None to decline."""
OnUrl = Callable[[str, str], Any] | Callable[[str, str], Awaitable[Any]]
"""Gets a message and an address to visit; returns whether the user agrees."""
OnSample = Callable[[dict[str, Any]], Any] | Callable[[dict[str, Any]], Awaitable[Any]]
"""Gets a sampling request; returns text, or a message."""
Era = Literal["auto", "handshake", "stateless"]


class ConnectOptions(TypedDict, total=False):
    """The keyword arguments of `connect`."""

    headers: Mapping[str, str] | None
    token: str | None
    sign_in: bool | None
    timeout: float | None
    connect_timeout: float | None
    era: Era
    env: Mapping[str, str] | None
    folder: str | PathLike[str] | None
    max_answer: int
    on_progress: OnProgress | None
    on_log: OnLog | None
    on_form: OnForm | None
    on_url: OnUrl | None
    on_sample: OnSample | None
    roots: Sequence[str | PathLike[str]] | None
    ask: bool | None


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """How a connection is made, and who answers a server's questions."""

    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    token: str | None = field(default=None, repr=False)
    sign_in: bool | None = None
    timeout: float | None = CALL_SECONDS
    connect_timeout: float | None = CONNECT_SECONDS
    era: Era = "auto"
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    folder: str | None = None
    max_answer: int = MOST_BYTES
    on_progress: OnProgress | None = None
    on_log: OnLog | None = None
    on_form: OnForm | None = None
    on_url: OnUrl | None = None
    on_sample: OnSample | None = None
    roots: Sequence[str | PathLike[str]] | None = None
    ask: bool | None = None


def settings_from(given: ConnectOptions) -> ClientSettings:
    """Return checked settings. Raises `TypeError` or `ValueError`."""
    option_names = set(ConnectOptions.__annotations__)
    for name in given:
        if name not in option_names:
            msg = f"connect() has no option `{name}`; there are {', '.join(sorted(option_names))}"
            raise TypeError(msg)
    checked: dict[str, Any] = dict(given)
    checked["headers"], checked["env"] = _texts(checked, "headers"), _texts(checked, "env")
    if checked.get("folder") is not None:
        checked["folder"] = os.fspath(checked["folder"])
    for name in ("timeout", "connect_timeout"):
        if checked.get(name) is not None:
            check_seconds(name, checked[name])
    check_count("max_answer", checked.get("max_answer"))
    if checked.get("era", "auto") not in ("auto", "handshake", "stateless"):
        msg = f'era must be "auto", "handshake" or "stateless"; got {checked["era"]!r}'
        raise ValueError(msg)
    return ClientSettings(**checked)


def _texts(told: Mapping[str, Any], name: str) -> dict[str, str]:
    value: Any = told.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        msg = f"{name} of connect() must be texts by name; got {type(value).__name__}"
        raise TypeError(msg)
    texts = cast("Mapping[Any, Any]", value)
    for key, text in texts.items():
        if not isinstance(key, str) or not isinstance(text, str):
            msg = f"{name} of connect() must be texts by name; `{key}` is not"
            raise TypeError(msg)
    return dict(texts)
