"""What a server says when it starts."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from .._log.printable import say
from .._words import count_of
from .offering import Live

if TYPE_CHECKING:
    from .settings import ServerConfig

_ON_STDIO = 'box.serve("http") serves at an address instead.'


def announce_http(box: Live, config: ServerConfig, port: int) -> None:
    """Say at which address a server answers."""
    say(f"{_counted(box)} at {address(config, port)} (Ctrl-C ends it)")


def address(config: ServerConfig, port: int) -> str:
    """Return the URL of a server that listens at a port."""
    host = f"[{config.host.strip('[]')}]" if ":" in config.host else config.host
    scheme = "http" if config.tls is None else "https"
    return f"{scheme}://{host}:{port}{config.path}"


def announce_stdio(box: Live, hint: str = _ON_STDIO) -> None:
    """Show a person at a terminal that this server waits for a client, and what they may want."""
    # Short lines: a terminal would break long ones inside words.
    waiting = f"{_counted(box)} over stdio, waiting for a client that starts this program."
    say(f"{waiting}\n{hint} Ctrl-C ends it.")


def _counted(box: Live) -> str:
    tools = box.now.tools
    count = sum(tools.usable(tool.published_name, None) is not None for tool in tools.values())
    return f"{box.now.about.name}: {count_of(count, 'tool')}"


def why_not(error: OSError, host: str, port: int, port_flag: str, host_flag: str) -> str:
    """Return why a server cannot listen, and what to give instead."""
    if error.errno in (errno.EADDRINUSE, errno.EACCES):
        fix = f"`{port_flag}` picks a free port"
    else:
        fix = f"`{host_flag}` listens on this machine only"
    return f"cannot listen at {host}:{port}: {error.strerror}; {fix}"
