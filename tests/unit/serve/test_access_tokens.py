"""Access tokens: which are let in, and which are not."""

import asyncio
import base64
import hmac
import json

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm

from tests.wire.token_issuer import (
    AUDIENCE,
    EC_KEY,
    ED_KEY,
    NO_JWT,
    OTHER_RSA_KEY,
    RSA_KEY,
    ask,
    clock,
    issuer,
    plain,
    public,
    sign_in,
    token,
)
from toolwright.serve.access import oauth as signin
from toolwright.serve.access.guard import Caller, Refusal
from toolwright.serve.access.oauth import SignIn

UNKNOWN = Refusal(401, "the token is signed with an unknown key")
FORGED = Refusal(401, "the signature of the token is wrong")
UNWANTED = Refusal(401, "the token is of a kind that is not accepted")
ALGORITHM = Refusal(401, "the token is signed with an algorithm that is not accepted")


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
