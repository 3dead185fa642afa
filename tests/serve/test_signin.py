"""Access tokens of a real issuer: which are let in, which are not, and what that costs the issuer."""

import asyncio
import base64
import hashlib
import hmac
import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from mcp.server.auth.provider import AccessToken
from mcp.shared.auth import ProtectedResourceMetadata

from toolwright.serve.access import oauth as signin
from toolwright.serve.access.guard import Caller, Refusal
from toolwright.serve.access.metadata import metadata, metadata_path
from toolwright.serve.access.oauth import NEEDED, SignIn

AUDIENCE = "https://tools.example/mcp"
LATER = Refusal(503, "the keys of the issuer cannot be fetched now")
UNKNOWN = Refusal(401, "the token is signed with an unknown key")
FORGED = Refusal(401, "the signature of the token is wrong")
NO_JWT = Refusal(401, "the token is not a signed JWT")
UNWANTED = Refusal(401, "the token is of a kind that is not accepted")
ALGORITHM = Refusal(401, "the token is signed with an algorithm that is not accepted")

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


def packed(part):
    data = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@pytest.mark.parametrize(
    ("key", "alg", "kid"),
    [
        (RSA_KEY, "RS256", "r"),
        (RSA_KEY, "RS512", "r"),
        (RSA_KEY, "PS256", "r"),
        (EC_KEY, "ES256", "e"),
        (ED_KEY, "EdDSA", "d"),
        (ED_KEY, "EdDSA", None),
    ],
)
def test_a_good_token_is_let_in(sign_in, token, key, alg, kid):
    assert ask(sign_in, token(key, alg, kid)) == Caller("ann")


@pytest.mark.parametrize("kind", ["JWT", "at+jwt", "application/at+jwt", "AT+JWT"])
def test_an_access_token_may_say_that_it_is_one(sign_in, token, kind):
    assert ask(sign_in, token(headers={"typ": kind})) == Caller("ann")


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"exp": 1_800_000_000 - 31}, "the token has expired"),
        ({"exp": 1_800_000_000 - 30}, "the token has expired"),
        ({"exp": None}, "the token has no exp that is a time"),
        ({"exp": "1900000000"}, "the token has no exp that is a time"),
        ({"exp": True}, "the token has no exp that is a time"),
        ({"exp": float("nan")}, "the token has no exp that is a time"),
        ({"exp": float("inf")}, "the token has no exp that is a time"),
        ({"exp": 10**400}, "the token has no exp that is a time"),
        ({"nbf": 1_800_000_031}, "the token is not valid yet"),
        ({"iat": 1_800_000_031}, "the token is not valid yet"),
        ({"nbf": "soon"}, "the token has no nbf that is a time"),
        ({"aud": "https://other.example/mcp"}, "the token is for another audience"),
        ({"aud": ["a", "b"]}, "the token is for another audience"),
        ({"aud": f"{AUDIENCE} {AUDIENCE}"}, "the token is for another audience"),
        ({"aud": {AUDIENCE: 1}}, "the token is for another audience"),
        ({"aud": None}, "the token is for another audience"),
        ({"iss": "https://other.example"}, "the token is from another issuer"),
        ({"iss": None}, "the token is from another issuer"),
        ({"sub": None}, "the token does not say whom it belongs to"),
        ({"sub": 5}, "the token does not say whom it belongs to"),
    ],
)
def test_a_token_with_wrong_claims_is_refused(sign_in, token, claims, said):
    assert ask(sign_in, token(**claims)) == Refusal(401, said)


def test_clocks_may_differ_a_little(sign_in, token, clock):
    late = token(exp=clock.now - 29)
    early = token(nbf=clock.now + 30, iat=clock.now + 30, aud=["x", AUDIENCE])
    assert ask(sign_in, late) == ask(sign_in, early) == Caller("ann")


def test_a_remembered_token_expires(sign_in, token, clock):
    short = token(exp=clock.now + 10)
    assert ask(sign_in, short, short) == Caller("ann")
    clock.now += 41
    assert ask(sign_in, short) == Refusal(401, "the token has expired")


