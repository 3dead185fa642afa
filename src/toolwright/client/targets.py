"""What can be connected to: URLs, commands, scripts, entries of mcp.json."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit, urlunsplit

from .._files import read_file
from .._json_values import is_list, is_object
from ..sources.secret_names import without_secrets
from ..tools.members import is_mcp_server

if TYPE_CHECKING:
    from ..serve.offering import Offering

_URL = re.compile(r"https?://", re.IGNORECASE)
_KEYS = ("mcpServers", "servers", "context_servers", "mcp_servers")
"""The keys under which programs keep their servers."""
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_RUNNERS: Mapping[str, tuple[str, ...]] = {
    ".py": (sys.executable,),
    ".js": ("node",),
    ".mjs": ("node",),
    ".cjs": ("node",),
}
_MOST_FILE = 10_000_000
"""Bytes of an mcp.json."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A server at a URL."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    name: str = ""

    def __str__(self) -> str:
        """Return its name in errors: a URL may hold a password, or a key in its query."""
        if self.name:
            return self.name
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return without_secrets([urlunsplit((parts.scheme, host, parts.path, "", ""))])[0]


@dataclass(frozen=True, slots=True)
class StartedServer:
    """A server that is started as a program, and spoken to over its standard streams."""

    argv: tuple[str, ...] = field(repr=False)
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    folder: str | None = None
    name: str = ""

    def __str__(self) -> str:
        """Return its name in errors, without most of its words, which may hold a key."""
        if self.name:
            return self.name
        first = without_secrets(self.argv)[:2]
        words = [Path(word).name for word in first if not word.startswith("-")]
        return " ".join(words)[:100]


@dataclass(frozen=True, slots=True)
class LocalBox:
    """A toolbox of this process."""

    box: Offering

    def __str__(self) -> str:
        """Return its name in errors."""
        return self.box.about.name


@dataclass(frozen=True, slots=True)
class ServerObject:
    """A server object of FastMCP or the SDK in this process."""

    server: Any = field(repr=False)

    def __str__(self) -> str:
        """Return its name in errors."""
        return str(getattr(self.server, "name", "") or type(self.server).__name__)


Connectable = ServerAddress | StartedServer | LocalBox | ServerObject


def target_of(given: Any, name: str | None = None) -> Connectable:
    """Return what a text, a path, words, a toolbox or a server object stand for. Raises `TypeError`, `ValueError`.

    A text is a URL, else an existing path, else the words of a command.
    """
    kind = cast("type[Any]", type(given))
    if hasattr(kind, "__servable__"):
        return LocalBox(given.__servable__())
    if is_mcp_server(given):
        return ServerObject(given)
    if isinstance(given, os.PathLike):
        return _from_path(Path(cast("os.PathLike[str]", given)), name)
    if isinstance(given, str):
        return _from_text(given, name)
    if is_object(given):
        return _from_entry(given, name or "", "the entry")
    if isinstance(given, Sequence) and not isinstance(given, bytes | bytearray):
        words = list(cast("Sequence[Any]", given))
        if words and all(isinstance(word, str | os.PathLike) for word in words):
            return StartedServer(tuple(str(word) for word in words))
    msg = f"connect() takes a URL, a command, a path, a Toolbox or a server object; got {kind.__name__}"
    raise TypeError(msg)


def _from_text(text: str, name: str | None) -> Connectable:
    if "\0" in text or not text.strip():
        msg = "connect() needs a URL, a path, or the words of a command; got none of them"
        raise ValueError(msg)
    if _URL.match(text):
        _check_url(text)
        return ServerAddress(text)
    if len(text) < 4096 and (path := Path(text)).exists():
        return _from_path(path, name)
    front, colon, behind = text.rpartition(":")
    if colon and behind and not name and front.endswith(".json") and Path(front).exists():
        return _from_path(Path(front), behind)
    try:
        words = shlex.split(text)
    except ValueError as error:
        msg = f"these are not the words of a command: {error}"
        raise ValueError(msg) from None
    if not words:
        msg = "connect() needs a URL, a path, or the words of a command; got none of them"
        raise ValueError(msg)
    return StartedServer(tuple(words))


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        msg = f"this is not a URL: {error}"
        raise ValueError(msg) from None
    if not host or any(ord(char) <= 32 for char in url):
        msg = "this is not a URL: it has no host, or has blanks in it"
        raise ValueError(msg)


