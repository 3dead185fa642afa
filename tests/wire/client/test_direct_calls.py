"""Calls over standard streams, sent by many threads and loops, to servers that read and answer slowly."""

import asyncio
import contextlib
import sys

import pytest

from toolwright import ArgumentError
from toolwright.client import connect
from toolwright.client.client import connection_of
from toolwright.run.loop import background

SERVER = """
from toolwright import Toolbox

box = Toolbox("echoes")

@box.tool
def echo(text: str) -> str:
    return text

@box.tool
def count(words: dict[str, list[str]]) -> int:
    return len(words)

box.serve()
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("direct") / "echoes.py"
    path.write_text(SERVER)
    return path


@pytest.fixture(scope="module", params=["handshake", "stateless"])
def echoes(request, script):
    with connect([sys.executable, str(script)], era=request.param) as client:
        yield client


@pytest.mark.parametrize("text", ["\udc80", "a\ud800b"])
def test_what_cannot_be_sent_is_one_error_and_leaves_nothing_behind(echoes, text):
    for _ in range(3):
        with pytest.raises(ArgumentError, match="echo: `text` must not contain a lone surrogate"):
            echoes.echo(text)
        assert echoes.call("echo", {"text": text}).is_error
        assert echoes.call("count", {"words": {"a": ["x", text]}}).error.path == ("words", "a", 1)
        assert echoes.call("count", {"words": {text: []}}).error.path == ("words", text)
    assert connection_of(echoes).messages.scopes == {}
    assert echoes.echo("fine") == "fine"


def test_the_background_loop_cannot_wait_for_itself(echoes):
    async def here():
        return echoes.echo("x")

    with pytest.raises(RuntimeError, match="use call_async"):
        background.run(here())


def test_a_call_that_is_cancelled_at_once_leaves_nothing_behind(echoes):
    async def begin_and_leave():
        call = asyncio.ensure_future(echoes.echo.call_async("x"))
        await asyncio.sleep(0)
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):  # unless the answer was faster
            await call

    for _ in range(50):
        asyncio.run(begin_and_leave())
    assert echoes.echo("still here") == "still here"
