"""Start a program by its module, in its own process.

    python start.py --path=FOLDERS --name=NAME WHERE ATTRIBUTE WORDS...

WHERE is a module, or the path of a file. An app is called; without an ATTRIBUTE the module is run as
a script. Only the standard library is used: this file runs by its path, before there is a package.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import runpy
import sys
from types import ModuleType, TracebackType
from typing import Any


def main(words: list[str]) -> None:
    """Start the program that the words name, with the rest of them."""
    sys.excepthook = _show
    folders, name, where, attribute, *arguments = words
    folders_known = set(sys.path)
    added = [folder for folder in folders.removeprefix("--path=").split(os.pathsep) if folder]
    sys.path[:0] = [folder for folder in added if folder not in folders_known]
    name = name.removeprefix("--name=")
    is_file = where.endswith(".py") or os.sep in where
    sys.argv = [where if is_file and not attribute else name, *arguments]
    if not attribute:
        _run(where, is_file=is_file)
        return
    target: Any = getattr(_load(where) if is_file else importlib.import_module(where), attribute)
    _call(target, name)


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show the program's exception, from its own lines on."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def _run(where: str, *, is_file: bool) -> None:
    if is_file:
        _make_importable(where)
        runpy.run_path(where, run_name="__main__")
    else:
        runpy.run_module(where, run_name="__main__", alter_sys=True)


def _load(path: str) -> ModuleType:
    """Return the module of a file, under the name by which files beside it import it."""
    _make_importable(path)
    name = os.path.basename(path).removesuffix(".py")  # noqa: PTH119  # nothing else is imported
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _make_importable(path: str) -> None:
    folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _call(target: Any, name: str) -> None:
    if hasattr(target, "main"):  # Click
        target.main(prog_name=name)
    elif hasattr(target, "registered_commands"):  # Typer
        target(prog_name=name)
    else:
        meta = getattr(target, "_meta", None)  # Cyclopts
        (target if meta is None or meta.default_command is None else meta)()


if __name__ == "__main__":
    main(sys.argv[1:])
