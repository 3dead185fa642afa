"""Signing in to a server that the command started: tokens of a local issuer, roles, TLS."""

import json
import ssl
import time
import urllib.request

import pytest

from tests.wire.certificates import certificate
from tests.wire.command_files import here
from tests.wire.processes import INITIALIZE, Http, refused
from tests.wire.token_issuer import KEYS, OTHER_RSA_KEY, RSA_KEY, Issuer, jwt

__all__ = ["here"]  # a fixture

TOOLS = """
from toolwright import Call, Toolbox

box = Toolbox("closed")

@box.tool
def who(call: Call) -> list[str]:
    "Tell who asks."
    return [call.caller, *call.roles, call.claims.get("email", "")]

@box.tool(roles=["admin"])
def secret() -> str:
    "Tell a secret."
    return "secret"

@box.tool
def add(a: int, b: int) -> int:
    return a + b
"""
AUDIENCE = "https://tools.example/mcp"


@pytest.fixture
def issuer():
    made = Issuer()
    yield made
    made.close()


@pytest.fixture
def server(here, issuer):
    here({"closed.py": TOOLS})
    given = ["--issuer", issuer.name, "--audience", AUDIENCE, "--roles-claim", "realm.roles"]
    with Http("closed.py", *given) as server:
        yield server


def token(issuer, key=RSA_KEY, kid="r", **claims):
    now = time.time()
    told = {"iss": issuer.name, "aud": AUDIENCE, "sub": "ann", "exp": now + 600, "iat": now}
    return jwt.encode({**told, **claims}, key, algorithm="RS256", headers={"kid": kid})


def bearer(made):
    return {"authorization": f"Bearer {made}"}


def status(server, made):
    return server.asked(server.message("tools/list", **bearer(made)))[0]


def names(server, made):
    status, body = server.asked(server.message("tools/list", **bearer(made)))
    assert status == 200
    return [tool["name"] for tool in json.loads(body)["result"]["tools"]]


@pytest.mark.promise("serve.claims")
def test_claims_become_the_caller_and_his_roles(server, issuer):
    plain = token(issuer, email="ann@example.com")
    admin = token(issuer, sub="bob", realm={"roles": ["admin", "ops"]})
    assert server.call("who", bearer(plain))["structuredContent"] == ["ann", "ann@example.com"]
    assert server.call("who", bearer(admin))["structuredContent"] == ["bob", "admin", "ops", ""]
    assert names(server, plain) == ["who", "add"]
    assert names(server, admin) == ["who", "secret", "add"]
    assert server.call("secret", bearer(admin))["content"][0]["text"] == "secret"
    asked = server.message("tools/call", {"name": "secret", "arguments": {}}, **bearer(plain))
    assert b"-32602" in server.asked(asked)[1]


def test_tokens_that_do_not_do(server, issuer):
    assert status(server, token(issuer)) == 200
    assert status(server, token(issuer, exp=time.time() - 600)) == 401
    assert status(server, token(issuer, aud="https://other.example")) == 401
    assert status(server, token(issuer, iss="https://other.example")) == 401
    assert status(server, token(issuer, OTHER_RSA_KEY)) == 401
    assert status(server, "nonsense") == 401
    assert server.asked(server.message("tools/list"))[0] == 401
    assert status(server, token(issuer)) == 200


@pytest.mark.promise("serve.refusals-logged")
def test_why_a_token_does_not_do_is_logged_once(server, issuer):
    for _ in range(3):
        assert status(server, token(issuer, exp=time.time() - 600)) == 401
        assert status(server, token(issuer, aud="https://other.example")) == 401
        assert server.asked(server.message("tools/list"))[0] == 401
    lines = [line for line in server.said().splitlines() if "is refused" in line]
    assert [line.partition("is refused: ")[2] for line in lines] == [
        "the token has expired",
        "the token is for another audience",
        "a token is needed",
    ]
    assert all(line.startswith("closed: a request from 127.0.0.1 ") for line in lines)


def test_a_key_is_replaced(server, issuer):
    assert status(server, token(issuer)) == 200
    other = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(OTHER_RSA_KEY.public_key()))
    issuer.keys = [*KEYS, {**other, "kid": "new", "use": "sig"}]
    assert status(server, token(issuer, OTHER_RSA_KEY, "new")) == 200


def test_a_client_is_told_where_to_get_a_token(server, issuer):
    with server.connect() as connection:
        connection.sendall(server.message("tools/list"))
        head = connection.makefile("rb").read().partition(b"\r\n\r\n")[0].decode().lower()
    where = "https://tools.example/.well-known/oauth-protected-resource/mcp"
    assert f'www-authenticate: bearer resource_metadata="{where}"' in head
    path = where.removeprefix("https://tools.example")
    status, body = server.asked(server.request("GET", path, content_type=None))
    assert (status, json.loads(body)["authorization_servers"]) == (200, [issuer.name])


def test_a_session_belongs_to_who_began_it(server, issuer):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    body = json.dumps(hello).encode()
    with server.connect() as connection:
        connection.sendall(server.request(body=body, **bearer(token(issuer))))
        head = connection.makefile("rb").read().partition(b"\r\n\r\n")[0].decode()
    session = next(
        line.split(": ")[1] for line in head.splitlines() if line.startswith("mcp-session-id")
    )
    listing = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).encode()
    for who, expected in (("ann", 200), ("bob", 404)):
        headers = {**bearer(token(issuer, sub=who)), "mcp_session_id": session}
        assert server.asked(server.request(body=listing, **headers))[0] == expected


def test_static_tokens_and_signing_in_go_together(here, issuer):
    here({"closed.py": TOOLS})
    given = ["--issuer", issuer.name, "--audience", AUDIENCE, "--token", "static-token"]
    with Http("closed.py", *given, "--host", "0.0.0.0") as server:
        assert status(server, "static-token") == 200
        assert status(server, token(issuer)) == 200
        assert status(server, "other-token") == 401


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--issuer", "https://a.example"], "--audience"),
        (["--audience", "x"], "--issuer"),
        (["--issuer", "http://a.example", "--audience", "x"], "https"),
        (["--tls-cert", "x.pem"], "--tls-key"),
        (["--tls-cert", "x.pem", "--tls-key", "x.pem"], "x.pem"),
    ],
)
def test_settings_that_cannot_be(here, given, said):
    assert said in refused(2, "serve", "shop.py", "--http", *given)


def test_https(here, tmp_path):
    cert, key = certificate(tmp_path)
    with Http("shop.py", "--tls-cert", cert, "--tls-key", key) as server:
        body = server.message("tools/list").partition(b"\r\n\r\n")[2]
        headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/list",
        }
        asked = urllib.request.Request(f"https://localhost:{server.port}/mcp", body, headers)
        trusted = ssl.create_default_context(cafile=str(cert))
        with urllib.request.urlopen(asked, context=trusted) as answer:
            assert [tool["name"] for tool in json.load(answer)["result"]["tools"]][0] == "add"
        assert "at https://127.0.0.1" in server.said()
