"""Slow clients: half requests, bodies that never end, answers that nobody reads."""

import contextlib
import os
import socket
import ssl

import pytest

from tests.wire.certificates import certificate
from tests.wire.processes import until
from tests.wire.test_attack_slow_clients import (
    FILES,
    HEAD,
    HEADS,
    alive,
    rest,
    server,
    started,
    unfinished,
)


def sockets(server):
    """How many sockets a server has."""
    count = 0
    for each in os.scandir(f"/proc/{server.pid}/fd"):
        with contextlib.suppress(OSError):
            count += os.readlink(each.path).startswith("socket:")
    return count


@pytest.mark.promise("serve.connections")
def test_half_requests_do_not_silence_the_server(server):
    before = sockets(server)
    with contextlib.ExitStack() as opened:
        for _ in range(4):
            for _ in range(FILES // 2):
                connection = opened.enter_context(server.connect())
                with contextlib.suppress(OSError):
                    connection.sendall(HEAD)
            alive(server)
        assert sockets(server) <= FILES - 90
    until(lambda: sockets(server) <= before, "they are gone")


@pytest.mark.promise("serve.slow-head")
@pytest.mark.parametrize("sent", HEADS)
def test_a_head_that_does_not_come(unfinished, sent):
    said = unfinished["head", sent]
    assert said.startswith(b"HTTP/1.1 408") if HEADS[sent] else said == b""


# -- answers that are not read, and what costs more than its size


@pytest.mark.promise("serve.slow-reader")
def test_answers_that_nobody_reads(server):
    before = sockets(server)
    asked = server.message(
        "tools/call", {"name": "long", "arguments": {"n": 100_000}}, connection=None
    )
    with contextlib.ExitStack() as opened:
        for _ in range(5):
            connection = opened.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", server.port))
            connection.settimeout(0.1)
            with contextlib.suppress(OSError):
                connection.sendall(asked * 500)
            connection.settimeout(30)
            assert connection.recv(100).startswith(b"HTTP/1.1 200")
        until(lambda: sockets(server) <= before, "the connections are gone")


def test_tls_handshakes_that_never_end(tmp_path):
    cert, key = certificate(tmp_path)
    trusted = ssl.create_default_context(cafile=str(cert))
    with started(tmp_path, "--tls-cert", cert, "--tls-key", key) as server:
        with contextlib.ExitStack() as opened:
            silent = opened.enter_context(server.connect())
            assert rest(silent) == b""
            for _ in range(FILES + 100):
                opened.enter_context(server.connect())
            with trusted.wrap_socket(server.connect(), server_hostname="localhost") as connection:
                connection.sendall(server.message("tools/list"))
                assert rest(connection).startswith(b"HTTP/1.1 200")
        until(lambda: sockets(server) <= 4, "they are gone")
