"""Over HTTP, a session is answered alike by the short path and by the SDK alone, in every era."""

import asyncio
import random

import pytest

from tests.wire.differential import LEGACY, MODERN, Pair, Posts, hello, line_of, modern, request
from tests.wire.differential_courses import check, note, quiet
from tests.wire.odd_requests import (
    CAPS,
    INFOS,
    VALUES,
    VERSIONS,
    generated,
    good,
    headers_of,
    http_requests,
    mutated,
)

__all__ = ["quiet"]  # a fixture

SLOW = {"name": "later", "arguments": {"seconds": 0.3}}
NOTICES = [
    note("notifications/initialized"),
    note("notifications/initialized", _meta={}),
    note("notifications/initialized", _meta=5),
    {**note("notifications/initialized"), "params": None},
    {**note("notifications/initialized"), "extra": 1},
    note("notifications/roots/list_changed"),
    note("notifications/progress", progressToken=1, progress=1),
    note("notifications/cancelled", requestId=99),
    note("notifications/cancelled", requestId=[]),
    note("notifications/cancelled"),
    note("notifications/nothing", a=[1]),
    note(""),
    {"jsonrpc": "2.0", "method": 5},
    {"jsonrpc": "2.0"},
    {"jsonrpc": "1.0", "method": "notifications/initialized"},
    {"method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 7, "result": {}},
    {"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "no"}},
    {"jsonrpc": "2.0", "id": None, "method": "ping"},
]
BODIES = [b"", b"nope", b"[]", b"null", b"1", b'"x"', b"{}", b"\xff", b'{"a":', b"[1]"]


def told(era, *more):
    return [*headers_of(None, era), (b"mcp-session-id", b"SESSION"), *more]


def post(message, era, *more):
    return "POST", told(era, *more), line_of(message)


def begun(era, *, initialized=True, **more):
    made = [("POST", headers_of(None, era), line_of(hello(era, **more)))]
    return [*made, post(note("notifications/initialized"), era)] if initialized else made


class Two:
    """A session on each path; every request goes to both."""

    def __init__(self, pair, **settings):
        tallies = (pair.tally, {"short": 0, "tried": 0})
        self.pair = pair
        self.posts = [
            Posts(box, short=short, tally=tally, **settings)
            for box, short, tally in zip(pair.boxes, (True, False), tallies, strict=True)
        ]

    async def send(self, method, headers, body):
        answers = [await each.send(method, headers, body) for each in self.posts]
        self.pair.compare((method, headers, body[:300]), *answers)

    async def all(self, requests):
        for each in requests:
            await self.send(*each)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        for each in self.posts:
            await each.app.close()


def compared(*courses, **settings):
    """Check that each list of requests, in a session of its own, is answered alike."""
    pair = Pair()

    async def run():
        async with Two(pair, **settings) as two:
            for each in courses:
                await two.all(each)

    asyncio.run(run())
    check(pair)
    return pair


# A tool that hangs up ends the stream that clients of 2025-11-25 can resume. What it has told before
# may come on it or on the next one, as fast as it is sent.
HANGS_UP = "told_async"


@pytest.mark.parametrize("era", [LEGACY[0], *LEGACY[1:-1], LEGACY[-1]])
def test_good_requests(era):
    asked = [each for each in good(era) if HANGS_UP not in str(each) or era < "2025-11-25"]
    pair = compared([*begun(era), *(post(each, era) for each in asked)])
    assert pair.tally["short"] > 30  # most of them never reach the SDK


@pytest.mark.parametrize("era", [LEGACY[0], *LEGACY[1:-1], LEGACY[-1]])
def test_odd_requests(era):
    made = [post(line, era) for line in generated(era, 150, "sessions")]
    compared([*begun(era), *(each for each in made if HANGS_UP.encode() not in each[2])])


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("era", [LEGACY[0], *LEGACY[1:-1], LEGACY[-1]])
def test_random_sessions(era, seed):
    courses = []
    rng = random.Random(f"{era} {seed}")
    for at in range(12):
        opening = hello(era) if rng.random() < 0.5 else mutated(rng, hello(era))
        made = http_requests(era, 6, f"{seed} {at}")
        asked = [each for each in made if each[0] != "GET" and HANGS_UP.encode() not in each[2]]
        if rng.random() < 0.3:
            asked.insert(rng.randrange(6), ("DELETE", told(era), b""))
        first = ("POST", headers_of(None, era), line_of(opening))
        courses.append([first, post(note("notifications/initialized"), era), *asked])
    compared(*courses)


@pytest.mark.parametrize("era", [LEGACY[0], *LEGACY[1:-1], LEGACY[-1]])
def test_notices_and_what_is_no_message(era):
    asked = [post(each, era) for each in (*NOTICES, *BODIES)]
    asked += [post([request("ping"), request("ping", number=2)], era)]
    for initialized in (True, False):
        compared([*begun(era, initialized=initialized), *asked, post(request("tools/list"), era)])


OPENINGS = {
    **{f"capabilities {caps}": {"capabilities": caps} for caps in CAPS},
    **{f"info {info}": {"clientInfo": info} for info in INFOS},
    **{f"version {version!r}": {"protocolVersion": version} for version in VERSIONS},
    "more": {"extra": 1},
    "meta": {"_meta": {}},
    "odd meta": {"_meta": 5},
    "modern meta": {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}},
}


@pytest.mark.parametrize("name", OPENINGS)
def test_handshakes(name):
    era = "2025-11-25"
    asked = [request("ping"), request("tools/list"), request("resources/list", number=2)]
    asked.append(request("tools/call", {"name": "add", "arguments": {"a": 1}}))
    rest = [post(each, era) for each in asked]
    ends = [("DELETE", told(era), b""), *rest]
    compared(
        [*begun(era, **OPENINGS[name]), *rest, *ends],
        [*begun(era, initialized=False, **OPENINGS[name]), *rest],
    )


@pytest.mark.parametrize("era", [LEGACY[0], *LEGACY[1:-1], LEGACY[-1]])
def test_what_belongs_to_no_session(era):
    none = headers_of(None, era)
    unknown = [*none, (b"mcp-session-id", b"0" * 32)]
    made = [request("ping"), request("tools/list"), note("notifications/initialized"), hello(era)]
    asked = [("POST", unknown, line_of(each)) for each in made]
    asked += [("POST", none, line_of(each)) for each in made[:3]]
    asked += [(method, unknown, b"") for method in ("GET", "DELETE", "PUT", "HEAD")]
    over = [*begun(era), ("DELETE", told(era), b""), ("DELETE", told(era), b"")]
    compared(asked, [*over, *(post(each, era) for each in made)])


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("how", ["instead", "first", "last", "absent", "twice"])
def test_headers(name, how):
    era = "2025-11-25"
    messages = [
        request("tools/call", {"name": "add", "arguments": {"a": 1}}),
        request("resources/list"),
        note("notifications/cancelled", requestId=5),
        hello(era),
    ]
    asked = []
    for value in VALUES[name]:
        rest = told(era)
        own = [each for each in rest if each[0] == name]
        if how in ("instead", "absent"):
            rest = [each for each in rest if each[0] != name]
        extra = {"twice": own, "absent": []}.get(how, [(name, value)])
        made = [*extra, *rest] if how == "first" else [*rest, *extra]
        asked += [("POST", made, line_of(each)) for each in messages]
        asked += [("PUT", made, b""), ("DELETE", made, b""), *begun(era)]
    compared([*begun(era), *asked])


@pytest.mark.parametrize("first", ["short path", "SDK"])
@pytest.mark.parametrize("requested", [1, "1", 1.0, True, 2, None])
def test_cancellations(requested, first):
    pair = Pair()
    era = "2025-11-25"

    async def course(posts):
        for each in begun(era):
            await posts.send(*each)
        if first == "SDK":
            await posts.send(*post(request("resources/list", number=9), era))
        call = asyncio.create_task(posts.send(*post(request("tools/call", SLOW), era)))
        await asyncio.sleep(0.05)
        notice = note("notifications/cancelled", requestId=requested)
        return await posts.send(*post(notice, era)), await call

    async def run():
        async with Two(pair) as two:
            pair.compare(requested, *[await course(each) for each in two.posts])

    asyncio.run(run())
    check(pair)


def test_a_session_that_ends_while_a_call_runs():
    pair = Pair()
    era = "2025-11-25"

    async def course(posts):
        for each in begun(era):
            await posts.send(*each)
        call = asyncio.create_task(posts.send(*post(request("tools/call", SLOW), era)))
        await asyncio.sleep(0.05)
        ended = await posts.send("DELETE", told(era), b"")
        return ended, await call, await posts.send(*post(request("ping"), era))

    async def run():
        async with Two(pair) as two:
            pair.compare("DELETE", *[await course(each) for each in two.posts])

    asyncio.run(run())
    check(pair)


@pytest.mark.parametrize("era", [LEGACY[0], *LEGACY[1:-1], LEGACY[-1]])
def test_without_sessions(era):
    compared([*begun(era), *(post(each, era) for each in good(era))], stateless=True)


@pytest.mark.parametrize("era", [LEGACY[0], *LEGACY[1:-1], LEGACY[-1]])
def test_modern_requests_in_a_session(era):
    message = modern("tools/list")
    both = [post(message, era), ("POST", [*headers_of(message), *told(era)[-1:]], line_of(message))]
    compared([*begun(era), *both])
