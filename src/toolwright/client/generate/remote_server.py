"""The server behind a generated module."""

from __future__ import annotations

import shlex
import subprocess
import sys
import threading
import typing
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ..._door import DOOR
from ..callables.remote_values import adapter_of, typed

if TYPE_CHECKING:
    from ..callables.remote_callable import RemoteCallable

R = TypeVar("R")


class RemoteServer:
    """Connects to a server at the first call of a generated function, and keeps the connection.

    `use` puts another connection in its place: one with headers or a token, or a test's own.
    """

    def __init__(self, *target: Any) -> None:
        self.target = target
        self._lock = threading.Lock()
        self._client: Any = None
        self._owned = False
        self._adapters: dict[Any, Any] = {}
        self._words = [
            word if isinstance(word, str) else f"command:{shlex.join(map(str, word))}"
            for word in target[:1]
        ]
        """How the command names the server."""

    @classmethod
    def serving(cls, target: str, *flags: str, beside: str = "") -> RemoteServer:
        """Serve a target of the command in a process of its own; `beside` is a file near it."""
        words = [str((Path(beside).parent / target).resolve() if beside else target), *flags]
        server = cls([sys.executable, "-m", DOOR, "serve", *words])
        server._words = words
        return server

    def run(self, words: Sequence[str] | None = None) -> int:
        """Run `toolwright call` on the server, without words `list`; return the exit code."""
        arguments = list(sys.argv[1:] if words is None else words)
        command = [
            sys.executable,
            "-m",
            DOOR,
            "call" if arguments else "list",
            *self._words,
            *arguments,
        ]
        try:
            return subprocess.call(command)  # noqa: S603 - our own command, never a shell
        except KeyboardInterrupt:
            return 130

    def use(self, client: Any) -> None:
        """Send calls through this client from now on; whoever made it closes it."""
        self.close()
        with self._lock:
            self._client, self._owned = client, False

    def close(self) -> None:
        """Close the connection; the next call makes another."""
        with self._lock:
            client, owned = self._client, self._owned
            self._client, self._owned = None, False
        if owned:
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def call(self, name: str, arguments: Mapping[str, Any], function: Callable[..., R]) -> R:
        """Call a tool; the value has the return type of `function`, which calls it."""
        remote = self._tool(name)
        return self._typed(remote.send(_changed(remote, arguments)), name, function)

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any],
        function: Callable[..., Coroutine[Any, Any, R]],
    ) -> R:
        """Do the same from async code."""
        import asyncio

        remote = await asyncio.to_thread(self._tool, name)
        value = await remote.send_async(_changed(remote, arguments))
        return self._typed(value, name, function)

    def _tool(self, name: str) -> RemoteCallable:
        with self._lock:
            if self._client is None:
                from ..client import connect

                self._client, self._owned = connect(*self.target), True
            client = self._client
        return client[name]

    def _typed(self, value: Any, name: str, function: Any) -> Any:
        adapter = self._adapters.get(function)
        if adapter is None:
            hint = typing.get_type_hints(function, include_extras=True).get("return", Any)
            adapter = self._adapters[function] = adapter_of(hint)
        return typed(adapter, value, name)


def _changed(remote: RemoteCallable, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments without those that are the server's own defaults: they need not be sent."""
    defaults = remote.defaults
    return {
        key: value
        for key, value in arguments.items()
        if key not in defaults or not _is_same(value, defaults[key])
    }


def _is_same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and value == default
