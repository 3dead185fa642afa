"""The same requests through the short path and through the SDK alone: what differs is a defect.

Normalised, and nothing else: the order of keys (messages are compared parsed), the value of
`mcp-session-id` and the reference of an unexpected error (random), the sealed
`requestState`, the `age` of a cached result (a clock), and the framing of an event
stream (its messages are compared), and whether an answer in a session is JSON or a stream (a client
takes both). `python tests/wire/test_differential.py` prints the shares.
"""

import asyncio
import contextlib
import functools
import json
import os
import re
from collections import Counter
from typing import Annotated, Any

from pydantic import BaseModel, Field
from pydantic_core import from_json

from toolwright import Call, Inject, Toolbox, ToolError
from toolwright.serve.settings import server_config
from toolwright.serve.stdio.conversation import Conversation

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
INFO = "io.modelcontextprotocol/clientInfo"
PATIENCE = 60.0


@functools.cache
def shared(full: bool, which: int) -> Toolbox:  # compiled once
    return toolbox(full=full)


class Point(BaseModel):
    x: float
    label: str | None = None


def toolbox(*, full: bool = True) -> Toolbox:
    """One of each kind; `full` has everything that a server can say of itself."""
    told: dict[str, Any] = {
        "version": "1.2",
        "instructions": "Be kind.",
        "title": "The lab",
        "website_url": "https://lab.example",
        "icons": [
            {"src": "https://lab.example/i.png", "mimeType": "image/png", "sizes": ["48x48"]}
        ],
    }
    box = Toolbox("lab", **told if full else {})

    @box.tool
    def add(a: int, b: int = 1) -> int:
        """Add."""
        return a + b

    @box.tool
    async def later(text: str = "x", seconds: float = 0) -> str:
        """Say it later."""
        await asyncio.sleep(min(seconds, 1))
        return text

    @box.tool
    def count(n: int = 2):
        """Count."""
        yield from range(min(n, 5))

    @box.tool
    def fail(kind: str = "tool") -> int:
        """Fail."""
        raise ToolError("no") if kind == "tool" else RuntimeError(kind)

    @box.tool
    def point(x: float) -> Point:
        """Make a point."""
        return Point(x=x)

    @box.tool
    def maybe(x: int | None = None) -> int | None:
        """Return what came, or nothing."""
        return x

    @box.tool
    def say(text: str) -> str:
        """Say it."""
        return text

    @box.tool
    def blob(size: int = 3) -> bytes:
        """Return bytes."""
        return bytes(range(min(size, 64)))

    @box.tool
    def echo(value: Any = None) -> Any:
        """Return anything."""
        return value

    @box.tool(cache=60)
    def kept(n: int = 0) -> int:
        """Return a number, once."""
        return n

    @box.tool
    def hidden() -> int:
        """Be disabled."""
        return 0

    box.disable("hidden")

    @box.tool
    def routed(
        region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})] = "eu",
    ) -> str:
        """Go by a header."""
        return region

    if full:
        add_guarded(box)

        @box.tool
        async def watched(call: Call, n: int = 2) -> str:
            """Tell how far it is."""
            for at in range(min(n, 5)):
                call.progress(at, n, f"step {at}")
            return "done"

        injected(box)

        @box.resource("lab://{name}")
        def part(name: str) -> str:
            """Read a part."""
            return name

        @box.prompt
        def ask(topic: str = "tea") -> str:
            """Ask."""
            return topic

    return box


def odd_only(call: Call) -> bool:
    """Show it to every second request: ids are all that a client of stdio says of itself."""
    return sum(map(ord, str(call.request_id))) % 2 == 1


def add_guarded(box: Toolbox) -> None:
    """Add tools, a resource and a prompt that are there for some callers, or for none."""

    @box.tool(enabled=odd_only)
    def shy(text: str = "x") -> str:
        """Be there now and then."""
        return text

    @box.tool(enabled=lambda call: call.headers["x-missing"])
    def broken() -> int:
        """Be never there: its predicate fails."""
        return 0

    @box.tool(enabled=lambda call: call.kind == "tool" and call.tool == "open", cache=60)
    def open(n: int = 0) -> int:
        """Be always there."""
        return n

    @box.tool(enabled=odd_only)
    def shy_log(call: Call, name: str | None = "lab.part") -> str:
        """Log under another name, now and then."""
        call.info("plain")
        call.warning("found", logger_name=name, extra={"rows": 3})
        return "logged"

    @box.resource("lab://shy", enabled=odd_only)
    def shy_part() -> str:
        """Be read now and then."""
        return "shy"

    @box.prompt(enabled=odd_only)
    def shy_ask(topic: str = "tea") -> str:
        """Be asked now and then."""
        return topic


