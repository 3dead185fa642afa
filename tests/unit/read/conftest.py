"""Modules that tests write, import and forget."""

import importlib
import itertools
import sys
import textwrap

import pytest

_numbers = itertools.count()


class Modules:
    """A package in a folder of its own; `add` writes and imports a module of it."""

    def __init__(self, folder):
        self.name = f"written_{next(_numbers)}"
        self.folder = folder / self.name
        self.folder.mkdir()
        (self.folder / "__init__.py").write_text("")

    def write(self, name, source):
        (self.folder / f"{name}.py").write_text(textwrap.dedent(source))

    def add(self, name, source):
        self.write(name, source)
        importlib.invalidate_caches()
        return importlib.import_module(f"{self.name}.{name}")

    def loaded(self, name):
        return f"{self.name}.{name}" in sys.modules


@pytest.fixture
def modules(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    made = Modules(tmp_path)
    yield made
    for name in [n for n in sys.modules if n == made.name or n.startswith(f"{made.name}.")]:
        del sys.modules[name]
