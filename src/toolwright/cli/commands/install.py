"""`install`, `uninstall`, `clients`: servers in settings of clients."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..._json_values import is_object
from ..._log.printable import say
from ...sources.watched_process import entry_variables
from ...toolbox.box import Toolbox, registry_of
from .. import output
from ..command import CliCommand, Targeted, option, positional, repeated, switch
from ..known_clients import CLIENTS, GENERIC, KnownClient, client_named, is_ours
from ..load import open_target
from ..output import print_json, print_rows
from ..project import project_at
from ..settings_file import Changed, SettingsFile
from ..targets.modules import split
from ..targets.remote import is_url
from ..usage import UsageError

_OF_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "uv.lock", ".git")
"""Files in the root of a project: the code in its folders is run from there."""
CLIENT_HELP = f"{', '.join(CLIENTS)}, or generic (prints the entry)"
_ATTEMPTS = 50


class EditedFile(CliCommand):
    """Which file is changed, whether to change it, and how that is told."""

    project: bool = switch("in this folder's own file", excludes="place")
    config: str | None = option("in this file", metavar="FILE", excludes="place")
    dry_run: bool = switch("only show what would change")
    json: bool = switch("print JSON")


def settings_file(client: KnownClient, place: EditedFile) -> SettingsFile:
    """Return the file that was named, or the client's own. Raises `UsageError`."""
    if place.config is None:
        return SettingsFile(client.path(project=place.project))
    if not place.config:
        raise UsageError("--config needs the name of a file")
    return SettingsFile(Path(place.config))


def _changed(client: KnownClient, place: EditedFile, change: Callable[[SettingsFile], int]) -> int:
    """Change a file; start over if another program wrote it in the meantime."""
    for _ in range(_ATTEMPTS):
        try:
            return change(settings_file(client, place))
        except Changed:
            continue
    raise UsageError("another program keeps writing to the file: it is left alone")


def _save(
    file: SettingsFile,
    text: str,
    place: EditedFile,
    done: str,
    client: KnownClient | None = None,
) -> int:
    """Write the text, or show the difference with `--dry-run`; print what was done."""
    changes = text != file.text
    if place.dry_run:
        if place.json:
            print_json({"file": str(file.shown), "changes": changes, "diff": file.diff(text)})
        else:
            output.say(file.diff(text).rstrip("\n") or f"nothing to change in {file.shown}")
        return 0
    backup = file.write(text) if changes else None
    if place.json:
        copy = None if backup is None else str(backup)
        print_json({"file": str(file.shown), "changes": changes, "backup": copy})
        return 0
    if not changes:
        output.say(f"{done} already: nothing to change in {file.shown}")
        return 0
    output.say(f"{done}: {file.shown}" + (f" (as it was: {backup.name})" if backup else ""))
    if client is not None and client.afterwards:
        output.say(f"Next: {client.afterwards}.")
    return 0


class InstallCommand(EditedFile, Targeted):
    """Writes a server into a client's settings."""

    starts_server = True

    client: str = positional("CLIENT", CLIENT_HELP)
    target: str = positional("TARGET", "where the tools are, or a URL")
    name: str | None = option("what the client calls it (the toolbox's name)")
    folder: str | None = option(
        "where the server works (the project's folder, or the target's)", metavar="DIR"
    )
    env: list[str] = repeated(
        "for the server; without a value, the current one", metavar="NAME[=value]"
    )
    url_headers: list[str] = repeated("for a URL", "--header", metavar="NAME=value")
    force: bool = switch("replace a server that something else wrote")

    def run(self) -> int:
        """Write it into the client's file, or print the entry for another client."""
        client = client_named(self.client)
        name, entry = _remote(client, self) if is_url(self.target) else _local(client, self)
        if client is GENERIC:
            print_json({client.key: {name: entry}})
            return 0
        if client.is_yaml:
            return _print_yaml(client, self, name, entry)
        return install_entry(client, self, name, entry, force=self.force)


def _print_yaml(
    client: KnownClient, chosen: InstallCommand, name: str, entry: dict[str, Any]
) -> int:
    if chosen.json:
        print_json({client.key: {name: entry}})
        return 0
    file = chosen.config or client.path(project=chosen.project)
    say(f"{client.title} keeps its servers in YAML, which is not edited: add this to {file}, and")
    say(f"{client.afterwards}.")
    output.write(client.yaml(name, entry) + "\n")
    return 0


def install_entry(
    client: KnownClient, place: EditedFile, name: str, entry: dict[str, Any], *, force: bool
) -> int:
    """Write an entry; another one of that name only with `force`. Raises `UsageError`."""

    def change(file: SettingsFile) -> int:
        before = file.get(client.key, name)
        same = is_ours(before) or (
            is_object(before) and before.get(client.url) == entry.get(client.url, "")
        )
        if before is not None and not same and not force:
            raise UsageError(
                f"{file.shown} has another server `{name}`: choose another --name, or say --force"
            )
        text = file.put((client.key, name), entry)
        return _save(file, text, place, f"`{name}` is installed for {client.title}", client)

    return _changed(client, place, change)


