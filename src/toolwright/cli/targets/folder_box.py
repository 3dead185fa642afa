"""One toolbox with the tools of all files in a folder."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ...errors import DefinitionError, SchemaError
from ...toolbox.box import Toolbox
from ...tools.loading import note, refused_while_loading
from ..usage import BadTarget
from .boxes import NoTools, box_of
from .folders import ToolFile, neighbours_first, python_files
from .modules import import_target, importing


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
