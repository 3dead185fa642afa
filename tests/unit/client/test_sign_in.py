"""Signing in at a server with the browser: OAuth, with our own server and a small issuer."""

import asyncio
import json
import secrets
import socket
import stat
import threading
import time
import urllib.request
import webbrowser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import pytest

from tests.wire.client.ports import reserved_port
from tests.wire.token_issuer import KEYS, RSA_KEY
from toolwright import Call, ServerUnavailable, Toolbox
from toolwright.client import connect
from toolwright.serve import SignIn


class SmallIssuer(BaseHTTPRequestHandler):
    """Registers clients, and gives tokens to whoever asks."""

    name = audience = ""
    registered = refreshed = 0
    pkce = {"code_challenge_methods_supported": ["S256"]}

    def reply(self, told, status=200, **headers):
        body = json.dumps(told).encode()
        self.send_response(status)
        for key, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        own = type(self)
        parts = urlsplit(self.path)
        given = {key: each[0] for key, each in parse_qs(parts.query).items()}
        if parts.path == "/keys":
            self.reply({"keys": KEYS})
        elif parts.path.startswith("/.well-known/"):
            self.reply(
                {
                    "issuer": own.name,
                    "jwks_uri": f"{own.name}/keys",
                    "authorization_endpoint": f"{own.name}/authorize",
                    "token_endpoint": f"{own.name}/token",
                    "registration_endpoint": f"{own.name}/register",
                    "response_types_supported": ["code"],
                    **own.pkce,
                    "token_endpoint_auth_methods_supported": ["none"],
                }
            )
        elif parts.path == "/authorize":
            query = urlencode({"code": "good", "state": given["state"]})
            self.reply({}, 302, Location=f"{given['redirect_uri']}?{query}")
        else:
            self.reply({}, 404)

    def do_POST(self):
        own = type(self)
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/register":
            own.registered += 1
            told = json.loads(body)
            self.reply({**told, "client_id": "client-1", "client_id_issued_at": 1}, 201)
            return
        given = {key: each[0] for key, each in parse_qs(body).items()}
        own.refreshed += given["grant_type"] == "refresh_token"
        now = time.time()
        claims = {"iss": own.name, "aud": own.audience, "sub": "ada", "iat": now, "exp": now + 600}
        token = jwt.encode(claims, RSA_KEY, algorithm="RS256", headers={"kid": "r"})
        refresh = secrets.token_hex(4)
        told = {"access_token": token, "token_type": "Bearer", "expires_in": 600}
        self.reply({**told, "refresh_token": refresh})

    def log_message(self, *said):
        pass


