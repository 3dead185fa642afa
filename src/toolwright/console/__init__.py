"""The console: a page for people, and the JSON under it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from .described import Subject

if TYPE_CHECKING:
    from ..serve.http.app import App
    from ..serve.offering import Live, Offering
    from .bridge import ServerBridge
    from .figures import Snapshot

__all__ = ["Subject", "with_console"]


def with_console(
    offering: Offering,
    subject: Subject | None = None,
    *,
    figures: Callable[[], Snapshot],
    role: str | None = None,
    bridge: ServerBridge | None = None,
) -> Offering:
    """Return an offering that adds the console to an HTTP app which wants it.

    `figures` returns those of the server; the arguments of calls in them are for one `role`. With
    a `bridge`, the page speaks to the server behind it.
    """

    def mount(app: App, live: Live) -> None:
        from ..serve.settings import CONSOLE_PATH
        from .routes import API_PATH, BRIDGE_PATH, Console

        console = Console(app, live, subject or Subject(), figures=figures, role=role)
        app.routes.mount(CONSOLE_PATH, console.page, is_public=True)
        app.routes.mount(API_PATH, console.answer, is_public=False)
        if bridge is not None:
            app.routes.mount(BRIDGE_PATH, bridge.answer, is_public=False)

    return replace(offering, console=mount)
