"""The sender of a request: one value, handed on."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from ..call import Call
from ..run.current import asked
from .access.quotas import Client

if TYPE_CHECKING:
    from ..call import OnLog, OnProgress
    from ..questions import Asker
    from .access.guard import Caller
    from .offering import Offering

Owner = tuple[str, str, str] | None
"""Who a session belongs to: a name, and how the issuer of the token knows it."""
Viewer = tuple[tuple[str, ...] | None, Call | None]
"""The roles of a sender and, where functions decide what they may use, a call for these to see."""
_NOT_COUNTED = Client()


class Sender:
    """Who sends a request: all that rights, bounds, sessions, tasks and calls go by.

    The HTTP app makes one for each request that it admits; over stdio and in memory the sender is
    `USER`. From there it is an argument, except where code of others stands in between: the SDK's
    server (see `sdk.calls.Handed`), and the functions of authors (see `run.current.asked`).
    """

    __slots__ = ("_headers", "address", "caller", "client", "holder", "roles")

    def __init__(
        self,
        caller: Caller | None,
        address: str = "",
        client: Client = _NOT_COUNTED,
        headers: Iterable[tuple[bytes, bytes]] = (),
        *,
        may_use_all: bool = False,
    ) -> None:
        self.caller = caller
        """Who has signed in."""
        self.roles: tuple[str, ...] | None = () if caller is None else caller.roles
        """What they may use goes by these; None is everything."""
        if may_use_all:
            self.roles = None
        self.address = address
        """Where the request comes from; empty over stdio."""
        self.client = client
        """Whom the request is counted for."""
        self.holder = client.name
        """Whose share of threads and processes is taken: see `run.current.Asking`."""
        self._headers = headers

    @property
    def name(self) -> str | None:
        """The name of the caller; None if nobody has signed in."""
        return None if self.caller is None else self.caller.name

    @property
    def owner(self) -> Owner:
        """The owner of what is kept for them; two callers may have the same name."""
        if self.caller is None:
            return None
        claims = self.caller.claims
        return self.caller.name, str(claims.get("iss")), str(claims.get("sub"))

    @property
    def principal(self) -> str | None:
        """The owner in writing: task records and sealed states have it."""
        owner = self.owner
        return None if owner is None else json.dumps(owner)

    def made(
        self,
        number: object = None,
        *,
        tool: str = "",
        on_progress: OnProgress | None = None,
        on_log: OnLog | None = None,
        asker: Asker | None = None,
        hang_up: Callable[[], Awaitable[object]] | None = None,
    ) -> Call:
        """Return a call of a request with this id; of a repeated header, the first counts."""
        # Not every server strips values: uvicorn does with h11, but not with httptools.
        headers = {
            name.decode("latin-1"): value.strip(b" \t").decode("latin-1")
            for name, value in reversed(tuple(self._headers))
        }
        return Call(
            tool,
            request_id=None if number is None else str(number),
            caller=self.name,
            roles=self.roles or (),
            claims=None if self.caller is None else self.caller.claims,
            headers=headers,
            on_progress=on_progress,
            on_log=on_log,
            asker=asker,
            hang_up=hang_up,
        )

    def viewer(self, box: Offering, number: object = None) -> Viewer:
        """Return what decides about what they may use, for a request with this id."""
        return self.roles, self.made(number) if box.asks() else None


NOBODY = Sender(None)
"""Somebody who has not signed in, and of whom nothing else is known."""
USER = Sender(None, may_use_all=True)
"""The user of this machine, over stdio and in memory."""


def sender_here() -> Sender:
    """Return who sends the request being answered here, where the SDK does not pass it on."""
    asking = asked.get()
    return asking if isinstance(asking, Sender) else NOBODY
