"""What a script calls and imports, without running it.

    python script_look.py JOB

This file is run by its path in the program's interpreter, which may lack everything that this
package needs. Nothing of the program is imported, since that would run it.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import json
import os
import re
import sys
import sysconfig
import zipfile
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec, PathFinder
from itertools import islice
from pathlib import Path
from typing import Any

_KNOWN = ("argparse", "optparse", "click", "typer", "cyclopts")
_BUILT_ON_THEM = ("cloup", "configargparse", "jsonargparse", "rich_click", "simple_parsing", "tyro")
_PARSERS = frozenset((*_KNOWN, *_BUILT_ON_THEM))
_NAMES_ONE = re.compile(
    rb"^[ \t]*(?:from|import)[ \t][^#\n]*?(?<![\w.])(?:%s)\b" % "|".join(sorted(_PARSERS)).encode(),
    re.MULTILINE,
)
_MOST_FILES = 5000
_MOST_BYTES = 2_000_000
_MOST_OF_SCRIPT = 20_000_000


def look(words: list[str]) -> dict[str, Any]:
    """Return what a program calls, as `module:name`, and whether it names a known parser."""
    if words[0] == "-m":
        return {"entry": "", "names_parser": any(map(_names_parser, _texts_of_module(words[1])))}
    file = Path(words[0])
    if zipfile.is_zipfile(file):
        return {"entry": "", "names_parser": any(map(_names_parser, _texts_of_archive(file)))}
    try:
        tree = ast.parse(_text_of(file, _MOST_OF_SCRIPT))
    except SyntaxError as error:
        return {"problem": f"SyntaxError: {error.msg}, in line {error.lineno}"}
    except ValueError as error:  # NUL
        return {"problem": str(error)}
    except (RecursionError, MemoryError):
        return {"problem": "it is nested too deeply"}
    if not _is_installed(file):
        sys.path.insert(0, str(file.parent))
    script = _Script(file, tree)
    return {"entry": ":".join(script.entry), "names_parser": script.names_parser()}


class _Script:
    """A script, as an installer or its author has written it."""

    def __init__(self, file: Path, tree: ast.Module) -> None:
        self.file = file
        self.tree = tree
        self.is_installed = _is_installed(file)
        self.distribution: Any = None
        self.entry = _entry_of(tree)
        """The module and the name of what it calls without arguments; empty if that is not plain."""
        if self.is_installed:
            self._find_distribution()

    def _find_distribution(self) -> None:
        name = self.file.name.removesuffix(".exe")
        for entry_point in importlib.metadata.entry_points(group="console_scripts", name=name):
            module, _, attribute = entry_point.value.partition(":")
            self.entry = self.entry or (module, attribute.partition("[")[0].strip())
            self.distribution = entry_point.dist
            return
        for distribution in importlib.metadata.distributions():
            if any(Path(str(file)).name == name for file in distribution.files or ()):
                self.distribution = distribution
                return

    def names_parser(self) -> bool:
        """Return whether its own source, or what its distribution requires, has a known parser."""
        requirements = getattr(self.distribution, "requires", None) or ()
        plain = (requirement for requirement in requirements if "extra ==" not in requirement)
        names = {re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in plain}
        if _PARSERS.intersection(
            re.sub(r"[-_.]+", "_", requirement).lower() for requirement in names
        ):
            return True
        return any(map(_names_parser, islice(self.texts(), _MOST_FILES)))

    def texts(self) -> Iterator[bytes]:
        """Yield the source that is the program's own."""
        script = _text_of(self.file, _MOST_OF_SCRIPT)
        yield script
        if self.entry:
            module = _file_of_module(self.entry[0])
            if module is not None:
                text = _text_of(module)
                yield text
                if self.is_installed:  # it may only pass on what another module defines
                    yield from map(_text_of, filter(None, map(_file_of_module, _imports(text))))
        if not self.is_installed:
            yield from _texts_beside(self.file.parent, script)
        elif self.entry:
            yield from _texts_of_package(self.entry[0].partition(".")[0])
        for file in getattr(self.distribution, "files", None) or ():
            if file.suffix == ".py":
                yield _text_of(Path(str(file.locate())))


def _is_installed(file: Path) -> bool:
    """Return whether an installer has put a script where this interpreter has its own."""
    user = sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))
    folders = (sysconfig.get_path("scripts"), user, str(Path(sys.executable).parent))
    return any(_same(file.resolve().parent, folder) for folder in folders)


