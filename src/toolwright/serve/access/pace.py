"""How many requests a server takes of one client in a while."""

from __future__ import annotations

import math
import time
from collections import OrderedDict

from ...limits import Rate

_MOST_CLIENTS = 10_000


class Pace:
    """Lets so many requests of each client through (the generic cell rate algorithm)."""

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self.due: OrderedDict[str, float] = OrderedDict()
        """When the next request of a client would be due if they came evenly."""

    def wait(self, client: str) -> int:
        """Take a request; return after how many seconds it may come again, 0 if it may now."""
        seconds = self.left(client)
        if not seconds:
            self._take(client)
        return seconds

    def left(self, client: str) -> int:
        """Return after how many seconds a client may come again, without counting anything."""
        due = self.due.get(client)
        if due is None:
            return 0
        calls, seconds = self.rate
        late = due + seconds / calls - time.monotonic() - seconds
        return math.ceil(late) if late > 1e-9 else 0

    def _take(self, client: str) -> None:
        calls, seconds = self.rate
        now = time.monotonic()
        self.due[client] = max(self.due.pop(client, now), now) + seconds / calls
        if len(self.due) > _MOST_CLIENTS:
            self.due.popitem(last=False)
