"""Every setting of a server: type, default, who reads it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict, cast

from .._elsewhere import instead
from ..limits import check_count, check_seconds
from .access.guard import Caller, Refusal
from .access.oauth import SignIn
from .access.session_limits import SessionLimits
from .access.state_key import Keys
from .drain import HTTP_SECONDS
from .routes import Routes
from .stdio.settings import StdioSettings

__all__ = ["AppSettings", "Caller", "HttpSettings", "Refusal", "SignIn", "StdioSettings"]

BODY_TIMEOUT = 30.0
"""Seconds for a body, or for taking an answer; large ones get one more second for each 64 kB."""
_SPARE_FILES = 100
"""Open files that are left for everything but connections."""

Tokens = str | Mapping[str, str | Caller] | Iterable[str] | None


class AppSettings(TypedDict, total=False):
    """The keywords of `Toolbox.asgi`."""

    path: str
    hosts: Iterable[str]
    origins: Iterable[str]
    tokens: Tokens
    sign_in: SignIn | None
    resource: str
    stateless: bool
    max_body: int
    body_timeout: float
    trusted_proxies: Iterable[str]
    failed_sign_ins: str
    rate_limit: str | None
    metrics: bool
    search: bool
    drain: float
    state_key: Keys
    short: bool
    routes: Routes
    middleware: Iterable[Any]
    max_sessions: int
    max_sessions_per_client: int
    max_streams: int
    max_streams_per_client: int
    session_idle: float


class HttpSettings(AppSettings, total=False):
    """The keywords of `Toolbox.serve("http")`: those of an app, and those of its server."""

    host: str
    port: int
    tls: tuple[str, str] | None
    auth: bool
    header_timeout: float
    max_connections: int
    max_connections_per_client: int
    log_level: str | int | None


# The types above are what a caller may write; the classes below hold the defaults, once, and are
# what the parts of a server take. A test compares the two.


@dataclass(frozen=True, kw_only=True)
class AppConfig:
    """The settings of an app, complete."""

    path: str = "/mcp"
    hosts: Iterable[str] = ()
    origins: Iterable[str] = ()
    tokens: Tokens = None
    sign_in: SignIn | None = None
    resource: str = ""
    stateless: bool = False
    max_body: int = 4 * 1024 * 1024
    body_timeout: float = BODY_TIMEOUT
    trusted_proxies: Iterable[str] = ()
    failed_sign_ins: str = "10/10min"
    """How many sign-ins of a client may fail: ten at once, then one a minute."""
    rate_limit: str | None = None
    metrics: bool = False
    search: bool = False
    drain: float = HTTP_SECONDS
    state_key: Keys = None
    short: bool = True
    routes: Routes = ()
    middleware: Iterable[Any] = ()
    sessions: SessionLimits = field(default_factory=SessionLimits)


class ConnectionLimits(NamedTuple):
    """How many connections there may be, and how slow they may be."""

    header_timeout: float = 10.0
    body_timeout: float = BODY_TIMEOUT
    max_connections: int = 2000
    max_connections_per_client: int = 500

    def checked(self) -> ConnectionLimits:
        """Return the limits, with no more connections than this process may open."""
        check_seconds("header_timeout", self.header_timeout)
        check_seconds("body_timeout", self.body_timeout)
        check_count("max_connections", self.max_connections)
        check_count("max_connections_per_client", self.max_connections_per_client)
        return self._replace(max_connections=min(self.max_connections, _possible()))


@dataclass(frozen=True, kw_only=True)
class HttpConfig:
    """The settings of a server on HTTP, complete."""

    host: str = "127.0.0.1"
    port: int = 8000
    tls: tuple[str, str] | None = None
    auth: bool = True
    log_level: str | int | None = None
    app: AppConfig = field(default_factory=AppConfig)
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)


def app_config(given: AppSettings) -> AppConfig:
    """Complete the settings of an app. Raises `TypeError` for an unknown one, or `ValueError`."""
    check_names(given, AppSettings.__annotations__)
    return AppConfig(
        **_only(_names(AppConfig), given),
        sessions=SessionLimits(**_only(_names(SessionLimits), given)),
    )


def http_config(given: HttpSettings) -> HttpConfig:
    """Complete the settings of a server. Raises `TypeError` for an unknown one, or `ValueError`."""
    check_names(given, HttpSettings.__annotations__)
    own = _only(_names(HttpConfig), given)
    # The server answers to the name that it listens under.
    hosts = (own.get("host", DEFAULTS["host"]), *given.get("hosts", ()))
    app = {**_only(AppSettings.__annotations__, given), "hosts": hosts}
    limits = ConnectionLimits(**_only(ConnectionLimits._fields, given))
    return HttpConfig(**own, app=app_config(cast("AppSettings", app)), connections=limits.checked())


def _defaults() -> dict[str, Any]:
    parts = (HttpConfig, AppConfig, SessionLimits)
    known = {field.name: field.default for part in parts for field in fields(part)}
    known |= ConnectionLimits._field_defaults
    return {name: value for name, value in known.items() if value is not MISSING}


DEFAULTS: Mapping[str, Any] = MappingProxyType(_defaults())
"""The default of each setting of `HttpSettings`."""


def _names(part: Any) -> list[str]:
    return [field.name for field in fields(part)]


def _only(names: Iterable[str], given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in names if name in given}


def check_names(given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Raise `TypeError` for an unknown setting, naming the nearest known one."""
    for name in given:
        if name not in known:
            raise TypeError(_unknown(name, known))


def _unknown(name: str, known: Mapping[str, Any]) -> str:
    if name in HttpSettings.__annotations__:
        return f'`{name}` is a setting of serve("http", ...) only'
    if hint := instead("setting", name):
        return f"unknown setting `{name}`: {hint}"
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(sorted(known))}"
    return f"unknown setting `{name}`: {hint}"


def _possible() -> int:
    """Return how many connections this process may open."""
    try:
        import resource
    except ImportError:  # Windows has no such bound
        return 1 << 30
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft == resource.RLIM_INFINITY else max(soft - _SPARE_FILES, 8)
