"""Hints for tools that an author leaves on a command."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from .frameworks.parts import ANNOTATIONS, annotations_of

T = TypeVar("T")


def annotate(target: Any = None, /, **hints: Any) -> Any:
    """Leave hints on a command, such as `read_only=True` or `title="List disks"`.

    As a decorator it may be above or below the framework's own, and returns the same object. With a
    target, such as an `ArgumentParser`, it is a plain call. Hints are JSON values.

    >>> @annotate(read_only=True)
    ... def list_disks() -> None: ...
    """
    try:
        json.dumps(hints, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"annotate: hints must be JSON values ({error})") from None

    def put(on: T) -> T:
        try:
            setattr(on, ANNOTATIONS, annotations_of(on) | hints)
        except AttributeError:
            what = type(on).__name__
            raise TypeError(f"annotate: {what} cannot hold hints; annotate its function") from None
        return on

    decorator: Callable[[Any], Any] = put
    return decorator if target is None else put(target)
