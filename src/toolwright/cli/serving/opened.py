"""What `serve` has opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...serve.servable import Servable
    from ...toolbox.box import Toolbox


class Opened(NamedTuple):
    """A toolbox, and what is served of it."""

    box: Toolbox
    """Hooks that are added later belong here."""
    live: Servable
