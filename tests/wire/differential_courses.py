"""Long sessions and many posts, generated from a seed, that both paths answer."""

import asyncio
import logging

import pytest

from tests.wire.differential import LEGACY, MODERN, Pair, Posts, hello, line_of, modern, request
from tests.wire.odd_requests import generated, good, headers_of, http_requests


@pytest.fixture(autouse=True)
def quiet():
    """Nothing is logged: requests that are refused are told by the thousand."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def check(pair):
    assert not pair.differences, pair.report()


def note(method, **params):
    made = {"jsonrpc": "2.0", "method": method}
    return {**made, "params": params} if params else made


def talked(era, seed):
    pair = Pair(full=seed == 1)
    make = modern if era == MODERN else request
    opening = [] if era == MODERN else [hello(era), note("notifications/initialized")]
    lines = [line_of(each) for each in good(era)]
    lines += generated(era, 900 if era == MODERN else 350, seed)
    asyncio.run(pair.long(opening, lines, make("barrier", number="barrier")))
    return pair


async def posted(pair, requests, opening=(), **settings):
    ours, theirs = (
        Posts(box, short=short, tally=pair.tally if short else {"short": 0, "tried": 0}, **settings)
        for box, short in zip(pair.boxes, (True, False), strict=True)
    )
    for method, headers, body in [*opening, *requests]:
        endless = settings.get("stateless") or (b"mcp-session-id", b"SESSION") in headers
        if method == "GET" and endless:
            continue
        asked = (method, headers, body[:300])
        pair.compare(asked, *[await each.send(method, headers, body) for each in (ours, theirs)])
    pair.tally["sdk"] = pair.tally["compared"] - pair.tally["short"]
    await ours.app.close()
    await theirs.app.close()


def posted_newest(seed, **settings):
    pair = Pair(full=seed == 1)
    plain = [("POST", headers_of(each), line_of(each)) for each in good(MODERN)]
    made = [*plain, *http_requests(MODERN, 700, f"{seed}{settings}")]
    asyncio.run(posted(pair, made, **settings))
    return pair


if __name__ == "__main__":
    logging.disable()
    for era in (*LEGACY, MODERN):
        print("stdio", era, talked(era, 1).report().partition("\n")[0])
    print("HTTP", MODERN, posted_newest(1).report().partition("\n")[0])
