"""The cache of results, also shared by equal calls running together."""

from __future__ import annotations

import hashlib
import json
import threading
import types
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any

from .._log import log
from ..call import Call, depends_on_headers
from ..errors import CallCancelled, Overloaded, ToolTimeout
from ..outcome.failure import failed
from ..outcome.writer import ResultWriter, keep, kept
from ..results import Repair, Result, with_note
from ..stores import Store, clock_of
from .loop import Signal, Waiter

NOTE = "toolwright/cache"
"""The key of a result's `_meta` that says whether it was kept."""
# Failures that concern one caller only, and say nothing about an equal call of another.
_OWN = (CallCancelled, ToolTimeout, Overloaded)

_leading: ContextVar[frozenset[str]] = ContextVar("_leading", default=frozenset())
"""Keys of the calls that led to the code running here."""

Run = Callable[[], Awaitable[tuple[Any, Result]]]
"""Runs the call; returns its value and its result."""


class Flight:
    """A call that runs now, and that equal calls wait for."""

    __slots__ = ("call", "failure", "landed", "stored")

    def __init__(self, call: Call) -> None:
        self.call = call
        """The call that runs: an unexpected failure names it to all who share it."""
        self.landed = Signal()
        self.stored: bytes | None = None
        self.failure: Result | None = None


