"""The short path: common requests answered straight from JSON.

It answers `initialize`, `server/discover`, `ping`, `tools/list` and `tools/call`, and of those only
plain ones. Everything else, and everything unusual in those, goes to the SDK. So each rule of the
protocol is implemented once: this path only has to recognise requests that no rule makes special.
`tests/wire/test_differential.py` compares the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic_core import to_json

from .._json_values import is_object
from .._protocol import (
    HANDSHAKE_VERSIONS,
    LATEST_PROTOCOL,
    LOG_LEVELS,
    META,
    STATELESS_SINCE,
    TASKS_EXTENSION,
)
from ..errors import SchemaError
from ..tools.definition import runner_of

if TYPE_CHECKING:
    from ..run.runner import Runner
    from .offering import Live
    from .sender import Viewer

_VERSION = META + "protocolVersion"
_CAPABILITIES = META + "clientCapabilities"
_INFO = META + "clientInfo"
_LOG = META + "logLevel"
_ENVELOPE = frozenset((_VERSION, _CAPABILITIES, _INFO))
_KNOWN = _ENVELOPE | {_LOG, "progressToken"}
_REQUEST = frozenset(("jsonrpc", "id", "method", "params"))
_CALLED = frozenset(("name", "arguments", "_meta"))
_NUMBERS: frozenset[type[Any]] = frozenset((int, str))
"""The classes of ids and tokens: parsed JSON has no others for them, and booleans are neither."""
_INFO_KEYS = frozenset(("name", "version", "title", "description", "websiteUrl"))
_OPEN = frozenset(("experimental", "extensions"))
"""Capabilities of which the protocol says only that they are objects."""
_ABILITIES = ("elicitation", "sampling", "roots")


class PlainRequest(NamedTuple):
    """A request that the short path may answer."""

    id: Any
    method: str
    params: dict[str, Any]
    meta: dict[str, Any]


class ClientProfile:
    """What a client can be asked, and which log messages it wants."""

    __slots__ = ("abilities", "level")

    def __init__(self, capabilities: dict[str, Any], level: str | None) -> None:
        self.abilities = frozenset(name for name in _ABILITIES if name in capabilities)
        self.level = level
        """The least severe level of the log messages that it wants; None if it wants none."""

    def wants(self, level: str) -> bool:
        """Return whether it wants log messages of a level."""
        least = self.level
        return least is not None and LOG_LEVELS.index(level) >= LOG_LEVELS.index(least)


class PlainCall(NamedTuple):
    """A tool to run, and what is written around its result."""

    runner: Runner
    arguments: Any
    id: Any
    """The id of its request."""
    asked: PlainRequest
    token: Any
    """The token of its progress notifications; None if the client wants none."""
    protocol: str

    def profile(self) -> ClientProfile:
        """Return what a request of 2026-07-28 says about its client.

        Log messages are sent only to clients that name a level (server/utilities/logging).
        """
        meta = self.asked.meta
        return ClientProfile(meta[_CAPABILITIES], meta.get(_LOG))


class ShortPath:
    """Answers for one toolbox."""

    def __init__(self, box: Live, *, watch: bool) -> None:
        self.box = box
        self.watch = watch
        self._listed: dict[int, tuple[bytes, bytes]] = {}
        self._stamp = self._server_info()

    # -- what a server says about itself

    def _server_info(self) -> bytes:
        info = to_json(self.box.now.info())
        return b'"_meta":{"io.modelcontextprotocol/serverInfo":' + info + b"}"

    def capabilities(self) -> dict[str, Any]:
        """Return the capabilities: what exists here, and nothing else."""
        box, is_live, watch = self.box.now, self.box.is_live, self.watch
        offers_prompts = bool(box.prompts) or is_live
        capabilities: dict[str, Any] = {}
        # What replaces it may have a tool that gets a `Call`.
        if is_live or box.sees_calls:
            capabilities["logging"] = {}
        if offers_prompts:
            capabilities["prompts"] = {"listChanged": watch}
        if box.resources or is_live:
            capabilities["resources"] = {"subscribe": watch, "listChanged": watch}
        capabilities["tools"] = {"listChanged": watch}
        if offers_prompts or any(resource.is_template for resource in box.resources.values()):
            capabilities["completions"] = {}
        return capabilities

    def handshake(self, asked: PlainRequest) -> tuple[bytes, str] | None:
        """Answer `initialize`; return the answer and the version that applies from now on."""
        params = asked.params
        version = params.get("protocolVersion")
        info = params.get("clientInfo")
        if (
            not isinstance(version, str)
            or not _are_capabilities(params.get("capabilities"))
            or not _is_info(info)
            or not params.keys() <= {"protocolVersion", "capabilities", "clientInfo"}
        ):
            return None
        # A version that we do not have is answered with our latest (2025-11-25, basic/lifecycle).
        agreed = version if version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        result: dict[str, Any] = {
            "protocolVersion": agreed,
            "capabilities": self.capabilities(),
            "serverInfo": self.box.now.info(),
        }
        if instructions := self.box.now.about.instructions:
            result["instructions"] = instructions
        return reply(asked.id, to_json(result)), agreed

    def discover(self, asked: PlainRequest) -> bytes:
        """Answer `server/discover`."""
        capabilities = self.capabilities()
        if self.box.is_live or self.box.now.has_tasks:
            capabilities["extensions"] = {TASKS_EXTENSION: {}}
        result: dict[str, Any] = {
            "supportedVersions": [LATEST_PROTOCOL],
            "capabilities": capabilities,
        }
        if instructions := self.box.now.about.instructions:
            result["instructions"] = instructions
        return reply(asked.id, self._stamped(to_json(result), kept=True))

    def listed(
        self,
        asked: PlainRequest,
        protocol: str,
        viewer: Viewer,
    ) -> bytes:
        """Answer `tools/list` from bytes that are made once."""
        payload = self.box.now.tools.to_mcp_json(protocol, *viewer)
        if protocol < STATELESS_SINCE:
            return reply(asked.id, payload)
        stamped = self._listed.get(id(payload))
        if stamped is None or stamped[0] is not payload:
            if len(self._listed) > 100:
                self._listed.clear()  # lists of earlier versions of the toolbox
            stamped = self._listed[id(payload)] = (payload, self._stamped(payload, kept=True))
        return reply(asked.id, stamped[1])

    def task(
        self,
        asked: PlainRequest,
        protocol: str,
        viewer: Viewer,
    ) -> PlainCall | None:
        """Prepare `tools/call`; None if the call or its tool is not plain."""
        params = asked.params
        arguments = params.get("arguments")
        name = params.get("name")
        if (
            not params.keys() <= _CALLED
            or not isinstance(name, str)
            or not (arguments is None or arguments.__class__ is dict)
        ):
            return None
        box = self.box.now
        if box.directed is not None:
            name, arguments = box.directed(name, arguments)
        tool = box.tools.usable(name, *viewer)
        if tool is None:
            return None
        try:
            runner = runner_of(tool)
        except SchemaError:
            return None
        options = runner.options
        # The SDK compares the headers that repeat arguments (2026-07-28, server/tools, x-mcp-header).
        # A user who confirms a call is asked before it runs, and a task outlives its request.
        if runner.has_headers or options.confirm or options.task:
            return None
        # A token is text or an integer (2026-07-28, basic/patterns/progress): a boolean is neither.
        token = asked.meta.get("progressToken")
        if token.__class__ not in _NUMBERS and "progressToken" in asked.meta:
            return None
        return PlainCall(runner, arguments, asked.id, asked, token, protocol)

    def finished(self, task: PlainCall, result: Any) -> bytes:
        """Write the answer to a call."""
        body = result.to_mcp_json(task.protocol)
        if task.protocol >= STATELESS_SINCE:
            body = self._stamped(body, kept=False, meta=result.meta)
        return reply(task.id, body)

    def _stamped(self, body: bytes, *, kept: bool, meta: Any = None) -> bytes:
        """Add what 2026-07-28 wants in every result: `resultType`, server info, and hints for caches.

        (basic, ResultType; server/utilities/caching for `ttlMs` and `cacheScope`.)
        """
        hints = b',"ttlMs":0,"cacheScope":"private"' if kept else b""
        ending = hints + b',"resultType":"complete"}'
        # A toolbox that is reloaded may have another version by now.
        stamp = self._server_info() if self.box.is_live else self._stamp
        if not meta:
            return body[:-1] + b"," + stamp + ending
        # The result's own `_meta` comes last: put the stamp into it.
        return body[:-2] + b"," + stamp[9:-1] + b"}" + ending


def plain_request(message: Any) -> PlainRequest | None:
    """Return a request in its plain form; None if it is anything else."""
    if not is_object(message) or message.get("jsonrpc") != "2.0" or not message.keys() <= _REQUEST:
        return None
    number, method = message.get("id"), message.get("method")
    if number.__class__ not in _NUMBERS:
        return None
    params = message.get("params", {})
    if not isinstance(method, str) or not is_object(params):
        return None
    meta = params.get("_meta", {})
    return PlainRequest(number, method, params, meta) if is_object(meta) else None


def is_modern(asked: PlainRequest) -> bool:
    """Return whether a request carries a plain envelope of 2026-07-28.

    `_meta` with the version and the capabilities of the client takes the place of a handshake.
    """
    meta = asked.meta
    return (
        meta.get(_VERSION) == LATEST_PROTOCOL
        and _are_capabilities(meta.get(_CAPABILITIES))
        and meta.keys() <= _KNOWN
        and (_INFO not in meta or _is_info(meta[_INFO]))
        and meta.get(_LOG, "debug") in LOG_LEVELS
    )


def claims_modern(asked: PlainRequest) -> bool:
    """Return whether a request carries any envelope at all."""
    return bool(asked.meta) and any(key.startswith(META) for key in asked.meta)


def _is_info(info: Any) -> bool:
    return (
        is_object(info)
        and info.keys() >= {"name", "version"}
        and info.keys() <= _INFO_KEYS
        and all(isinstance(text, str) for text in info.values())
    )


def _are_capabilities(given: Any) -> bool:
    """Return whether capabilities have the usual form; the SDK checks unusual ones."""
    if not is_object(given):
        return False
    for name, ability in given.items():
        if not is_object(ability):
            return False
        if name == "roots":
            if not all(key == "listChanged" and isinstance(v, bool) for key, v in ability.items()):
                return False
        elif name in _OPEN:
            if not all(map(is_object, ability.values())):
                return False
        elif any(setting != {} for setting in ability.values()):
            return False
    return True


def opening(meta: dict[str, Any]) -> bytes:
    """Return a request whose only purpose is to show the SDK the era of a conversation."""
    params = {"_meta": {key: meta[key] for key in meta if key in _ENVELOPE}}
    message = {"jsonrpc": "2.0", "id": "toolwright/era", "method": "server/discover"}
    return to_json({**message, "params": params})


def reply(number: Any, result: bytes) -> bytes:
    """Write a response."""
    return b'{"jsonrpc":"2.0","id":' + to_json(number) + b',"result":' + result + b"}"


def level_request(level: str) -> bytes:
    """Return a request that shows the SDK which log messages a client wants."""
    message = {"jsonrpc": "2.0", "id": "toolwright/level", "method": "logging/setLevel"}
    return to_json({**message, "params": {"level": level}})


def level_asked(asked: PlainRequest) -> str | None:
    """Return the level that `logging/setLevel` names; None if the request is not plain."""
    level = asked.params.get("level")
    is_plain = asked.params.keys() <= {"level", "_meta"} and "progressToken" not in asked.meta
    return level if is_plain and isinstance(level, str) and level in LOG_LEVELS else None


def logged(level: str, said: Any, logger: str) -> bytes:
    """Write a log message."""
    head = b'{"jsonrpc":"2.0","method":"notifications/message","params":'
    params = {"level": level, "logger": logger, "data": said}
    return head + to_json(params, inf_nan_mode="null") + b"}"


def progress(token: Any, done: float, total: float | None, said: str) -> bytes:
    """Write a notification of progress."""
    params: dict[str, Any] = {"progressToken": token, "progress": done}
    if total is not None:
        params["total"] = total
    if said:
        params["message"] = said
    head = b'{"jsonrpc":"2.0","method":"notifications/progress","params":'
    return head + to_json(params, inf_nan_mode="null") + b"}"
