"""The settings of a server, in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict, TypeVar

from .._elsewhere import instead
from .._words import did_you_mean
from ..limits import check_count, check_seconds, rate_from
from .access.quotas import MOST_RUNNING, MOST_STREAMS

if TYPE_CHECKING:
    # A server on stdio needs the table, but none of these, and must start fast.
    from .access.guard import Caller, Keys
    from .access.oauth import SignIn
    from .http.routes import Routes

T = TypeVar("T")
CONSOLE_PATH = "/console"
"""Where the console is, with the setting `console`."""
Tokens: TypeAlias = "str | Mapping[str, str | Caller] | Iterable[str] | None"
Place = Literal["http", "asgi", "stdio"]

_HTTP: tuple[Place, ...] = ("http",)
_APP: tuple[Place, ...] = ("http", "asgi")
_ALL: tuple[Place, ...] = ("http", "asgi", "stdio")
_CLIENTS = "bounds for clients"
_STDIO_DRAIN = 1.0
"""Less than clients wait between closing the input and sending SIGTERM (stdio transport)."""
_SESSIONS = "sessions and streams (a client is a caller or an address)"


class Flag(NamedTuple):
    """A flag of `toolwright serve`."""

    name: str
    help: str
    metavar: str | None = None
    is_repeatable: bool = False
    part: str = ""
    """What the flag gives, if that is not the whole value of the setting."""


class Setting(NamedTuple):
    """A row of the table; the name and the type are those of the field in `ServerConfig`."""

    default: Any
    means: str
    """The line of the documentation."""
    flags: tuple[Flag, ...]
    """None for what only code can give; the first one is named in messages."""
    places: tuple[Place, ...]
    stdio_default: Any
    group: str
    """The heading of its flags in the help."""
    variable: str
    """The variable of the environment that also gives it."""
    is_secret: bool
    """Whether no file of a project may have it."""
    check: Callable[[str, Any], object] | None
    """Raises `ValueError` for a value that is refused, naming the setting as it is told to."""
    shown_default: str
    """The default in the documentation, if the value does not say it."""


def _setting(
    default: T,
    means: str,
    *flags: Flag,
    on: tuple[Place, ...] = _APP,
    stdio: T | None = None,
    group: str = "",
    variable: str = "",
    is_secret: bool = False,
    check: Callable[[str, Any], object] | None = None,
    shown: str = "",
) -> T:
    """Return a field with its row of the table. Numbers are positive unless `check` differs."""
    if check is None and type(default) in (int, float):
        check = check_count if type(default) is int else check_seconds
    stdio = default if stdio is None else stdio
    row = Setting(default, means, flags, on, stdio, group, variable, is_secret, check, shown)
    return field(default=default, metadata={"row": row})


def _check_rate(name: str, value: Any) -> None:
    if value is not None:
        rate_from(value, name)


def _check_drain(name: str, value: Any) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value < float("inf"):
        msg = f"{name} must be a number of seconds, 0 or more; got {value!r}"
        raise ValueError(msg)


def _check_port(name: str, value: Any) -> None:
    if type(value) is not int or not 0 <= value <= 65535:
        msg = f"a {name.lstrip('-')} is a number from 0 to 65535; got {value}"
        raise ValueError(msg)


@dataclass(frozen=True, kw_only=True)
class ServerConfig:
    """The settings of a server, complete: a field is a row of the table.

    A new setting is a field here, its line in one of the types below for type checkers (a test
    compares them), and the code that uses it. `python tests/test_option_tables.py` writes its line
    of `docs/options.md`.
    """

    # fmt: off
    host: str = _setting("127.0.0.1",
        "The address to listen at; one that others can reach needs `tokens`, `sign_in` or `auth=False`",
        Flag("--host", "where to listen"), on=_HTTP)
    port: int = _setting(8000, "The port to listen at; 0 takes one that is free",
        Flag("--port", "and at which port"), on=_HTTP, check=_check_port)
    path: str = _setting("/mcp", "The path of the endpoint",
        Flag("--path", "and under which path"))
    tokens: Tokens = _setting(None, "Bearer tokens, and whom they belong to",
        Flag("--token", "let in whoever sends this bearer token", "TOKEN", is_repeatable=True),
        variable="TOOLWRIGHT_TOKEN", is_secret=True)
    sign_in: SignIn | None = _setting(None, "An OAuth issuer whose tokens are taken: see below",
        Flag("--issuer", "let in whoever has a token that this OAuth issuer signed", "URL", part="issuer"),
        Flag("--audience", "and that is meant for this server", "NAME", is_repeatable=True, part="audience"),
        Flag("--jwks", "where its keys are, if it does not say so", "URL", part="jwks"),
        Flag("--scope", "and that has this scope", "SCOPE", is_repeatable=True, part="scopes"),
        Flag("--roles-claim", "which claims name roles (roles, scope, scp)", "CLAIM", is_repeatable=True, part="roles_claim"))
    tls: tuple[str, str] | None = _setting(None, "The certificate and the key for HTTPS",
        Flag("--tls-cert", "serve over HTTPS with this certificate", "FILE", part="tls_cert"),
        Flag("--tls-key", "and this key", "FILE", part="tls_key"), on=_HTTP)
    auth: bool = _setting(True, "Refuse to be open to other machines without a sign-in",
        Flag("--no-auth", "let other machines in without a token"), on=_HTTP)
    hosts: Iterable[str] = _setting((),
        "Names that requests may be sent to, besides those of this machine and `host`",
        Flag("--allow-host", "also answer to this host", "HOST", is_repeatable=True))
    origins: Iterable[str] = _setting((), "Pages that may call",
        Flag("--allow-origin", "answer to pages of this origin", "ORIGIN", is_repeatable=True))
    search: bool = _setting(False, "Offer a search of the tools instead of all of them: see [search](search.md)",
        Flag("--search", "offer a search of the tools instead of all of them: for many tools"), on=_ALL)
    short: bool = _setting(True, "Answer plain requests without the SDK, which is slower",
        Flag("--sdk", "answer everything through the official SDK (slower)"), on=_ALL)
    resource: str = _setting("", "The address of the server as clients see it, for its OAuth metadata",
        Flag("--resource", "the server's own address, as clients see it", "URL"), shown="an audience that is a URL")
    stateless: bool = _setting(False, "Keep no sessions: each request is on its own; always with `--workers`",
        Flag("--stateless", "keep no sessions: each request is on its own"))
    rate_limit: str | None = _setting(None, 'Requests of one caller or address, such as `"100/s"`',
        Flag("--rate-limit", "requests of one client, such as 100/s or 1000/min", "RATE"), check=_check_rate)
    max_body: int = _setting(4 * 1024 * 1024, "The most bytes of one request",
        Flag("--max-body", "how large a request may be", "BYTES"), shown="4 MiB")
    drain: float = _setting(3.0, "Seconds for which calls may go on when the server is told to end",
        Flag("--drain", "how long calls may go on when it is told to end", "SECONDS"),
        on=_ALL, stdio=_STDIO_DRAIN, check=_check_drain)
    state_key: Keys = _setting(None, "Keys for what several machines serve together, of at least 32 bytes",
        Flag("--state-key-file", "keys for what several machines serve together", "FILE", part="state_key_file"),
        variable="TOOLWRIGHT_STATE_KEY", is_secret=True, shown="random, at each start")
    trusted_proxies: Iterable[str] = _setting((),
        "Who may say which client a request comes from: addresses or networks",
        Flag("--trusted-proxy", "believe what this proxy (or network) says about the client's address", "ADDRESS", is_repeatable=True),
        group=_CLIENTS)
    failed_sign_ins: str = _setting("10/10min",
        "Failed sign-ins of one address before it is locked out: ten at once, then one a minute",
        Flag("--failed-sign-ins", "failed sign-ins of one client before it is locked out", "RATE"),
        group=_CLIENTS, check=_check_rate)
    header_timeout: float = _setting(10.0, "Seconds for the head of a request, and for a TLS handshake",
        Flag("--header-timeout", "for the head of a request", "SECONDS"), on=_HTTP, group=_CLIENTS)
    body_timeout: float = _setting(30.0,
        "Seconds for a body, or for reading the answer; a second more for each 64 kB",
        Flag("--body-timeout", "for its body, or for reading the answer; longer for large ones", "SECONDS"),
        group=_CLIENTS)
    max_connections: int = _setting(2000, "Open connections in all, and never more than open files less 100",
        Flag("--max-connections", "open connections in total", "N"), on=_HTTP, group=_CLIENTS)
    max_connections_per_client: int = _setting(500,
        "Open connections of one address; this machine and named proxies are exempt",
        Flag("--max-connections-per-client", "and of one address", "N"), on=_HTTP, group=_CLIENTS)
    max_sessions: int = _setting(10_000, "Open sessions in all",
        Flag("--max-sessions", "open sessions in total", "N"), group=_SESSIONS)
    max_sessions_per_client: int = _setting(1_000, "Open sessions of one client",
        Flag("--max-sessions-per-client", "open sessions of one client", "N"), group=_SESSIONS)
    max_streams: int = _setting(MOST_STREAMS,
        "Requests that run, though their client may have left, and open streams, in all",
        Flag("--max-streams", "requests being answered in total", "N"), group=_SESSIONS)
    max_streams_per_client: int = _setting(MOST_RUNNING, "The same for one client",
        Flag("--max-streams-per-client", "requests being answered for one client", "N"), group=_SESSIONS)
    session_idle: float = _setting(1800.0, "Seconds after which a session that nobody uses is ended",
        Flag("--session-idle", "end a session that is not used for this long", "SECONDS"), group=_SESSIONS)
    metrics: bool = _setting(False, "Answer `/metrics` for Prometheus",
        Flag("--metrics", "count calls for Prometheus, at /metrics"), group="watching calls")
    console: bool = _setting(False, "Show the tools to people, at `/console`: see [the console](console.md)",
        Flag("--console", "show the tools to people, at /console"), group="watching calls")
    console_role: str | None = _setting(None,
        "The role that sees the arguments of the last calls in the console",
        Flag("--console-role", "who may see the arguments of the last calls there", "ROLE"), group="watching calls")
    log_level: str | int | None = _setting(None,
        "What is logged on standard error: `debug`, `info`, `warning`, `error` or `critical`",
        Flag("--log-level", "what is logged on standard error"), on=("http", "stdio"))
    routes: Routes = _setting((), "What else is answered beside the tools, under the same rules")
    middleware: Iterable[Any] = _setting((), "What wraps the app; the rules apply to what it lets through")
    # fmt: on


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {each.name: each.metadata["row"] for each in fields(ServerConfig)}
)
"""Every setting of a server, by its name."""


# What a caller may write, for type checkers.


class StdioSettings(TypedDict, total=False):
    """The keywords of `Toolbox.serve("stdio")`."""

    search: bool
    short: bool
    drain: float
    log_level: str | int | None


class AppSettings(TypedDict, total=False):
    """The keywords of `Toolbox.asgi`."""

    path: str
    tokens: Tokens
    sign_in: SignIn | None
    hosts: Iterable[str]
    origins: Iterable[str]
    search: bool
    short: bool
    resource: str
    stateless: bool
    rate_limit: str | None
    max_body: int
    drain: float
    state_key: Keys
    trusted_proxies: Iterable[str]
    failed_sign_ins: str
    body_timeout: float
    max_sessions: int
    max_sessions_per_client: int
    max_streams: int
    max_streams_per_client: int
    session_idle: float
    metrics: bool
    console: bool
    console_role: str | None
    routes: Routes
    middleware: Iterable[Any]


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


def server_config(
    place: Place, given: Mapping[str, Any], shown: Callable[[str], str] = str
) -> ServerConfig:
    """Complete the settings of a server, and check them.

    Messages name a setting as `shown` does. Raises `TypeError` for one that does not exist or does
    not apply, and `ValueError` for a value that is refused.
    """
    for name, value in given.items():
        if name not in SETTINGS or place not in SETTINGS[name].places:
            raise TypeError(_refusal(name, place))
        row = SETTINGS[name]
        if row.check is not None:
            if value is None and row.default is not None:
                msg = f"{shown(name)} needs a value; got None"
                raise ValueError(msg)
            row.check(shown(name), value)
    if place == "stdio":
        given = {"drain": SETTINGS["drain"].stdio_default, **given}
    return ServerConfig(**given)


def _refusal(name: str, place: Place) -> str:
    if name in SETTINGS:
        return f'`{name}` is a setting of serve("http", ...) only'
    return f"unknown setting `{name}`: {hint_for(name, place)}"


def hint_for(name: str, place: Place, *more: str) -> str:
    """Return what is written instead of an unknown setting; `more` are names known besides."""
    names = [*(key for key, row in SETTINGS.items() if place in row.places), *more]
    if hint := instead("setting", name):
        return hint
    return did_you_mean(name, names) or f"there are {', '.join(sorted(names))}"
