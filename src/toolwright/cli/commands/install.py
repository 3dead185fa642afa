"""`install`: write a server into a client's settings."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..._json_values import is_object
from ..._log.printable import say
from ...sources.watched_process import entry_variables
from ...toolbox.box import Toolbox, registry_of
from ..clients.edit import CLIENT_HELP, EditedFile, retry_if_changed, save, settings_file
from ..clients.known import GENERIC, KnownClient, client_named, is_ours
from ..command import Targeted, option, positional, repeated, switch
from ..load import open_target
from ..output import print_json, write
from ..project.configuration import project_at
from ..targets.modules import split
from ..usage import UsageError

_OF_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "uv.lock", ".git")
"""Files in the root of a project: the code in its folders is run from there."""


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
        name, entry = _remote(client, self) if _is_url(self.target) else _local(client, self)
        if client is GENERIC:
            print_json({client.key: {name: entry}})
            return 0
        if client.is_yaml:
            return _print_yaml(client, self, name, entry)
        return retry_if_changed(lambda: _install(client, self, name, entry))


def _print_yaml(
    client: KnownClient, chosen: InstallCommand, name: str, entry: dict[str, Any]
) -> int:
    if chosen.json:
        print_json({client.key: {name: entry}})
        return 0
    file = chosen.config or client.path(project=chosen.project)
    say(f"{client.title} keeps its servers in YAML, which is not edited: add this to {file}, and")
    say(f"{client.afterwards}.")
    write(client.yaml(name, entry) + "\n")
    return 0


def _install(client: KnownClient, chosen: InstallCommand, name: str, entry: dict[str, Any]) -> int:
    file = settings_file(client, chosen)
    before = file.get(client.key, name)
    same = is_ours(before) or (
        is_object(before) and before.get(client.url) == entry.get(client.url, "")
    )
    if before is not None and not same and not chosen.force:
        raise UsageError(
            f"{file.shown} has another server `{name}`: choose another --name, or say --force"
        )
    text = file.put((client.key, name), entry)
    return save(file, text, chosen, f"`{name}` is installed for {client.title}", client)


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


def _is_url(target: str) -> bool:
    return target.lower().startswith(("http://", "https://"))


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
