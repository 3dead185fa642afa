"""Folders as targets: the files of tools in them."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ...errors import DefinitionError, SchemaError
from ...toolbox.box import Toolbox
from ...tools.decorator import note, refused_while_loading
from ..usage import BadTarget, UsageError
from .boxes import NoTools, box_of
from .modules import import_target, importing

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


def folder_module(place: Path) -> ModuleType:
    """Return a package as a module, or a module whose toolbox has the tools of all files.

    Raises `BadTarget`.
    """
    with importing(str(place)):
        offered = _offered_in(place)
    if not offered:
        raise _nothing_in(place)
    if len(offered) == 1 and not offered[0].prefix:
        return offered[0].module  # with everything its author gave it
    combined = ModuleType(place.resolve().name)
    box = Toolbox(place.resolve().name)
    owners: dict[str, Path] = {}
    for offer in offered:
        twice = [name for name in offer.box if offer.prefix + name in owners]
        for name in twice:
            first = owners[offer.prefix + name].relative_to(place)
            what = f"is in {first} and in {offer.file.relative_to(place)}: the first one counts"
            note(SchemaError(what, tool=offer.prefix + name))
        box.include(offer.box, prefix=offer.prefix, select=["*", *(f"!{name}" for name in twice)])
        owners |= {offer.prefix + name: offer.file for name in offer.box if name not in twice}
    vars(combined)["box"] = box
    return combined


def _nothing_in(place: Path) -> BadTarget:
    """Return why a folder has no tools: what is broken in it, or that nothing is there."""
    broken = refused_while_loading()
    if not broken:
        return NoTools(f"no file in {place} has a toolbox or public functions with types")
    error = BadTarget(" ".join(str(broken[0]).split()))
    error.__cause__ = broken[0].__cause__
    return error


class _Offered(NamedTuple):
    file: Path
    prefix: str
    module: ModuleType
    box: Toolbox


def _offered_in(place: Path) -> list[_Offered]:
    """Return the toolbox of each file that has one; a package with its own is taken as a whole."""
    offered: list[_Offered] = []
    box_ids: set[int] = set()
    packages: set[Path] = set()
    if str(place.resolve()) not in sys.path:
        sys.path.append(str(place.resolve()))
    for tool_file in python_files(place):
        if packages.intersection(tool_file.file.parents):
            continue
        module, box = _box_in(tool_file, place)
        if module is None or box is None:
            continue
        if tool_file.file.name == "__init__.py":
            packages.add(tool_file.file.parent)
        if id(box) in box_ids:
            continue  # imported by one file from another
        box_ids.add(id(box))
        has_prefix = all(name.startswith(tool_file.prefix) for name in box)
        offered.append(
            _Offered(tool_file.file, "" if has_prefix else tool_file.prefix, module, box)
        )
    return offered


def _box_in(found: ToolFile, root: Path) -> tuple[ModuleType, Toolbox] | tuple[None, None]:
    """Return one file of a folder and its toolbox; nothing if it has none, or is broken."""
    before = len(refused_while_loading() or ())
    try:
        with neighbours_first(found.file.parent, root):
            module = import_target(str(found.file), found.package)
        return module, box_of(module, module, refused_before=before)
    except NoTools:  # other files may import it
        return None, None
    except BadTarget as bad:
        broken = DefinitionError(str(bad))
        broken.__cause__ = bad.__cause__
        note(broken)
        return None, None
    finally:
        _name_fully(found.prefix, before)


def _name_fully(prefix: str, before: int) -> None:
    """Give refused tools of a sub-folder the names that they would have had."""
    refused = refused_while_loading() or []
    for index, error in enumerate(refused[before:], before):
        if isinstance(error, SchemaError) and not error.tool.startswith(prefix):
            refused[index] = error.named(prefix + error.tool)
            refused[index].__cause__ = error.__cause__
