"""Locks out clients that guess tokens."""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict

from ...limits import Rate
from ...run.throttle import MemoryRateLimit

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
