"""Guessing tokens: failed sign-ins lock a client out, and nothing that a client writes avoids it."""

import asyncio
import time

import pytest

from tests.wire.asgi_requests import ask, statuses
from tests.wire.command_files import here
from tests.wire.processes import Http, refused
from toolwright import Toolbox
from toolwright.limits import Rate
from toolwright.run import throttle as rate_module
from toolwright.serve.http import admission
from toolwright.serve.access.guard import Caller, Refusal
from toolwright.serve.http.admission import Lockout

__all__ = ["here"]  # a fixture

GOOD = "Bearer good-token"


def app(**settings):
    box = Toolbox("box", version="1")
    box.add(lambda: 1, name="one")
    return box.asgi(tokens="good-token", **settings)


def run(course):
    return asyncio.run(asyncio.wait_for(course, 60))


@pytest.mark.promise("serve.lockout", "serve.lockout-known")
def test_guesses_are_locked_out_before_the_token_is_looked_at(here):
    with Http("shop.py", "--token", "good-token", "--token", "other-token") as server:

        def asked(token, **more):
            data = server.message("tools/list", authorization=f"Bearer {token}-token", **more)
            return server.asked(data)[0]

        assert asked("other") == 200
        guesses = [asked(f"guess{at}", x_forwarded_for=f"198.51.100.{at}") for at in range(40)]
        assert guesses == [401] * 10 + [429] * 30
        assert asked("good") == 429, "the right one is not told from the wrong ones"
        assert asked("other") == 200, "who was at work goes on working"
        # Without a token nothing is guessed: clients learn where to get one.
        assert server.asked(server.message("tools/list"))[0] == 401


def test_a_lock_says_when_it_ends_and_ends(monkeypatch):
    async def course():
        served = app(failed_sign_ins="2/20s")
        assert await statuses(served, 3, authorization="Bearer wrong") == [401, 401, 429]
        answer = await ask(served, authorization=GOOD)
        assert answer.status == 429
        assert 1 <= int(answer.headers["retry-after"]) <= 10
        assert b"failed sign-ins" in answer.body
        now = time.monotonic()
        # Refused ones do not make it longer.
        await statuses(served, 50, authorization="Bearer wrong")
        monkeypatch.setattr(rate_module.time, "monotonic", lambda: now + 11)
        assert (await ask(served, authorization=GOOD)).status == 200

    run(course())


@pytest.mark.promise("serve.lockout-not-a-guess")
def test_a_token_that_is_out_of_date_is_not_a_guess():
    lock = Lockout(Rate(1, 60))
    lock.passed("a", b"Bearer old")
    for _ in range(5):
        lock.failed("a", b"Bearer old")
    assert lock.wait("a") == 0
    lock.failed("b", b"Bearer old")
    assert lock.wait("b") > 0


class SlowSignIn:
    """Looks at every token only when a thousand have come, as while keys are fetched."""

    def __init__(self, count):
        self.count = count
        self.checked = 0
        self.all_there = asyncio.Event()
        self.issuer, self.audience, self.scopes = "https://i.example", (), ()

    async def check(self, headers):
        self.checked += 1
        if self.checked == self.count:
            self.all_there.set()
        await self.all_there.wait()
        good = headers[b"authorization"] == GOOD.encode()
        return Caller("ada") if good else Refusal(401, "the signature of the token is wrong")

    def challenge(self, refusal, address=""):
        return "Bearer"


def test_guesses_that_are_all_under_way_before_the_first_fails():
    async def course():
        sign_in = SlowSignIn(201)
        box = Toolbox("box", version="1")
        served = box.asgi(sign_in=sign_in)
        tokens = [GOOD if at == 150 else f"Bearer guess{at}" for at in range(201)]
        answers = await asyncio.gather(*(ask(served, authorization=each) for each in tokens))
        seen = [answer.status for answer in answers]
        assert (seen.count(401), seen.count(429)) == (10, 191)
        assert seen[150] == 429, "the right one is not told from the wrong ones"
        # And from now on no token is looked at: signatures cost time.
        seen = await statuses(served, 50, authorization="Bearer more")
        assert (seen, sign_in.checked) == ([429] * 50, 201)

    run(course())


def test_many_good_sign_ins_at_once_are_not_guesses():
    async def course():
        served = Toolbox("box", version="1").asgi(sign_in=SlowSignIn(100))
        answers = await asyncio.gather(*(ask(served, authorization=GOOD) for _ in range(100)))
        assert {answer.status for answer in answers} == {200}

    run(course())


def test_a_client_that_is_throttled_does_not_learn_the_right_token():
    async def course():
        served = app(rate_limit="5/min", failed_sign_ins="1000/min")
        wrong = await statuses(served, 20, authorization="Bearer wrong")
        assert wrong == [401] * 5 + [429] * 15
        assert (await ask(served, authorization=GOOD)).status == 429
        assert (await ask(served, authorization=GOOD, client="203.0.113.8")).status == 200

    run(course())


# -- addresses


