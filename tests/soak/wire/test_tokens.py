"""Thousands of tokens that somebody has changed, and issuers that misbehave (`make soak`)."""

import asyncio
import base64
import json
import os
import random
import socket
import threading
import time

import pytest

from tests.wire.token_issuer import (
    AUDIENCE,
    EC_KEY,
    ED_KEY,
    LATER,
    RSA_KEY,
    Caller,
    Refusal,
    SignIn,
    ask,
    clock,
    issuer,
    sign_in,
    token,
)
from toolwright.serve.access import oauth

__all__ = ["clock", "issuer", "sign_in", "token"]  # fixtures


COUNT = 5000
SEED = os.environ.get("TOOLWRIGHT_SEED", "11")


def opened(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def closed(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def flip_bit(rng, parts):
    """Change one bit of what a part means, not only of how it is written."""
    at = rng.randrange(3)
    data = bytearray(opened(parts[at]))
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    parts[at] = closed(bytes(data))
    return ".".join(parts)


def change_claim(rng, parts):
    claims = json.loads(opened(parts[1]))
    name = rng.choice([*claims, "roles", "scope", "nbf"])
    claims[name] = rng.choice(["root", ["admin"], 9e9, -1, None, True, {"a": 1}, rng.random()])
    parts[1] = closed(json.dumps(claims).encode())
    return ".".join(parts)


def change_header(rng, parts):
    header = json.loads(opened(parts[0]))
    header[rng.choice(["alg", "kid", "typ", "jwk", "jku", "x5u", "crit", "b64", "zip"])] = (
        rng.choice(["none", "None", "HS256", "RS256", "ES256", "EdDSA", "r", "e", "d", "", 1, []])
    )
    if header == json.loads(opened(parts[0])):
        header["alg"] = "none"
    # Other bytes were signed, even where the header means the same.
    parts[0] = closed(json.dumps(header, indent=1).encode())
    return ".".join(parts)


def cut(rng, parts):
    text = ".".join(parts)
    return text[: rng.randrange(1, len(text) - 8)]


def repeat(rng, parts):
    return ".".join(parts + [rng.choice(parts)] * rng.randrange(1, 4))


def swap(rng, parts):
    return ".".join([parts[1], parts[0], parts[2]])


def no_signature(rng, parts):
    return ".".join([*parts[:2], rng.choice(["", "AA", closed(os.urandom(64))])])


def add_noise(rng, parts):
    text = ".".join(parts)
    at = rng.randrange(len(text))
    return text[:at] + rng.choice([" ", "\n", "\0", ".", "é", "=", "%", "🙂"]) + text[at:]


CHANGES = [flip_bit, change_claim, change_header, cut, repeat, swap, no_signature, add_noise]


def test_no_changed_token_is_accepted(sign_in, token):
    rng = random.Random(SEED)
    good = [token(), token(EC_KEY, "ES256", "e"), token(ED_KEY, "EdDSA", "d")]

    async def run():
        for each in good:  # known tokens lend nothing to those that look like them
            assert isinstance(await sign_in.caller(each), Caller)
        accepted = []
        for at in range(COUNT):
            change = CHANGES[at % len(CHANGES)]
            made = change(rng, rng.choice(good).split("."))
            who = await sign_in.caller(made)
            assert isinstance(who, Caller | Refusal)
            if not isinstance(who, Refusal):
                accepted.append((change.__name__, made))
        assert accepted == []
        for each in good:
            assert isinstance(await sign_in.caller(each), Caller)

    asyncio.run(run())


class Raw:
    """An issuer of raw bytes: what it does with a connection is the test's business."""

    def __init__(self, behave):
        self.behave = behave
        self.over = threading.Event()
        self.sent = 0
        self.server = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.server.getsockname()[1]}/keys"
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.over.is_set():
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(connection,), daemon=True).start()

    def one(self, connection):
        with connection:
            try:
                connection.recv(1 << 16)
                for piece in self.behave(self):
                    connection.sendall(piece)
                    self.sent += len(piece)
            except OSError:
                pass

    def close(self):
        self.over.set()
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        self.thread.join(30)


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def hang(raw):
    raw.over.wait(60)
    yield b""


def hang_in_headers(raw):
    yield OK
    raw.over.wait(60)


def drip(raw):
    yield OK + b"Content-Length: 100000\r\n\r\n"
    while not raw.over.wait(0.02):
        yield b" "


def drip_headers(raw):
    yield OK
    while not raw.over.wait(0.02):
        yield b"X: y\r\n"


def redirect(raw):
    yield f"HTTP/1.1 302 Found\r\nLocation: {raw.url}\r\nContent-Length: 0\r\n\r\n".encode()


def redirect_to_a_file(raw):
    yield b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"


def explode(raw):
    yield OK + b"\r\n"
    while not raw.over.is_set():
        yield b"[" * 65536


def explode_in_headers(raw):
    yield OK
    while not raw.over.is_set():
        yield b"X: " + b"y" * 65536


def deep(raw):
    body = b"[" * 500_000
    yield OK + b"Content-Length: %d\r\n\r\n" % len(body) + body


def bomb(raw):
    import gzip

    body = gzip.compress(b" " * 50_000_000)
    head = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
    yield OK + head + body


BEHAVIOURS = [hang, hang_in_headers, drip, drip_headers, redirect, redirect_to_a_file]
BEHAVIOURS += [explode, explode_in_headers, deep, bomb]


@pytest.mark.parametrize("behave", BEHAVIOURS, ids=lambda each: each.__name__)
def test_an_issuer_that_misbehaves_is_given_up(behave, issuer, token, clock, monkeypatch):
    monkeypatch.setattr(oauth, "_PATIENCE", 0.5)
    raw = Raw(behave)
    try:
        sign_in = SignIn(issuer=issuer.name, audience=AUDIENCE, jwks=raw.url, clock=clock)
        begun = time.monotonic()
        assert ask(sign_in, token(RSA_KEY)) == LATER
        assert time.monotonic() - begun < 30
        assert raw.sent < 50_000_000
    finally:
        raw.close()
