"""What we build on uvicorn's undocumented insides is tried, and done without if need be."""

import asyncio
import contextlib
import http.client
import json
import logging
import socket

import pytest
import uvicorn
from uvicorn.protocols.http import h11_impl, httptools_impl

from tests.wire.serve.loop_server import headers, request, saying
from toolwright import Toolbox
from toolwright.serve.http.uvicorn import trial
from toolwright.serve.http.uvicorn.httptools_protocol import BoundedHttpTools

LONGEST = 60


@pytest.fixture(autouse=True)
def _as_at_first():
    forget()
    yield
    forget()


def forget():
    trial._parser.cache_clear()
    trial._say.cache_clear()


def hello() -> str:
    return "hello"


@contextlib.asynccontextmanager
async def served(made):
    """The port of a server of one tool, on the running loop."""
    with saying() as port:
        serving = asyncio.ensure_future(made.serve_async("http", port=0))
        done, _ = await asyncio.wait((serving, port), return_when=asyncio.FIRST_COMPLETED)
        if serving in done:
            serving.result()
        try:
            yield port.result()
        finally:
            serving.cancel()
            await asyncio.wait((serving,))


def box():
    made = Toolbox("box")
    made.add(hello)
    return made


def called(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
    with contextlib.closing(connection):
        texts = []
        for number in (1, 2):
            body = json.dumps(request("hello", number))
            connection.request("POST", "/mcp", body, headers("hello"))
            reply = json.loads(connection.getresponse().read())
            texts.append(reply["result"]["content"][0]["text"])
        return texts


def answers(made=None):
    """What a server answers to two calls on one connection."""

    async def ask():
        async with served(made or box()) as port:
            return await asyncio.to_thread(called, port)

    return asyncio.run(ask())


def warnings(caplog):
    return [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]


def test_the_version_of_uvicorn_that_is_installed_has_all_of_it(caplog):
    assert answers() == ["hello", "hello"]
    assert trial._parser() == (BoundedHttpTools, "")
    assert trial.has_insides()
    assert warnings(caplog) == []


def without_its_task(monkeypatch):
    monkeypatch.delattr(httptools_impl.HttpToolsProtocol, "_start_asgi_task")


def with_another_cycle(monkeypatch):
    monkeypatch.setattr(BoundedHttpTools, "on_headers_complete", lambda self: Renamed(keep=True))


class Renamed:
    def __init__(self, *, keeps):
        pass


def silent(monkeypatch):
    monkeypatch.setattr(httptools_impl.HttpToolsProtocol, "on_body", lambda self, body: None)
    monkeypatch.setattr(httptools_impl.HttpToolsProtocol, "on_message_complete", lambda self: None)


@pytest.mark.promise("serve.uvicorn-tried")
@pytest.mark.parametrize("broken", [without_its_task, with_another_cycle, silent])
def test_requests_are_read_by_h11_where_the_insides_of_the_other_are_different(
    monkeypatch, caplog, broken
):
    broken(monkeypatch)
    assert answers() == ["hello", "hello"]
    assert answers() == ["hello", "hello"]
    [said] = warnings(caplog)
    assert said.startswith(f"uvicorn {uvicorn.__version__} is not as we know it: ")
    assert "requests are read by h11" in said


def test_uvicorn_chooses_where_neither_is_as_we_know_it(monkeypatch, caplog):
    without_its_task(monkeypatch)

    class Other(h11_impl.H11Protocol):
        def __init__(self, *arguments, **more):
            super().__init__(*arguments, **more)
            del self.flow, self.loop

    monkeypatch.setattr(trial, "_h11", lambda: Other)
    assert trial.protocol(trial._Unwatched()) == "auto"
    [said] = warnings(caplog)
    assert "its own protocol is used, without our bounds" in said
    assert "_start_asgi_task" in said


def test_a_server_with_the_protocol_of_uvicorn_answers(monkeypatch, caplog):
    monkeypatch.setattr(trial, "_parser", lambda: (None, "gone"))
    assert answers() == ["hello", "hello"]
    assert len(warnings(caplog)) == 1


@pytest.mark.parametrize("name", sorted(trial._OVERRIDDEN))
def test_a_missing_method_of_the_server_is_noticed(monkeypatch, caplog, name):
    monkeypatch.delattr(uvicorn.Server, name)
    assert not trial.has_insides()
    assert not trial.has_insides()
    [said] = warnings(caplog)
    assert "its own server is used" in said
    assert f"(no {name})" in said


def test_the_server_of_uvicorn_answers_where_ours_cannot_override_it(monkeypatch, caplog):
    monkeypatch.setitem(trial._OVERRIDDEN, "begin_to_serve", ())
    opened = []

    @contextlib.asynccontextmanager
    async def lifespan():
        opened.append("open")
        yield
        opened.append("closed")

    made = Toolbox("box", lifespan=lifespan)
    made.add(hello)
    assert answers(made) == ["hello", "hello"]
    assert opened == ["open", "closed"]
    [said] = warnings(caplog)
    assert "no begin_to_serve" in said


# -- exceptions in what the parser calls


def replies(data):
    """All that a server answers to bytes."""

    def talk(port):
        with socket.create_connection(("127.0.0.1", port), timeout=LONGEST) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            came = b""
            while part := connection.recv(1 << 16):
                came += part
            return came

    async def ask():
        async with served(box()) as port:
            return await asyncio.to_thread(talk, port)

    return asyncio.run(ask())


@pytest.mark.parametrize("name", ["on_url", "on_header", "on_headers_complete", "on_body"])
def test_an_exception_of_ours_is_not_the_fault_of_a_client(monkeypatch, caplog, name):
    assert answers() == ["hello", "hello"]  # tried, and as it should be

    def fail(*arguments):
        raise KeyError("ours")

    monkeypatch.setattr(BoundedHttpTools, name, fail)
    reply = replies(b"POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}")
    assert b" 400 " not in reply
    if name != "on_body":  # an answer may have begun
        assert reply.startswith(b"HTTP/1.1 500 ")
    [record] = [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert record.exc_info[0] is KeyError


@pytest.mark.parametrize(
    "line", [b"GET http:// HTTP/1.1", b"GET /\xff HTTP/1.1", b"CONNECT a:1 HTTP/1.1", b"GET"]
)
def test_a_line_that_names_no_path_is_the_fault_of_its_client(caplog, line):
    reply = replies(line + b"\r\nhost: a\r\n\r\n")
    assert reply.startswith(b"HTTP/1.1 400 ")
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []
