"""An issuer of access tokens on this machine, its keys and its tokens."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

from toolwright.serve.access.guard import Caller, Refusal
from toolwright.serve.access.oauth import SignIn

AUDIENCE = "https://tools.example/mcp"
LATER = Refusal(503, "the keys of the issuer cannot be fetched now")
NO_JWT = Refusal(401, "the token is not a signed JWT")

RSA_KEY = rsa.generate_private_key(65537, 2048)
OTHER_RSA_KEY = rsa.generate_private_key(65537, 2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
ED_KEY = ed25519.Ed25519PrivateKey.generate()


def public(key, kid, **more):
    """A public key as issuers list it."""
    maker = {rsa.RSAPrivateKey: RSAAlgorithm, ec.EllipticCurvePrivateKey: ECAlgorithm}
    kind = next((made for each, made in maker.items() if isinstance(key, each)), OKPAlgorithm)
    listed = kind.to_jwk(key.public_key(), as_dict=True)
    listed.pop("key_ops", None)
    return {**listed, "kid": kid, **more}


KEYS = [public(RSA_KEY, "r"), public(EC_KEY, "e"), public(ED_KEY, "d")]


class Issuer:
    """An issuer on this machine that can change its keys, and counts who asks."""

    def __init__(self):
        self.keys = KEYS
        self.asked = []
        self.answers = {}
        self.was_asked = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                issuer.asked.append(self.path)
                issuer.was_asked.set()
                issuer.may_answer.wait(60)
                status, body, headers = issuer.answer(self.path)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    pass

            def log_message(self, *said):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.name = f"http://127.0.0.1:{self.server.server_port}/tenant"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def answer(self, path):
        if path in self.answers:
            return self.answers[path]
        if path == "/tenant/.well-known/openid-configuration":
            return 200, json.dumps({"issuer": self.name, "jwks_uri": self.keys_at}).encode(), {}
        if path == "/keys":
            return 200, json.dumps({"keys": self.keys}).encode(), {}
        return 404, b"", {}

    @property
    def keys_at(self):
        return self.name.removesuffix("/tenant") + "/keys"

    @property
    def fetches(self):
        return self.asked.count("/keys")

    def close(self):
        if self.thread.is_alive():
            self.may_answer.set()
            self.server.shutdown()
            self.thread.join()
            self.server.server_close()


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def issuer():
    made = Issuer()
    yield made
    made.close()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def sign_in(issuer, clock):
    return SignIn(issuer=issuer.name, audience=AUDIENCE, clock=clock)


@pytest.fixture
def token(issuer, clock):
    """Make a token: good but for what is asked; a claim that is None is left out."""

    def make(key=RSA_KEY, alg="RS256", kid="r", headers=None, **claims):
        told = {
            "iss": issuer.name,
            "aud": AUDIENCE,
            "sub": "ann",
            "exp": clock.now + 3600,
            "iat": clock.now,
            **claims,
        }
        told = {name: value for name, value in told.items() if value is not None}
        named = {"kid": kid} if kid is not None else {}
        body = json.dumps(told).encode()
        return jwt.PyJWS().encode(body, key, algorithm=alg, headers={**named, **(headers or {})})

    return make


def ask(sign_in, *tokens):
    """Show tokens one after the other; return what is said to the last."""

    async def run():
        return [plain(await sign_in.caller(each)) for each in tokens][-1]

    return asyncio.run(run())


def plain(who):
    """Leave claims out: they are whatever the token says."""
    return Caller(who.name, who.roles) if isinstance(who, Caller) else who
