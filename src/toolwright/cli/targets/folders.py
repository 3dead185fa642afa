"""Finds the files of tools in a folder and its sub-folders."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..usage import UsageError

MOST_FILES = 1000
MOST_FOLDERS = 2000
_NO_TOOLS = frozenset(("test", "tests", "node_modules", "site-packages"))
_SCRIPTS = "scripts"
"""A folder that adds nothing to names: `git/scripts/log.py` has tools of `git`."""


class ToolFile(NamedTuple):
    """A file that may have tools."""

    file: Path
    prefix: str
    """The prefix of their names: the folders below the target, such as `git.`."""
    package: Path | None
    """The outermost package that it is in."""


class _Folder(NamedTuple):
    place: Path
    parts: tuple[str, ...]
    package: Path | None


def python_files(root: Path) -> list[ToolFile]:
    """Return the files that may have tools, those of each folder before its sub-folders.

    Raises `UsageError` if there are too many.
    """
    tool_files: list[ToolFile] = []
    for folder in _folders(root):
        files = sorted(file for file in folder.place.glob("*.py") if _may_have_tools(file))
        prefix = "".join(f"{part}." for part in _named(folder.parts))
        tool_files += [ToolFile(file, prefix, folder.package) for file in files]
        if len(tool_files) > MOST_FILES:
            raise UsageError(f"{root} has over {MOST_FILES} Python files: name a smaller folder")
    return tool_files


def tool_folders(root: Path) -> Iterator[Path]:
    """Yield the folders in which files of tools are looked for."""
    with contextlib.suppress(UsageError, OSError):
        for folder in _folders(root):
            yield folder.place


def _folders(root: Path) -> Iterator[_Folder]:
    real_paths = {os.path.realpath(root)}
    waiting = [_Folder(root, (), root if _is_package(root) else None)]
    while waiting:
        folder = waiting.pop()
        yield folder
        subfolders: list[_Folder] = []
        for place in sorted(folder.place.iterdir()):
            if not place.is_dir() or _is_left_out(place):
                continue
            real = os.path.realpath(place)
            if real in real_paths:  # a link to a folder that is here already, or around this one
                continue
            real_paths.add(real)
            package = folder.package or (place if _is_package(place) else None)
            subfolders.append(_Folder(place, (*folder.parts, place.name), package))
        waiting += reversed(subfolders)
        if len(real_paths) > MOST_FOLDERS:
            raise UsageError(f"{root} has over {MOST_FOLDERS} folders: name a smaller one")


def _named(parts: Sequence[str]) -> Iterator[str]:
    """Yield the parts of a name: no folder from `scripts` on, and only allowed characters."""
    for part in parts:
        if part == _SCRIPTS:
            return
        yield re.sub(r"[^A-Za-z0-9_-]", "_", part)


def _may_have_tools(file: Path) -> bool:
    name = file.name
    if name == "__init__.py":
        return True
    is_test = name.startswith(("test_", "conftest")) or name.endswith("_test.py")
    return not is_test and not name.startswith(("_", ".")) and name != "setup.py"


def _is_left_out(folder: Path) -> bool:
    name = folder.name
    return name.startswith((".", "_")) or name in _NO_TOOLS or (folder / "pyvenv.cfg").is_file()


def _is_package(folder: Path) -> bool:
    return (folder / "__init__.py").is_file()


@contextlib.contextmanager
def neighbours_first(folder: Path, root: Path) -> Generator[None]:
    """Let a file import those beside it, whatever other folders of the target have imported.

    Two folders may each have a `helpers.py`.
    """
    place, top = folder.resolve(), root.resolve()
    near = {str(place), *(str(parent) for parent in place.parents)}
    far = [path for path in sys.path if path not in near and Path(path).is_relative_to(top)]
    names = [file.stem for file in place.glob("*.py")]
    hidden = {
        name: sys.modules.pop(name)
        for name in names
        if name in sys.modules and _is_elsewhere(sys.modules[name], place, top)
    }
    sys.path[:] = [path for path in sys.path if path not in far]
    try:
        yield
    finally:
        sys.path += far
        sys.modules.update(hidden)


def _is_elsewhere(module: Any, place: Path, top: Path) -> bool:
    """Return whether a module is from another folder of the target."""
    file = getattr(module, "__file__", None)
    if not file:
        return False
    folder = Path(file).resolve().parent
    return folder != place and folder.is_relative_to(top)
