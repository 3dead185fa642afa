"""`uninstall`: remove a server from a client's settings."""

from __future__ import annotations

import argparse

from ..._json_values import is_object
from ..clients.edit import CLIENT_HELP, add_place, retry_if_changed, save, settings_file
from ..clients.known import GENERIC, KnownClient, client_named
from ..output import add_json
from ..usage import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_json(parser)
    parser.add_argument("client", metavar="CLIENT", help=CLIENT_HELP)
    parser.add_argument("name", metavar="NAME", help="what the client calls it")
    add_place(parser)


def run(chosen: argparse.Namespace) -> int:
    """Remove a server from a client's file."""
    client = client_named(chosen.client)
    if client is GENERIC:
        raise UsageError("nothing was written for other clients: take it out of their file by hand")
    if client.is_yaml:
        file = chosen.config or client.path(project=chosen.project)
        raise UsageError(f"{file} is YAML, which is not edited: take the server out of it by hand")
    return retry_if_changed(lambda: _uninstall(client, chosen))


def _uninstall(client: KnownClient, chosen: argparse.Namespace) -> int:
    file = settings_file(client, chosen)
    servers = file.get(client.key)
    known: list[str] = list(servers) if is_object(servers) else []
    if chosen.name not in known:
        listed = f"; it has {', '.join(f'`{name}`' for name in known)}" if known else ""
        raise UsageError(f"{file.shown} has no server `{chosen.name}`{listed}")
    text = file.drop((client.key, chosen.name))
    return save(file, text, chosen, f"`{chosen.name}` is gone from {client.title}")