def _same(folder: Path, expected: str) -> bool:
    try:
        return folder.samefile(expected)
    except OSError:
        return False


def _entry_of(tree: ast.Module) -> tuple[str, ...]:
    """Return the module and the name that a script's last statement calls without arguments."""
    names: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = (node.module, alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = (alias.name if alias.asname else top, "")
    last: Any = tree.body[-1] if tree.body else None
    last = last.body[-1] if isinstance(last, ast.If) else last
    call: Any = last.exc if isinstance(last, ast.Raise) else getattr(last, "value", None)
    while isinstance(call, ast.Call) and len(call.args) == 1 and _is_exit(call.func):
        call = call.args[0]
    if not isinstance(call, ast.Call) or call.args or call.keywords:
        return ()
    first, *attributes = ast.unparse(call.func).split(".")
    module, name = names.get(first, ("", ""))
    path = ".".join(filter(None, (name, *attributes)))
    return (module, path) if module and path.replace(".", "").isidentifier() else ()


def _is_exit(function: ast.expr) -> bool:
    return ast.unparse(function) in ("sys.exit", "exit", "SystemExit")


def _imports(text: bytes) -> Iterator[str]:
    """Yield the modules that a source imports by their whole names."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def _names_parser(text: bytes) -> bool:
    # A first look at the text is cheap; a sentence in a docstring may be the reason.
    if not _NAMES_ONE.search(text):
        return False
    return any(module.partition(".")[0] in _PARSERS for module in _imports(text))


def _spec_of(name: str) -> ModuleSpec | None:
    try:  # not of `a.b`: that imports `a`
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None


def _file_of_module(name: str) -> Path | None:
    """Return the source of a module of any depth, without importing what is above it."""
    first, *parts = name.split(".")
    spec = _spec_of(first)
    if spec is None or first in sys.stdlib_module_names:
        return None
    if not parts:
        return Path(spec.origin) if spec.origin and spec.origin.endswith(".py") else None
    for folder in spec.submodule_search_locations or ():
        location = Path(folder, *parts)
        for file in (location.with_name(f"{location.name}.py"), location / "__init__.py"):
            if file.is_file():
                return file
    return None


def _texts_of_module(name: str) -> Iterator[bytes]:
    """Yield the source of what `python -m` runs."""
    top = name.partition(".")[0]
    spec = _spec_of(top)
    if spec is None:
        return
    if spec.submodule_search_locations is not None:
        yield from _texts_of_package(top)
    elif spec.origin and spec.origin.endswith(".py"):
        file = Path(spec.origin)
        text = _text_of(file)
        yield text
        if str(file.parent) not in sysconfig.get_paths().values():
            yield from _texts_beside(file.parent, text)


def _texts_of_package(name: str) -> Iterator[bytes]:
    spec = _spec_of(name)
    folders = (spec.submodule_search_locations if spec is not None else None) or ()
    files = (file for folder in folders for file in _files_below(folder))
    yield from map(_text_of, islice(files, _MOST_FILES))


def _texts_beside(folder: Path, text: bytes) -> Iterator[bytes]:
    """Yield the source of the modules of a folder that a source imports, and that those import."""
    names: set[str] = set()
    waiting = [text]
    while waiting and len(names) < _MOST_FILES:
        for name in _imports(waiting.pop()):
            top = name.partition(".")[0]
            spec = None if top in names else PathFinder.find_spec(top, [str(folder)])
            names.add(top)
            if spec is None:
                continue
            inside: Iterable[Path] = (
                file
                for location in spec.submodule_search_locations or ()
                for file in _files_below(location)
            )
            modules = [Path(origin) for origin in (spec.origin or "",) if origin.endswith(".py")]
            for file in (*modules, *islice(inside, _MOST_FILES)):
                waiting.append(_text_of(file))
                yield waiting[-1]


def _files_below(folder: str) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders.sort()
        yield from (Path(parent, name) for name in sorted(files) if name.endswith(".py"))


def _texts_of_archive(file: Path) -> Iterator[bytes]:
    with zipfile.ZipFile(file) as archive:
        names = [name for name in archive.namelist() if name.endswith(".py")]
        for name in names[:_MOST_FILES]:
            with archive.open(name) as opened:
                yield opened.read(_MOST_BYTES)


def _text_of(file: Path, size: int = _MOST_BYTES) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(size)
    except OSError:
        return b""


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    Path(given["answer"]).write_text(json.dumps(look(given["words"])), encoding="utf-8")
