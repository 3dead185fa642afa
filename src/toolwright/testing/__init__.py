"""Fixtures and snapshots for tests of toolboxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._door import on_first_use

if TYPE_CHECKING:
    from .plugin import Answer, ToolboxClient, ToolboxCoverage, ToolboxExample

__all__ = ["Answer", "ToolboxClient", "ToolboxCoverage", "ToolboxExample"]

# Loaded on first use: snapshots need no pytest.
__getattr__, __dir__ = on_first_use(__name__, {"plugin": tuple(__all__)})