@pytest.mark.parametrize(
    ("guessing", "other", "locked"),
    [
        ("203.0.113.7", "203.0.113.7", True),
        ("203.0.113.7", "203.0.113.8", False),
        ("::ffff:203.0.113.7", "203.0.113.7", True),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::1%eth1", True),
    ],
)
def test_what_counts_as_one_client(guessing, other, locked):
    async def course():
        served = app()
        await statuses(served, 10, authorization="Bearer wrong", client=guessing)
        answer = await ask(served, authorization=GOOD, client=other)
        assert answer.status == (429 if locked else 200)

    run(course())


@pytest.mark.promise("serve.proxies")
@pytest.mark.parametrize(
    ("peer", "headers", "client"),
    [
        # Nobody but a named proxy is believed.
        ("127.0.0.1", {"x_forwarded_for": "198.51.100.1"}, "127.0.0.1"),
        ("203.0.113.7", {"x_forwarded_for": "198.51.100.1"}, "203.0.113.7"),
        ("203.0.113.7", {"forwarded": "for=198.51.100.1"}, "203.0.113.7"),
        # Of what a named proxy says, the nearest address that is not a proxy's.
        ("10.0.0.1", {"x_forwarded_for": "198.51.100.1"}, "198.51.100.1"),
        ("10.0.0.1", {"x_forwarded_for": "192.0.2.9, 198.51.100.1, 10.0.0.2"}, "198.51.100.1"),
        ("10.0.0.1", {"x_forwarded_for": "192.0.2.9, 198.51.100.1:4711"}, "198.51.100.1"),
        ("10.0.0.1", {"x_forwarded_for": "[2001:db8::5]:80"}, "2001:db8::/64"),
        ("2001:db8:f::1", {"forwarded": 'for=192.0.2.9, for="[2001:db8::5]:80"'}, "2001:db8::/64"),
        ("10.0.0.1", {"forwarded": "proto=https;For=198.51.100.1;by=10.0.0.1"}, "198.51.100.1"),
        ("10.0.0.1", {"x_forwarded_for": "10.0.0.2, 10.0.0.3"}, "10.0.0.2"),
        # What cannot be read ends the way back; two headers that differ are not believed.
        ("10.0.0.1", {"x_forwarded_for": "198.51.100.1, unknown"}, "10.0.0.1"),
        ("10.0.0.1", {"x_forwarded_for": "unknown, 10.0.0.2"}, "10.0.0.2"),
        ("10.0.0.1", {"x_forwarded_for": "x" * 10_000}, "10.0.0.1"),
        ("10.0.0.1", {"x_forwarded_for": "1.1.1.1," + "10.0.0.2," * 5000 + "10.0.0.3"}, "10.0.0.2"),
        (
            "10.0.0.1",
            {"x_forwarded_for": "198.51.100.1", "forwarded": "for=198.51.100.2"},
            "10.0.0.1",
        ),
        (
            "10.0.0.1",
            {"x_forwarded_for": "198.51.100.1", "forwarded": "for=198.51.100.1"},
            "198.51.100.1",
        ),
        ("10.0.0.1", {}, "10.0.0.1"),
    ],
)
def test_whom_a_request_behind_proxies_counts_for(peer, headers, client):
    async def course():
        proxies = [] if peer == "127.0.0.1" else ["10.0.0.0/8", "2001:db8:f::1"]
        served = app(trusted_proxies=proxies)
        await statuses(served, 3, authorization="Bearer wrong", client=peer, **headers)
        assert list(served.admission.lockout.failures.due) == [client]

    run(course())


@pytest.mark.parametrize("wrong", ["proxy.example", "10.0.0.0/33", ""])
def test_a_proxy_is_named_by_its_address(wrong):
    with pytest.raises(ValueError, match="trusted proxy"):
        app(trusted_proxies=[wrong])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--trusted-proxy", "proxy.example"], "trusted proxy"),
        (["--failed-sign-ins", "often"], "--failed-sign-ins"),
        (["--header-timeout", "0"], "--header-timeout"),
        (["--body-timeout", "-1"], "--body-timeout"),
        (["--max-connections", "0"], "--max-connections"),
    ],
)
def test_bounds_that_cannot_be(here, given, said):
    assert said in refused(2, "serve", "shop.py", "--http", *given)


# -- memory


def test_what_is_kept_for_clients_is_bounded(monkeypatch):
    monkeypatch.setattr(rate_module, "_MAX_KEYS", 50)
    monkeypatch.setattr(admission, "_MOST_KNOWN", 50)

    async def course():
        served = app(rate_limit="1000/s")
        assert (await ask(served, authorization=GOOD, client="192.0.2.1")).status == 200
        for at in range(200):
            client = f"10.9.{at}.1"
            await statuses(served, 1, authorization=f"Bearer wrong{at}", client=client)
        kept = served.admission
        assert len(kept.lockout.failures.due) == 50
        assert len(kept.addresses.due) == 50
        # Who has no token pushes out neither tokens that are known, nor callers.
        assert len(kept.lockout._known) == 1
        assert list(kept.callers.due) == ["token"]
        assert b"good-token" not in repr(kept.lockout._known).encode()

    run(course())
