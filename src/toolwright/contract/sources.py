"""The files of a toolbox, and whether they have changed."""

from __future__ import annotations

import functools
import hashlib
import os
import site
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from .._files import open_file

_MOST_NAME = 200
"""How many characters of a name in a lock are repeated."""
_INSTALLED = frozenset(("site-packages", "dist-packages"))


def own_modules() -> dict[str, ModuleType]:
    """Return the modules that belong to the user: neither installed nor Python's own."""
    return {
        name: module
        for name, module in list(sys.modules.items())
        if name != "__main__" and is_own(getattr(module, "__file__", None))
    }


def is_own(file: str | None) -> bool:
    """Return whether a file belongs to the user."""
    if file is None:
        return False
    real = real_path(file)
    # Packages may also come from the site-packages of another environment.
    return not real.startswith(_others()) and not _INSTALLED & set(Path(real).parts)


@functools.cache
def real_path(file: str) -> str:
    """Return where a file really is."""
    return os.path.realpath(file)


@functools.cache
def _others() -> tuple[str, ...]:
    """Return the folders of installed code and of this package."""
    places = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    places |= {*site.getsitepackages(), site.getusersitepackages()}
    places.add(str(Path(__file__).parents[1]))
    return tuple(os.path.realpath(place) + os.sep for place in places if place)


def environment() -> dict[str, str]:
    """Return the versions that lists of tools depend on, in addition to the files."""
    import pydantic_core

    from .._door import __version__

    # pydantic needs one version of its core exactly, and its core is loaded anyway.
    return {"toolwright": __version__, "pydantic-core": pydantic_core.__version__}


def recorded(files: Iterable[Path], folders: Iterable[Path], beside: Path) -> dict[str, Any]:
    """Return what a lock records of files, and of folders whose modules are tools.

    Paths are relative to the folder of the lock, so that it can be used on another machine.
    """
    digests = {_relative(file, beside): _digest(file) for file in {*map(_real, files)}}
    listed = {_relative(folder, beside): _listing(folder) for folder in {*map(_real, folders)}}
    record: dict[str, Any] = {
        "versions": environment(),
        "files": {name: digest for name, digest in sorted(digests.items()) if digest},
    }
    if listed:
        record["folders"] = dict(sorted(listed.items()))
    return record


def why_stale(sources: Mapping[str, Any], beside: Path) -> str:
    """Return what has changed since files were recorded; nothing if nothing has."""
    if not sources.get("files"):
        return "it does not say which files it was made from"
    for package, version in environment().items():
        version_then = sources.get("versions", {}).get(package)
        if version_then != version:
            return f"it was written with {package} {version_then}, and this is {version}"
    for name, digest in sources["files"].items():
        if _digest(beside / name) != digest:
            return f"{name[:_MOST_NAME]} has changed"
    for name, digest in sources.get("folders", {}).items():
        if _listing(beside / name) != digest:
            return f"there are other modules in {name[:_MOST_NAME]}"
    return ""


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _relative(path: Path, beside: Path) -> str:
    return Path(os.path.relpath(path, _real(beside))).as_posix()


def _digest(file: Path) -> str:
    """Return the digest of a file; nothing if it cannot be read, or is not a file."""
    try:
        with open_file(file) as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except (OSError, ValueError):  # `ValueError`: a name that no file can have
        return ""


def _may_be_module(path: Path) -> bool:
    return not path.name.startswith((".", "__pycache__")) and (
        path.suffix == ".py" or path.is_dir()
    )


def _listing(folder: Path) -> str:
    """Return the digest of the names of all modules and packages in a folder."""
    try:
        names = sorted(entry.name for entry in folder.iterdir() if _may_be_module(entry))
    except (OSError, ValueError):
        return ""
    return hashlib.sha256("\n".join(names).encode("utf-8", "surrogateescape")).hexdigest()