def test_a_known_token_is_not_checked_again_for_a_minute(sign_in, token, clock, monkeypatch):
    checked = []
    honest = signin._is_signed
    monkeypatch.setattr(signin, "_is_signed", lambda *a: checked.append(1) or honest(*a))
    good, bad = token(), token(OTHER_RSA_KEY)
    assert ask(sign_in, good, good, good) == Caller("ann")
    assert len(checked) == 1
    assert ask(sign_in, bad, bad) == FORGED
    assert len(checked) == 3
    clock.now += 61
    assert ask(sign_in, good) == Caller("ann")
    assert len(checked) == 4


def test_so_many_tokens_are_remembered_and_no_more(sign_in, token, monkeypatch):
    monkeypatch.setattr(signin, "MOST_PROVEN", 5)
    for number in range(12):
        assert ask(sign_in, token(ED_KEY, "EdDSA", "d", sub=f"n{number}")).name == f"n{number}"
        assert len(sign_in._ring.keys.proven) <= 5


def test_another_key_with_the_same_id_is_refused(sign_in, token):
    assert ask(sign_in, token(OTHER_RSA_KEY)) == FORGED


def test_a_changed_token_is_refused(sign_in, token):
    header, body, signature = token().split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    changed = f"{header}.{packed({**claims, 'sub': 'root'})}.{signature}"
    assert ask(sign_in, token(), changed) == FORGED


def test_keys_are_replaced_without_a_restart(sign_in, issuer, token):
    old = token()
    assert ask(sign_in, old) == Caller("ann")
    issuer.keys = [public(OTHER_RSA_KEY, "new")]
    assert ask(sign_in, token(OTHER_RSA_KEY, kid="new")) == Caller("ann")
    assert issuer.fetches == 2
    assert ask(sign_in, old) == UNKNOWN  # though it was remembered


def test_a_removed_key_is_forgotten_with_time(sign_in, issuer, token, clock):
    old = token()
    assert ask(sign_in, old) == Caller("ann")
    issuer.keys = [public(EC_KEY, "e")]
    clock.now += 301

    async def run():
        assert plain(await sign_in.caller(old)) == Caller("ann")  # nobody waits for the new keys
        await asyncio.wrap_future(sign_in._ring._running or done())
        return await sign_in.caller(old)

    assert asyncio.run(run()) == UNKNOWN


def done():
    from concurrent.futures import Future

    made = Future()
    made.set_result(None)
    return made


def test_a_flood_of_unknown_keys_does_not_reach_the_issuer(sign_in, issuer, token, clock):
    flood = [token(kid=f"k{number}") for number in range(50)]
    assert ask(sign_in, *flood) == UNKNOWN
    assert issuer.fetches == 2
    assert ask(sign_in, token()) == Caller("ann")
    clock.now += 9
    assert ask(sign_in, *flood) == UNKNOWN
    assert issuer.fetches == 2
    clock.now += 1
    assert ask(sign_in, *flood) == UNKNOWN
    assert issuer.fetches == 3
    clock.now -= 3600  # a clock that was put right must not stop it for an hour
    assert ask(sign_in, *flood) == UNKNOWN
    assert issuer.fetches == 4


def test_strangers_and_nonsense_are_refused_without_asking_the_issuer(sign_in, issuer, token):
    ask(sign_in, token(iss="https://x.example", kid="x"), "x.y.z", token(headers={"crit": ["exp"]}))
    assert issuer.asked == []


def test_unsigned_tokens_are_refused(sign_in, token):
    claims = token().split(".")[1]
    for name in ("none", "None", "NONE", "nOnE", ""):
        header = packed({"alg": name, "kid": "r"})
        assert ask(sign_in, f"{header}.{claims}.") == ALGORITHM
    assert ask(sign_in, f"{packed({'kid': 'r'})}.{claims}.") == ALGORITHM
    assert ask(sign_in, f"{packed({'alg': ['RS256'], 'kid': 'r'})}.{claims}.") == ALGORITHM
    assert ask(sign_in, f"{packed({'alg': 'RS256', 'kid': 'r'})}.{claims}.") == FORGED


