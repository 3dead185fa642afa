"""Reads the program behind an app of a framework."""

from __future__ import annotations

import inspect
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from ...errors import SchemaError
from ...read.target import framework_of
from ..program import Program

_PARSERS = ("argparse", "optparse")
_NAMED_BY_FILE = (*_PARSERS, "cyclopts")
_LIBRARIES = sys.stdlib_module_names | {__name__.partition(".")[0], "click", "typer", "cyclopts"}
"""Modules on the stack that are not the program's own."""
# Not `word.startswith("--")`, which looks for options and not for the end of them.
_OWN_DASHES = re.compile(rb"""(?<!startswith\()(?<!strip\()(?<!prefix\()(['"])--\1""")
_MOST_SOURCE = 1_000_000
"""Bytes of a module that are looked at."""
_COMMON_NAMES = frozenset(("", "app", "cli", "main", "root", "__main__", "typer", "command"))


def program_of(target: object, name: str = "", argv: Sequence[str] = ()) -> Program:
    """Return the program of an object of a framework; `SchemaError` if it cannot be read.

    Without `argv` the program is started from the module that holds the object. If none does, the
    program has no `argv`.
    """
    program = read_program(target, name)
    framework = program.framework
    place = next(_places_of(target), None)
    if not name:
        program = replace(program, name=_name_of(program, place))
    if argv:
        return replace(program, argv=tuple(argv))
    if place is None:
        return replace(program, argv=())
    program = program_of_files(program, [place.file])
    return replace(program, argv=place.argv(program.name, framework))


def program_of_files(program: Program, files: Iterable[str]) -> Program:
    """Return a program with what the files of its own code say about `--`.

    tox and others split the command line at `--` before their parser sees it: then nothing behind
    it is a positional. Code that looks for `--` is taken to do that.
    """
    return replace(program, takes_dashes=program.takes_dashes and not any(map(_splits, files)))


def running_files() -> set[str]:
    """Return the files of the program's own code that is running, outside its libraries."""
    files: set[str] = set()
    frame = inspect.currentframe()
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] not in _LIBRARIES:
            files.add(frame.f_code.co_filename)
        frame = frame.f_back
    return files


def _splits(file: str) -> bool:
    try:
        with Path(file).open("rb") as opened:
            return _OWN_DASHES.search(opened.read(_MOST_SOURCE)) is not None
    except (OSError, ValueError):
        return False


def read_program(target: object, name: str = "") -> Program:
    """Return the program of an object of a framework, without saying how it is started."""
    framework = framework_of(target)
    if not framework:
        raise TypeError(f"{type(target).__name__} is not a command of a known framework")
    try:
        return _reader(framework)(target, name)
    except SchemaError:
        raise
    except (Exception, SystemExit) as error:  # the framework's own refusal, or the author's code
        tool = name or str(getattr(target, "name", "")) or framework
        what = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise SchemaError(f"cannot be read: {what}", tool=tool) from error


def _reader(framework: str) -> Callable[[Any, str], Program]:
    match framework:
        case "argparse":
            from .argparse_tree import read_argparse as read
        case "optparse":
            from .argparse_tree import read_optparse as read
        case "cyclopts":
            from .cyclopts_tree import read_cyclopts as read
        case "typer":
            from .click_tree import read_typer as read
        case _:
            from .click_tree import read_click as read
    return read


@dataclass(frozen=True, slots=True)
class _Place:
    """The module and the name that hold an object."""

    module: ModuleType
    attribute: str

    @property
    def file(self) -> str:
        return os.path.abspath(self.module.__file__ or "")  # noqa: PTH100  # links stay as they are

    @property
    def stem(self) -> str:
        path = Path(self.file)
        return path.parent.name if path.stem in ("__main__", "__init__") else path.stem

    def argv(self, name: str, framework: str) -> tuple[str, ...]:
        """Return the words that start the program from here; empty if that is not possible."""
        is_parser = framework in _PARSERS
        if is_parser and not self.runs_as_script():
            return ()
        start = str(Path(__file__).with_name("start.py"))
        attribute = "" if is_parser else self.attribute
        where = self.module_name() or self.file
        # `-P`: the folder of this package must not hide modules of the program.
        options = (f"--path={_own_folders()}", f"--name={name}")
        return (sys.executable, "-P", start, *options, where, attribute)

    def runs_as_script(self) -> bool:
        try:
            return "__main__" in Path(self.file).read_text("utf-8", "replace")
        except OSError:
            return False

    def module_name(self) -> str:
        """Return the name to import it by; empty if only its file is known."""
        spec = getattr(self.module, "__spec__", None)
        name = spec.name if spec is not None else self.module.__name__
        if name == "__main__":
            return ""
        # Not `find_spec` of importlib.util: it trusts `sys.modules`, which a fresh process lacks.
        top = name.partition(".")[0]
        top_spec = PathFinder.find_spec(top)
        origin = top_spec.origin if top_spec is not None else None
        loaded = getattr(sys.modules.get(top), "__file__", None)
        is_same = origin and loaded and os.path.abspath(origin) == os.path.abspath(loaded)  # noqa: PTH100
        return name if is_same else ""


def module_argv(module: str) -> tuple[str, ...]:
    """Return the words that run a module as `python -m` does, in any folder.

    `-m` looks into the current folder, which is another one for, say, an editor's process.
    """
    folders = _own_folders()
    top = module.partition(".")[0]
    if not folders or PathFinder.find_spec(top, folders.split(os.pathsep)) is None:
        return (sys.executable, "-m", module)
    start = str(Path(__file__).with_name("start.py"))
    return (sys.executable, "-P", start, f"--path={folders}", f"--name={module}", module, "")


def _places_of(target: object) -> Iterator[_Place]:
    """Yield the places that hold an object, the modules that define it first.

    The module that was run comes last: it may only have imported the object, to serve it, and would
    then be started in its place.
    """
    modules = [module for module in list(sys.modules.values()) if getattr(module, "__file__", None)]
    home = str(getattr(getattr(target, "callback", None), "__module__", ""))
    modules.sort(key=lambda module: (module.__name__ != home, module.__name__ == "__main__"))
    for module in modules:
        for attribute, value in list(vars(module).items()):
            if value is target:
                yield _Place(module, attribute)


def _own_folders() -> str:
    """Return the folders of `sys.path` that a fresh interpreter would not know."""
    standard = {os.path.abspath(path) for path in sysconfig.get_paths().values()}  # noqa: PTH100
    base = os.path.dirname(os.__file__)  # noqa: PTH120
    folders = (os.path.abspath(folder) for folder in sys.path)  # noqa: PTH100
    added = (folder for folder in folders if folder not in standard and not folder.startswith(base))
    return os.pathsep.join(dict.fromkeys(folder for folder in added if os.path.isdir(folder)))  # noqa: PTH112


def _name_of(program: Program, place: _Place | None) -> str:
    """Return a name that says more than `cli`, if the program's file has one."""
    # Not the author's word: these use the name of whatever runs, which may be a server of ours.
    is_file = program.framework in _NAMED_BY_FILE and program.name == Path(sys.argv[0]).name
    if place is None or (program.name not in _COMMON_NAMES and not is_file):
        return program.name.removesuffix(".py" if is_file else "") or program.framework
    return program.name if place.stem in _COMMON_NAMES else place.stem
