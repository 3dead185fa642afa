"""`serve`: serve tools over MCP, on stdio or HTTP."""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..._log.printable import say
from ...limits import check_count
from ...toolbox.box import Toolbox, served
from ..load import add_target, open_target
from ..server_settings import add_flags, check_given, read_settings
from ..serving.opened import Opened
from ..serving.own_settings import check_own_settings
from ..serving.searched import check_search, searched
from ..telemetry import add_flags as add_watching
from ..telemetry import add_hooks, show_status
from ..usage import BadTarget, UsageError

if TYPE_CHECKING:
    import socket

    from ...serve.servable import Servable
    from ...serve.settings import ServerConfig
    from ..reload import Reloader


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_target(
        parser, strict="fail if a tool is refused, or the doctor finds an error", serves=True
    )
    parser.add_argument("--folder", metavar="DIR", help="work in this folder")
    parser.add_argument("--http", action="store_true", help="serve over HTTP")
    add_flags(parser)
    parser.add_argument(
        "--reload", action="store_true", help="load the tools again when their files change"
    )
    parser.add_argument(
        "--lock",
        nargs="?",
        const="",
        metavar="FILE",
        help="list what the lock has, and load the tools at the first call (toolwright.lock.json)",
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="number of processes to serve with (1)"
    )
    # The socket that a worker serves on; `cli.workers` passes it.
    parser.add_argument("--listening", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--ready", type=int, help=argparse.SUPPRESS)
    add_watching(parser)


def run(chosen: argparse.Namespace) -> int:
    """Serve until the process is told to end."""
    _check(chosen)
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


def _check(chosen: argparse.Namespace) -> None:
    """Refuse flags that would do nothing, or not what they say. Raises `UsageError`."""
    if not chosen.http:
        if chosen.workers is not None:
            raise UsageError("--workers goes with --http: stdio has no use for it")
        check_given(chosen.settings, "stdio")
    if chosen.lock is not None and chosen.reload:
        raise UsageError("--lock starts without the code that --reload watches: give one of them")
    if chosen.workers is not None:
        try:
            check_count("--workers", chosen.workers)
        except ValueError as error:
            raise UsageError(str(error)) from error
    if (chosen.workers or 1) > 1:
        if chosen.reload:
            raise UsageError("--reload works with one process: leave --workers out")
        if "metrics" in chosen.settings:
            raise UsageError("--metrics counts in one process: leave --workers out")
        if sys.platform == "win32":
            raise UsageError(
                "--workers does not work on Windows: processes cannot share a socket there"
            )


def _config(chosen: argparse.Namespace, state_keys: Sequence[bytes] = ()) -> ServerConfig:
    place = "http" if chosen.http else "stdio"
    return read_settings(chosen.settings, place, workers=chosen.workers or 1, state_keys=state_keys)


def _not_started(error: Exception, chosen: argparse.Namespace) -> int:
    from ..logs import show_trace
    from ..workers import NOT_STARTED

    show_trace(error, chosen)
    say(f"toolwright: {error}")
    return 1 if chosen.listening is None else NOT_STARTED


def _serve_stdio(chosen: argparse.Namespace) -> int:
    from ...run.process.descriptors import take_over
    from ...serve.announce import announce_stdio
    from ...serve.stdio.conversation import converse

    config = _config(chosen)
    wire = take_over()  # before the target is imported: it may print
    opened = _opened(chosen, config)
    if opened is None:
        return 1
    with contextlib.suppress(KeyboardInterrupt):  # pressed before it has its own handlers
        converse(
            searched(opened.live, config),
            wire,
            short=config.short,
            drain=config.drain,
            announce=lambda box: announce_stdio(box, _hint(chosen)),
        )
    return 0


def _hint(chosen: argparse.Namespace) -> str:
    install = f"`toolwright install CLIENT{chosen.typed_target}` sets one up."
    return f"{install}\n`--http` serves at an address instead."


def _serve_http(chosen: argparse.Namespace) -> int:
    from ...serve.announce import announce_http, why_not
    from ...serve.server import listen, serve_http

    if chosen.listening is not None:
        return _serve_as_worker(chosen)
    config = _config(chosen)
    opened = _opened(chosen, config)
    if opened is None:
        return 1
    try:
        listening = listen(config.host, config.port)
    except OSError as error:
        said = why_not(error, config.host, config.port, "--port 0", "--host 127.0.0.1")
        say(f"toolwright: {said}")
        return 1
    if (chosen.workers or 1) > 1:
        port = listening.getsockname()[1]
        announce = functools.partial(announce_http, opened.live, config, port)
        return _start_workers(chosen, config, listening, announce)

    def announce_with_status(live: Servable, config: ServerConfig, port: int) -> None:
        announce_http(live, config, port)
        show_status(opened.box, chosen)

    with contextlib.suppress(KeyboardInterrupt):
        serve_http(opened.live, config, listening=listening, announce=announce_with_status)
    return 0


def _serve_as_worker(chosen: argparse.Namespace) -> int:
    """Serve on the listening socket of the process that started this one."""
    import socket

    from ...serve.server import serve_http
    from ..workers import end_with_input, keys_from_input

    config = _config(chosen, keys_from_input())
    opened = _opened(chosen, config)
    if opened is None:
        return 1
    end_with_input()
    listening = socket.socket(fileno=chosen.listening)

    def tell_supervisor(*_: object) -> None:
        with contextlib.suppress(OSError):  # it is gone, and this worker ends with its input
            os.write(chosen.ready, b"+")
        os.close(chosen.ready)

    serve_http(opened.live, config, listening=listening, announce=tell_supervisor)
    return 0


def _start_workers(
    chosen: argparse.Namespace,
    config: ServerConfig,
    listening: socket.socket,
    announce: Callable[[], None],
) -> int:
    from ...serve.access.state_key import state_keys
    from ..workers import Workers

    return Workers(
        [sys.executable, "-m", "toolwright", *chosen.given_arguments],
        chosen.workers,
        listening,
        chosen.started_in,
        drain=config.drain,
        state_keys=state_keys(config.state_key),
        announce=announce,
    ).run()


def _opened(chosen: argparse.Namespace, config: ServerConfig) -> Opened | None:
    """Open the toolbox to serve: from its lock, or loaded now; None if it may not be used."""
    if chosen.lock is not None:
        from ..serving.from_lock import opened_from_lock

        opened = opened_from_lock(chosen)
        if opened is not None:
            check_search(opened.live, config)
            return opened
    reloader = _reloader(chosen)
    box, usable = open_target(chosen)
    if not usable or _is_nothing_left(box, chosen):
        return None
    if chosen.listening is None:  # else the process that started this one has done so
        check_own_settings(box, chosen, config)
    check_search(served(box), config)
    if chosen.http:
        from ...serve.tasks.opening import open_stores

        open_stores(served(box))
    add_hooks(box, chosen)
    return Opened(box, _served(box, chosen, reloader, config))


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


def _served(
    box: Toolbox, chosen: argparse.Namespace, reloader: Reloader | None, config: ServerConfig
) -> Servable:
    """Return the toolbox itself, or with `--reload` a stand-in for its newest version."""
    if reloader is None:
        return served(box)
    from ...serve.reloadable import Reloadable

    def load() -> Toolbox:
        newer, usable = open_target(chosen)
        if not usable:
            raise BadTarget("a tool is refused")
        check_search(served(newer), config)
        return newer

    live = Reloadable(served(box))
    reloader.watch(live, load, lambda newer: add_hooks(newer, chosen))
    return cast("Servable", live)


def name_lock_file(words: list[str]) -> list[str]:
    """Return the words with `--lock=` for a `--lock` that is followed by the target, not a file."""
    named: list[str] = []
    for at, word in enumerate(words):
        follows = words[at + 1 : at + 2]
        is_bare = word == "--lock" and not (follows and follows[0].endswith(".json"))
        named.append("--lock=" if is_bare else word)
    return named
