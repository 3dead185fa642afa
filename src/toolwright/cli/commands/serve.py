"""`serve`: serve tools over MCP, on stdio or HTTP."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...toolbox.box import Toolbox, served
from ..http_settings import drain_of
from ..load import BadTarget, open_target
from ..serve_flags import add_flags
from ..telemetry import add_hooks, show_status
from ..usage import UsageError

if TYPE_CHECKING:
    import socket

    from ...serve.servable import Servable
    from ..reload import Reloader


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_flags(parser)


def run(chosen: argparse.Namespace) -> int:
    """Serve until the process is told to end."""
    chosen.started_in = str(Path.cwd())
    if chosen.folder:
        try:
            os.chdir(chosen.folder)
        except OSError as error:
            raise UsageError(f"{chosen.folder} cannot be entered: {error.strerror}") from error
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    from ...serve.lifespan import LifespanFailed
    from ..workers import NOT_STARTED

    try:
        return _serve_http(chosen) if chosen.http else _serve_stdio(chosen)
    except LifespanFailed as error:
        sys.stderr.write(f"toolwright: {error}\n")  # at once: other workers write there, too
        return 1 if chosen.listening is None else NOT_STARTED


def _serve_stdio(chosen: argparse.Namespace) -> int:
    from ...run.process.descriptors import take_over
    from ...serve.drain import STDIO_SECONDS
    from ...serve.stdio.conversation import converse

    drain = drain_of(chosen, STDIO_SECONDS)
    wire = take_over()  # before the target is imported: it may print
    reloader = _reloader(chosen)
    box, usable = open_target(chosen)
    if not usable:
        return 1
    add_hooks(box, chosen)
    converse(_served(box, chosen, reloader), wire, short=not chosen.sdk, drain=drain)
    return 0


def _serve_http(chosen: argparse.Namespace) -> int:
    from ...serve.server import listen, serve_http
    from ...serve.tasks.records import open_stores
    from ..http_settings import http_settings

    if chosen.listening is not None:
        return _serve_as_worker(chosen)
    settings = http_settings(chosen)
    reloader = _reloader(chosen)
    box, usable = open_target(chosen)
    if not usable:
        return 1
    open_stores(served(box))
    add_hooks(box, chosen)
    try:
        listening = listen(chosen.host, chosen.port)
    except OSError as error:
        where = f"{chosen.host}:{chosen.port}"
        print(f"toolwright: cannot listen at {where}: {error.strerror}", file=sys.stderr)
        return 1
    url = _address(chosen.host, listening, settings)

    def tell() -> None:
        _print_address(box, url)
        show_status(box, chosen)

    if chosen.workers > 1:
        _print_address(box, url)
        return _start_workers(chosen, settings, listening)
    live = _served(box, chosen, reloader)
    serve_http(live, **settings, listening=listening, when_ready=tell)
    return 0


def _serve_as_worker(chosen: argparse.Namespace) -> int:
    """Serve on the socket that the process which started this one listens at."""
    import socket

    from ...serve.server import serve_http
    from ...serve.tasks.records import open_stores
    from ..http_settings import http_settings
    from ..workers import end_with_input, keys_from_input

    settings = http_settings(chosen, keys_from_input())
    box, usable = open_target(chosen)
    if not usable:
        return 1
    open_stores(served(box))
    add_hooks(box, chosen)
    end_with_input()
    serve_http(served(box), **settings, listening=socket.socket(fileno=chosen.listening))
    return 0


def _start_workers(
    chosen: argparse.Namespace, settings: dict[str, Any], listening: socket.socket
) -> int:
    from ..workers import Workers

    return Workers(
        [sys.executable, "-m", "toolwright", *chosen.given_arguments],
        chosen.workers,
        listening,
        chosen.started_in,
        drain=settings["drain"],
        state_keys=settings["state_key"] or (),
    ).run()


def _reloader(chosen: argparse.Namespace) -> Reloader | None:
    """Return what watches the target's files, with `--reload`.

    It is made before the target is loaded: what is written in the meantime is a change.
    """
    if not chosen.reload:
        return None
    from ..reload import Reloader

    return Reloader(chosen.target)


def _served(box: Toolbox, chosen: argparse.Namespace, reloader: Reloader | None) -> Servable:
    """Return the toolbox itself, or with `--reload` what stands for its newest version."""
    if reloader is None:
        return served(box)
    from ...serve.reloadable import Reloadable

    def load() -> Toolbox:
        newer, usable = open_target(chosen)
        if not usable:
            raise BadTarget("a tool is refused")
        return newer

    live = Reloadable(served(box))
    reloader.watch(live, load, lambda newer: add_hooks(newer, chosen))
    return cast("Servable", live)


def _address(host: str, listening: socket.socket, settings: dict[str, Any]) -> str:
    scheme = "https" if settings["tls"] else "http"
    shown = f"[{host.strip('[]')}]" if ":" in host else host
    return f"{scheme}://{shown}:{listening.getsockname()[1]}{settings['path']}"


def _print_address(box: Toolbox, url: str) -> None:
    count = sum(box.is_enabled(name) for name in box)
    print(f"{box.name}: {count} tools at {url} (Ctrl-C ends it)", file=sys.stderr)
