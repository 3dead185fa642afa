"""Requests as either parser reads them: httptools, and h11 where that is not installed."""

import contextlib

from tests.wire.processes import resident, until
from tests.wire.test_parsers import MEGABYTE, added, alive, answers, flooded, kept, server

# -- what never ends


def test_a_head_without_end_behind_a_call_that_runs(server, tmp_path):
    before, gate = resident(server.pid), tmp_path / "gate"
    with server.connect() as connection:
        connection.sendall(kept(server, "wait", path=str(gate)))
        alive(server)
        connection.sendall(b"GET /")
        assert flooded(connection, b"a" * 65536) < 32 * MEGABYTE
        assert resident(server.pid) < before + 16
        alive(server)
        gate.touch()


def test_thousands_of_requests_at_once_do_not_keep_others_waiting(server, tmp_path):
    """Each is a few bytes, and a task, an event and a dictionary once it is read."""
    before, gate = resident(server.pid), tmp_path / "gate"
    with contextlib.ExitStack() as opened:
        for _ in range(20):
            connection = opened.enter_context(server.connect())
            connection.sendall(kept(server, "wait", path=str(gate)))
            connection.settimeout(0.05)
            with contextlib.suppress(OSError):
                connection.sendall(b"GET /aaaaaaaaaaaaaaaaaaaaaa HTTP/1.1\r\n\r\n" * 10_000)
        alive(server)
        assert resident(server.pid) < before + 24
        gate.touch()
    until(lambda: server.call("add", a=2, b=40), "it is alive")


def test_a_connection_that_nobody_uses_is_closed(server):
    with server.connect() as connection:
        connection.sendall(added(server))
        assert answers(connection, 1) == [(200, "42")]
        assert connection.recv(100) == b""
