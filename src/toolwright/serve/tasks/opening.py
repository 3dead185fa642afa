"""Opens the stores of a toolbox before it is served."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..servable import Servable


def open_stores(box: Servable) -> None:
    """Open every store that a toolbox names, before it is served. Raises `StoreError`.

    If the default file cannot be opened, there are no tasks: callers wait for long calls.
    """
    box.open_store()
    if isinstance(box.tasks, str) and box.has_tasks:
        from .records import open_task_records

        open_task_records(box.tasks, box.name, box.keep_tasks).store.close()
