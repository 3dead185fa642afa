"""Imports the modules that a target names."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import keyword
import sys
import zlib
from collections.abc import Generator
from pathlib import Path
from types import ModuleType

from ..._log.printable import printable
from ..._log.redact import place_of
from ..._words import first_line
from ...tools.members import is_mcp_server
from ..usage import BadTarget, UsageError

_MOST_SHOWN = 200
"""Characters of a line that is shown."""
_STAND_IN = "toolwright_target_"
"""The prefix of modules whose own names are taken."""


def split(target: str) -> tuple[str, str]:
    """Split `file.py:box` into path and attribute; `C:` is a drive, not a path."""
    path, colon, attribute = target.rpartition(":")
    if not colon or (len(path) == 1 and path.isalpha()) or "/" in attribute or "\\" in attribute:
        return target, ""
    return path, attribute


@contextlib.contextmanager
def importing(path: str) -> Generator[None]:
    """Raise `BadTarget` for whatever the import of a target raises."""
    try:
        yield
    except (UsageError, KeyboardInterrupt):
        raise
    except BaseException as error:
        bad = BadTarget(_why_not(path, error))
        bad.excerpt = _excerpt(error) if isinstance(error, SyntaxError) else ""
        raise bad from error


def _why_not(path: str, error: BaseException) -> str:
    """Return why a target cannot be imported, with the line of the author's code that failed."""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing and (path == missing or path.startswith(f"{missing}.")):
        return f"there is no file or module {path}"
    if _needs_sdk_1(error):
        reason = (
            f"{path} is written for version 1 of the MCP SDK, and here is version 2: start it with"
            f" a Python that has version 1, --command 'PYTHON {path}'"
        )
    elif missing:
        reason = f"{path} needs {missing}, which is not installed"
    elif isinstance(error, SystemExit):
        reason = f"{path} ended the program when it was imported"
    else:
        text = error.msg if isinstance(error, SyntaxError) else first_line(str(error))
        reason = f"{path} cannot be imported: {type(error).__name__}: {text}".rstrip(": ")
    place = place_of(error)
    return reason if not place or place in reason else f"{reason} ({place})"


def _excerpt(error: SyntaxError) -> str:
    """Return the wrong line, with a caret; nothing if it is not known, or very long."""
    line = (error.text or "").rstrip()
    code = line.lstrip()
    column = (error.offset or 0) - 1 - (len(line) - len(code))
    if not code or len(code) > _MOST_SHOWN or printable(code) != code:
        return ""
    return f"    {code}\n    {' ' * column}^" if 0 <= column <= len(code) else f"    {code}"


def _needs_sdk_1(error: BaseException) -> bool:
    """Return whether code fails since it uses what the MCP SDK had before its version 2."""
    if isinstance(error, ImportError):
        return (error.name or "").split(".")[0] == "mcp" and "fastmcp" in str(error).lower()
    if not isinstance(error, AttributeError) or not is_mcp_server(error.obj):
        return False
    return error.name in ("list_tools", "call_tool", "list_resources", "list_prompts")


def import_target(path: str, package: Path | None = None) -> ModuleType:
    """Import a file or a module, a file in a package as part of it. Raises `BadTarget`."""
    place = Path(path)
    with importing(path):
        if package is not None:
            return _in_package(place, package)
        if path.endswith(".py") or place.is_file():
            return _file(place)
        return importlib.import_module(path)


def name_of(module: ModuleType) -> str:
    """Return the name by which its author knows a module."""
    module_name = module.__name__.rsplit(".", 1)[-1]
    if module_name.startswith(_STAND_IN) and module.__file__:
        return Path(module.__file__).stem
    return module_name


def _file(place: Path) -> ModuleType:
    if not place.is_file():
        raise BadTarget(f"there is no file {place}")
    _refuse_running(place)
    folder = str(place.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    name = place.stem
    module_file = getattr(sys.modules.get(name), "__file__", None)
    if module_file is not None and Path(module_file).resolve() == place.resolve():
        return sys.modules[name]
    return _under(_free(name, place), place)


def _refuse_running(place: Path) -> None:
    """Refuse a file that would run its own server, for as long as that runs, when it is imported."""
    text = place.read_bytes()
    if b".run(" not in text or (b"FastMCP(" not in text and b"MCPServer(" not in text):
        return
    import ast

    servers: set[str] = set()
    for node in ast.parse(text, str(place)).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            kind = ast.unparse(node.value.func).rpartition(".")[2].partition("[")[0]
            if kind in ("FastMCP", "MCPServer"):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                servers |= {ast.unparse(target) for target in targets}
        called = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(called, ast.Call) or not isinstance(called.func, ast.Attribute):
            continue
        owner = ast.unparse(called.func.value)
        if called.func.attr == "run" and owner in servers:
            raise BadTarget(
                f"{place} runs its server when it is imported: write `{owner}.run()` below"
                f' `if __name__ == "__main__":` ({place}:{node.lineno})'
            )


def _in_package(file: Path, package: Path) -> ModuleType:
    """Import a file as part of its package, so that relative imports work."""
    parent = str(package.resolve().parent)
    if parent not in sys.path:
        sys.path.append(parent)
    first = package.resolve() / "__init__.py"
    package_file = getattr(sys.modules.get(package.name), "__file__", None)
    is_known = package_file is not None and Path(package_file).resolve() == first
    name = package.name if is_known else _free(package.resolve().name, first)
    outer = sys.modules.get(name) or _under(name, first)
    module_parts = file.resolve().relative_to(package.resolve()).with_suffix("").parts
    parts = [outer.__name__, *(part for part in module_parts if part != "__init__")]
    return importlib.import_module(".".join(parts)) if len(parts) > 1 else outer


def _free(name: str, place: Path) -> str:
    """Return the name under which a file is imported: its own, unless another module has it."""
    if name.isidentifier() and not keyword.iskeyword(name) and name not in sys.modules:
        spec = importlib.util.find_spec(name)
        if spec is None or (spec.origin and Path(spec.origin).resolve() == place.resolve()):
            return name
    return f"{_STAND_IN}{zlib.crc32(str(place.resolve()).encode()):x}"


def _under(name: str, place: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise BadTarget(f"{place} is not a Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
