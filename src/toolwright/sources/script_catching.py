"""Runs a program until it calls its parser.

    python script_catching.py JOB

This file is run by its path in the program's interpreter, which may lack everything that this
package needs. The process ends where the program calls its parser. What the program does before
that, such as at import, it does; a parser that is not caught finds `--help` and nothing else.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import json
import os
import re
import runpy
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

_ENTRIES: dict[str, dict[str, tuple[str, ...]]] = {
    "click.core": {
        "BaseCommand": ("__call__", "main", "make_context"),  # up to Click 8.1
        "Command": ("__call__", "main", "make_context"),
    },
    "typer._click.core": {"Command": ("__call__", "main", "make_context")},
    "typer.main": {"Typer": ("__call__",)},
    "cyclopts.core": {
        "App": ("__call__", "run_async", "parse_args", "parse_known_args", "parse_commands"),
    },
    "argparse": {
        "ArgumentParser": (
            "parse_args",
            "parse_known_args",
            "parse_intermixed_args",
            "parse_known_intermixed_args",
        ),
    },
    "optparse": {"OptionParser": ("parse_args",)},
}
"""The methods with which programs start their parsers, by module and class."""
_FUNCTIONS = (type(None), type, types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_HEADING = re.compile(r"\A\s*+[\w ]*\bcommands:?\s*", re.IGNORECASE)
_ROW = r"( *)()([A-Za-z][\w.-]*)  +\S"
_MAY_LOOK_AHEAD = ("parse_known_args", "parse_known_intermixed_args")


class Catcher:
    """Ends the process when a program calls its parser."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.to_pass: int = job["passed"]
        """How many parsers may run, since they only find out which command is meant."""
        self.parsing: list[Any] = []
        """The parsers that run now; those that they call are their own parts."""
        self.replaced: list[Any] = []

    def catch(self, target: Any) -> None:
        """Write the program of an object, and end the process."""
        answer: dict[str, Any] = {}
        self.parsing.append(target)  # whatever the author's code calls now is not caught
        try:
            answer = self.read(target)
        except BaseException as error:  # noqa: BLE001  # nothing may continue
            answer = {"problem": f"{type(error).__name__}: {error}"}
        Path(self.job["answer"]).write_text(json.dumps(answer), encoding="utf-8")
        # Not `sys.exit`: a program may catch that, and what it does at its exit may be anything.
        os._exit(0)

    def read(self, target: Any) -> dict[str, Any]:
        """Return the program of an object, and its command words, as JSON values."""
        recognise = self.ours("sources.frameworks.recognise")
        file = self.ours("sources.program_file")
        target = getattr(target, "_meta_parent", None) or target  # of Cyclopts
        program = recognise.read_program(target, self.job["name"])
        program = recognise.program_of_files(program, recognise.running_files())
        return {"program": file.program_to_json(program), "words": _words_of(target)}

    def ours(self, name: str) -> Any:
        """Return a module of this package."""
        return importlib.import_module(f"{_load_package(self.job['package'])}.{name}")

    def is_command(self, target: Any) -> bool:
        """Return whether an object is a command of a known framework."""
        return bool(self.ours("read.target").framework_of(target))

    def patch(self, module: Any) -> None:
        """Redirect the parsers of a framework to this object, whatever classes are derived."""
        for name, methods in _ENTRIES[module.__name__].items():
            owner: Any = module.__dict__.get(name)  # `getattr` makes what is deprecated
            if owner is not None:
                self._patch_class(owner, methods)
                self._patch_derived(owner, methods)

    def _patch_class(self, owner: type, methods: tuple[str, ...]) -> None:
        for name in methods:
            if name in vars(owner) and vars(owner)[name] not in self.replaced:
                replacement = self._replacement(name, vars(owner)[name])
                self.replaced.append(replacement)
                with contextlib.suppress(TypeError):  # a class of an extension module
                    setattr(owner, name, replacement)

    def _patch_derived(self, owner: Any, methods: tuple[str, ...]) -> None:
        """Redirect the methods that classes of the program override, once they have an object."""
        initialise: Any = owner.__init__

        @functools.wraps(initialise)
        def __init__(instance: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            for base in type(instance).__mro__[:-1]:
                self._patch_class(base, methods)
            initialise(instance, *args, **kwargs)

        owner.__init__ = __init__

    def _replacement(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def parse(parser: Any, *args: Any, **kwargs: Any) -> Any:
            if not self.parsing:
                looks_ahead = name in _MAY_LOOK_AHEAD and _looks_ahead(parser)
                if not looks_ahead and not self.passes(parser):
                    self.catch(parser)
            self.parsing.append(parser)
            try:
                return original(parser, *args, **kwargs)
            finally:
                self.parsing.pop()

        return parse

    def passes(self, parser: Any) -> bool:
        """Return whether a parser may run: the first ones only find out which command is meant."""
        if not _is_plain(parser):
            return False
        self.to_pass -= 1
        return self.to_pass >= 0

    # -- frameworks are patched when the program imports them

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find a module with the other finders, and patch it once it has been executed."""
        if name not in _ENTRIES:
            return None
        module_spec = next(
            (
                spec
                for finder in sys.meta_path
                if finder is not self and (spec := finder.find_spec(name, path, target)) is not None
            ),
            None,
        )
        if module_spec is None or module_spec.loader is None:
            return module_spec
        run: Callable[[Any], None] = module_spec.loader.exec_module

        def run_and_patch(module: Any) -> None:
            run(module)
            self.patch(module)

        module_spec.loader.exec_module = run_and_patch
        return module_spec


def _is_plain(parser: Any) -> bool:
    """Return whether a parser is of the standard library: it only reads words."""
    import argparse
    import optparse

    return isinstance(parser, argparse.ArgumentParser | optparse.OptionParser)


def _looks_ahead(parser: Any) -> bool:
    """Return whether a parser without help only looks for words that the real one reads again."""
    # Only an action that leads to other parsers holds a map of them.
    branches = any(hasattr(action, "_name_parser_map") for action in parser._actions)  # noqa: SLF001
    return not parser.add_help and not branches


def _words_of(target: Any) -> list[str] | None:
    """Return the commands whose own parsers the program makes only when they are named.

    None stands for a parser that leaves such words to the program, and does not name them.
    """
    import argparse
    import optparse

    if isinstance(target, optparse.OptionParser):
        if target.allow_interspersed_args:
            return []
        text = re.sub(r"\[/?[\w.]*\]", "", str(target.description or ""))  # Rich markup
        words = re.findall(r"^ *([a-z][\w-]*)  +\S", text, re.MULTILINE)
        return words or commands_in(_own_help(target)) or None
    if isinstance(target, argparse.ArgumentParser):
        places = [action for action in target._actions if not action.option_strings]  # noqa: SLF001
        if len(places) == 2 and places[0].choices and places[1].nargs == argparse.REMAINDER:
            return [str(choice) for choice in places[0].choices]
    return []


def _own_help(parser: Any) -> str:
    """Return what a parser prints whose help is the program's own."""
    if "print_help" not in vars(parser):
        return ""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        parser.print_help()
    return printed.getvalue()


def commands_in(text: str, name: str = "") -> list[str]:
    """Return the words that a help text lists below `commands:`, or behind the program's name."""
    rows = re.compile(rf"( *)({re.escape(name)} )?([A-Za-z][\w.-]*)  +\S" if name else _ROW)
    words: list[str] = []
    indent: int | None = None
    """That of the first row; None outside a list of commands, -1 below its heading."""
    for line in text.splitlines():
        row = rows.match(line)
        if _HEADING.fullmatch(line):
            indent = -1
        elif row is not None and (row[2] or indent in (-1, len(row[1]))):
            indent = len(row[1]) if indent is not None else None
            words.append(row[3])
        elif line.strip() and indent is not None and len(line) - len(line.lstrip()) <= indent:
            indent = None
    return [word for word in dict.fromkeys(words) if word not in ("help", "completion")]


def _load_package(folder: str) -> str:
    """Import this package from its folder, without what is installed beside it."""
    name = Path(folder).name
    if name not in sys.modules:
        first = Path(folder, "__init__.py")
        spec = importlib.util.spec_from_file_location(
            name, first, submodule_search_locations=[folder]
        )
        assert spec is not None  # noqa: S101  # the file exists
        assert spec.loader is not None  # noqa: S101
        # Before it is executed: its modules import one another by this name.
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return name


def _object_at(entry: str) -> Any:
    """Return what a script would call; it may be a command, which need not be called."""
    module, _, path = entry.partition(":")
    target: Any = importlib.import_module(module)
    for name in filter(None, path.split(".")):
        target = getattr(target, name, None)
    return target


def main(job: dict[str, Any]) -> None:
    """Run the program of a job."""
    import argparse
    import optparse

    catcher = Catcher(job)
    catcher.patch(argparse)
    catcher.patch(optparse)
    sys.meta_path.insert(0, catcher)
    words: list[str] = job["words"]
    if words[0] == "-m":
        sys.argv = words[1:]
        sys.path.insert(0, "")
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return
    sys.argv = list(words)
    sys.path.insert(0, str(Path(words[0]).parent))
    target = _object_at(job["entry"]) if job["entry"] else None
    if not isinstance(target, _FUNCTIONS) and catcher.is_command(target):
        catcher.catch(target)
    runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
