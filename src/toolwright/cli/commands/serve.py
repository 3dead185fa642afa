"""`serve`: serve tools over MCP, on stdio or HTTP."""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..._log.printable import say
from ...toolbox.box import Toolbox, served
from ..http_settings import drain_of
from ..load import open_target
from ..serve_flags import add_flags, complete
from ..serving.opened import Opened
from ..serving.own_settings import check_own_settings
from ..serving.searched import check_search, searched
from ..telemetry import add_hooks, show_status
from ..usage import BadTarget, UsageError

if TYPE_CHECKING:
    import socket

    from ...serve.servable import Servable
    from ...serve.settings import HttpConfig
    from ..reload import Reloader


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_flags(parser)


def run(chosen: argparse.Namespace) -> int:
    """Serve until the process is told to end."""
    complete(chosen)
    chosen.started_in = str(Path.cwd())
    if chosen.folder:
        try:
            os.chdir(chosen.folder)
        except OSError as error:
            raise UsageError(f"{chosen.folder} cannot be entered: {error.strerror}") from error
    from ...serve.lifespan import LifespanFailed

    try:
        return _serve_http(chosen) if chosen.http else _serve_stdio(chosen)
    except LifespanFailed as error:
        return _not_started(error, chosen)


def _not_started(error: Exception, chosen: argparse.Namespace) -> int:
    from ..logs import show_trace
    from ..workers import NOT_STARTED

    show_trace(error, chosen)
    say(f"toolwright: {error}")
    return 1 if chosen.listening is None else NOT_STARTED


def _serve_stdio(chosen: argparse.Namespace) -> int:
    from ...run.process.descriptors import take_over
    from ...serve.announce import announce_stdio
    from ...serve.drain import STDIO_SECONDS
    from ...serve.stdio.conversation import converse

    drain = drain_of(chosen, STDIO_SECONDS)
    wire = take_over()  # before the target is imported: it may print
    own = {"drain": drain, "short": not chosen.sdk, "search": chosen.search}
    opened = _opened(chosen, own)
    if opened is None:
        return 1
    with contextlib.suppress(KeyboardInterrupt):  # pressed before it has its own handlers
        converse(
            searched(opened.live, chosen),
            wire,
            short=not chosen.sdk,
            drain=drain,
            announce=lambda box: announce_stdio(box, _hint(chosen)),
        )
    return 0


def _hint(chosen: argparse.Namespace) -> str:
    install = f"`toolwright install CLIENT{chosen.typed_target}` sets one up."
    return f"{install}\n`--http` serves at an address instead."


def _serve_http(chosen: argparse.Namespace) -> int:
    from ...serve.announce import announce_http, why_not
    from ...serve.server import listen, serve_http
    from ...serve.settings import http_config
    from ..http_settings import http_settings

    if chosen.listening is not None:
        return _serve_as_worker(chosen)
    settings = http_settings(chosen)
    opened = _opened(chosen, settings)
    if opened is None:
        return 1
    try:
        listening = listen(chosen.host, chosen.port)
    except OSError as error:
        said = why_not(error, chosen.host, chosen.port, "--port 0", "--host 127.0.0.1")
        say(f"toolwright: {said}")
        return 1
    if chosen.workers > 1:
        config, port = http_config(cast("Any", settings)), listening.getsockname()[1]
        announce = functools.partial(announce_http, opened.live, config, port)
        return _start_workers(chosen, settings, listening, announce)

    def announce_with_status(live: Servable, config: HttpConfig, port: int) -> None:
        announce_http(live, config, port)
        show_status(opened.box, chosen)

    with contextlib.suppress(KeyboardInterrupt):
        serve_http(opened.live, **settings, listening=listening, announce=announce_with_status)
    return 0


def _serve_as_worker(chosen: argparse.Namespace) -> int:
    """Serve on the listening socket of the process that started this one."""
    import socket

    from ...serve.server import serve_http
    from ..http_settings import http_settings
    from ..workers import end_with_input, keys_from_input

    settings = http_settings(chosen, keys_from_input())
    opened = _opened(chosen, settings)
    if opened is None:
        return 1
    end_with_input()
    listening = socket.socket(fileno=chosen.listening)

    def tell_supervisor(*_: object) -> None:
        with contextlib.suppress(OSError):  # it is gone, and this worker ends with its input
            os.write(chosen.ready, b"+")
        os.close(chosen.ready)

    serve_http(opened.live, **settings, listening=listening, announce=tell_supervisor)
    return 0


def _start_workers(
    chosen: argparse.Namespace,
    settings: dict[str, Any],
    listening: socket.socket,
    announce: Callable[[], None],
) -> int:
    from ..workers import Workers

    return Workers(
        [sys.executable, "-m", "toolwright", *chosen.given_arguments],
        chosen.workers,
        listening,
        chosen.started_in,
        drain=settings["drain"],
        state_keys=settings["state_key"] or (),
        announce=announce,
    ).run()


def _opened(chosen: argparse.Namespace, settings: dict[str, Any]) -> Opened | None:
    """Open the toolbox to serve: from its lock, or loaded now; None if it may not be used."""
    if chosen.lock is not None:
        from ..serving.from_lock import opened_from_lock

        opened = opened_from_lock(chosen)
        if opened is not None:
            check_search(opened.live, chosen)
            return opened
    reloader = _reloader(chosen)
    box, usable = open_target(chosen)
    if not usable or _is_nothing_left(box, chosen):
        return None
    if chosen.listening is None:  # else the process that started this one has done so
        check_own_settings(box, chosen, settings)
    check_search(served(box), chosen)
    if chosen.http:
        from ...serve.tasks.opening import open_stores

        open_stores(served(box))
    add_hooks(box, chosen)
    return Opened(box, _served(box, chosen, reloader))


def _is_nothing_left(box: Toolbox, chosen: argparse.Namespace) -> bool:
    """Say so if everything was refused; with `--reload` the author is about to mend it."""
    some = any(box.is_enabled(name) for name in box) or box.resources or box.prompts
    if some or not chosen.refused or chosen.reload or served(box).mirrors:
        return False
    say("toolwright: nothing is left to serve: every tool is refused")
    return True


def _reloader(chosen: argparse.Namespace) -> Reloader | None:
    """Return the watcher of the target's files, with `--reload`.

    It is made before the target is loaded: whatever is written in the meantime is a change.
    """
    if not chosen.reload:
        return None
    from ..logs import show_trace
    from ..reload import Reloader

    return Reloader(chosen.target, lambda error: show_trace(error, chosen))


def _served(box: Toolbox, chosen: argparse.Namespace, reloader: Reloader | None) -> Servable:
    """Return the toolbox itself, or with `--reload` a stand-in for its newest version."""
    if reloader is None:
        return served(box)
    from ...serve.reloadable import Reloadable

    def load() -> Toolbox:
        newer, usable = open_target(chosen)
        if not usable:
            raise BadTarget("a tool is refused")
        check_search(served(newer), chosen)
        return newer

    live = Reloadable(served(box))
    reloader.watch(live, load, lambda newer: add_hooks(newer, chosen))
    return cast("Servable", live)