class Cache:
    """The results of one tool."""

    def __init__(
        self,
        tool: str,
        version: bytes,
        seconds: float,
        store: Store,
        outcome: ResultWriter,
    ) -> None:
        self.tool = tool
        self.version = version
        self.seconds = seconds
        self.store = store
        self.clock = clock_of(store)
        self.outcome = outcome
        self.flights: dict[str, Flight] = {}
        self.lock = threading.Lock()
        self.personal = False
        """Whether a call has read its headers: such calls do not wait for each other."""

    def key(
        self,
        data: Mapping[str, Any],
        defaults: Mapping[str, str],
        call: Call | None,
        epoch: str = "",
    ) -> str:
        """Return the key that equal calls share.

        An argument sent as its default counts as not sent. `call` is given if the tool can know
        its caller: then each caller has their own results.
        """
        sent = {name: _canonical(value) for name, value in data.items()}
        sent = {name: text for name, text in sent.items() if defaults.get(name) != text}
        who = None if call is None else [call.caller, *sorted(call.roles)]
        # The version is in the key: what former code of the tool returned is no answer.
        digest = hashlib.sha256(self.version)
        digest.update(_canonical([sent, who, epoch]).encode("utf-8", "surrogatepass"))
        return f"cache:{self.tool}:{digest.hexdigest()}"

    async def through(
        self,
        place: Waiter,
        key: str,
        call: Call,
        until: float | None,
        repairs: tuple[Repair, ...],
        run: Run,
    ) -> Result:
        """Answer from the store, from an equal call that runs now, or by running the call."""
        if key in _leading.get():
            # The tool calls itself: waiting for the outer call would never end.
            return (await run())[1]
        while True:
            cached = await self._get(place, key, repairs)
            if cached is not None:
                return cached
            with self.lock:
                flight = self.flights.get(key)
                leads = flight is None or self.personal
                if flight is None or self.personal:
                    flight = self.flights[key] = Flight(call)
            if leads:
                return await self._lead(place, key, call, repairs, run, flight)
            await self._follow(place, call, until, flight)
            if flight.failure is not None and flight.failure.error is not None:
                return failed(flight.failure.error, repairs, flight.call)
            if flight.stored is not None:
                shared = self._again(flight.stored, repairs)
                if shared is not None:
                    return with_note(shared, NOTE, {"hit": False, "shared": True})
            # The call that led was stopped, or its result is not for others: lead ourselves.

    async def _lead(
        self,
        place: Waiter,
        key: str,
        call: Call,
        repairs: tuple[Repair, ...],
        run: Run,
        flight: Flight,
    ) -> Result:
        try:
            # Another call may have ended, and stored its result, between our look-up and the lock.
            cached = await self._get(place, key, repairs)
            if cached is not None:
                return cached
            # What the tool calls sees this, in other threads as well: they get a copy of the context.
            above = _leading.set(_leading.get() | {key})
            try:
                value, result = await run()
            finally:
                _leading.reset(above)
            self.personal = self.personal or depends_on_headers(call)
            if result.error is not None:
                # Not stored. A call that asks its caller also ends here: such a result is for one
                # round of one caller (2026-07-28, basic/patterns/mrtr), who is in the key.
                if not isinstance(result.error, _OWN) and not depends_on_headers(call):
                    flight.failure = result
                return result
            stored = None if depends_on_headers(call) else keep(self.outcome, value, result)
            fresh: Result | None = result
            if stored is not None and (
                not stored.startswith(b'{"value"') or self.outcome.to_json is None
            ):
                # JSON changes a value without a declared type: return it changed now, so that a
                # miss and a hit give the same.
                fresh = self._again(stored, repairs)
            if stored is None or fresh is None:
                return with_note(result, NOTE, {"hit": False, "kept": False})
            await self._put(place, key, stored)
            flight.stored = stored
            return with_note(fresh, NOTE, {"hit": False})
        finally:
            with self.lock:
                # Calls that do not wait for each other replace one another's flight.
                if self.flights.get(key) is flight:
                    del self.flights[key]
            # After a failure, too: those who follow would wait forever.
            flight.landed.set()

    async def _follow(self, place: Waiter, call: Call, until: float | None, flight: Flight) -> None:
        woken = Signal()
        flight.landed.when_set(woken.set)
        forget = call.on_cancel(woken.set)
        try:
            await place.wait(woken, until)
        finally:
            forget()
            flight.landed.forget(woken.set)
        if flight.landed.is_set:
            return
        if call.cancelled:
            raise CallCancelled(f"{self.tool}: the call was cancelled")
        raise ToolTimeout(f"{self.tool} gave no answer in time")

    async def _get(self, place: Waiter, key: str, repairs: tuple[Repair, ...]) -> Result | None:
        try:
            entry = await place.use(self.store.get, key, blocking=self.store.blocking)
        except OSError as error:
            # A cache that is out of order must not stop the tool: the call is run.
            log.warning("%s: the store cannot be read", self.tool, exc_info=error)
            return None
        if entry is None:
            return None
        stored_at, stored = entry.split(b" ", 1)
        result = self._again(stored, repairs)
        if result is None:
            return None
        # Clocks of processes that share a store may differ a little.
        age = min(max(self.clock() - float(stored_at), 0), self.seconds)
        return with_note(result, NOTE, {"hit": True, "age": round(age, 3)})

    def _again(self, stored: bytes, repairs: tuple[Repair, ...]) -> Result | None:
        """Make the result of a stored value; None if it no longer fits the tool."""
        try:
            result = self.outcome.of(kept(self.outcome, stored), repairs)
        except ValueError:
            return None
        return result if result.error is None else None

    async def _put(self, place: Waiter, key: str, stored: bytes) -> None:
        body = b"%r " % self.clock() + stored
        try:
            await place.use(self.store.put, key, body, self.seconds, blocking=self.store.blocking)
        except OSError as error:
            log.warning("%s: the store cannot be written", self.tool, exc_info=error)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def defaults_of(properties: Mapping[str, Any]) -> dict[str, str]:
    """Return the defaults that a schema shows, as canonical JSON."""
    return {
        name: _canonical(node["default"])
        for name, node in properties.items()
        if isinstance(node, dict) and "default" in node
    }


def version_of(target: Any, *parts: bytes | str | None) -> bytes:
    """Return a digest that changes with a tool: its code, as far as it shows, and these parts."""
    digest = hashlib.sha256()
    # By the code, not only by name: a tool that is edited and reloaded keeps its name.
    code = getattr(getattr(target, "__func__", target), "__code__", None)
    if code is not None:
        digest.update(code.co_code)
        digest.update(repr([code.co_names, _constants(code)]).encode("utf-8", "replace"))
    for part in parts:
        digest.update(repr(part).encode())
    return digest.digest()


def _constants(code: types.CodeType) -> list[Any]:
    return [
        # The `repr` of code has an address, which is another one in each process.
        (constant.co_code, _constants(constant))
        if isinstance(constant, types.CodeType)
        else constant
        for constant in code.co_consts
    ]
