"""`uninstall`: remove a server from a client's settings."""

from __future__ import annotations

from ..._json_values import is_object
from ..clients.edit import CLIENT_HELP, EditedFile, retry_if_changed, save, settings_file
from ..clients.known import GENERIC, KnownClient, client_named
from ..command import positional
from ..usage import UsageError


class UninstallCommand(EditedFile):
    """Removes a server from a client's settings."""

    client: str = positional("CLIENT", CLIENT_HELP)
    name: str = positional("NAME", "what the client calls it")

    def run(self) -> int:
        """Remove it from the client's file."""
        client = client_named(self.client)
        if client is GENERIC:
            raise UsageError(
                "nothing was written for other clients: take it out of their file by hand"
            )
        if client.is_yaml:
            file = self.config or client.path(project=self.project)
            raise UsageError(
                f"{file} is YAML, which is not edited: take the server out of it by hand"
            )
        return retry_if_changed(lambda: _uninstall(client, self))


def _uninstall(client: KnownClient, chosen: UninstallCommand) -> int:
    file = settings_file(client, chosen)
    servers = file.get(client.key)
    names: list[str] = list(servers) if is_object(servers) else []
    if chosen.name not in names:
        listed = f"; it has {', '.join(f'`{name}`' for name in names)}" if names else ""
        raise UsageError(f"{file.shown} has no server `{chosen.name}`{listed}")
    text = file.drop((client.key, chosen.name))
    return save(file, text, chosen, f"`{chosen.name}` is gone from {client.title}")
