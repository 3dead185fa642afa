"""Completions of the command line, for shells that ask."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from argcomplete.finders import CompletionFinder

from .._words import first_line
from ..errors import SchemaError
from ..json_schema.facts import Facts, facts
from . import output
from .command import CliCommand, positional
from .known_clients import CLIENTS, GENERIC

if TYPE_CHECKING:
    from ..toolbox.box import Toolbox
    from ..tools.definition import Tool

_PATHS = frozenset(("FILE", "DIR", "TARGET", "FILE|DIR"))
"""Metavars of arguments that are files or folders."""
_BREAKS = "_ARGCOMPLETE_COMP_WORDBREAKS"


class CompletionCommand(CliCommand):
    """Prints the script that completes this command in a shell."""

    shell: str = positional(None, "which shell", choices=("bash", "zsh", "fish"))

    def run(self) -> int:
        """Print the script; the shell then asks `complete` for each word."""
        from argcomplete.shell_integration import shellcode

        output.write(shellcode(["toolwright"], shell=self.shell))
        return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer a shell through the environment variables of `argcomplete`, and end the process.

    The answer goes to its own descriptor, so that what a target prints is not part of it.
    """
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # the target must not read what is typed
    # bash breaks words before an `@`, as if a host name followed.
    os.environ[_BREAKS] = os.environ.get(_BREAKS, "").replace("@", "")
    finder = _Finder()
    words = cast("Any", finder.words)  # its type asks for a class, but any function will do
    finder(parser, always_complete_options=False, default_completer=words)


class _Finder(CompletionFinder):
    """Also completes arguments of a tool after options, where argparse does not look for them."""

    asked = False

    def collect_completions(
        self,
        active_parsers: list[argparse.ArgumentParser],
        parsed_args: argparse.Namespace,
        cword_prefix: str,
    ) -> list[str]:
        """Return the completions of a word, also where argparse expects no positional argument."""
        completions = super().collect_completions(active_parsers, parsed_args, cword_prefix)
        if self.asked or parsed_args.command != "call" or cword_prefix.startswith("-"):
            return completions
        with contextlib.suppress(Exception):
            pairs = _pairs(parsed_args, *cword_prefix.partition("="))
            self.get_display_completions().update(pairs)
            return [pair for pair in pairs if pair.startswith(cword_prefix)]
        return []

    def words(
        self, *, prefix: str, action: argparse.Action, parsed_args: argparse.Namespace, **_: Any
    ) -> Mapping[str, str]:
        """Return the completions of a word, each with its description."""
        self.asked = True
        with contextlib.suppress(Exception):  # a target that cannot be loaded, a missing folder
            if action.dest == "client":
                return {client.name: client.title for client in (*CLIENTS.values(), GENERIC)}
            if action.dest == "tool":
                return _tools(parsed_args)
            if action.dest == "name" and parsed_args.command == "uninstall":
                return dict.fromkeys(_installed(parsed_args), "")
            if action.dest == "given":
                return _pairs(parsed_args, *prefix.partition("="))
            if action.metavar in _PATHS:
                return dict.fromkeys(_files(prefix), "")
        return {}


def _box(target: str) -> Toolbox:
    from .load import load

    return load(os.path.expanduser(target)).box  # noqa: PTH111 - text


def _tools(parsed: argparse.Namespace) -> dict[str, str]:
    """Return the names of tools, without compiling them: that would take most of the time.

    Resources and prompts follow where they are taken as well.
    """
    box = _box(parsed.target)
    tools = {box[name].published_name: box[name] for name in box if box.is_enabled(name)}
    prompts = {name: prompt.tool for name, prompt in box.prompts.items()}
    resources = {uri: resource.tool for uri, resource in box.resources.items()}
    if parsed.command == "show":
        tools = {**prompts, **resources, **tools}
    elif getattr(parsed, "prompt", False):
        tools = prompts
    else:
        plain = {uri: resources[uri] for uri in resources if not box.resources[uri].is_template}
        tools = {**tools, **plain}
    return {name: _about(tool) for name, tool in tools.items()}


def _installed(parsed: argparse.Namespace) -> list[str]:
    """Return the servers in a client's file."""
    from .commands.install import EditedFile, settings_file

    client = CLIENTS[parsed.client]
    place = EditedFile(project=parsed.project, config=parsed.config)
    return list(settings_file(client, place).members(client.key))


def _about(tool: Tool) -> str:
    with contextlib.suppress(SchemaError):
        return first_line(tool.description)
    return ""


def _pairs(parsed: argparse.Namespace, name: str, equals: str, value: str) -> dict[str, str]:
    """Return the arguments of a tool as `name=`, or the values that one may have."""
    box = _box(parsed.target)
    is_prompt = getattr(parsed, "prompt", False)
    tool = box.prompts[parsed.tool].tool if is_prompt else box[parsed.tool]
    schema = facts(tool.input_schema)
    if not equals:
        used = {argument.partition("=")[0] for argument in parsed.given or ()}
        return {
            f"{argument}=": first_line(schema.inner(argument).description)
            for argument in schema.properties
            if argument not in used
        }
    if value.startswith("@"):
        return dict.fromkeys((f"{name}=@{path}" for path in _files(value[1:])), "")
    parts = [schema.inner(name), schema.inner(name).items]
    pairs = [f"{name}={choice}" for part in parts for choice in _values(part)]
    if any(str(part.keyword("format", "")).endswith("path") for part in parts):
        pairs += [f"{name}={path}" for path in _files(value)]
    return dict.fromkeys(pairs, "")


def _values(said: Facts) -> Iterator[str]:
    """Yield the values of an argument that is a boolean or an enumeration."""
    is_boolean = not said.is_anything and "boolean" in said.kinds
    few = said.values or ([True, False] if is_boolean else ())
    yield from (value if isinstance(value, str) else json.dumps(value) for value in few)


def _files(start: str) -> Iterator[str]:
    """Return the files and folders whose path starts with a text."""
    folder, name = os.path.split(start)
    folder = start.removesuffix(name)
    with os.scandir(os.path.expanduser(folder) or ".") as entries:  # noqa: PTH111 - text
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.startswith(name) and (name or not entry.name.startswith(".")):
                yield folder + entry.name + ("/" if entry.is_dir() else "")
