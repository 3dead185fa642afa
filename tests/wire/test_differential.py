"""Whoever answers, the short path or the SDK: the answer is the same."""

import asyncio
import random

import pytest

from tests.wire.differential import ENDS, LEGACY, MODERN, Pair, hello, line_of, modern, request
from tests.wire.differential_courses import check, note, posted, quiet
from tests.wire.odd_requests import (
    CAPS,
    INFOS,
    VALUES,
    VERSIONS,
    generated,
    headers_of,
    http_requests,
    mutated,
)

__all__ = ["quiet"]  # a fixture

# What is left out of the comparison, and why.
EXCLUDED = {
    "subscriptions/listen": "its answer comes when the client hangs up",
    "GET with a session, or without state": "its stream has no end",
    "told_async in a session": "it hangs up, before or after what it told was sent",
    "content-length that lies": "no HTTP server passes such a request on",
}


SLOW = {"name": "later", "arguments": {"seconds": 0.3}}
SESSIONS = {
    "ping first": [request("ping"), hello(), request("tools/call", {"name": "watched"}, number=2)],
    "notice first": [note("notifications/x"), hello(), request("resources/list", number=2)],
    "no JSON first": [b"nope", hello(), request("resources/list", number=2)],
    "modern, then bare ping": [modern("tools/list"), request("ping", number=2)],
    "modern, then hello": [modern("tools/list"), hello(), modern("resources/list", number=2)],
    "bare, then modern": [request("tools/list"), modern("tools/list", number=2)],
    "hello twice": [hello(), hello("2024-11-05", 2), request("resources/list", number=3)],
    "hello twice, same id": [hello(number=1), hello(number=1), request("resources/list", number=3)],
    "id of hello again": [hello(number=1), request("resources/list", number=1)],
    "hello with 1 and '1'": [hello(number="1"), request("resources/list", number=1)],
    "odd hello, then modern": [hello(extra=1), modern("tools/list", number=2)],
    "modern hello": [modern("initialize"), modern("tools/list", number=2)],
    "initialized of no version": [hello(), {"method": "notifications/initialized"}],
    "initialized with odd params": [hello(), note("notifications/initialized", _meta=5)],
    "initialized with null": [hello(), {**note("notifications/initialized"), "params": None}],
    **{
        f"hello with capabilities {caps}": [
            hello(capabilities=caps),
            request("tools/list"),
            request("resources/list", number=2),
        ]
        for caps in CAPS
    },
    **{
        f"hello of {info}": [hello(clientInfo=info), request("resources/list", number=2)]
        for info in INFOS
    },
    **{
        f"init, {method} with token {token!r}": [
            hello(),
            request(
                method,
                {"name": "say", "arguments": {"text": ""}, "_meta": {"progressToken": token}},
            )
            if method == "tools/call"
            else request(method, {"_meta": {"progressToken": token}}),
        ]
        for token in (None, False, 0, "", 1.0, [], {})
        for method in ("tools/call", "tools/list")
    },
    **{f"hello at {version!r}": [hello(version), request("ping")] for version in VERSIONS},
}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_goes_alike(name):
    pair = Pair()
    # Where the SDK is not asked in the end, nothing may have waited for it.
    asyncio.run(pair.session(SESSIONS[name], ENDS[:1] if name.startswith("init") else ENDS))
    check(pair)


CANCELS = {
    "its id": {"requestId": 1},
    "its id, as text": {"requestId": "1"},
    "true": {"requestId": True},
    "1.0": {"requestId": 1.0},
    "another": {"requestId": 2},
    "nothing": {},
    "odd meta": {"requestId": 1, "_meta": 5},
    "odd reason": {"requestId": 1, "reason": 5},
}


@pytest.mark.parametrize("era", ["2025-11-25", MODERN])
@pytest.mark.parametrize("name", [*CANCELS, "no jsonrpc", "jsonrpc 1.0"])
def test_a_call_is_cancelled_alike(name, era):
    pair = Pair()
    make = modern if era == MODERN else request
    cancel = note("notifications/cancelled", **CANCELS.get(name, {"requestId": 1}))
    if name == "no jsonrpc":
        del cancel["jsonrpc"]
    elif name == "jsonrpc 1.0":
        cancel["jsonrpc"] = "1.0"
    # One write: the call runs when it is cancelled, and nobody waits for its answer.
    both = line_of(make("tools/call", SLOW)) + b"\n" + line_of(cancel)
    opening = make("tools/list", number=9) if era == MODERN else hello()
    # What begins later, and takes as long, is answered later: by then it is seen what came of both.
    ends = [make("tools/call", SLOW, number="later"), make("tools/list", number="end")]
    asyncio.run(pair.session([opening, both], ends))
    check(pair)


def test_two_calls_of_one_id_are_answered_alike():
    pair = Pair()
    both = b"\n".join([line_of(request("tools/call", SLOW))] * 2)
    ends = [request("tools/call", SLOW, number="later"), request("ping", number=5)]
    asyncio.run(pair.session([hello(), both], ends))
    check(pair)


@pytest.mark.parametrize("count", [40])
def test_random_sessions_go_alike(count):
    pair = Pair()
    rng = random.Random(3)
    openings = [hello(each) for each in LEGACY] + [modern("tools/list"), modern("server/discover")]

    async def run():
        for _ in range(count):
            first = rng.choice(openings)
            first = first if rng.random() < 0.5 else mutated(rng, first)
            lines = generated(rng.choice([MODERN, "2025-11-25"]), 5, rng.random())
            messages = [first, note("notifications/initialized"), *lines]
            if rng.random() < 0.2:
                rng.shuffle(messages)
            await pair.session(messages)

    asyncio.run(run())
    check(pair)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("how", ["instead", "first", "last", "absent", "twice"])
def test_a_header_is_heeded_alike(name, how):
    message = modern("tools/call", {"name": "add", "arguments": {"a": 1}})
    asked = []
    for value in VALUES[name]:
        rest = headers_of(message)
        own = [each for each in rest if each[0] == name]
        if how in ("instead", "absent"):
            rest = [each for each in rest if each[0] != name]
        extra = {"twice": own, "absent": []}.get(how, [(name, value)])
        made = [*extra, *rest] if how == "first" else [*rest, *extra]
        asked.append(("POST", made, line_of(message)))
    pair = Pair()
    asyncio.run(posted(pair, asked))
    check(pair)


@pytest.mark.parametrize("era", [LEGACY[0], *LEGACY[1:-1], LEGACY[-1]])
def test_posts_of_a_session_are_answered_alike(era):
    pair = Pair()
    begun = [("POST", headers_of(None, era), line_of(hello(era)))]
    told = [*headers_of(None, era), (b"mcp-session-id", b"SESSION")]
    begun.append(("POST", told, line_of(note("notifications/initialized"))))
    asked = [each for each in http_requests(era, 80, 1) if b"told_async" not in each[2]]
    asyncio.run(posted(pair, [each for each in asked if each[0] != "DELETE"], begun))
    check(pair)