@pytest.fixture
def closed(monkeypatch, tmp_path):
    """A server of ours that wants a sign-in; return its URL."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    handler = type("Handler", (SmallIssuer,), {})
    issuer = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=issuer.serve_forever, args=(0.01,), daemon=True).start()
    port = reserved_port()
    handler.name = f"http://127.0.0.1:{issuer.server_port}"
    url = handler.audience = f"http://127.0.0.1:{port}/mcp"
    box = Toolbox("closed")

    @box.tool
    def who(call: Call) -> str:
        return call.caller

    ready, ends = threading.Event(), []

    def serve():
        async def main():
            sign_in = SignIn(issuer=handler.name, audience=url)
            serving = box.serve_async("http", port=port, sign_in=sign_in, resource=url)
            task = asyncio.ensure_future(serving)
            ends.append((asyncio.get_running_loop(), task))
            ready.set()
            await asyncio.gather(task, return_exceptions=True)

        asyncio.run(main())

    thread = threading.Thread(target=serve)
    thread.start()
    ready.wait(30)
    for _ in range(1500):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.02)
    yield url, handler, tmp_path
    loop, task = ends[0]
    loop.call_soon_threadsafe(task.cancel)
    thread.join(30)
    issuer.shutdown()
    issuer.server_close()


@pytest.mark.promise("client.sign-in", "client.tokens")
def test_the_browser_signs_in_once(closed, monkeypatch):
    url, issuer, folder = closed
    opened = []

    def visit(page):
        opened.append(page)
        urllib.request.urlopen(page, timeout=30).read()
        return True

    monkeypatch.setattr(webbrowser, "open", visit)
    with connect(url, sign_in=True) as client:
        assert client.who() == "ada"
    assert len(opened) == issuer.registered == 1
    assert urlsplit(opened[0]).path == "/authorize"
    kept = [path for path in folder.rglob("*.json")]
    assert [stat.S_IMODE(path.stat().st_mode) for path in kept] == [0o600]
    assert stat.S_IMODE(kept[0].parent.stat().st_mode) == 0o700
    with connect(url, sign_in=True) as client:
        assert client.who() == "ada"
    assert len(opened) == 1


def test_without_a_sign_in_the_error_says_so(closed):
    url, *_ = closed
    with pytest.raises(ServerUnavailable, match="401"):
        _ = connect(url, sign_in=False).tools
    with pytest.raises(ServerUnavailable, match="401"):
        _ = connect(url, token="wrong").tools  # noqa: S106


def test_a_sign_in_that_is_refused_is_one_error(closed, monkeypatch):
    url, *_ = closed

    def refuse(page):
        given = {key: each[0] for key, each in parse_qs(urlsplit(page).query).items()}
        back = f"{given['redirect_uri']}?error=access_denied&state={given['state']}"
        urllib.request.urlopen(back, timeout=30).read()

    monkeypatch.setattr(webbrowser, "open", refuse)
    with pytest.raises(ServerUnavailable, match="access_denied"):
        _ = connect(url, sign_in=True).tools


@pytest.mark.parametrize("forged", ["error=x", "code=evil", "error=x&state=no", "code=c&state="])
@pytest.mark.promise("client.own-state")
def test_only_the_issuer_ends_the_wait_for_a_sign_in(closed, monkeypatch, forged):
    url, *_ = closed
    pages = []

    def visit(page):
        given = {key: each[0] for key, each in parse_qs(urlsplit(page).query).items()}
        with urllib.request.urlopen(f"{given['redirect_uri']}?{forged}", timeout=30) as came:
            pages.append(came.read().decode())
        urllib.request.urlopen(page, timeout=30).read()

    monkeypatch.setattr(webbrowser, "open", visit)
    with connect(url, sign_in=True) as client:
        assert client.who() == "ada"
    assert len(pages) == 1
    assert "No sign-in is waiting for this." in pages[0]


def test_a_refused_sign_in_opens_one_page(closed, monkeypatch):
    url, *_ = closed
    opened = []

    def refuse(page):
        opened.append(page)
        given = {key: each[0] for key, each in parse_qs(urlsplit(page).query).items()}
        back = f"{given['redirect_uri']}?error=access_denied&state={given['state']}"
        urllib.request.urlopen(back, timeout=30).read()

    monkeypatch.setattr(webbrowser, "open", refuse)
    client = connect(url, sign_in=True)
    for times in (1, 2):  # whoever tries again is asked again
        with pytest.raises(ServerUnavailable, match="access_denied") as caught:
            _ = client.tools
        assert len(opened) == times
        assert parse_qs(urlsplit(opened[-1]).query)["state"][0] not in str(caught.value)


@pytest.mark.parametrize(
    "pkce",
    [{}, {"code_challenge_methods_supported": []}, {"code_challenge_methods_supported": ["plain"]}],
    ids=str,
)
@pytest.mark.promise("client.pkce")
def test_an_issuer_that_announces_no_pkce_is_refused(closed, monkeypatch, pkce):
    url, issuer, _ = closed
    issuer.pkce = pkce
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with pytest.raises(ServerUnavailable, match="does not announce PKCE with S256"):
        _ = connect(url, sign_in=True).tools
    assert not opened
