"""Issuers of access tokens: down, slow, strange; and what their tokens say."""

import asyncio
import hashlib
import json
import threading

import pytest
from mcp.server.auth.provider import AccessToken
from mcp.shared.auth import ProtectedResourceMetadata

from tests.wire.token_issuer import (
    AUDIENCE,
    KEYS,
    LATER,
    NO_JWT,
    OTHER_RSA_KEY,
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
from toolwright.serve.http.routes import metadata, metadata_path
from toolwright.serve.access.oauth import NEEDED, SignIn


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
