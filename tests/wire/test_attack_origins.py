"""Pages and names: what browsers may send and read, and which hosts a server answers to."""

import asyncio
import contextlib
import socket

import pytest

from tests.wire.asgi_requests import ask
from tests.wire.command_files import here
from tests.wire.processes import Http
from toolwright import Toolbox
from toolwright.serve.access.guard import Guard
from toolwright.serve.access.oauth import SignIn

__all__ = ["here"]  # a fixture

PAGE = "https://app.example"
ASKED = {
    "method": "OPTIONS",
    "body": b"",
    "origin": PAGE,
    "access_control_request_method": "POST",
    "access_control_request_headers": "authorization,content-type,mcp-param-city,x-other",
}


def asked(app, **more):
    return asyncio.run(ask(app, **more))


def app(**settings):
    box = Toolbox("box", version="1")
    box.add(lambda: 1, name="one")
    return box.asgi(**{"tokens": "good-token", "origins": [PAGE], **settings})


@pytest.mark.promise("serve.cors")
def test_a_page_asks_before_it_sends():
    answer = asked(app(), **ASKED)
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert answer.headers["vary"] == "origin"
    assert set(answer.headers["access-control-allow-methods"].split(", ")) == {
        "GET",
        "POST",
        "DELETE",
    }
    allowed = set(answer.headers["access-control-allow-headers"].split(", "))
    assert allowed > {
        "authorization",
        "content-type",
        "last-event-id",
        "mcp-protocol-version",
        "mcp-session-id",
        "mcp-method",
        "mcp-name",
        "mcp-param-city",
    }
    assert "x-other" not in allowed
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.promise("serve.cors")
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"authorization": "Bearer good-token"}, 200),
        ({"authorization": "Bearer wrong"}, 401),
        ({}, 401),
        ({"path": "/elsewhere"}, 404),
        ({"authorization": "Bearer good-token", "body": b" " * 101}, 413),
        ({"authorization": "Bearer good-token", "body": b"nonsense"}, 400),
    ],
)
def test_a_page_can_read_answers_and_errors(sent, status):
    answer = asked(app(max_body=100 if status == 413 else 10_000), origin=PAGE, **sent)
    assert answer.status == status
    assert answer.headers["access-control-allow-origin"] == PAGE
    readable = answer.headers["access-control-expose-headers"].split(", ")
    assert {"mcp-session-id", "www-authenticate"} <= set(readable)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "https://app.example.evil"])
def test_other_pages_can_neither_send_nor_read(origin):
    for more in ({}, ASKED):
        answer = asked(app(), **{**more, "origin": origin})
        assert answer.status == 403
        assert not any(name.startswith("access-control") for name in answer.headers)


def test_pages_of_this_machine_can_read_nothing_unless_they_were_allowed():
    """They may send what a page may send anyway; a server without a token must not tell them."""
    local = "http://localhost:3000"
    for more in ({}, {**ASKED, "authorization": "Bearer good-token"}):
        answer = asked(app(), **{**more, "origin": local})
        assert not any(name.startswith("access-control") for name in answer.headers)
    assert asked(app(origins=[local]), **{**ASKED, "origin": local}).status == 204


def test_a_page_that_was_rebound_to_this_server_learns_nothing():
    answer = asked(app(origins=["*"]), **ASKED, host="evil.example")
    assert answer.status == 421
    assert "access-control-allow-headers" not in answer.headers


def test_every_page_if_every_origin_is_allowed():
    answer = asked(app(origins=["*"]), **{**ASKED, "origin": "https://any.example"})
    assert (answer.status, answer.headers["vary"]) == (204, "origin")
    assert answer.headers["access-control-allow-origin"] == "https://any.example"


def test_a_preflight_answer_does_not_grow_with_the_question():
    many = ",".join(f"mcp-param-{at}" for at in range(5000)) + ",mcp-a\r\nx: y"
    answer = asked(app(), **{**ASKED, "access_control_request_headers": many})
    assert len(answer.headers["access-control-allow-headers"]) < 12_000


