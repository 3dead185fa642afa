"""Which parameters are injected, and with what."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, get_args, get_origin

from ..call import Call
from ..markers import Fixed, Inject
from ..read.foreign import Foreign, foreign_context, foreign_marker
from .types.hints import UNIONS, arms, metadata, strip_annotated

Wanted = Inject | type[Any]
"""What a parameter is injected with: a provider's value, the `Call`, or a type's value."""


def injection(hint: Any, provided: Collection[Any] = ()) -> Wanted | None:
    """Return what a parameter of this type is injected with; None if a caller sends it.

    `T | None` is injected as `T` is.
    """
    for said in (hint, *_union(hint)):
        for item in metadata(said):
            if isinstance(item, Inject):
                return item
            if item is Inject:
                msg = "has `Inject` without a provider"
                raise ValueError(msg)
    for arm in arms(hint):
        if isinstance(arm, type) and (arm is Call or arm in provided):
            return arm
        if not isinstance(arm, type) and any(arm is each or arm == each for each in provided):
            return arm
    return None


def foreign(hint: Any, default: Any) -> Foreign | None:
    """Return what another framework would inject, if it would fill in a parameter of this type."""
    said = [item for each in (hint, *_union(hint)) for item in metadata(each)]
    if any(isinstance(item, Fixed) for item in said):
        return None
    for item in (*said, default):
        if found := foreign_marker(item):
            return found
    for arm in arms(hint):
        if found := foreign_context(get_origin(arm) or arm):
            return found
    return None


def _union(hint: Any) -> tuple[Any, ...]:
    if isinstance(hint, type):
        return ()
    bare = strip_annotated(hint)
    return get_args(bare) if get_origin(bare) in UNIONS else ()