def _local(client: KnownClient, chosen: InstallCommand) -> tuple[str, dict[str, Any]]:
    """Return the name and the entry of a server that the client starts itself."""
    if chosen.url_headers:
        raise UsageError("--header goes with a URL: a server on this machine has none")
    project = project_at(chosen.target)
    if project is not None and project.serve.get("transport") == "http":
        raise UsageError(
            f"{chosen.target} says that it is served over HTTP: start it with `toolwright serve`, "
            "and install the URL that it shows"
        )
    path, attribute = split(chosen.target)
    place = Path(path)
    folder = _folder(place, chosen.folder)
    # Desktop programs have no PATH and any working folder, so every path is absolute.
    target = str(place.resolve()) if place.exists() else path
    command = [sys.executable, "-m", "toolwright", "serve", "--folder", str(folder)]
    command.append(f"{target}:{attribute}" if attribute else target)
    command += [f"--select={pattern}" for pattern in chosen.select]
    switches = {"read-only": chosen.read_only, "script": chosen.script, "strict": chosen.strict}
    command += [f"--{flag}" for flag, is_given in switches.items() if is_given]
    box = _served_box(chosen, command[6], folder)
    name = _checked_name(chosen.name or box.name)
    variables = {**registry_of(box).variables, **_variables(chosen.env)}
    if registry_of(box).runs_programs:
        variables = entry_variables(variables)
    return name, client.entry(name, command, variables)


def _folder(place: Path, given: str | None) -> Path:
    """Return the folder in which a target finds its data: the project's, or the target's own."""
    if given is not None:
        folder = Path(given).resolve()
        if not folder.is_dir():
            raise UsageError(f"--folder: there is no folder {given}")
        return folder
    current, target = Path.cwd(), place.resolve()
    if not place.exists():  # a module, found from here
        return current
    if target.is_relative_to(current) and any((current / mark).exists() for mark in _OF_PROJECTS):
        return current
    return target if target.is_dir() else target.parent


def _served_box(chosen: InstallCommand, target: str, folder: Path) -> Toolbox:
    """Load the target as it will be when the client starts it. Raises `UsageError`."""
    with contextlib.chdir(folder):
        opened = open_target(replace(chosen, target=target))
    box = opened.box
    if not opened.usable:
        raise UsageError("a tool is refused: without --strict the others would be served")
    if not any(box.is_enabled(tool) for tool in box):
        raise UsageError(f"{chosen.target} would serve no tools: see `toolwright list`")
    return box


def _remote(client: KnownClient, chosen: InstallCommand) -> tuple[str, dict[str, Any]]:
    """Return the name and the entry of a server that runs elsewhere."""
    for flag, value in {"env": chosen.env, "folder": chosen.folder}.items():
        if value:
            raise UsageError(f"--{flag} goes with a server on this machine: one at a URL gets none")
    try:
        host = urlsplit(chosen.target).hostname or ""
    except ValueError as error:
        raise UsageError(f"{chosen.target} is not a URL") from error
    if not host:
        raise UsageError(f"{chosen.target} is not a URL: it names no host")
    short = host if host.replace(".", "").isdecimal() or ":" in host else host.split(".", 1)[0]
    name = _checked_name(chosen.name or short)
    return name, client.remote(name, chosen.target, pairs_from(chosen.url_headers, "--header"))


def _checked_name(name: str) -> str:
    if not name or any(char.isspace() or not char.isprintable() for char in name):
        raise UsageError(f"a server's name has no spaces: give a --name; got {json.dumps(name)}")
    return name


def _variables(given: list[str]) -> dict[str, str]:
    """Read `--env`: a name alone gets its value from this environment. Raises `UsageError`."""
    pairs: list[str] = []
    for pair in given:
        if pair and "=" not in pair and not any(char.isspace() for char in pair):
            if pair not in os.environ:
                raise UsageError(f"--env {pair}: there is no such variable here; give {pair}=value")
            pairs.append(f"{pair}={os.environ[pair]}")
        else:
            pairs.append(pair)
    return pairs_from(pairs, "--env")


def pairs_from(given: list[str], flag: str) -> dict[str, str]:
    """Read pairs written as NAME=value. Raises `UsageError`."""
    pairs: dict[str, str] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals or not key or any(char.isspace() for char in key) or "\n" in value:
            raise UsageError(f"{flag} is written NAME=value; got `{pair}`")
        pairs[key] = value
    return pairs


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
        return uninstall_entry(client, self, self.name)


def uninstall_entry(client: KnownClient, place: EditedFile, name: str) -> int:
    """Remove an entry. Raises `UsageError`."""

    def change(file: SettingsFile) -> int:
        servers = file.members(client.key)
        if name not in servers:
            listed = f"; it has {', '.join(f'`{server}`' for server in servers)}" if servers else ""
            raise UsageError(f"{file.shown} has no server `{name}`{listed}")
        text = file.drop((client.key, name))
        return _save(file, text, place, f"`{name}` is gone from {client.title}")

    return _changed(client, place, change)


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
        servers = list(client.servers(path))
    except UsageError as error:
        return {"exists": True, "servers": [], "problem": str(error)}
    return {"exists": path.exists(), "servers": servers}


def _state_text(state: dict[str, Any]) -> str:
    if "problem" in state:
        return "cannot be read"
    if state["servers"]:
        return ", ".join(state["servers"])
    return "no servers" if state["exists"] else "not there"
