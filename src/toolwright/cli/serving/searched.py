"""`serve --search`: a toolbox behind a search of its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..usage import BadTarget

if TYPE_CHECKING:
    from ...serve.servable import Servable
    from ...serve.settings import ServerConfig


def check_search(box: Servable, config: ServerConfig) -> None:
    """Refuse a toolbox that has a tool with one of the search's own names. Raises `BadTarget`."""
    if not config.search:
        return
    from ...serve.search.front import check_names
    from ...serve.search.index import SearchUnavailable

    try:
        check_names(box)
    except (ValueError, SearchUnavailable) as error:
        raise BadTarget(str(error)) from None


def searched(box: Servable, config: ServerConfig) -> Servable:
    """Return what a client on stdio is served: the toolbox, or with `--search` a search of it.

    Over HTTP, the app puts the search before it, since not every caller there may use everything.
    """
    if not config.search:
        return box
    from ...serve.search.front import with_search

    return with_search(box, trusted=True)
