"""Targets that are servers: URLs, commands, entries of settings files."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._json_values import is_object
from ..command import Targeted
from ..target_words import COMMAND
from ..usage import UsageError

if TYPE_CHECKING:
    from ...client import McpClient
    from ...toolbox.box import Toolbox

_ADDRESS = re.compile(r"\A(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:]+\]):\d{1,5}(?:/\S*)?", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_.:-]+")


def is_url(target: str) -> bool:
    """Return whether a target is the URL of a server."""
    return target.lower().startswith(("http://", "https://"))


class RemoteTarget(NamedTuple):
    """One server, as `connect` takes it."""

    given: Any
    name: str = ""
    """Its name where it was found."""


def is_remote(target: str) -> bool:
    """Return whether a target is a server, and not Python."""
    if target.startswith(COMMAND) or is_url(target):
        return True
    path, _, name = target.rpartition(":")
    if target.endswith(".json") or path.endswith(".json"):
        return _has_servers(Path(target)) or (bool(name) and _has_servers(Path(path)))
    return _client_of(target) is not None


def refuse_address(target: str) -> None:
    """Refuse a host and a port without `http://`. Raises `UsageError`."""
    if _ADDRESS.fullmatch(target) and not Path(target).exists():
        raise UsageError(f"there is no file or module {target}: is it a server, http://{target}?")


def check_local(chosen: Targeted) -> None:
    """Refuse flags that only a server takes. Raises `UsageError`."""
    timeout = None if chosen.times_calls else chosen.timeout
    flags = {"--header": chosen.header, "--timeout": timeout, "--token": chosen.token}
    for flag, value in flags.items():
        if value:
            raise UsageError(f"{flag} is for a TARGET that is a server, and {chosen.target} is not")


def remote_box(chosen: Targeted, where: str) -> Toolbox:
    """Return a toolbox with everything that the servers of a target offer. Raises `UsageError`."""
    from ...toolbox.box import Toolbox

    targets = _targets(where)
    clients = [(target, _connected(target, chosen)) for target in targets]
    if len(clients) > 1:  # one that cannot be reached is refused, and waited for
        box = Toolbox(Path(where).stem)
    else:
        box = _box_of(targets[0], clients[0][1], chosen)
    for target, client in clients:
        prefix = f"{_NOT_A_NAME.sub('_', target.name)}_" if len(clients) > 1 else ""
        box.include(client, prefix=prefix)
    return box


def _box_of(target: RemoteTarget, client: McpClient, chosen: Targeted) -> Toolbox:
    """Return an empty toolbox with what a server says about itself. Raises `UsageError`."""
    from ...errors import CallError
    from ...toolbox.box import Toolbox

    try:
        info = client.server
    except CallError as error:
        if not chosen.is_server:  # nobody waits for a command that lists
            raise UsageError(str(error)) from None
        return Toolbox(target.name or "remote")
    return Toolbox(
        info.name or target.name or "remote",
        version=info.version,
        title=info.title or None,
        instructions=info.instructions,
    )


def _connected(target: RemoteTarget, chosen: Targeted) -> McpClient:
    from ...client import connect
    from ...client.client import connection_of

    # Questions go to whoever calls: the command, or its clients.
    options: dict[str, Any] = {"headers": _headers(chosen.header), "ask": False}
    if chosen.token is not None:
        options["token"] = _filled(chosen.token, "--token")
    if chosen.timeout is not None:
        options["timeout"] = chosen.timeout
    # `serve --token` is for its callers.
    flag = "--header Authorization=..." if chosen.is_server else "--token"
    try:
        client = connect(target.given, target.name or None, **options)
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
    connection: Any = connection_of(client)
    connection.how_to_sign_in = (
        "it does not know the --token" if "token" in options else f"give {flag}"
    )
    return client


def _headers(given: Sequence[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in given:
        # `Name: value` is how headers are written elsewhere; no name has either sign in it.
        name = min(line.partition("=")[0], line.partition(":")[0], key=len).strip()
        value = line.strip()[len(name) :].lstrip()
        if not name or value[:1] not in ("=", ":"):
            raise UsageError("--header is written NAME=value")
        headers[name] = _filled(value[1:].strip(), f"--header {name}")
    return headers


def _filled(text: str, flag: str) -> str:
    """Put variables into a text, so that no secret is in the list of processes."""

    def value(found: re.Match[str]) -> str:
        variable = os.environ.get(found[1])
        if variable is None:
            raise UsageError(f"{flag} needs the variable {found[1]}, which is not set")
        return variable

    return _VARIABLE.sub(value, text)


# -- which servers


def _targets(target: str) -> list[RemoteTarget]:
    if target.startswith(COMMAND):
        try:
            words = shlex.split(target.removeprefix(COMMAND))
        except ValueError as error:
            raise UsageError(f"--command has unterminated quotes: {error}") from None
        if not words:
            raise UsageError("--command needs the words of a command")
        return [RemoteTarget(words)]
    if is_url(target):
        return [RemoteTarget(target)]
    known_client = _client_of(target)
    if known_client is not None:
        return [_known_server(*known_client)]
    from ...client.targets import servers_in

    path, _, name = target.rpartition(":")
    if _has_servers(Path(target)):
        names = list(servers_in(Path(target)))
        if not names:
            raise UsageError(f"{target} has no servers")
        return [RemoteTarget(Path(target), server) for server in names]
    return [RemoteTarget(Path(path), name)]


def _has_servers(path: Path) -> bool:
    """Return whether a file is an mcp.json: a scanned program is also JSON."""
    from ...client.targets import servers_in

    if not path.is_file():
        return False
    try:
        servers_in(path)
    except ValueError:
        return False
    return True


def _client_of(target: str) -> tuple[str, str] | None:
    """Return the client and the name of its server that `cursor:notes` means."""
    from ..known_clients import CLIENTS

    client, colon, name = target.partition(":")
    if not colon or not name or client not in CLIENTS or Path(client).exists():
        return None
    return client, name


def _known_server(client_name: str, name: str) -> RemoteTarget:
    from ..known_clients import CLIENTS

    client = CLIENTS[client_name]
    names: list[str] = []
    for project in (True, False) if client.project else (False,):
        servers = client.servers(client.path(project=project))
        names += servers
        if name in servers:
            return RemoteTarget(_entry(servers[name], client.command, client.env, client.url), name)
    listed = ", ".join(f"`{known_name}`" for known_name in dict.fromkeys(names))
    raise UsageError(f"{client.title} has no server `{name}`: it has {listed or 'none'}")


def _entry(entry: Any, command: str, env: str, url: str) -> Any:
    """Return an entry with the keys that most clients have."""
    if not is_object(entry):
        return entry
    settings: Mapping[str, Any] = entry
    common = {"command": command, "env": env, "url": url}
    renamed = {
        key: settings[own_key] for key, own_key in common.items() if own_key and own_key in settings
    }
    return {**settings, **renamed}