@pytest.mark.parametrize("alg", ["HS256", "HS384", "HS512"])
def test_the_public_key_is_no_secret_to_sign_with(sign_in, token, alg):
    pem = RSA_KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = f"{packed({'alg': alg, 'kid': 'r'})}.{token().split('.')[1]}"
    for secret in (pem, json.dumps(public(RSA_KEY, "r")).encode()):
        digest = hmac.new(secret, signed.encode(), f"sha{alg[2:]}").digest()
        assert ask(sign_in, f"{signed}.{packed(digest)}") == ALGORITHM


def test_an_algorithm_must_fit_the_key(sign_in, token):
    assert ask(sign_in, token(EC_KEY, "ES256", "r")) == UNKNOWN
    assert ask(sign_in, token(RSA_KEY, "RS256", "e")) == UNKNOWN


def test_keys_are_used_only_for_what_they_are_listed_for(issuer, token, clock):
    small = rsa.generate_private_key(65537, 1024)
    issuer.keys = [
        public(RSA_KEY, "enc", use="enc"),
        public(RSA_KEY, "ps", alg="PS256"),
        public(RSA_KEY, "sig", use="sig", alg="RS256"),
        public(small, "small"),
        RSAAlgorithm.to_jwk(RSA_KEY, as_dict=True) | {"kid": "private"},
        {"kty": "oct", "k": packed(b"secret" * 8), "kid": "oct"},
        {"kty": "RSA", "kid": "broken"},
        {"kty": "RSA", "kid": "broken", "n": 5, "e": []},
        {"kty": ["RSA"], "kid": "broken"},
        "nonsense",
        None,
    ]
    sign_in = SignIn(issuer=issuer.name, audience=AUDIENCE, clock=clock)
    assert ask(sign_in, token(kid="sig")) == Caller("ann")
    assert ask(sign_in, token(kid="private")) == Caller("ann")
    assert ask(sign_in, token(alg="PS256", kid="ps")) == Caller("ann")
    assert ask(sign_in, token(kid="ps")) == UNKNOWN
    assert ask(sign_in, token(kid="enc")) == UNKNOWN
    assert ask(sign_in, token(kid="broken")) == UNKNOWN
    header = packed({"alg": "RS256", "kid": "small"})
    signed = f"{header}.{token().split('.')[1]}".encode()
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15

    weak = packed(small.sign(signed, PKCS1v15(), hashes.SHA256()))
    assert ask(sign_in, f"{signed.decode()}.{weak}") == FORGED


def test_what_is_no_jwt_is_refused(sign_in, token):
    header, claims, signature = token().split(".")
    for text in (
        "",
        "x",
        "a.b.c",
        "..",
        "not a token",
        "é.è.à",
        "\ud800.x.y",
        f"{header}.{claims}",
        f"{header}.{claims}.{signature}.{claims}.{signature}",
        f"{packed([1])}.{claims}.{signature}",
        f"{packed(b'[' * 5000)}.{claims}.{signature}",
        f"{header}.{packed(b'{' * 5000)}.{signature}",
        f"{header}.{packed('text')}.{signature}",
        f"{header}.{packed(5)}.{signature}",
        f"{packed({'alg': 'RS256', 'kid': 5})}.{claims}.{signature}",
    ):
        assert ask(sign_in, text) == NO_JWT


def test_a_header_may_not_ask_for_more(sign_in, issuer, token):
    assert ask(sign_in, token(headers={"crit": ["exp"], "exp": 1})).status == 401
    assert ask(sign_in, token(headers={"typ": "logout+jwt"})) == UNWANTED
    header = {"alg": "RS256", "kid": "r", "crit": ["b64"], "b64": True}
    claims = token().split(".")[1]
    assert ask(sign_in, f"{packed(header)}.{claims}.xxxx") == UNWANTED
    evil = {"jku": f"{issuer.name}/evil", "x5u": f"{issuer.name}/evil"}
    evil["jwk"] = public(OTHER_RSA_KEY, "r")
    assert ask(sign_in, token(OTHER_RSA_KEY, headers=evil)) == FORGED
    assert not any("evil" in each for each in issuer.asked)