class Amount(BaseModel):
    n: int


def seven() -> int:
    return 7


def injected(box: Toolbox) -> None:
    """Add tools that get more than their arguments."""

    @box.tool
    def told(call: Call, kind: str = "plain", n: int = 2) -> str:
        """Tell everything."""
        said: Any = {"plain": "step", "data": {"a": [1, None]}, "odd": object, "none": None}
        for at in range(min(n, 5)):
            call.progress(at, n if at else None, f"step {at}" if at else "")
            call.log(said.get(kind, kind), "debug" if at else "warning")
        if kind == "fail":
            raise ToolError("no", code="told")
        if kind == "boom":
            raise RuntimeError(kind)
        return kind

    @box.tool(run_on="inline")
    def told_inline(call: Call) -> str:
        """Tell it inline."""
        call.progress(1, 1)
        call.error("inline")
        return "inline"

    @box.tool
    async def told_async(call: Call, n: int = 2) -> int:
        """Tell it in a loop."""
        for at in range(min(n, 5)):
            await call.progress(at, n)
            await call.info({"at": at})
            await asyncio.sleep(0)
        await call.hang_up()
        return n

    @box.tool
    def counted(call: Call, n: int = 2):
        """Count, and log."""
        for at in range(min(n, 5)):
            call.info(at)
            yield at

    @box.tool
    def given(a: int, b: Annotated[int, Inject(seven)]) -> int:
        """Add what is provided."""
        return a + b

    @box.tool(timeout=20, retry=2, cache=3600)
    async def limited(call: Call, a: int = 1) -> int:
        """Be limited in every way."""
        call.info("limited")
        return a

    @box.tool
    def asks(call: Call, way: str = "ask") -> str:
        """Ask the client."""
        call.info("before")
        call.progress(1, 2)
        if way == "ask":
            came: Any = call.ask(Amount, "How many?").n
        elif way == "sample":
            came = call.sample("Say it.")["content"]["text"]
        elif way == "can":
            came = [each for each in ("elicitation", "sampling", "roots") if call.can(each)]
        else:
            came = call.roots()[0]["uri"]
        call.info("after")
        call.progress(2, 2)
        return str(came)

    @box.tool
    async def asks_async(call: Call) -> str:
        """Ask the client, twice."""
        await call.info("before")
        first = await call.ask(Amount, "How many?")
        second = await call.ask(Amount, f"More than {first.n}?", key="more")
        return f"{first.n} {second.n}"


# -- messages


def request(method: str, params: Any = None, *, number: Any = 1) -> dict[str, Any]:
    made = {"jsonrpc": "2.0", "id": number, "method": method}
    return made if params is None else {**made, "params": params}


def envelope(**more: Any) -> dict[str, Any]:
    return {VERSION: MODERN, CAPABILITIES: {}, INFO: {"name": "c", "version": "1"}, **more}


def modern(method: str, params: Any = None, *, number: Any = 1, **meta: Any) -> dict[str, Any]:
    return request(method, {**(params or {}), "_meta": envelope(**meta)}, number=number)


