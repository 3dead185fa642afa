"""`install`, `uninstall` and `clients`: put a server where people work, and take it out again."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .._json_values import is_object
from .clients.known import EDITORS, GENERIC, Editor, editor, is_ours
from .clients.settings_file import Changed, SettingsFile
from .load import split
from .opening import opened
from .output import print_json, print_rows, say
from .usage import Mistake


def install(chosen: argparse.Namespace) -> int:
    """Write a server into a client's file, or print what another client would need."""
    client = editor(chosen.client)
    name, entry = _remote(client, chosen) if _is_url(chosen.target) else _local(client, chosen)
    if client is GENERIC:
        print_json({client.key: {name: entry}})
        return 0
    return _again(lambda: _install(client, chosen, name, entry))


def _install(client: Editor, chosen: argparse.Namespace, name: str, entry: dict[str, Any]) -> int:
    file = _file(client, chosen)
    before = file.get(client.key, name)
    same = is_ours(before) or (is_object(before) and before.get("url") == entry.get("url", ""))
    if before is not None and not same and not chosen.force:
        raise Mistake(
            f"{file.shown} has another server `{name}`: choose another --name, or say --force"
        )
    text = file.put((client.key, name), entry)
    return _written(file, text, chosen, f"`{name}` is installed for {client.title}", client)


def uninstall(chosen: argparse.Namespace) -> int:
    """Take a server out of a client's file."""
    client = editor(chosen.client)
    if client is GENERIC:
        raise Mistake("nothing was written for other clients: take it out of their file by hand")
    return _again(lambda: _uninstall(client, chosen))


def _uninstall(client: Editor, chosen: argparse.Namespace) -> int:
    file = _file(client, chosen)
    servers = file.get(client.key)
    known: list[str] = list(servers) if is_object(servers) else []
    if chosen.name not in known:
        there = f"; it has {', '.join(f'`{each}`' for each in known)}" if known else ""
        raise Mistake(f"{file.shown} has no server `{chosen.name}`{there}")
    text = file.drop((client.key, chosen.name))
    return _written(file, text, chosen, f"`{chosen.name}` is gone from {client.title}", None)


def _again(work: Callable[[], int]) -> int:
    """Work on a file; begin again if somebody else has written it meanwhile."""
    for _ in range(50):
        try:
            return work()
        except Changed:
            continue
    raise Mistake("the file is being written all the time by somebody else: it is left alone")


def clients(chosen: argparse.Namespace) -> int:
    """List the clients: where their files are, and which servers are in them."""
    found: list[dict[str, Any]] = []
    for client in EDITORS.values():
        for project in (False, True) if client.project else (False,):
            path = client.path(project=project)
            if project and not path.exists():
                continue
            found.append({"client": client.name, "file": str(path), **_state(client, path)})
    if chosen.json:
        print_json(found)
        return 0
    print_rows([(each["client"], f"{each['file']}  {_said(each)}") for each in found])
    return 0


def _state(client: Editor, path: Path) -> dict[str, Any]:
    try:
        servers = SettingsFile(path).get(client.key)
    except Mistake as error:
        return {"exists": True, "servers": [], "problem": str(error)}
    return {"exists": path.exists(), "servers": list(servers) if is_object(servers) else []}


def _said(state: dict[str, Any]) -> str:
    if "problem" in state:
        return "cannot be read"
    if state["servers"]:
        return ", ".join(state["servers"])
    return "no servers" if state["exists"] else "not there"


def _local(client: Editor, chosen: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Return the name and the entry of a server that the client starts."""
    if chosen.header:
        raise Mistake("--header goes with a URL: a server on this machine has none")
    box, usable = opened(chosen)
    if not usable:
        raise Mistake("a tool is refused: without --strict the others would be served")
    if not any(box.is_enabled(each) for each in box):
        raise Mistake(f"{chosen.target} would serve no tools: see `toolwright list`")
    path, attribute = split(chosen.target)
    place = Path(path)
    # Programs with windows have no PATH, and start anywhere: everything is absolute.
    command = [sys.executable, "-m", "toolwright", "serve"]
    if place.exists():
        target = str(place.resolve())
    else:
        target = path
        command += ["--folder", str(Path.cwd())]
    command.append(f"{target}:{attribute}" if attribute else target)
    command += [f"--select={pattern}" for pattern in chosen.select or ()]
    command += [
        f"--{flag}" for flag in ("read-only", "strict") if getattr(chosen, flag.replace("-", "_"))
    ]
    name = _checked_name(chosen.name or box.name)
    return name, client.entry(command, _pairs(chosen.env, "--env"))


def _remote(client: Editor, chosen: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Return the name and the entry of a server that runs elsewhere."""
    if chosen.env:
        raise Mistake("--env goes with a server on this machine: one at a URL gets none")
    try:
        host = urlsplit(str(chosen.target)).hostname or ""
    except ValueError as error:
        raise Mistake(f"{chosen.target} is not a URL") from error
    if not host:
        raise Mistake(f"{chosen.target} is not a URL: it names no host")
    short = host if host.replace(".", "").isdecimal() or ":" in host else host.split(".", 1)[0]
    name = _checked_name(chosen.name or short)
    return name, client.remote(chosen.target, _pairs(chosen.header, "--header"))


def _file(client: Editor, chosen: argparse.Namespace) -> SettingsFile:
    given = chosen.config is not None
    if given and not chosen.config:
        raise Mistake("--config needs the name of a file")
    path = Path(chosen.config) if given else client.path(project=chosen.project)
    return SettingsFile(path)


def _written(
    file: SettingsFile,
    text: str,
    chosen: argparse.Namespace,
    said: str,
    client: Editor | None,
) -> int:
    """Write, or show what would be written; say what came of it."""
    changes = text != file.text
    if chosen.dry_run:
        if chosen.json:
            print_json({"file": str(file.shown), "changes": changes, "diff": file.diff(text)})
        else:
            say(file.diff(text).rstrip("\n") or f"nothing to change in {file.shown}")
        return 0
    backup = file.write(text) if changes else None
    if chosen.json:
        copy = None if backup is None else str(backup)
        print_json({"file": str(file.shown), "changes": changes, "backup": copy})
        return 0
    if not changes:
        say(f"{said} already: nothing to change in {file.shown}")
        return 0
    say(f"{said}: {file.shown}" + (f" (as it was: {backup.name})" if backup else ""))
    if client is not None and client.afterwards:
        say(f"Next: {client.afterwards}.")
    return 0


def _is_url(target: str) -> bool:
    return target.lower().startswith(("http://", "https://"))


def _checked_name(name: str) -> str:
    if not name or any(each.isspace() or not each.isprintable() for each in name):
        raise Mistake(f"a server's name has no spaces: give a --name; got {json.dumps(name)}")
    return name


def _pairs(given: list[str], flag: str) -> dict[str, str]:
    made: dict[str, str] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or not key or any(char.isspace() for char in key) or "\n" in value:
            raise Mistake(f"{flag} is written NAME=value; got `{each}`")
        made[key] = value
    return made