def test_a_token_that_is_too_long_is_not_even_read(sign_in, token, monkeypatch):
    monkeypatch.setattr(signin, "_unproven", None)
    assert ask(sign_in, token(more="x" * 16_000)) == Refusal(401, "the token is too long")


def test_known_keys_go_on_working_when_the_issuer_is_down(sign_in, issuer, token, clock, caplog):
    assert ask(sign_in, token()) == Caller("ann")
    issuer.close()
    clock.now += 1000
    assert ask(sign_in, token(sub="bob")) == Caller("bob")
    assert ask(sign_in, token(kid="other")) == LATER
    assert ask(sign_in, token(sub="cid")) == Caller("cid")
    assert all("eyJ" not in each.getMessage() for each in caplog.records)


def test_a_new_server_says_that_the_issuer_is_down(sign_in, issuer, token, caplog):
    issuer.close()
    assert ask(sign_in, token(), token()) == LATER
    said = [each.getMessage() for each in caplog.records if each.name == "toolwright.sign_in"]
    assert said == [f"no new keys: {issuer.name} does not say where its keys are"]


def test_an_issuer_that_comes_back_is_asked_again(sign_in, issuer, token, clock):
    issuer.answers["/keys"] = (500, b"", {})
    assert ask(sign_in, token()) == LATER
    del issuer.answers["/keys"]
    assert ask(sign_in, token()) == LATER
    clock.now += 10
    assert ask(sign_in, token()) == Caller("ann")


def test_those_who_come_first_share_one_fetch(sign_in, issuer, token):
    issuer.may_answer.clear()
    tokens = [token(sub=f"n{number}") for number in range(20)]

    async def run():
        asking = [asyncio.ensure_future(sign_in.caller(each)) for each in tokens]
        # The loop goes on turning while the issuer thinks.
        assert await asyncio.to_thread(issuer.was_asked.wait, 60)
        asking[0].cancel()  # who leaves takes nothing from the others
        await asyncio.sleep(0)
        issuer.may_answer.set()
        return await asyncio.gather(*asking, return_exceptions=True)

    first, *others = asyncio.run(run())
    assert isinstance(first, asyncio.CancelledError)
    assert [each.name for each in others] == [f"n{number}" for number in range(1, 20)]
    assert issuer.fetches == 1


def test_an_issuer_that_is_too_slow_is_not_waited_for(sign_in, issuer, token, monkeypatch, clock):
    monkeypatch.setattr(signin, "_PATIENCE", 0.1)
    issuer.may_answer.clear()
    assert ask(sign_in, token()) == LATER
    assert not issuer.may_answer.is_set()  # it has not answered, and would not for a minute
    issuer.may_answer.set()


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/keys", (302, b"", {"Location": "/elsewhere"})),
        ("/keys", (200, b"nonsense", {})),
        ("/keys", (200, b'{"keys": 5}', {})),
        ("/keys", (200, b"[]", {})),
        ("/keys", (200, b" " * 1_100_000 + b'{"keys": []}', {})),
        ("/tenant/.well-known/openid-configuration", (200, b'{"issuer": "https://x"}', {})),
        ("/tenant/.well-known/openid-configuration", (200, b"[]", {})),
    ],
)
def test_a_strange_answer_of_the_issuer_is_not_used(sign_in, issuer, token, path, answer):
    issuer.answers["/elsewhere"] = (200, json.dumps({"keys": KEYS}).encode(), {})
    issuer.answers[path] = answer
    assert ask(sign_in, token()) == LATER
    assert "/elsewhere" not in issuer.asked


def test_keys_of_an_issuer_are_not_taken_from_an_unsafe_address(sign_in, issuer, token):
    path = "/tenant/.well-known/openid-configuration"
    told = {"issuer": issuer.name, "jwks_uri": "http://keys.example/keys"}
    issuer.answers[path] = (200, json.dumps(told).encode(), {})
    assert ask(sign_in, token()) == LATER


