"""Opens the stores of a toolbox before it is served."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..offering import Offering


def open_stores(box: Offering) -> None:
    """Open every store that a toolbox names, before it is served. Raises `StoreError`.

    If the default file cannot be opened, there are no tasks: callers wait for long calls.
    """
    box.open_store()
    about = box.about
    if isinstance(about.tasks, str) and box.has_tasks:
        from .records import open_task_records

        open_task_records(about.tasks, about.name, about.keep_tasks).store.close()
