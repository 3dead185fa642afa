"""Finds calls that cannot each be answered separately."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import CallError
from .asked import WITHOUT_IDS, Asked


def by_id(asked: list[Asked], dialect: str) -> Iterator[tuple[Asked, CallError | None]]:
    """Yield every call with the reason not to run it, if any; of those with one id, the first.

    Providers refuse two answers to one id. The same call twice is run once. If two calls
    with one id differ, nobody could say whose answer it is: neither is run.
    """
    first: dict[str, Asked] = {}
    differ: set[str] = set()
    for call in asked:
        if first.setdefault(call.id, call) != call:
            differ.add(call.id)
    answered: set[str] = set()
    for call in asked:
        if not call.id:
            needs_none = call.is_legacy or dialect in WITHOUT_IDS
            yield call, None if needs_none else _without_id(call)
        elif call.id not in answered:
            answered.add(call.id)
            yield call, _same_id(call) if call.id in differ else None


def _without_id(asked: Asked) -> CallError:
    return CallError(
        f"{asked.name or 'a tool'} was not run: the call has no id, so it cannot be answered",
        hint="send every call with an id of its own",
    )


def _same_id(asked: Asked) -> CallError:
    return CallError(
        f"nothing was run: different calls have the id {asked.id[:100]!r}",
        hint="send every call with an id of its own",
    )
