"""`clients`: list MCP clients, their files, and the servers in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..._json_values import is_object
from ..clients.known import CLIENTS, KnownClient
from ..command import CliCommand, switch
from ..output import print_json, print_rows
from ..usage import UsageError


class ClientsCommand(CliCommand):
    """Lists MCP clients, their files, and the servers in them."""

    json: bool = switch("print JSON")

    def run(self) -> int:
        """List the clients: where their files are, and which servers are in them."""
        files: list[dict[str, Any]] = []
        for client in CLIENTS.values():
            for project in (False, True) if client.project else (False,):
                path = client.path(project=project)
                if project and not path.exists():
                    continue
                files.append({"client": client.name, "file": str(path), **_state(client, path)})
        if self.json:
            print_json(files)
        else:
            print_rows([(file["client"], f"{file['file']}  {_state_text(file)}") for file in files])
        return 0


def _state(client: KnownClient, path: Path) -> dict[str, Any]:
    try:
        servers = client.servers(path)
    except UsageError as error:
        return {"exists": True, "servers": [], "problem": str(error)}
    return {"exists": path.exists(), "servers": list(servers) if is_object(servers) else []}


def _state_text(state: dict[str, Any]) -> str:
    if "problem" in state:
        return "cannot be read"
    if state["servers"]:
        return ", ".join(state["servers"])
    return "no servers" if state["exists"] else "not there"
