"""`generate`: write a Python module with a function for each tool."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from ..._files import read_file
from ..._log.printable import say
from ..._words import count_of
from .. import output
from ..command import TargetCommand, option, switch
from ..load import open_target
from ..target_words import check_writable
from ..targets.modules import split
from ..targets.remote import is_url
from ..usage import UsageError

if TYPE_CHECKING:
    from ...client.generate.module import ModuleOrigin


_WRITTEN = "what is written"


class GenerateCommand(TargetCommand):
    """Writes a Python module with a function for each tool."""

    output: str = option(
        "where to (%(default)s is standard output)", "-o", "--output", default="-", metavar="FILE"
    )
    cli: bool = switch("a command-line program: `python FILE TOOL name=value`", group=_WRITTEN)
    asynchronous: bool = switch("functions to be awaited", "--async", group=_WRITTEN)
    formats: bool = switch("dates, UUIDs and paths where a schema has a format", group=_WRITTEN)
    check: bool = switch(
        "write nothing: exit with 1 if FILE is out of date, and say why", group=_WRITTEN
    )

    def run(self) -> int:
        """Write the module, or compare it with the existing file."""
        if self.check and self.output == "-":
            raise UsageError("--check needs the file to check: -o FILE")
        check_writable(self.target, self.select)
        opened = open_target(self)
        box = opened.box
        from ...client.generate.module import generate_module, module_source

        tools = json.loads(box.to_mcp_json())["tools"]
        module = generate_module(tools, formats=self.formats, asynchronous=self.asynchronous)
        for error in module.refused:
            say(f"refused: {error}")
        origin = _origin(self, box.name)
        source = module_source(module, origin, program=self.cli)
        if not opened.usable or (module.refused and self.strict):
            return 1
        if self.check:
            return _check(self.output, source)
        if self.output == "-":
            output.write(source)
            return 0
        output.write_file(self.output, source)
        output.say(f"{count_of(len(module.functions), 'function')} written to {self.output}")
        return 0


def _check(file: str, source: str) -> int:
    from ...client.generate.module import changes

    try:
        old = read_file(file).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"{file} cannot be read: {reason}") from error
    try:
        differences = changes(old, source)
    except ValueError as error:
        raise UsageError(f"{file} {error}") from error
    for line in differences:
        output.say(line)
    output.say(
        f"{file}: {count_of(len(differences), 'difference')}"
        if differences
        else f"{file} is up to date"
    )
    return 1 if differences else 0


# -- where the tools are


def _origin(chosen: GenerateCommand, server: str) -> ModuleOrigin:
    from ...client.generate.hint_source import text_literal
    from ...client.generate.module import ModuleOrigin

    words = [chosen.target, *_flags(chosen)]
    constructor = "RemoteServer" if is_url(chosen.target) else "RemoteServer.serving"
    target, beside = _place(chosen)
    arguments = [target] if is_url(chosen.target) else [target, *words[1:]]
    parts = [text_literal(word) for word in arguments]
    if beside:
        parts.append("beside=__file__")
    line = f"server = {constructor}({', '.join(parts)})"
    lines = [line]
    if len(line) > 88:
        lines = [f"server = {constructor}(", *(f"    {part}," for part in parts), ")"]
    switches = {"--cli": chosen.cli, "--async": chosen.asynchronous, "--formats": chosen.formats}
    flags = [word for word, is_given in switches.items() if is_given]
    command = shlex.join(["toolwright", "generate", *words, *flags, "-o", Path(chosen.output).name])
    return ModuleOrigin(server, lines, command)


def _flags(chosen: GenerateCommand) -> list[str]:
    """Return the flags that choose tools: the module serves the same tools."""
    flags = [word for pattern in chosen.select for word in ("--select", pattern)]
    if chosen.read_only:
        flags.append("--read-only")
    if chosen.script:
        flags.append("--script")
    return flags


def _place(chosen: GenerateCommand) -> tuple[str, bool]:
    """Return the target as the module names it, and whether that is relative to the module."""
    path, attribute = split(chosen.target)
    if chosen.output == "-" or is_url(chosen.target) or not Path(path).exists():
        return chosen.target, False
    folder = Path(os.path.realpath(chosen.output)).parent  # not `resolve`: it may be a loop
    near = Path(os.path.relpath(Path(path).resolve(), folder)).as_posix()
    return f"{near}:{attribute}" if attribute else near, True