def _from_path(path: Path, name: str | None) -> Connectable:
    if not path.exists():
        msg = f"there is no file {path}"
        raise ValueError(msg)
    if path.is_dir():
        msg = f"{path} is a folder; name a script, or an mcp.json, in it"
        raise ValueError(msg)
    if path.suffix == ".json":
        return entry_in(path, name)
    runner = _RUNNERS.get(path.suffix.lower())
    if runner is None and not os.access(path, os.X_OK):
        msg = f"{path} is neither an mcp.json, nor a .py or .js file, nor can it be run"
        raise ValueError(msg)
    return StartedServer((*(runner or ()), str(path.absolute())), name=path.name)


# -- mcp.json


def servers_in(path: Path) -> dict[str, Any]:
    """Return the servers of an mcp.json, by name. Raises `ValueError`."""
    try:
        text = read_file(path, _MOST_FILE)
        document = json.loads(_without_comments(text.decode("utf-8-sig")))
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}"
        raise ValueError(msg) from None
    except (ValueError, RecursionError) as error:
        msg = f"{path} is not JSON: {error}"
        raise ValueError(msg) from None
    for key in _KEYS:
        if is_object(document) and is_object(document.get(key)):
            return dict(document[key])
    msg = f'{path} has no servers: it needs {{"mcpServers": {{"name": {{...}}}}}}'
    raise ValueError(msg)


def entry_in(path: Path, name: str | None) -> Connectable:
    """Return the server of that name in an mcp.json, or the only one. Raises `ValueError`."""
    servers = servers_in(path)
    names = ", ".join(f"`{server}`" for server in servers)
    if name is None:
        if len(servers) != 1:
            msg = f"{path} has {len(servers)} servers; name one of {names}"
            raise ValueError(msg)
        name = next(iter(servers))
    if name not in servers:
        msg = f"{path} has no server `{name}`; it has {names or 'none'}"
        raise ValueError(msg)
    return _from_entry(servers[name], name, f"`{name}` in {path}")


def _from_entry(entry: Any, name: str, what: str) -> Connectable:
    if not is_object(entry):
        msg = f"{what} is not an object"
        raise ValueError(msg)
    url = entry.get("url") or entry.get("serverUrl") or entry.get("httpUrl") or entry.get("uri")
    if isinstance(url, str):
        if entry.get("type") == "sse":
            msg = f"{what} uses the transport `sse`, which the protocol dropped in 2025-03-26"
            raise ValueError(msg)
        url = _filled(url, what)
        _check_url(url)
        return ServerAddress(url, _texts(entry, "headers", what), name)
    command = entry.get("command")
    if is_object(command):  # Zed
        entry, command = command, command.get("path")
    if not isinstance(command, str) or not command:
        msg = f"{what} has neither a `url` nor a `command`"
        raise ValueError(msg)
    args: Any = entry.get("args") or []
    if not is_list(args) or not all(isinstance(argument, str) for argument in args):
        msg = f"{what} has `args` that are not a list of texts"
        raise ValueError(msg)
    argv = [_filled(argument, what) for argument in (command, *args)]
    folder = entry.get("cwd")
    env = _texts(entry, "env", what)
    return StartedServer(tuple(argv), env, _filled(folder, what) if folder else None, name)


def _texts(entry: Mapping[str, Any], key: str, what: str) -> dict[str, str]:
    table: Any = entry.get(key) or {}
    if not is_object(table):
        msg = f"{what} has a `{key}` that is not an object"
        raise ValueError(msg)
    return {name: _filled(str(value), what) for name, value in table.items()}


def _filled(text: str, what: str) -> str:
    """Put the values of variables into a text: `${NAME}`, `${NAME:-default}`, `${env:NAME}`."""

    def value(found: re.Match[str]) -> str:
        name, default = cast("tuple[str, str | None]", found.groups())
        text_of_variable = os.environ.get(name, default)
        if text_of_variable is None:
            msg = f"{what} needs the environment variable {name}, which is not set"
            raise ValueError(msg)
        return text_of_variable

    return _VARIABLE.sub(value, text)


_STRING = r'"(?:[^"\\]|\\.)*"?'
_COMMENTS = re.compile(rf"{_STRING}|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?", re.DOTALL)
_LAST_COMMAS = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)


def _without_comments(text: str) -> str:
    """Leave out comments, and commas after the last item: some programs write such files."""
    for pattern in (_COMMENTS, _LAST_COMMAS):
        text = pattern.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
    return text
