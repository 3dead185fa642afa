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
    for each in asked:
        if first.setdefault(each.id, each) != each:
            differ.add(each.id)
    answered: set[str] = set()
    for each in asked:
        if not each.id:
            needs_none = each.is_legacy or dialect in WITHOUT_IDS
            yield each, None if needs_none else _without_id(each)
        elif each.id not in answered:
            answered.add(each.id)
            yield each, _same_id(each) if each.id in differ else None


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