def test_any_page_may_ask_who_gives_tokens():
    sign_in = SignIn(issuer="https://i.example", audience="https://tools.example/mcp")
    served = app(tokens=None, sign_in=sign_in)
    where = "/.well-known/oauth-protected-resource/mcp"
    for more in ({"method": "GET"}, ASKED):
        answer = asked(served, **{**more, "path": where, "origin": "https://any.example"})
        assert answer.status in {200, 204}
        assert answer.headers["access-control-allow-origin"] == "*"


def test_a_page_over_the_wire(here):
    with Http("shop.py", "--token", "good-token", "--allow-origin", PAGE) as server:
        with server.connect() as connection:
            connection.sendall(
                server.request(
                    "OPTIONS",
                    origin=PAGE,
                    access_control_request_method="POST",
                    access_control_request_headers="authorization",
                )
            )
            said = connection.makefile("rb").read().lower()
        assert said.startswith(b"http/1.1 204")
        assert b"access-control-allow-origin: https://app.example\r\n" in said


# -- hosts


@pytest.mark.promise("serve.hosts")
@pytest.mark.parametrize(
    ("given", "sent", "good"),
    [
        ("fd00::1", "[fd00::1]:8000", True),
        ("fd00::1", "[FD00:0:0::1]", True),
        ("[fd00::1]", "[fd00::1]:8000", True),
        ("fd00::1", "[fd00::2]:8000", False),
        ("fe80::1%eth0", "[fe80::1%25eth0]:8000", True),
        ("fe80::1%eth0", "[fe80::1]:8000", True),
        ("Tools.Example", "tools.example.:8000", True),
        ("tools.example", "tools.example.evil:8000", False),
        ("tools.example:9000", "tools.example:9000", True),
        ("tools.example:9000", "tools.example:9001", False),
        ("192.0.2.1", "192.0.2.1:80", True),
        ("192.0.2.1", "[::ffff:192.0.2.1]:80", True),
        ("192.0.2.1", "localhost:80", True),
        ("192.0.2.1", "[::1]", True),
        ("192.0.2.1", "localhost:80.evil.example", False),
        ("192.0.2.1", "localhost:80:80", False),
        ("192.0.2.1", "[::1].evil.example", False),
        ("192.0.2.1", "x" * 50_000, False),
        ("192.0.2.1", "", False),
    ],
)
def test_hosts_in_all_their_forms(given, sent, good):
    refused = Guard(hosts=[given]).refusal({b"host": sent.encode()})
    assert (refused is None) == good


@pytest.mark.promise("serve.hosts")
@pytest.mark.parametrize(
    ("reached", "sent", "good"),
    [
        ("192.0.2.7", "192.0.2.7:8000", True),
        ("192.0.2.7", "192.0.2.8:8000", False),
        ("192.0.2.7", "evil.example:8000", False),
        ("fd00::7", "[fd00:0::7]:8000", True),
        ("::ffff:192.0.2.7", "192.0.2.7:8000", True),
    ],
)
def test_a_server_answers_to_the_address_that_was_reached(reached, sent, good):
    """So `--host 0.0.0.0` and `--host ::` need no list of addresses; names are given."""
    status = asked(app(hosts=["0.0.0.0"]), host=sent, server=reached).status
    assert (status != 421) == good


class HttpOnIpv6(Http):
    def connect(self, timeout=30):
        return socket.create_connection(("::1", self.port), timeout)


def has_ipv6():
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
        return True
    return False


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_a_server_on_ipv6_answers_to_its_own_address(here):
    """With an address in a form that is not the one that clients write."""
    with HttpOnIpv6("shop.py", "--host", "0:0:0:0:0:0:0:1") as server:
        data = server.message("tools/list", host=f"[::1]:{server.port}")
        assert server.asked(data)[0] == 200
        assert f"http://[0:0:0:0:0:0:0:1]:{server.port}/mcp" in server.said()
