"""Tools with injected parameters for `test_injected.py`, and a client that answers questions."""

import asyncio
import json
import os
import threading
from collections import Counter
from contextlib import asynccontextmanager
from typing import Annotated, Any

from tests.wire.differential import (
    CAPABILITIES,
    MODERN,
    Amount,
    Pair,
    Talk,
    hello,
    line_of,
    modern,
    request,
)
from toolwright import Call, CallError, Inject, Toolbox, ToolError, current_call

ANSWERS: dict[str, Any] = {
    "elicitation/create": {"action": "accept", "content": {"n": 3}},
    "sampling/createMessage": {
        "role": "assistant",
        "model": "m",
        "content": {"type": "text", "text": "said"},
    },
    "roots/list": {"roots": [{"uri": "file:///a"}]},
}
ABLE = {"elicitation": {}, "sampling": {}, "roots": {}}


def apart(call: Call, n: int = 2) -> int:
    """Tell it from another process."""
    for at in range(n):
        call.progress(at, n, "apart")
        call.info({"apart": at})
    return n


def number_of(call: Call) -> str:
    return str(call.request_id)


class Bench:
    """A toolbox whose tools count their runs, and wait until they are let go."""

    def __init__(self, *, wrapped: bool = False):
        self.runs: Counter[str] = Counter()
        self.go, self.begun, self.ended = threading.Event(), threading.Event(), threading.Event()
        self.seen: list[Any] = []
        self.box = Toolbox("bench", lifespan=self.lifespan if wrapped else None)
        for each in (self.asks, self.asks_async, self.waits, self.waits_async, self.leaves):
            self.box.tool(each)
        for each in (self.floods, self.looks, self.provided, self.helped, self.slow_level):
            self.box.tool(each)
        self.box.tool(timeout=0.3)(self.asks_in_vain)
        self.box.tool(retry=2)(self.asks_again)
        self.box.tool(run_on="inline")(self.asks_inline)
        self.box.tool(run_on="process")(apart)

    @asynccontextmanager
    async def lifespan(self):
        yield "opened"

    def asks(self, call: Call, way: str = "ask") -> str:
        """Ask once."""
        self.runs["asks"] += 1
        call.info("before")
        if way == "ask":
            came: Any = call.ask(Amount, "How many?").n
        else:
            came = call.sample("Say.")["content"]["text"] if way == "sample" else call.roots()
        call.info("after")
        call.progress(2, 2)
        return str(came)

    async def asks_async(self, call: Call) -> int:
        """Ask twice."""
        self.runs["asks_async"] += 1
        first = await call.ask(Amount, "How many?")
        more = await call.ask(Amount, "How many more?", key="more")
        return first.n + more.n

    async def asks_in_vain(self, call: Call) -> int:
        """Wait for an answer that does not come."""
        self.runs["asks_in_vain"] += 1
        return (await call.ask(Amount, "Nobody answers this.")).n

    def asks_again(self, call: Call) -> int:
        """Fail, and ask at the second attempt."""
        self.runs["asks_again"] += 1
        call.progress(self.runs["asks_again"], 2)
        if self.runs["asks_again"] % 2:
            raise ConnectionError("try again")
        return call.ask(Amount, "How many?").n

    def asks_inline(self, call: Call) -> str:
        """Ask where nobody can wait."""
        try:
            call.ask(Amount).close()
        except CallError as error:
            return str(error)
        return "asked"

    def waits(self, call: Call) -> bool:
        """Tell how far it is until it is cancelled, or let go."""
        call.progress(1, 3, "first")
        self.begun.set()
        while not call.cancelled and not self.go.wait(0.01):
            pass
        call.progress(2, 3, "late" if call.cancelled else "second")
        self.seen.append(call.cancelled)
        self.ended.set()
        return call.cancelled

    async def waits_async(self, call: Call) -> int:
        """Tell how far it is until it is cancelled, or let go."""
        await call.progress(1, 3, "first")
        self.begun.set()
        try:
            await asyncio.to_thread(self.go.wait, 30)
        except asyncio.CancelledError:
            self.seen.append("cancelled")
            self.go.set()  # lets the thread go: the event loop waits for it at its end
            self.ended.set()
            raise
        return 1

    def leaves(self, call: Call) -> str:
        """Leave a thread behind that tells more."""

        def late() -> None:
            self.go.wait(30)
            call.progress(2, 2, "late")
            call.info("late")
            self.ended.set()

        threading.Thread(target=late, daemon=True).start()
        call.progress(1, 2, "in time")
        return "left"

    def floods(self, call: Call, count: int = 20_000) -> str:
        """Tell far more than anybody reads."""
        for at in range(count):
            call.progress(at, count, "x" * 100)
            call.info("y" * 100)
        self.ended.set()
        return "flooded"

    def slow_level(self, call: Call) -> str:
        """Log before and after the level changes."""
        call.info("before")
        self.begun.set()
        self.go.wait(30)
        call.info("hidden")
        call.error("after")
        return "logged"

    def looks(self, call: Call) -> dict[str, Any]:
        """Look at the call."""
        return {
            "request": call.request_id,
            "caller": call.caller,
            "roles": list(call.roles),
            "lifespan": call.lifespan,
            "trace": call.headers.get("traceparent"),
            "tool": call.tool,
            "same": call is current_call(),
        }

    def provided(self, who: Annotated[str, Inject(number_of)]) -> str:
        """Say what a provider has made of the call."""
        return who

    def helped(self, a: int = 1) -> int:
        """Have a helper log."""
        found = current_call()
        assert found is not None
        found.warning("helped")
        if a < 0:
            raise ToolError("below")
        return a


class Answering(Talk):
    """A client that answers questions at once, unless it is deaf."""

    deaf = False
    read_to = 0

    def _read(self) -> None:
        super()._read()
        for line in self.came[self.read_to :]:
            message = json.loads(line)
            if "method" in message and "id" in message and not self.deaf:
                answer = {"jsonrpc": "2.0", "id": message["id"]}
                os.write(
                    self.into, line_of({**answer, "result": ANSWERS[message["method"]]}) + b"\n"
                )
        self.read_to = len(self.came)


class InjectedPair(Pair):
    """Both paths over stdio, each with a toolbox of its own."""

    def __init__(self, era: str, *, deaf: bool = False, wrapped: bool = False) -> None:
        super().__init__()
        self.era = era
        self.deaf = deaf
        self.benches = Bench(wrapped=wrapped), Bench(wrapped=wrapped)
        self.boxes = self.benches[0].box, self.benches[1].box
        self.conversations: list[Any] = []

    def talks(self):
        made = [
            Answering(box, short=short, tally=tally)
            for box, short, tally in zip(
                self.boxes, (True, False), (self.tally, Counter()), strict=True
            )
        ]
        for each in made:
            each.deaf = self.deaf
        self.conversations = [each.conversation for each in made]
        return tuple(made)

    def opening(self) -> list[Any]:
        if self.era == MODERN:
            return [self.asked("tools/list", number="opening")]
        return [hello(self.era, capabilities=ABLE)]

    def asked(self, method: str, params: Any = None, number: Any = 1, **meta: Any) -> Any:
        if self.era == MODERN:
            return modern(method, params, number=number, **{CAPABILITIES: ABLE, **meta})
        return request(method, {**(params or {}), "_meta": meta}, number=number)

    def call(self, name: str, number: Any = 1, arguments: Any = None, **meta: Any) -> Any:
        return self.asked(
            "tools/call", {"name": name, "arguments": arguments or {}}, number, **meta
        )