def test_a_document_about_another_issuer_is_not_used(sign_in, issuer, token):
    told = {"issuer": f"{issuer.name}/", "jwks_uri": issuer.keys_at}
    path = "/tenant/.well-known/openid-configuration"
    issuer.answers[path] = (200, json.dumps(told).encode(), {})
    assert ask(sign_in, token()) == LATER
    assert issuer.fetches == 0


def test_an_issuer_may_know_oauth_only(sign_in, issuer, token):
    told = json.dumps({"issuer": issuer.name, "jwks_uri": issuer.keys_at}).encode()
    issuer.answers["/tenant/.well-known/openid-configuration"] = (404, b"", {})
    issuer.answers["/.well-known/oauth-authorization-server/tenant"] = (200, told, {})
    assert ask(sign_in, token()) == Caller("ann")


def test_keys_may_have_an_address_of_their_own(issuer, token, clock):
    sign_in = SignIn(issuer=issuer.name, audience=AUDIENCE, jwks=issuer.keys_at, clock=clock)
    assert ask(sign_in, token()) == Caller("ann")
    assert issuer.asked == ["/keys"]


def test_keys_may_be_in_a_file_or_given(issuer, token, clock, tmp_path):
    path = tmp_path / "keys.json"
    path.write_text(json.dumps({"keys": KEYS}))
    for given in (path, str(path), {"keys": KEYS}):
        sign_in = SignIn(issuer=issuer.name, audience=AUDIENCE, jwks=given, clock=clock)
        assert ask(sign_in, token()) == Caller("ann")
    sign_in = SignIn(issuer=issuer.name, audience=AUDIENCE, jwks=path, clock=clock)
    assert ask(sign_in, token()) == Caller("ann")
    path.write_text(json.dumps({"keys": [public(OTHER_RSA_KEY, "new")]}))
    assert ask(sign_in, token(OTHER_RSA_KEY, kid="new")) == Caller("ann")
    assert issuer.asked == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"issuer": "http://issuer.example"},
        {"issuer": "issuer"},
        {"issuer": ""},
        {"jwks": "http://127.0.0.1.example/keys"},
        {"jwks": "file:///etc/passwd"},
        {"jwks": "/nowhere/keys.json"},
        {"jwks": ""},
        {"audience": ""},
        {"audience": ()},
        {"audience": ("a", "")},
        {"algorithms": ("HS256",)},
        {"algorithms": ("RS256", "none")},
        {"scopes": ('a"b',)},
        {"scopes": ("a b",)},
        {"scopes": ("",)},
    ],
)
def test_what_cannot_be_safe_is_refused_at_once(wrong):
    with pytest.raises(ValueError) as caught:
        SignIn(**{"issuer": "https://issuer.example", "audience": AUDIENCE, **wrong})
    assert "\n" not in str(caught.value)


def test_scopes_are_needed(issuer, token, clock):
    sign_in = SignIn(issuer=issuer.name, audience=AUDIENCE, scopes=("read", "write"), clock=clock)
    assert ask(sign_in, token(scope="read")) == Refusal(403, "the token lacks the scope write")
    assert ask(sign_in, token(roles=["read", "write"])).status == 403
    assert ask(sign_in, token(scope="write read")).name == "ann"
    assert ask(sign_in, token(scp=["write", "read"])).name == "ann"
    assert sign_in.challenge(ask(sign_in, token()), "https://t.example/m") == (
        'Bearer error="insufficient_scope", error_description="the token lacks the scope read write", '
        'scope="read write", resource_metadata="https://t.example/m"'
    )


def test_roles_come_from_lists_words_and_paths(issuer, token, clock):
    def roles(claim=None, **claims):
        more = {} if claim is None else {"roles_claim": claim}
        sign_in = SignIn(issuer=issuer.name, audience=AUDIENCE, clock=clock, **more)
        return ask(sign_in, token(**claims)).roles

    assert roles() == ()
    assert roles(roles=["a", "b", 5, None], scope="b c", scp="d") == ("a", "b", "c", "d")
    assert roles("realm_access.roles", realm_access={"roles": ["x", "y"]}, roles=["no"]) == (
        "x",
        "y",
    )
    assert roles("realm_access.roles", realm_access=["x"]) == ()
    assert roles(("https://x.example/roles",), **{"https://x.example/roles": ["admin"]}) == (
        "admin",
    )
    assert roles(roles={"a": 1}, scope=5) == ()


