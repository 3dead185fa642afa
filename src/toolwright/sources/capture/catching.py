"""Runs a program until it calls its parser.

    python catching.py JOB

This file is run by its path in the program's interpreter, which may lack everything that this
package needs. A program never gets further than its parser: the process ends there.
"""

from __future__ import annotations

import importlib.util
import json
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_LATER = {
    "click.core": ("BaseCommand.main", "Command.main"),
    "typer._click.core": ("Command.main",),
    "typer.core": ("TyperCommand.main", "TyperGroup.main"),
    "typer.main": ("Typer.__call__",),
    "cyclopts.core": ("App.__call__",),
}
"""The methods that run a program, by the module that defines them."""


class Catcher:
    """Ends the process when a program calls its parser."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.to_pass: int = job["passed"]
        """How many parsers may run, since they only find out which command is meant."""

    def catch(self, target: Any) -> None:
        """Write the program of an object, and end the process."""
        answer: dict[str, Any] = {}
        try:
            answer = self.read(target)
        except BaseException as error:  # noqa: BLE001  # nothing may continue
            answer = {"problem": f"{type(error).__name__}: {error}"}
        Path(self.job["answer"]).write_text(json.dumps(answer), encoding="utf-8")
        os._exit(0)

    def read(self, target: Any) -> dict[str, Any]:
        """Return the program of an object, and its command words, as JSON values."""
        package = f"{_load_package(self.job['package'])}.sources"
        recognise: Any = importlib.import_module(f"{package}.frameworks.recognise")
        file: Any = importlib.import_module(f"{package}.program_file")
        program = recognise.read_program(target, self.job["name"])
        program = recognise.program_of_files(program, recognise.running_files())
        return {"program": file.program_to_json(program), "words": _words_of(target)}

    @property
    def caught(self) -> Callable[..., None]:
        """The function that replaces a method that would run the program."""

        def run(app: Any, *_: Any, **__: Any) -> None:
            self.catch(app)

        return run

    def patch_parsers(self) -> None:
        """Redirect the parsers of the standard library to this object."""
        import argparse
        import optparse

        parse_args, parse_known = (
            argparse.ArgumentParser.parse_args,
            argparse.ArgumentParser.parse_known_args,
        )
        options = optparse.OptionParser.parse_args
        in_parse_args: list[bool] = []

        def parse(parser: Any, *args: Any, **kwargs: Any) -> Any:
            if not self.passes():
                self.catch(parser)
            in_parse_args.append(True)
            try:
                return parse_args(parser, *args, **kwargs)
            finally:
                in_parse_args.pop()

        def parse_some(parser: Any, *args: Any, **kwargs: Any) -> Any:
            # A parser without help only looks for words that the real one will read again.
            if not in_parse_args and not _looks_ahead(parser):
                self.catch(parser)
            return parse_known(parser, *args, **kwargs)

        def parse_options(parser: Any, *args: Any, **kwargs: Any) -> Any:
            if not self.passes():
                self.catch(parser)
            return options(parser, *args, **kwargs)

        for owner, name, function in (
            (argparse.ArgumentParser, "parse_args", parse),
            (argparse.ArgumentParser, "parse_known_args", parse_some),
            (argparse.ArgumentParser, "parse_intermixed_args", parse),
            (optparse.OptionParser, "parse_args", parse_options),
        ):
            setattr(owner, name, function)

    def passes(self) -> bool:
        """Return whether the parser that is called now may run."""
        self.to_pass -= 1
        return self.to_pass >= 0

    # -- frameworks are patched when the program imports them

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find a module with the other finders, and patch it once it has been executed."""
        if name not in _LATER:
            return None
        found = next(
            (
                spec
                for each in sys.meta_path
                if each is not self and (spec := each.find_spec(name, path, target)) is not None
            ),
            None,
        )
        if found is None or found.loader is None:
            return found
        run: Callable[[Any], None] = found.loader.exec_module

        def run_and_patch(module: Any) -> None:
            run(module)
            for place in _LATER[name]:
                owner, _, method = place.partition(".")
                if hasattr(module, owner):
                    setattr(getattr(module, owner), method, self.caught)

        found.loader.exec_module = run_and_patch
        return found


def _looks_ahead(parser: Any) -> bool:
    # Only an action that leads to other parsers holds a map of them.
    branches = any(hasattr(each, "_name_parser_map") for each in parser._actions)  # noqa: SLF001
    return not parser.add_help and not branches


def _words_of(target: Any) -> list[str]:
    """Return the commands whose own parsers the program makes only when they are named."""
    import argparse
    import optparse
    import re

    if isinstance(target, optparse.OptionParser):
        if target.allow_interspersed_args:
            return []
        text = re.sub(r"\[/?[\w.]*\]", "", str(target.description or ""))  # Rich markup
        return re.findall(r"^ *([a-z][\w-]*)  +\S", text, re.MULTILINE)
    if isinstance(target, argparse.ArgumentParser):
        places = [each for each in target._actions if not each.option_strings]  # noqa: SLF001
        if len(places) == 2 and places[0].choices and places[1].nargs == argparse.REMAINDER:
            return [str(each) for each in places[0].choices]
    return []


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
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return name


def main(job: dict[str, Any]) -> None:
    """Run the program of a job."""
    catcher = Catcher(job)
    catcher.patch_parsers()
    sys.meta_path.insert(0, catcher)
    words: list[str] = job["words"]
    if words[0] == "-m":
        sys.argv = words[1:]
        sys.path.insert(0, "")
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = list(words)
        sys.path.insert(0, str(Path(words[0]).parent))
        runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
