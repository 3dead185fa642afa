"""Loads the target of a command: file, module or folder."""

from __future__ import annotations

import argparse
import difflib
import importlib
import importlib.util
import keyword
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .._log.traces import place_of
from ..errors import DefinitionError, SchemaError, ToolNotFound
from ..toolbox.box import Toolbox, loading
from ..tools.catalog import matches
from ..tools.definition import PLAIN
from ..tools.loading import refused_while_loading
from . import logs
from .usage import BadTarget, UsageError

if TYPE_CHECKING:
    from ..tools.definition import Tool

_MOST_NOTES = 10
"""How many notes on tools are printed: they are no failures."""
_MOST_NAMES = 10
"""How many names of tools are offered where none was meant."""
_FAVOURITES = ("box", "toolbox", "app", "mcp", "server")


class NoTools(BadTarget):
    """The target has nothing that can be a tool."""


def add_target(parser: argparse.ArgumentParser) -> None:
    """Add TARGET, and the flags that select among its tools."""
    parser.add_argument("target", metavar="TARGET", help="where the tools are")
    add_selection(parser)
    logs.add_flags(parser)


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
    logs.set_up(chosen)
    refused = _select(box, refused, chosen)
    problems = [each for each in box.problems if box.is_enabled(each.tool)]
    lines = [str(error) for error in refused]
    lines += [str(problem) for problem in problems if problem.fatal]
    for error in refused:
        logs.show_trace(error, chosen)
    for line in dict.fromkeys(lines):
        print(f"refused: {line}", file=sys.stderr)
    notes = [each for each in problems if not each.fatal]
    for note in notes[:_MOST_NOTES]:
        print(f"note: {note}", file=sys.stderr)
    if len(notes) > _MOST_NOTES:
        more = len(notes) - _MOST_NOTES
        print(f"note: {more} more; `toolwright show` has those of one tool", file=sys.stderr)
    return box, not (lines and chosen.strict)


def _select(
    box: Toolbox, refused: list[DefinitionError], chosen: argparse.Namespace
) -> list[DefinitionError]:
    """Disable the tools not selected; return the refusals of those that are.

    Raises `UsageError` for a pattern that matches nothing: a typo would serve too little, or with
    `!` too much.
    """
    patterns: list[str] = chosen.select or []
    lost = [error.tool for error in refused if isinstance(error, SchemaError)]
    for pattern in patterns:
        bare = pattern.removeprefix("!")
        if not any(_is_selected(name, [bare]) for name in (*box, *lost)):
            raise UsageError(_no_match(bare, list(box), lost))
    selected = {name for name in (*box, *lost) if _is_selected(name, patterns)}
    for name in set(box) - selected:
        box.disable(name)
    if chosen.read_only:
        changing = [name for name, tool in box.items() if tool.options.read_only is not True]
        for name in changing:
            box.disable(name)
        if selected and not any(box.is_enabled(name) for name in box):
            why = "since none of them is read-only: `read_only=True` makes it so"
            print(f"note: no tool is left, {why}", file=sys.stderr)
    return [each for each in refused if not isinstance(each, SchemaError) or each.tool in selected]


def _is_selected(name: str, patterns: list[str]) -> bool:
    """Return whether a tool is selected by its name, or by the one that clients see."""
    return matches((name, name.translate(PLAIN)), patterns)


def _no_match(pattern: str, names: list[str], lost: list[str]) -> str:
    if any(sign in pattern for sign in "*?["):
        what, near = f"no tool matches `{pattern}`", []
    else:
        what = f"no tool is called `{pattern}`"
        near = difflib.get_close_matches(pattern, [*names, *lost], 1)
    if near:
        return f"--select: {what} (did you mean `{near[0]}`?)"
    shown = ", ".join(f"`{name}`" for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"--select: {what}: there are {shown}{more}" if names else f"--select: {what}"


def selected_tool(box: Toolbox, name: str) -> Tool:
    """Return a tool by its name. Raises `ToolNotFound` if it is not selected."""
    if not box.is_enabled(name):
        raise ToolNotFound(name)
    return box[name]


def load(target: str) -> tuple[Toolbox, list[DefinitionError]]:
    """Return the toolbox that a target names, and what was refused on the way.

    Raises `BadTarget`.
    """
    path, attribute = split(target)
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
    return box, refused


def split(target: str) -> tuple[str, str]:
    """Split `file.py:box` into path and attribute; `C:` is a drive, not a path."""
    path, colon, attribute = target.rpartition(":")
    if not colon or (len(path) == 1 and path.isalpha()) or "/" in attribute or "\\" in attribute:
        return target, ""
    return path, attribute


def _imported(path: str) -> ModuleType:
    place = Path(path)
    try:
        if place.is_dir():
            return _folder(place)
        if path.endswith(".py") or place.is_file():
            return _file(place)
        return importlib.import_module(path)
    except BadTarget:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise BadTarget(_why_not(path, error)) from error


def _why_not(path: str, error: BaseException) -> str:
    """Return why a target cannot be imported, with the line of the author's that has failed."""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing and (path == missing or path.startswith(f"{missing}.")):
        return f"there is no file or module {path}"
    if missing:
        said = f"{path} needs {missing}, which is not installed"
    elif isinstance(error, SystemExit):
        said = f"{path} ended the program when it was imported"
    else:
        text = error.msg if isinstance(error, SyntaxError) else str(error).split("\n", 1)[0]
        said = f"{path} cannot be imported: {type(error).__name__}: {text}".rstrip(": ")
    place = place_of(error)
    return said if not place or place in said else f"{said} ({place})"


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
    if (place / "__init__.py").is_file():
        sys.path.append(str(place.resolve().parent))
        first = place.resolve() / "__init__.py"
        name = _free(place.resolve().name, first)
        return sys.modules.get(name) or _under(name, first)
    files = sorted(
        file
        for file in place.glob("*.py")
        if not file.name.startswith(("_", "test_", "conftest")) and file.name != "setup.py"
    )
    if not files:
        raise BadTarget(f"there are no Python files in {place}")
    whole = ModuleType(place.resolve().name)
    box = Toolbox(place.resolve().name)
    seen: set[int] = set()
    for file in files:
        own = _box_in(file)
        if own is None or id(own) in seen:
            continue  # imported by one file from another
        seen.add(id(own))
        try:
            box.include(own)
        except DefinitionError as error:
            raise BadTarget(str(error).replace("\n", " ")) from error
    if not seen:
        raise _nothing_in(place)
    vars(whole)["box"] = box
    return whole


def _box_in(file: Path) -> Toolbox | None:
    """Return the toolbox of one file of a folder; None if it has none, or a broken one."""
    try:
        module = _imported(str(file))
        return _box_of(module, module, named=False)
    except NoTools:  # it may be there for the others
        return None
    except BadTarget as bad:
        broken = DefinitionError(str(bad))
        broken.__cause__ = bad.__cause__
        noted = refused_while_loading()
        if noted is None:
            raise
        noted.append(broken)
        return None


def _nothing_in(place: Path) -> BadTarget:
    """Return why a folder has no tools: what is broken in it, or that nothing is there."""
    broken = refused_while_loading()
    if not broken:
        return NoTools(f"no file in {place} has a toolbox or public functions with types")
    error = BadTarget(" ".join(str(broken[0]).split()))
    error.__cause__ = broken[0].__cause__
    return error


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
    if not box and not refused_while_loading():
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
