"""Admission: host, origin, lock-out, token and rate, in this order."""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...limits import Rate
from ...run.throttle import MemoryRateLimit
from ..access.guard import Caller, Guard, Refusal, TrustedProxies
from .asgi import Header, Scope, Send, say
from .routes import Metadata

if TYPE_CHECKING:
    from ..access.oauth import SignIn


_MOST_KNOWN = 10_000


class Lockout:
    """Counts failed sign-ins of each client; tokens of a locked client are not even looked at.

    A token that has signed in from the same client before still passes, so a neighbour behind the
    same address who guesses does not cut off clients that are already at work.

    Both memories are bounded. Only good tokens enter the memory of tokens, so a client without
    one cannot empty it. Pushing a lock out of the other takes thousands of addresses, and gains no
    more than the guesses that these addresses have anyway.
    """

    def __init__(self, rate: Rate) -> None:
        self.failures = MemoryRateLimit(rate)
        self._known: OrderedDict[bytes, None] = OrderedDict()
        # A keyed digest: useless for signing in, and for checking leaked tokens.
        self._key = secrets.token_bytes(32)

    def wait(self, client: str) -> int:
        """Return for how many seconds a client is locked out, 0 if it is not."""
        return self.failures.left(client)

    def knows(self, client: str, sent: bytes) -> bool:
        """Return whether a client has signed in before with what it sends now."""
        return self._digest(client, sent) in self._known

    def failed(self, client: str, sent: bytes) -> None:
        """Count a failure; a token that was good once is out of date, and not a guess."""
        if not self.knows(client, sent):
            self.failures.wait(client)

    def passed(self, client: str, sent: bytes) -> None:
        """Remember what a client has signed in with."""
        digest = self._digest(client, sent)
        self._known[digest] = None
        self._known.move_to_end(digest)
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)

    def _digest(self, client: str, sent: bytes) -> bytes:
        text = client.encode(errors="replace") + b"\0" + sent
        return hashlib.blake2b(text, digest_size=16, key=self._key).digest()


class Admission:
    """Decides about each request before any of its body is read."""

    def __init__(
        self,
        guard: Guard,
        *,
        proxies: TrustedProxies,
        sign_in: SignIn | None = None,
        metadata: Metadata | None = None,
        rate: Rate | None = None,
        failed_sign_ins: Rate,
    ) -> None:
        self.guard = guard
        self.proxies = proxies
        self.sign_in = sign_in
        self.metadata = metadata
        self.lockout = Lockout(failed_sign_ins)
        # Separate, so that a client with many addresses cannot push callers out of the memory.
        self.callers = None if rate is None else MemoryRateLimit(rate)
        self.addresses = None if rate is None else MemoryRateLimit(rate)

    async def check(
        self, scope: Scope, headers: Mapping[bytes, bytes], client: str
    ) -> Caller | Refusal | None:
        """Return who asks, or why they are refused; None if no sign-in is needed.

        A wrong host or origin is refused first, since the specification requires protection from
        DNS rebinding even without tokens (2026-07-28, Streamable HTTP).
        """
        who = self.guard.refusal(headers, reached(scope))
        if who is None and (self.guard.tokens or self.sign_in is not None):
            who = await self._signed_in(headers, client)
        pace, key = self.addresses, client
        if isinstance(who, Caller):
            pace, key = self.callers, who.name
        if pace is not None and (seconds := pace.wait(key)):
            name = who.name if isinstance(who, Caller) else None
            return Refusal(429, "too many requests", retry_after=seconds, caller=name)
        return who

    async def _signed_in(self, headers: Mapping[bytes, bytes], client: str) -> Caller | Refusal:
        sent = headers.get(b"authorization", b"")
        if not sent:
            # Clients ask without a token to learn where to get one: that is not a guess.
            return await self._caller(headers)
        if refused := self._locked(client, sent):
            return refused
        who = await self._caller(headers)
        # Others may have failed while this one waited for keys: a thousand guesses at once must
        # not reveal more than ten do, by an answer or by the difference between two.
        if refused := self._locked(client, sent):
            return refused
        if isinstance(who, Caller):
            self.lockout.passed(client, sent)
        elif who.status == 401:
            self.lockout.failed(client, sent)
        return who

    def _locked(self, client: str, sent: bytes) -> Refusal | None:
        seconds, why = self.lockout.wait(client), "too many failed sign-ins from this address"
        if not seconds and self.addresses is not None:
            seconds, why = self.addresses.left(client), "too many requests"
        if not seconds or self.lockout.knows(client, sent):
            return None
        return Refusal(429, why, retry_after=seconds)

    async def _caller(self, headers: Mapping[bytes, bytes]) -> Caller | Refusal:
        if self.guard.tokens:
            who = self.guard.caller(headers.get(b"authorization", b""))
            if self.sign_in is None or isinstance(who, Caller):
                return who
        assert self.sign_in is not None  # noqa: S101 - else there are tokens
        caller = await self.sign_in.check(headers)
        if not isinstance(caller, Refusal) or caller.status == 503:
            return caller
        where = self.metadata.address if self.metadata is not None else ""
        return caller._replace(challenge=self.sign_in.challenge(caller, where))


def reached(scope: Scope) -> str:
    """Return the server's own address that a client has connected to."""
    return str(scope["server"][0]) if scope.get("server") else ""


async def answer_refusal(send: Send, refusal: Refusal) -> None:
    """Say why a request is refused, how to sign in, and when to try again."""
    more: list[Header] = []
    if refusal.challenge:
        more.append((b"www-authenticate", refusal.challenge.encode()))
    seconds = refusal.retry_after or (10 if refusal.status == 503 else 0)
    if seconds:
        more.append((b"retry-after", b"%d" % seconds))
    await say(send, refusal.status, refusal.said, *more)
