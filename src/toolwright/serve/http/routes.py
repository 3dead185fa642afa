"""What an app answers beside the tools: routes, probes, metrics, preflights."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urlsplit

from .asgi import Header, Message, Send, answer, respond, say

if TYPE_CHECKING:
    from ..access.oauth import SignIn
    from ..offering import Live, OwnRoute
    from ..sender import Sender
    from .asgi import AsgiApp, Scope


class Metadata(NamedTuple):
    """The document about a protected server, and where it is."""

    path: str
    address: str
    document: bytes

    @classmethod
    def of(cls, sign_in: SignIn, resource: str) -> Metadata | None:
        """Build it if the public address is known: as given, or an audience that is an address."""
        names = [resource, *sign_in.audience]
        public_address = next((address for address in names if "://" in address), "")
        if not public_address:
            return None
        parts = urlsplit(public_address)
        path = metadata_path(parts.path)
        document = metadata(public_address, [sign_in.issuer], sign_in.scopes)
        return cls(path, f"{parts.scheme}://{parts.netloc}{path}", json.dumps(document).encode())


def metadata(resource: str, issuers: Sequence[str], scopes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the document that tells clients where to get tokens for a server."""
    # The SDK's model would normalise URLs; clients compare issuers letter by letter (RFC 8414).
    document: dict[str, Any] = {"resource": resource, "authorization_servers": list(issuers)}
    listed = {"scopes_supported": list(scopes)} if scopes else {}
    return {**document, **listed, "bearer_methods_supported": ["header"]}


def metadata_path(path: str) -> str:
    """Return the path of the metadata for a server at a path."""
    return "/.well-known/oauth-protected-resource" + path.rstrip("/")


_METHODS = b"GET, POST, DELETE"
_HEADERS = (
    b"accept",
    b"authorization",
    b"content-type",
    b"last-event-id",
    b"mcp-method",
    b"mcp-name",
    b"mcp-protocol-version",
    b"mcp-session-id",
    b"traceparent",
    b"tracestate",
    b"baggage",
)
_READABLE = b"mcp-session-id, mcp-protocol-version, www-authenticate, retry-after"
_MOST_ASKED = 100
# Arguments that a tool wants repeated in headers come as `Mcp-Param-...`.
_OWN = re.compile(rb"mcp-[a-z0-9_.~-]{1,100}")
_NAME = re.compile(rb"[a-z0-9!#$%&'*+.^_`|~-]{1,100}")
_METHOD = re.compile(rb"[A-Z]{1,20}")


def readable_by(origin: bytes, send: Send) -> Send:
    """Return a `send` that lets pages of an origin read the answer, errors included."""
    more: list[Header] = [
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", _READABLE),
        (b"vary", b"origin"),
    ]

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sent


def is_preflight(method: str, headers: Mapping[bytes, bytes]) -> bool:
    """Return whether a browser asks what a page may send."""
    return method == "OPTIONS" and b"access-control-request-method" in headers


def method_asked(headers: Mapping[bytes, bytes]) -> str:
    """Return the method that a page wants to use; GET if it is not a method."""
    method = headers.get(b"access-control-request-method", b"").strip()
    return method.decode() if _METHOD.fullmatch(method) else "GET"


async def answer_preflight(
    send: Send, headers: Mapping[bytes, bytes], methods: Iterable[str] = ()
) -> None:
    """Say what a page may send; browsers ask without a token.

    `methods` are those of an author's route, which may be sent any headers.
    """
    requested = headers.get(b"access-control-request-headers", b"").lower().split(b",", _MOST_ASKED)
    pattern = _NAME if methods else _OWN
    allowed = [
        name for header in requested[:_MOST_ASKED] if pattern.fullmatch(name := header.strip())
    ]
    await respond(
        send,
        204,
        b"",
        (b"access-control-allow-methods", ", ".join(sorted(methods)).encode() or _METHODS),
        (b"access-control-allow-headers", b", ".join(dict.fromkeys((*_HEADERS, *allowed)))),
        (b"access-control-max-age", b"600"),
    )


async def answer_metadata(
    send: Send, method: str, headers: Mapping[bytes, bytes], metadata: Metadata
) -> None:
    """Send the document; it is public, so pages of any origin may read it."""
    send = readable_by(b"*", send)
    if is_preflight(method, headers):
        await answer_preflight(send, headers)
    elif method == "GET":
        await answer(send, metadata.document)
    else:
        await say(send, 404, "not found")


LIVE = "/health"
READY = "/ready"
PATHS = frozenset((LIVE, READY))


async def tell_health(send: Send, method: str, path: str, *, is_ready: bool) -> None:
    """Answer a probe: 503 at `/ready` while the server is stopping, else 200.

    No sign-in is needed, and any host name will do, since probes use the address: the answer says
    no more than that the server runs.
    """
    if method not in ("GET", "HEAD"):
        await respond(send, 405, b"", (b"allow", b"GET, HEAD"))
    elif path == READY and not is_ready:
        await respond(send, 503, b"", (b"retry-after", b"1"))
    else:
        await respond(send, 200, b"")


METRICS_PATH = "/metrics"


