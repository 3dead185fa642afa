"""What models see of a toolbox, kept as a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..toolbox.box import Toolbox


def snapshot(box: Toolbox) -> str:
    """Return the list of tools as text."""
    return json.dumps(box.to_mcp()["tools"], indent=2, ensure_ascii=False) + "\n"
