"""Call three tools of the example shop, then serve it and say how to reach it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from sys import executable

import showroom
from shop import shop
from warehouse import parser

PORT = 8000
NEXT = """
Look at it at {home}/console/

The shop is served at {url} (Ctrl-C ends it). In another terminal, try

    {python} {client} {url}
    {python} {client} {url} search query=bike
    curl {home}/ready
    {toolwright} install claude-code {url} --name shop

or connect any other client to that address.
"""


def main() -> None:
    """Show what a model would get, and serve the tools."""
    shop.include(parser)  # the commands of a program are tools as well
    shop.include(showroom.showroom)
    port = free_port()
    print(f"The console will be at http://127.0.0.1:{port}/console/\n", flush=True)
    calls = (
        ("search", {"query": "bike"}),
        ("order", {"lines": [{"sku": "P-1"}]}),
        ("warehouse_move", {"sku": "B-1", "shelf": "east", "count": 2}),
    )
    for name, sent in calls:
        print(f"{name} {sent}\n  -> {shop.call(name, sent).text}\n", flush=True)
    threading.Thread(target=announce, args=(f"http://127.0.0.1:{port}",), daemon=True).start()
    shop.serve("http", port=port, console=True)


def free_port() -> int:
    """Return the usual port, or another one if it is taken."""
    for port in (PORT, 0):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return probe.getsockname()[1]
    return PORT


def announce(home: str) -> None:
    """Say how to reach the server, once it answers."""
    while True:
        with contextlib.suppress(urllib.error.URLError, OSError):
            urllib.request.urlopen(f"{home}/ready").close()  # noqa: S310 - our own address
            break
        time.sleep(0.02)
    text = NEXT.format(
        url=f"{home}/mcp",
        home=home,
        python=near(Path(executable)),
        toolwright=near(Path(executable).with_name("toolwright")),
        client=near(Path(__file__).with_name("client.py")),
    )
    print(text.strip(), flush=True)


def near(path: Path) -> str:
    """Return a path as it is written from here."""
    with contextlib.suppress(ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)


if __name__ == "__main__":
    main()
