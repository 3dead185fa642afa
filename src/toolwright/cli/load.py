"""Loads the target of a command: file, module or folder."""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import keyword
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import DefinitionError, SchemaError, ToolNotFound
from ..toolbox.box import Toolbox, loading, served
from ..toolbox.loading import note_refusal, refused_while_loading
from ..tools.catalog import matches
from .project.configuration import dress, project_at
from .project.folders import ToolFile, all_open, neighbours_first, python_files
from .usage import UsageError

if TYPE_CHECKING:
    from ..tools.definition import Tool

_MOST_NOTES = 10
"""How many notes on tools are printed: they are no failures."""
_FAVOURITES = ("box", "toolbox", "app", "mcp", "server")


class BadTarget(UsageError):
    """The target cannot be loaded; the message says why, in one line."""


class NoTools(BadTarget):
    """The target has nothing that can be a tool."""


def add_target(parser: argparse.ArgumentParser) -> None:
    """Add TARGET, and the flags that select among its tools."""
    parser.add_argument("target", metavar="TARGET", help="where the tools are")
    parser.add_argument(
        "--env-file", metavar="FILE", help="set the variables of this file, such as .env"
    )
    add_selection(parser)


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the flags that select tools."""
    group = parser.add_argument_group("which tools")
    group.add_argument(
        "--select",
        action="append",
        metavar="PATTERN",
        help="only these, such as `orders.*`; `!x` leaves out",
    )
    group.add_argument(
        "--read-only", action="store_true", help="only tools that say they change nothing"
    )
    group.add_argument("--strict", action="store_true", help="fail if a tool is refused")


def open_target(chosen: argparse.Namespace) -> tuple[Toolbox, bool]:
    """Load the target and disable the tools not selected; return whether it may be used.

    With `--strict` it may not if a tool was refused. Raises `BadTarget`.
    """
    box, refused = load(chosen.target)
    for name, tool in list(box.items()):
        selected = matches(name, chosen.select or "*")
        if not selected or (chosen.read_only and tool.options.read_only is not True):
            box.disable(name)
    problems = box.problems
    lines = [str(error) for error in refused]
    lines += [str(problem) for problem in problems if problem.fatal]
    for line in dict.fromkeys(lines):
        print(f"refused: {line}", file=sys.stderr)
    notes = [each for each in problems if not each.fatal and box.is_enabled(each.tool)]
    for note in notes[:_MOST_NOTES]:
        print(f"note: {note}", file=sys.stderr)
    if len(notes) > _MOST_NOTES:
        more = len(notes) - _MOST_NOTES
        print(f"note: {more} more; `toolwright show` has those of one tool", file=sys.stderr)
    return box, not (lines and chosen.strict)


def selected_tool(box: Toolbox, name: str) -> Tool:
    """Return a tool by its name. Raises `ToolNotFound` if it is not selected."""
    if not box.is_enabled(name):
        raise ToolNotFound(name)
    return box[name]


def load(target: str) -> tuple[Toolbox, list[DefinitionError]]:
    """Return the toolbox that a target names, and what was refused on the way.

    Raises `BadTarget`.
    """
    project = project_at(target)
    path, attribute = split(target if project is None else project.target)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last: a file of the user must not shadow what we import
    with loading() as refused:
        module = _imported(path)
        named: Any = module
        for part in filter(None, attribute.split(".")):
            named = getattr(named, part, None)
            if named is None:
                raise BadTarget(f"{path} has no `{attribute}`{_offer(module)}")
        if not _holds_functions(named):
            kind = type(named).__name__
            raise BadTarget(f"`{attribute}` is {kind}: no toolbox, and it holds no functions")
        box = named if isinstance(named, Toolbox) else _box_of(named, module, bool(attribute))
    if project is not None:
        dress(box, project, refused)
    return box, refused


def split(target: str) -> tuple[str, str]:
    """Split `file.py:box` into path and attribute; `C:` is a drive, not a path."""
    path, colon, attribute = target.rpartition(":")
    if not colon or (len(path) == 1 and path.isalpha()) or "/" in attribute or "\\" in attribute:
        return target, ""
    return path, attribute


def _imported(path: str, package: Path | None = None) -> ModuleType:
    try:
        return _module_at(path, package)
    except UsageError:
        raise
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if not missing:
            raise BadTarget(f"{path} cannot be imported: {error}") from error
        if path == missing or path.startswith(f"{missing}."):
            raise BadTarget(f"there is no file or module {path}") from error
        raise BadTarget(f"{path} needs {missing}, which is not installed") from error
    except SystemExit as error:
        raise BadTarget(f"{path} ended the program when it was imported") from error
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        said = str(error).split("\n", 1)[0]
        raise BadTarget(f"{path} cannot be imported: {type(error).__name__}: {said}") from error


def _module_at(path: str, package: Path | None) -> ModuleType:
    place = Path(path)
    if package is not None:
        return _in_package(place, package)
    if place.is_dir():
        return _folder(place)
    if path.endswith(".py") or place.is_file():
        return _file(place)
    return importlib.import_module(path)


def _file(place: Path) -> ModuleType:
    if not place.is_file():
        raise BadTarget(f"there is no file {place}")
    folder = str(place.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    name = place.stem
    known = getattr(sys.modules.get(name), "__file__", None)
    if known is not None and Path(known).resolve() == place.resolve():
        return sys.modules[name]
    return _under(_free(name, place), place)


def _free(name: str, place: Path) -> str:
    """Return the name under which a file is imported: its own, unless another module has it."""
    if name.isidentifier() and not keyword.iskeyword(name) and name not in sys.modules:
        spec = importlib.util.find_spec(name)
        if spec is None or (spec.origin and Path(spec.origin).resolve() == place.resolve()):
            return name
    return f"toolwright_target_{zlib.crc32(str(place.resolve()).encode()):x}"


def _under(name: str, place: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise BadTarget(f"{place} is not a Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _folder(place: Path) -> ModuleType:
    """Return a package as a module, or a module whose toolbox has the tools of all files."""
    offered = _offered_in(place)
    if not offered:
        raise _nothing_in(place)
    if len(offered) == 1 and not offered[0].prefix:
        return offered[0].module  # with all that its author gave it
    whole = ModuleType(place.resolve().name)
    alive = [each.box for each in offered if served(each.box).has_lifespan]
    lifespan = functools.partial(all_open, alive) if alive else None
    box = Toolbox(place.resolve().name, lifespan=lifespan)
    owners: dict[str, Path] = {}
    for each in offered:
        twice = [name for name in each.box if each.prefix + name in owners]
        for name in twice:
            first = owners[each.prefix + name].relative_to(place)
            what = f"is in {first} and in {each.file.relative_to(place)}: the first one counts"
            note_refusal(SchemaError(what, tool=each.prefix + name))
        box.include(each.box, prefix=each.prefix, select=["*", *(f"!{name}" for name in twice)])
        owners |= {each.prefix + name: each.file for name in each.box if name not in twice}
    vars(whole)["box"] = box
    return whole


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
    """Return the toolbox of each file that has one; what a package itself offers is all of it."""
    offered: list[_Offered] = []
    seen: set[int] = set()
    whole: set[Path] = set()
    if str(place.resolve()) not in sys.path:
        sys.path.append(str(place.resolve()))
    for found in python_files(place):
        if whole.intersection(found.file.parents):
            continue
        module, box = _box_in(found, place)
        if module is None or box is None:
            continue
        if found.file.name == "__init__.py":
            whole.add(found.file.parent)
        if id(box) in seen:
            continue  # imported by one file from another
        seen.add(id(box))
        named = all(name.startswith(found.prefix) for name in box)
        offered.append(_Offered(found.file, "" if named else found.prefix, module, box))
    return offered


def _box_in(found: ToolFile, root: Path) -> tuple[ModuleType, Toolbox] | tuple[None, None]:
    """Return one file of a folder and its toolbox; nothing if it has none, or is broken."""
    try:
        with neighbours_first(found.file.parent, root):
            module = _imported(str(found.file), found.package)
        return module, _box_of(module, module, named=False)
    except NoTools:  # it may be there for the others
        return None, None
    except BadTarget as bad:
        broken = DefinitionError(str(bad))
        broken.__cause__ = bad.__cause__
        note_refusal(broken)
        return None, None


def _in_package(file: Path, package: Path) -> ModuleType:
    """Import a file as part of its package, so that relative imports work."""
    parent = str(package.resolve().parent)
    if parent not in sys.path:
        sys.path.append(parent)
    first = package.resolve() / "__init__.py"
    known = getattr(sys.modules.get(package.name), "__file__", None)
    is_known = known is not None and Path(known).resolve() == first
    name = package.name if is_known else _free(package.resolve().name, first)
    outer = sys.modules.get(name) or _under(name, first)
    inner = file.resolve().relative_to(package.resolve()).with_suffix("").parts
    parts = [outer.__name__, *(part for part in inner if part != "__init__")]
    return importlib.import_module(".".join(parts)) if len(parts) > 1 else outer


def _box_of(source: Any, module: ModuleType, named: bool) -> Toolbox:  # noqa: FBT001
    """Return the toolbox of a module, or a new one with its plain functions."""
    if isinstance(source, ModuleType):
        boxes = {name: box for name, box in vars(source).items() if isinstance(box, Toolbox)}
        distinct = list({id(box): box for box in boxes.values()}.values())
        if len(distinct) == 1:
            return distinct[0]
        for name in _FAVOURITES:
            if name in boxes:
                return boxes[name]
        if distinct:
            names = ", ".join(f"`{name}`" for name in boxes)
            raise BadTarget(f"{source.__name__} has several toolboxes: say which of {names}")
    own = module.__name__.rsplit(".", 1)[-1]
    if own.startswith("toolwright_target_") and module.__file__:
        own = Path(module.__file__).stem  # the name that the user knows
    box = Toolbox(own)
    if callable(source) and not isinstance(source, type) and named:
        box.add(source)
    else:
        box.include(source)
    if not box:
        raise NoTools(f"{module.__name__} has no toolbox and no public functions with types")
    return box


def _holds_functions(value: Any) -> bool:
    """Return whether a value can hold functions: not a number, a text or a list."""
    if isinstance(value, ModuleType | Mapping) or callable(value):
        return True
    return type(value).__module__ != "builtins"


def _offer(module: ModuleType) -> str:
    names = [name for name, value in vars(module).items() if isinstance(value, Toolbox)]
    return f"; it has {', '.join(f'`{name}`' for name in names)}" if names else ""
