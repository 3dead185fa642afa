"""The page, and the JSON that it shows, as HTTP answers."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from .._json_values import compact_json, is_object, strict_json
from .._log import log
from .._protocol import LATEST_PROTOCOL
from ..errors import Overloaded, ToolNotFound
from ..run.threads import Raised, threads
from ..serve.http.asgi import JSON, Header, read_body, respond, say
from ..serve.sender import Sender
from ..serve.settings import CONSOLE_PATH
from ..tools.catalog import may_use
from .described import Inspected, Subject
from .figures import BOUNDS, Snapshot, visible

if TYPE_CHECKING:
    from ..serve.http.app import App
    from ..serve.http.asgi import Receive, Scope, Send
    from ..serve.offering import Live, Offering
    from ..serve.sender import Viewer

_PAGE = Path(__file__).with_name("page")
API_PATH = f"{CONSOLE_PATH}/api"
BRIDGE_PATH = f"{API_PATH}/bridge"
_MOST_BODY = 4 * 1024 * 1024
_BODY_SECONDS = 30.0
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "media-src data:; connect-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_PAGE_HEADERS: tuple[Header, ...] = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
)
_ANSWER_HEADERS: tuple[Header, ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
)

Answer = Callable[[Mapping[str, str], Any], Any]
"""Returns the JSON for a query and a body; it may take long, and runs in a thread."""


class Console:
    """Answers what is asked under `/console`.

    The page itself is for everybody, since it says nothing about the tools; what it asks for goes
    by the same rules as the tools: host, origin, token, roles.
    """

    def __init__(
        self,
        app: App,
        live: Live,
        subject: Subject,
        *,
        figures: Callable[[], Snapshot],
        role: str | None = None,
    ) -> None:
        self._app = app
        self._live = live
        self._subject = subject
        self._inspected = Inspected(subject)
        live.on_change(self._inspected.forget)
        self._figures = figures
        self._role = role
        """Who may see the arguments of the last calls, if anyone may."""

    async def page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a file of the page."""
        del receive
        if scope["method"] not in ("GET", "HEAD"):
            await say(send, 405, "the page is only read", (b"allow", b"GET"))
            return
        if scope["path"] == scope.get("root_path"):
            # Names in the page are relative: it may be mounted anywhere.
            here = scope["path"].rpartition("/")[2].encode()
            await respond(send, 307, b"", (b"location", here + b"/"))
            return
        name = _rest_of(scope) or "index.html"
        file = _PAGE / name
        if "/" in name or name.startswith(".") or not file.is_file():
            await say(send, 404, "the console has no such file")
            return
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        charset = "; charset=utf-8" if kind.startswith("text/") else ""
        body = b"" if scope["method"] == "HEAD" else file.read_bytes()
        content_type = (b"content-type", f"{kind}{charset}".encode())
        await respond(send, 200, body, content_type, *_PAGE_HEADERS)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a question of the page."""
        name = _rest_of(scope)
        wanted_method = "POST" if name == "check" else "GET"
        if name not in ("about", "catalog", "judged", "tool", "doctor", "dialect", "check", "live"):
            await say(send, 404, "the console has no such answer")
            return
        if scope["method"] != wanted_method:
            await say(send, 405, f"`{name}` takes {wanted_method}")
            return
        body: bytes | None = b""
        if wanted_method == "POST":
            body = await read_body(receive, _MOST_BODY, _BODY_SECONDS)
        if body is None:
            await say(send, 413, f"the body has more than {_MOST_BODY} bytes, or takes too long")
            return
        sender = Sender(scope.get("toolwright.caller"), headers=scope["headers"])
        with self._live.busy() as box:
            viewer = sender.viewer(box)
            query = {
                key: each[-1] for key, each in parse_qs(scope["query_string"].decode()).items()
            }
            work = partial(self._worked_out, name, box, viewer, query, body)
            try:
                document = await threads.run(work, caller=f"console {sender.name or ''}")
            except Overloaded as error:
                await say(send, 503, str(error))
                return
            except Raised as raised:
                await _refuse(send, name, raised.error)
                return
        await respond(send, 200, compact_json(document), JSON, *_ANSWER_HEADERS)

    def _worked_out(
        self, name: str, box: Offering, viewer: Viewer, query: Mapping[str, str], body: bytes
    ) -> Any:
        inspected = self._inspected
        if name == "about":
            is_own = self._subject.era is None
            path = self._app.path if is_own else BRIDGE_PATH
            era = self._subject.era or LATEST_PROTOCOL
            return {**inspected.about(box), "path": path, "era": era, "bounds": list(BOUNDS)}
        if name == "catalog":
            return inspected.catalog(box, viewer)
        if name == "judged":
            return inspected.judged(box, viewer)
        if name == "live":
            return self._figures_for(box, viewer)
        if name == "check":
            request = strict_json(body)
            if not is_object(request) or not isinstance(request.get("name"), str):
                msg = 'a check needs {"name": ..., "arguments": {...}}'
                raise ValueError(msg)
            return inspected.check(box, viewer, request["name"], request.get("arguments") or {})
        tool = query.get("name", "")
        if name == "tool":
            return inspected.tool(box, viewer, tool)
        if name == "doctor":
            return inspected.doctor(box, viewer, tool)
        return inspected.dialect(box, viewer, tool, query.get("dialect", "mcp"))

    def _figures_for(self, box: Offering, viewer: Viewer) -> dict[str, Any]:
        roles, call = viewer
        groups = {
            "tool": {tool.name: tool for tool in box.tools.values()},
            "resource": {uri: resource.tool for uri, resource in box.resources.items()},
            "prompt": {name: prompt.tool for name, prompt in box.prompts.items()},
        }

        def may_see(kind: str, name: str) -> bool:
            tool = groups[kind].get(name)
            return tool is not None and may_use(tool, roles, call, kind=kind, name=name)  # pyright: ignore[reportArgumentType]

        knows_arguments = self._role is not None and (roles is None or self._role in roles)
        figures = visible(self._figures(), may_see, arguments=knows_arguments)
        sessions = self._app.sessions
        return {
            **figures,
            "sessions": 0 if sessions is None else len(sessions.table.by_id),
            "abandoned": threads.stuck,
        }


async def _refuse(send: Send, name: str, error: BaseException) -> None:
    if isinstance(error, ToolNotFound):
        await say(send, 404, str(error))
    elif isinstance(error, ValueError):
        await say(send, 400, str(error))
    else:  # a type of the author's own may raise anything
        log.error("the console cannot show %s", name, exc_info=error)
        await say(send, 500, "this cannot be shown; the server's log says why")


def _rest_of(scope: Scope) -> str:
    """Return the path below where the console is mounted."""
    return scope["path"].removeprefix(scope.get("root_path", "")).strip("/")