async def answer_metrics(send: Send, sender: Sender, box: Live) -> None:
    """Send the metrics of the tools that a sender may use."""
    import prometheus_client as prometheus

    from ...telemetry import exposition

    kind = (b"content-type", prometheus.CONTENT_TYPE_LATEST.encode())
    roles, call = sender.viewer(box.now)
    offered = box.now
    metrics = exposition(
        offered.tools.values(), offered.resources, offered.prompts, roles or (), call=call
    )
    await respond(send, 200, metrics, kind)


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{name}</title>
<h1>{name}</h1>
<p>This is the address of an MCP server. Programs connect to it; give it to your client as it is.</p>
{more}
"""
_CONSOLE = '<p><a href="{path}/">Look at its tools, and try them.</a></p>'
_NO_CONSOLE = "<p>Started with <code>--console</code>, it also has a page to look at its tools.</p>"


def is_browser(method: str, headers: Mapping[bytes, bytes]) -> bool:
    """Return whether a page is asked for; clients of MCP ask for a stream of events."""
    accepted = headers.get(b"accept", b"")
    return method == "GET" and b"text/html" in accepted and b"text/event-stream" not in accepted


async def answer_browser(send: Send, name: str, console: str | None) -> None:
    """Send a page that says what is here, with the way to the console."""
    more = _NO_CONSOLE if console is None else _CONSOLE.format(path=html.escape(console))
    body = _PAGE.format(name=html.escape(name), more=more).encode(errors="replace")
    await respond(
        send,
        200,
        body,
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
        (b"x-content-type-options", b"nosniff"),
    )


Routes = Mapping[str, Any] | Iterable[Any]
"""ASGI apps by path, or routes of Starlette."""


class Found(NamedTuple):
    """What answers a request."""

    app: AsgiApp
    scope: Scope
    is_public: bool
    methods: frozenset[str] = frozenset()
    """The methods that it takes; empty if only it knows them."""


class RouteTable:
    """Finds what answers a request that is not for the tools."""

    def __init__(self, given: Routes, box: Live, reserved: Iterable[str]) -> None:
        self._box = box
        self._reserved = frozenset(reserved)
        self._apps: dict[str, AsgiApp] = {}
        self._public: set[str] = set()
        self._given: tuple[Any, ...] = ()
        if isinstance(given, Mapping):
            by_path = cast("Mapping[str, AsgiApp]", given)
            self._apps = {self._checked(path): app for path, app in by_path.items()}
        else:
            self._given = tuple(given)
        for route in self._given:
            if not callable(getattr(route, "matches", None)):
                msg = f"routes are ASGI apps by path, or routes of Starlette; got {route!r}"
                raise TypeError(msg)
            self._checked(str(getattr(route, "path", "")))
        self._made: tuple[tuple[OwnRoute, ...], list[tuple[Any, bool]]] = ((), [])
        _ = self._routes

    def mount(self, path: str, app: AsgiApp, *, is_public: bool) -> None:
        """Let an app of this package answer below a path. Raises `ValueError` if it is taken."""
        if path in self._apps:
            msg = f"{path} is taken: the server itself answers there"
            raise ValueError(msg)
        self._apps[path] = app
        if is_public:
            self._public.add(path)

    def find(self, scope: Scope, asked: str) -> Found | None:
        """Return what answers a request; None if nothing does."""
        partial: Found | None = None
        for route, is_public in self._routes:
            match, more = route.matches(scope)
            if match.value:
                methods = frozenset(getattr(route, "methods", None) or ())
                entry = Found(route.handle, {**scope, **more}, is_public, methods)
                if match.value == _FULL:
                    return entry
                partial = partial or entry  # the path fits, the method does not: the route says so
        return partial or self._mounted(scope, asked)

    def allowed(self, scope: Scope, asked: str, method: str) -> frozenset[str] | None:
        """Return the methods that a page that asks for one of them may use at a path.

        None if nothing is there, or if a route answers such requests itself.
        """
        route = self.find(scope, asked)
        if route is None or "OPTIONS" in route.methods:
            return None
        if not route.methods:
            return frozenset((method,))
        fitting = self.find({**scope, "method": method}, asked) or route
        return fitting.methods

    def _mounted(self, scope: Scope, asked: str) -> Found | None:
        path = asked
        while path:
            app = self._apps.get(path)
            if app is not None:
                inner = {**scope, "root_path": scope.get("root_path", "") + path}
                return Found(app, inner, path in self._public)
            path = path.rpartition("/")[0]
        return None

    @property
    def _routes(self) -> list[tuple[Any, bool]]:
        """All routes, those of the toolbox first; it may have more since the last request."""
        own_routes = tuple(self._box.now.routes)
        if own_routes != self._made[0] or (self._given and not self._made[1]):
            self._made = (
                own_routes,
                [*map(self._built, own_routes), *((route, False) for route in self._given)],
            )
        return self._made[1]

    def _built(self, own: OwnRoute) -> tuple[Any, bool]:
        from starlette.routing import Route

        return Route(self._checked(own.path), own.endpoint, methods=[*own.methods]), own.is_public

    def _checked(self, path: str) -> str:
        bare = path.rstrip("/")
        if not path.startswith("/"):
            msg = f"a route begins with `/`; got {path!r}"
            raise ValueError(msg)
        if bare in self._reserved:
            msg = f"{path} is taken: the server itself answers there"
            raise ValueError(msg)
        return bare


_FULL = 2
"""Starlette's value for a match of both path and method."""


def wrapped(app: AsgiApp, middleware: Iterable[Any]) -> AsgiApp:
    """Put middleware around an app, the first one outermost; Starlette's is accepted as well."""
    for layer in reversed(tuple(middleware)):
        if isinstance(getattr(layer, "kwargs", None), dict) and hasattr(layer, "cls"):
            app = layer.cls(app, *layer.args, **layer.kwargs)
        else:
            app = layer(app)
    return app