def test_names_come_from_the_claim_that_is_asked_for(issuer, token, clock):
    sign_in = SignIn(issuer=issuer.name, audience=AUDIENCE, name_claim="user.mail", clock=clock)
    assert ask(sign_in, token(user={"mail": "ann@x"})).name == "ann@x"
    assert ask(sign_in, token(client_id="robot", azp="x")).name == "robot"
    assert ask(sign_in, token(azp="robot")).name == "robot"


def test_the_sdk_gets_what_it_wants(sign_in, issuer, token):
    async def run():
        text = token(client_id="robot", scope="a b", aud=["x", AUDIENCE])
        return await sign_in.verify_token(text), await sign_in.verify_token(token(exp=1))

    made, refused = asyncio.run(run())
    assert isinstance(made, AccessToken)
    assert (made.client_id, made.subject, made.scopes) == ("robot", "ann", ["a", "b"])
    assert (made.resource, made.claims["iss"]) == (AUDIENCE, issuer.name)
    assert made.expires_at == 1_800_003_600
    assert refused is None


def test_a_request_shows_its_token_in_a_header(sign_in, token):
    def check(sent):
        headers = {} if sent is None else {b"authorization": sent}
        return plain(asyncio.run(sign_in.check(headers)))

    good = token().encode()
    assert check(b"Bearer " + good) == check(b"bearer  " + good + b" ") == Caller("ann")
    assert check(None) == check(b"") == check(b"Basic " + good) == check(good) == NEEDED
    assert check(b"Bearer \xff\xfe") == NO_JWT


def test_a_refusal_becomes_a_header(sign_in):
    address = "https://tools.example/.well-known/oauth-protected-resource/mcp"
    assert sign_in.challenge(Refusal(401, "the token has expired"), address) == (
        'Bearer error="invalid_token", error_description="the token has expired", '
        f'resource_metadata="{address}"'
    )
    assert sign_in.challenge(NEEDED, address) == f'Bearer resource_metadata="{address}"'
    assert sign_in.challenge(NEEDED) == "Bearer"


def test_the_metadata_are_what_clients_read():
    made = metadata(AUDIENCE, ["https://Issuer.example"], ["read"])
    assert made == {
        "resource": AUDIENCE,
        "authorization_servers": ["https://Issuer.example"],
        "scopes_supported": ["read"],
        "bearer_methods_supported": ["header"],
    }
    assert ProtectedResourceMetadata.model_validate(made).scopes_supported == ["read"]
    assert "scopes_supported" not in metadata(AUDIENCE, ["https://issuer.example"], [])
    assert metadata_path("/mcp") == "/.well-known/oauth-protected-resource/mcp"
    assert metadata_path("/") == metadata_path("") == "/.well-known/oauth-protected-resource"


def test_only_a_digest_of_a_token_is_kept(sign_in, token):
    text = token()
    ask(sign_in, text)
    assert list(sign_in._ring.keys.proven) == [hashlib.sha256(text.encode()).digest()]
    assert text not in repr(vars(sign_in._ring))


def test_several_loops_may_use_one(sign_in, issuer, token):
    tokens = [token(sub=f"n{number}") for number in range(4)]
    said = []
    threads = [threading.Thread(target=lambda t=t: said.append(ask(sign_in, t))) for t in tokens]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(each.name for each in said) == ["n0", "n1", "n2", "n3"]
    assert issuer.fetches <= 2  # one who looked just before the keys came may ask again


def test_importing_loads_nothing_heavy():
    code = "import sys, toolwright.serve.access.oauth\nprint(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"jwt", "cryptography", "mcp", "httpx2", "http.client"} & set(run.stdout.split())
