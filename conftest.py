"""Look for examples only in modules that have some: importing and searching all of them takes
each worker two seconds."""

from pathlib import Path

pytest_plugins = ["pytester"]
SOURCE = Path(__file__).parent / "src"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Pass modules of the package without examples by.

    Those of public classes are found in the room that they are said to be from.
    """
    if collection_path.suffix != ".py" or SOURCE not in collection_path.parents:
        return None
    if collection_path.name == "__init__.py":
        return None
    return True if b">>>" not in collection_path.read_bytes() else None