def hello(version: str = "2025-11-25", number: Any = "hello", **more: Any) -> dict[str, Any]:
    info = {"name": "c", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": info, **more}
    return request("initialize", params, number=number)


def line_of(message: Any) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode()


def awaited(line: bytes) -> str:
    """Return how the id of an answer looks, of a request that must have one; else nothing."""
    try:
        message = from_json(line)
    except ValueError:
        return ""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return ""
    number = message.get("id")
    must = (
        isinstance(number, int | str)
        and not isinstance(number, bool)
        and isinstance(message.get("method"), str)
        and isinstance(message.get("params", {}), dict | None)
    )
    return f'"id": {json.dumps(number)}, "jsonrpc"' if must else ""


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def read(raw: bytes) -> str:
    """Return a message in one order of keys; what is not JSON at all stays as it is."""
    try:
        message = json.loads(raw.decode(), parse_constant=_refuse)
    except ValueError as error:
        return f"NOT JSON ({error}): {raw[:200]!r}"
    with contextlib.suppress(KeyError, TypeError):
        note = message["result"]["_meta"]["toolwright/cache"]
        if "age" in note:
            note["age"] = 0
    with contextlib.suppress(KeyError, TypeError):
        if "requestState" in message["result"]:
            message["result"]["requestState"] = "X"
    with contextlib.suppress(KeyError, TypeError):
        if "call" in (note := message["result"]["_meta"]["toolwright/error"]):
            note["call"] = "X"
    return _REFERENCE.sub("(reference X)", json.dumps(message, sort_keys=True))


_REFERENCE = re.compile(r"\(reference [0-9a-f]{12}\)")


# -- stdio


ENDS = [request("tools/list", number="end"), modern("tools/list", number="end2")]
"""What a session ends with, in either era: they show its state."""


class Counted(Conversation):
    """Counts what is answered on the short path."""

    tally: Counter[str]

    def _answered(self, message: Any, line: bytes) -> bool:
        answered = super()._answered(message, line)
        self.tally["short" if answered else "sdk"] += 1
        return answered


class Talk:
    """A client of one conversation over two pipes."""

    def __init__(self, box: Toolbox, *, short: bool, tally: Counter[str]) -> None:
        theirs_in, self.into = os.pipe()
        self.out, theirs_out = os.pipe()
        self.theirs = (theirs_in, theirs_out)
        self.conversation = Counted(
            box.__servable__(), theirs_in, theirs_out, server_config("stdio", {"short": short})
        )
        self.conversation.tally = tally
        self.rest = b""
        self.came: list[str] = []
        self.news = asyncio.Event()

    async def __aenter__(self):
        os.set_blocking(self.out, False)
        asyncio.get_running_loop().add_reader(self.out, self._read)
        self.task = asyncio.create_task(self.conversation.run())
        return self

    async def __aexit__(self, *_: object):
        os.close(self.into)
        await self.task
        await asyncio.sleep(0)
        asyncio.get_running_loop().remove_reader(self.out)
        for each in (*self.theirs, self.out):
            os.close(each)

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            *lines, self.rest = (self.rest + os.read(self.out, 1 << 20)).split(b"\n")
            self.came += [read(line) for line in lines]
            self.news.set()

    async def ask(self, line: bytes, barrier: bytes | None = None) -> list[str]:
        """Send a line; return what came, up to its answer or that of a second request."""
        before = len(self.came)
        sent = line
        number = awaited(line)
        if not number and barrier is not None:
            sent, number = line + b"\n" + barrier, awaited(barrier)
        os.write(self.into, sent + b"\n")
        try:
            async with asyncio.timeout(PATIENCE):
                while number and not any(number in each for each in self.came[before:]):
                    self.news.clear()
                    await self.news.wait()
        except TimeoutError:
            self.came.append(f"SILENCE {line[:80]!r}")
        return self.came[before:]


class Pair:
    """Both paths, side by side, and how they differ."""

    def __init__(self, *, full: bool = True) -> None:
        self.boxes = shared(full, 0), shared(full, 1)
        self.tally: Counter[str] = Counter()
        self.differences: list[tuple[str, Any, Any]] = []

    def compare(self, asked: Any, short: Any, plain: Any) -> None:
        self.tally["compared"] += 1
        if short != plain:
            self.differences.append((f"{asked!r}"[:400], short, plain))

    def report(self) -> str:
        """Say what differs, once for each kind of it."""
        kinds: dict[str, list[tuple[str, Any, Any]]] = {}
        for each in sorted(self.differences, key=lambda found: len(found[0])):
            answers = f"{each[1]!s:.90} {each[2]!s:.200}"
            kinds.setdefault(re.sub(r'"id": "?n?[0-9.]+"?', "", answers), []).append(each)
        told = [f"{len(self.differences)} of {self.tally['compared']} differ; {self.share()}"]
        for found in list(kinds.values())[:25]:
            asked, short, plain = found[0]
            told.append(
                f"{len(found)}x {asked}\n  short: {str(short)[:500]}\n  sdk:   {str(plain)[:500]}"
            )
        return "\n".join(told)

    def share(self) -> str:
        short, sdk = self.tally["short"], self.tally["sdk"]
        return f"short path {short}, SDK {sdk} ({short / max(short + sdk, 1):.0%} short)"

    def talks(self) -> tuple[Talk, Talk]:
        return (
            Talk(self.boxes[0], short=True, tally=self.tally),
            Talk(self.boxes[1], short=False, tally=Counter()),
        )

    async def long(self, opening: list[Any], lines: list[bytes], barrier: Any) -> None:
        """One long session; each request is compared by itself."""
        ours, theirs = self.talks()
        end = line_of(barrier)
        async with ours, theirs:
            for line in [*map(line_of, opening), *lines]:
                self.compare(line, await ours.ask(line, end), await theirs.ask(line, end))

    async def session(self, messages: list[Any], ends: Any = ()) -> None:
        """A short session, compared as a whole: what was said before decides what is said later."""
        seen = []
        for talk in self.talks():
            async with talk:
                for each in (*messages, *(ends or ENDS)):
                    await talk.ask(line_of(each))
            seen.append(talk.came)
        self.tally["compared"] += len(messages) - 1
        self.compare(messages, *(_without(seen[at], seen[1 - at]) for at in (0, 1)))


def _without(mine: list[str], others: list[str]) -> list[str]:
    return list((Counter(mine) - Counter(others)).elements())


# -- HTTP


class Posts:
    """A client of one ASGI app."""

    def __init__(self, box: Toolbox, *, short: bool, tally: Counter[str], **settings: Any) -> None:
        self.app = box.asgi(short=short, **settings)
        self.session = b""
        for path in (self.app.short, self.app.sessions):
            if path is not None:
                _count(path, tally)

    async def send(self, method: str, headers: list[tuple[bytes, bytes]], body: bytes) -> Any:
        """Return status, headers that matter, and the messages."""
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "path": "/mcp",
            "raw_path": b"/mcp",
            "root_path": "",
            "scheme": "http",
            "query_string": b"",
            "server": ("localhost", 80),
            "client": ("127.0.0.1", 1),
            "headers": [(k, self.session if v == b"SESSION" else v) for k, v in headers],
        }
        incoming = [{"type": "http.request", "body": body, "more_body": False}]
        sent: list[Any] = []

        async def receive() -> Any:
            if not incoming:
                await asyncio.Event().wait()
            return incoming.pop()

        async def send(message: Any) -> None:
            sent.append(message)

        try:
            async with asyncio.timeout(PATIENCE):
                await self.app(scope, receive, send)
        except TimeoutError:
            return "SILENCE", len(sent)
        except Exception as error:
            return "RAISED", repr(error)
        start = sent[0]
        shown = {name.decode(): value.decode() for name, value in start["headers"]}
        data = b"".join(each.get("body", b"") for each in sent[1:])
        if shown.get("content-length", str(len(data))) != str(len(data)):
            shown["content-length"] = "wrong"
        else:
            shown.pop("content-length", None)
        if shown.get("mcp-session-id"):
            self.session = shown["mcp-session-id"].encode()
            shown["mcp-session-id"] = "SESSION"
        messages = _messages(shown, data)
        if "mcp-session-id" in shown and messages and start["status"] == 200 and data:
            for name in ("content-type", "cache-control", "connection", "x-accel-buffering"):
                shown.pop(name, None)
        return start["status"], tuple(sorted(shown.items())), messages


def _count(path: Any, tally: Counter[str]) -> None:
    """Count what a path answers."""
    inner = path.answered

    async def counted(*args: Any) -> bool:
        done = await inner(*args)
        tally["short" if done else "tried"] += 1
        return done

    path.answered = counted


def _messages(shown: dict[str, str], data: bytes) -> list[str]:
    kind = shown.get("content-type", "")
    if kind.startswith("text/event-stream"):
        found = [line[5:].strip() for line in data.splitlines() if line.startswith(b"data:")]
        return [read(each) for each in found if each]
    return [read(data)] if kind.startswith("application/json") else [repr(data)]
