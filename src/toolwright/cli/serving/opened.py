"""What `serve` has opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...serve.servable import Servable
    from ...toolbox.box import Toolbox


class Opened(NamedTuple):
    """A toolbox, and what is served from it."""

    box: Toolbox
    """The toolbox to which later hooks are added."""
    live: Servable
