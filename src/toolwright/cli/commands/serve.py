"""`serve`: serve tools over MCP, on stdio or HTTP."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..._log.printable import say
from ...toolbox.box import Toolbox, registry_of, served
from ..load import OpenedTarget, open_target
from ..locking import lock_path
from ..project import real_target
from ..server_settings import ServeArguments, check_own_settings, read_settings
from ..targets.remote import is_remote
from ..telemetry import add_hooks, show_status, shown_in_console
from ..usage import BadTarget, UsageError

if TYPE_CHECKING:
    import socket

    from ...serve.offering import Live
    from ...serve.settings import ServerConfig
    from ..reload import Reloader


class ServeCommand(ServeArguments):
    """Serves until the process is told to end."""

    def run(self) -> int:
        """Serve; return the exit code."""
        started_in = str(Path.cwd())
        if self.folder:
            try:
                os.chdir(self.folder)
            except OSError as error:
                raise UsageError(f"{self.folder} cannot be entered: {error.strerror}") from error
        from ...serve.lifecycle import LifespanFailed

        try:
            return _serve_http(self, started_in) if self.http else _serve_stdio(self)
        except LifespanFailed as error:
            return _not_started(error, self)


class _Opened(NamedTuple):
    """A toolbox, and what is served from it."""

    box: Toolbox
    """The toolbox to which later hooks are added."""
    live: Live


def _not_started(error: Exception, chosen: ServeArguments) -> int:
    from ..workers import NOT_STARTED

    chosen.show_trace(error)
    say(f"toolwright: {error}")
    return 1 if chosen.listening is None else NOT_STARTED


def _serve_stdio(chosen: ServeArguments) -> int:
    from ...run.pipe import take_over
    from ...serve.server import announce_stdio
    from ...serve.stdio.conversation import converse

    config = read_settings(chosen)
    wire = take_over()  # before the target is imported: it may print
    opened = _opened(chosen, config)
    if opened is None:
        return 1
    with contextlib.suppress(KeyboardInterrupt):  # pressed before it has its own handlers
        converse(opened.live, wire, config, lambda box: announce_stdio(box, _hint(chosen)))
    return 0


def _hint(chosen: ServeArguments) -> str:
    install = f"`toolwright install CLIENT{chosen.typed.target}` sets one up."
    return f"{install}\n`--http` serves at an address instead."


def _serve_http(chosen: ServeArguments, started_in: str) -> int:
    from ...serve.server import announce_http, listen, serve_http, why_not

    if chosen.listening is not None and chosen.ready is not None:
        return _serve_as_worker(chosen, chosen.listening, chosen.ready)
    config = read_settings(chosen)
    opened = _opened(chosen, config)
    if opened is None:
        return 1
    try:
        listening = listen(config.host, config.port)
    except OSError as error:
        reason = why_not(error, config.host, config.port, "--port 0", "--host 127.0.0.1")
        say(f"toolwright: {reason}")
        return 1
    if (chosen.workers or 1) > 1:
        port = listening.getsockname()[1]
        announce = functools.partial(announce_http, opened.live, config, port)
        return _start_workers(chosen, config, listening, announce, started_in)

    def announce_with_status(live: Live, config: ServerConfig, port: int) -> None:
        announce_http(live, config, port)
        show_status(opened.box)

    with contextlib.suppress(KeyboardInterrupt):
        serve_http(opened.live, config, listening=listening, announce=announce_with_status)
    return 0


def _serve_as_worker(chosen: ServeArguments, listening: int, ready: int) -> int:
    """Serve on the listening socket of the process that started this one."""
    import socket

    from ...serve.server import serve_http
    from ..workers import end_with_input, keys_from_input

    config = read_settings(chosen, keys_from_input())
    opened = _opened(chosen, config)
    if opened is None:
        return 1
    end_with_input()

    def tell_supervisor(*_: object) -> None:
        with contextlib.suppress(OSError):  # it is gone, and this worker ends with its input
            os.write(ready, b"+")
        os.close(ready)

    serve_http(
        opened.live, config, listening=socket.socket(fileno=listening), announce=tell_supervisor
    )
    return 0


def _start_workers(
    chosen: ServeArguments,
    config: ServerConfig,
    listening: socket.socket,
    announce: Callable[[], None],
    started_in: str,
) -> int:
    from tempfile import TemporaryDirectory

    from ...serve.access.guard import state_keys
    from ..workers import Workers

    command = [sys.executable, "-m", "toolwright", *chosen.typed.words]
    with contextlib.ExitStack() as stack:
        if config.console:
            folder = TemporaryDirectory(prefix="toolwright-", ignore_cleanup_errors=True)
            command += ["--figures", stack.enter_context(folder)]
        return Workers(
            command,
            chosen.workers or 1,
            listening,
            started_in,
            drain=config.drain,
            state_keys=state_keys(config.state_key),
            announce=announce,
        ).run()


def _opened(chosen: ServeArguments, config: ServerConfig) -> _Opened | None:
    """Open the toolbox to serve: from its lock, or loaded now; None if it may not be used."""
    if chosen.lock is not None:
        from ..locking import opened_from_lock

        from_lock = opened_from_lock(chosen)
        if from_lock is not None:
            opened = _Opened(*from_lock)
            _check_search(opened.live, config)
            return opened
    reloader = _reloader(chosen)
    loaded = open_target(chosen)
    box = loaded.box
    if not loaded.usable or _is_nothing_left(loaded, chosen):
        return None
    if chosen.listening is None:  # else the process that started this one has done so
        check_own_settings(box, chosen, config)
    _check_search(served(box), config)
    if chosen.http:
        from ...serve.lifecycle import open_stores

        open_stores(served(box))
    add_hooks(box, chosen)
    return _Opened(box, _served(box, chosen, reloader, config))


def _is_nothing_left(loaded: OpenedTarget, chosen: ServeArguments) -> bool:
    """Say so if everything was refused; with `--reload` the author is about to mend it."""
    box = loaded.box
    some = any(box.is_enabled(name) for name in box) or box.resources or box.prompts
    if some or not loaded.refusals or chosen.reload or registry_of(box).mirrors:
        return False
    say("toolwright: nothing is left to serve: every tool is refused")
    return True


def _check_search(box: Live, config: ServerConfig) -> None:
    """Refuse a toolbox that has a tool with one of the search's own names. Raises `BadTarget`."""
    if not config.search:
        return
    from ...serve.search import check_names
    from ...serve.search_index import SearchUnavailable

    try:
        check_names(box.now)
    except (ValueError, SearchUnavailable) as error:
        raise BadTarget(str(error)) from None


def _reloader(chosen: ServeArguments) -> Reloader | None:
    """Return the watcher of the target's files, with `--reload`.

    It is made before the target is loaded: whatever is written in the meantime is a change.
    """
    if not chosen.reload:
        return None
    if is_remote(real_target(chosen.target)):
        raise UsageError("--reload watches files; what changes on a server is followed without it")
    from ..reload import Reloader

    return Reloader(chosen.target, chosen.show_trace)


def _served(
    box: Toolbox, chosen: ServeArguments, reloader: Reloader | None, config: ServerConfig
) -> Live:
    """Return the toolbox itself, or with `--reload` a stand-in for its newest version."""
    offering = served(box)
    if config.console:
        offering = shown_in_console(
            offering, chosen, lock_path(chosen.target, None), config.console_role
        )
    if reloader is None:
        return offering
    from ...serve.reloadable import Reloadable

    def load() -> Toolbox:
        newer = open_target(chosen)
        if not newer.usable:
            raise BadTarget("a tool is refused")
        _check_search(served(newer.box), config)
        return newer.box

    live = Reloadable(offering)
    reloader.watch(live, load, lambda newer: add_hooks(newer, chosen))
    return live
