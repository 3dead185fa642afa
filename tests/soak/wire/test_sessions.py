"""Long and mixed load: no answer is lost or wrong, and memory stays where it is (`make soak`).

`TOOLWRIGHT_SOAK` says for how many seconds (60).
"""

import asyncio
import http.client
import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import Annotated

import pytest

from tests.wire.attackers import Attacked
from tests.wire.processes import INITIALIZE, MODERN, resident
from toolwright import Inject, Toolbox

SECONDS = float(os.environ.get("TOOLWRIGHT_SOAK", "60"))
CLIENTS = 64
CROWD = 10_000
ACCEPT = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


class Client:
    """A client on one connection; every few calls it begins another session."""

    def __init__(self, server, number, counts):
        self.server = server
        self.number = number
        self.counts = counts
        self.era = ("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26")[number % 4]
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.session = None

    def run(self, ends):
        at = 0
        while time.monotonic() < ends:
            at += 1
            if self.era < "2026" and at % 50 == 1:
                self.begin_session()
            self.one(at)
        self.connection.close()

    def post(self, body, **headers):
        sent = {**ACCEPT, "host": "localhost", "mcp-protocol-version": self.era, **headers}
        if self.session is not None:
            sent["mcp-session-id"] = self.session
        self.connection.request("POST", "/mcp", json.dumps(body), sent)
        answer = self.connection.getresponse()
        return answer, answer.read()

    def begin_session(self):
        if self.session is not None and self.number % 8 < 4:  # others leave theirs behind
            sent = {"mcp-session-id": self.session, "host": "localhost"}
            self.connection.request("DELETE", "/mcp", headers=sent)
            self.connection.getresponse().read()
        self.session = None
        hello = {**INITIALIZE, "protocolVersion": self.era}
        body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
        answer, _ = self.post(body)
        self.session = answer.headers["mcp-session-id"]
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def one(self, at):
        text = f"{self.number}-{at}"
        name = ("plain", "say")[at % 2]  # plain ones of 2026-07-28 take the short path
        params = {"name": name, "arguments": {"text": text}}
        headers = {}
        if self.era >= "2026":
            params["_meta"] = MODERN
            headers = {"mcp-method": "tools/call", "mcp-name": name}
        body = {"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": params}
        answer, came = self.post(body, **headers)
        lines = [each[5:] for each in came.splitlines() if each.startswith(b"data:")]
        found = [json.loads(each) for each in lines or [came] if each.strip()]
        result = found[-1].get("result") if found else None
        if answer.status != 200 or result is None:
            self.counts["lost"] += 1
        elif found[-1]["id"] != at or result["content"][0]["text"] != f"None: {text}":
            self.counts["wrong"] += 1
        else:
            self.counts["right"] += 1


def test_mixed_load_of_every_era_loses_nothing():
    with Attacked() as server:
        every = [Counter() for _ in range(CLIENTS)]
        ends = time.monotonic() + SECONDS
        threads = [
            threading.Thread(target=Client(server, number, counts).run, args=(ends,))
            for number, counts in enumerate(every)
        ]
        for each in threads:
            each.start()
        time.sleep(SECONDS / 4)
        warm = resident(server.pid)
        for each in threads:
            each.join(SECONDS + 60)
            assert not each.is_alive()
        counts = sum(every, Counter())
        assert (counts["lost"], counts["wrong"]) == (0, 0)
        assert min(each["right"] for each in every) > 0
        # Sessions that were left behind are kept up to their bound, some 50 kB each.
        assert resident(server.pid) < warm + 80
        assert server.errors() == []


def test_ten_thousand_sessions_end_soon():
    with Attacked(max_sessions_per_client=CROWD) as server:
        client = Client(server, 1, Counter())
        for _ in range(CROWD):
            client.session = None
            client.begin_session()
        client.connection.close()
        begin = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        took = time.monotonic() - begin
        print(f"{CROWD} sessions ended within {took:.1f} s")
        # Some two seconds of one core.
        assert took < 30
        assert server.errors() == []


def test_ten_thousand_calls_at_once_and_a_third_of_them_cancelled():
    told = Counter()

    async def opened() -> AsyncIterator[str]:
        told["open"] += 1
        try:
            yield "resource"
        finally:
            told["close"] += 1

    box = Toolbox("crowd")
    gate = asyncio.Event()

    @box.tool
    async def waits(n: int, resource: Annotated[str, Inject(opened)]) -> int:
        await gate.wait()
        return n * 2

    @box.tool
    async def quick(n: int) -> int:
        await asyncio.sleep(0)
        return n * 2

    async def main():
        names = ("waits", "quick")
        calls = [
            asyncio.ensure_future(box.call_async(names[n % 2], {"n": n})) for n in range(CROWD)
        ]
        for _ in range(5):
            await asyncio.sleep(0)
        for each in calls[::10] + calls[3::10] + calls[6::10]:
            each.cancel()
        gate.set()
        results = await asyncio.gather(*calls, return_exceptions=True)
        wrong = [n for n, each in enumerate(results) if not is_right(n, each)]
        assert wrong == []
        assert sum(isinstance(each, BaseException) for each in results) <= CROWD * 3 // 10
        await box.aclose()

    asyncio.run(main())
    assert told["open"] == told["close"] > 0


def is_right(n, result):
    """Whether a call was answered with its own answer, or was cancelled."""
    if isinstance(result, asyncio.CancelledError):
        return n % 10 in {0, 3, 6}
    return not isinstance(result, BaseException) and result.value == n * 2
