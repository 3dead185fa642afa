"""`console`: look at tools in a browser, and try them."""

from __future__ import annotations

import contextlib
import webbrowser
from typing import TYPE_CHECKING

from ..._log.printable import say
from ...toolbox.box import registry_of, served
from ..command import TargetCommand, option, switch
from ..load import open_target
from ..locking import lock_path
from ..project import real_target
from ..targets.remote import is_remote
from ..telemetry import console_hook, shown_in_console
from ..usage import UsageError

if TYPE_CHECKING:
    import socket

    from ...client import McpClient
    from ...serve.offering import Live
    from ...serve.settings import ServerConfig
    from ...toolbox.box import Toolbox

_PORT = 8010


class ConsoleCommand(TargetCommand):
    """Shows the tools in a browser, until it is told to end."""

    starts_server = True

    host: str = option("where to listen", default="127.0.0.1")
    port: int | None = option(f"and at which port ({_PORT}, or one that is free)", kind=int)
    open: bool = switch("open the page in the browser", "--open")

    def run(self) -> int:
        """Serve the page; return the exit code."""
        from ...serve.access.guard import is_local
        from ...serve.lifecycle import LifespanFailed
        from ...serve.server import serve_http
        from ...serve.settings import server_config

        if not is_local(self.host):
            raise UsageError(
                "the console is for this machine; "
                "`toolwright serve --http --console --token ...` shows it to others"
            )
        opened = open_target(self)
        if not opened.usable:
            return 1
        opened.box.around(console_hook())
        server = self._server(opened.box)
        lock_file = lock_path(self.target, None)
        offering = shown_in_console(served(opened.box), self, lock_file, server=server)
        listening = self._listening()
        if listening is None:
            return 1
        settings = {"host": self.host, "port": listening.getsockname()[1], "console": True}
        config = server_config("http", settings)
        try:
            with contextlib.suppress(KeyboardInterrupt):
                serve_http(offering, config, listening=listening, announce=self._announce)
        except LifespanFailed as error:
            say(f"toolwright: {error}")
            return 1
        return 0

    def _server(self, box: Toolbox) -> McpClient | None:
        """Return the client of the server that all of it comes from, if there is one."""
        if not is_remote(real_target(self.target)):
            return None
        mirrors = registry_of(box).mirrors
        return getattr(mirrors[0], "client", None) if len(mirrors) == 1 else None

    def _listening(self) -> socket.socket | None:
        from ...serve.server import listen, why_not

        try:
            return listen(self.host, _PORT if self.port is None else self.port)
        except OSError as error:
            if self.port is None:
                return listen(self.host, 0)
            reason = why_not(error, self.host, self.port, "--port 0", "--host 127.0.0.1")
            say(f"toolwright: {reason}")
            return None

    def _announce(self, live: Live, config: ServerConfig, port: int) -> None:
        from ...serve.server import announce_http, console_address

        announce_http(live, config, port)
        if self.open:
            webbrowser.open(console_address(config, port))
