"""What the benchmark of real code calls a loss: a tool that says less than its hints do."""

import functools
import importlib
import sys
from pathlib import Path
from typing import Any, TypeVar

import anyio.streams.memory
import pluggy
import pytest

from toolwright import Tool

T_contra = TypeVar("T_contra", contravariant=True)
Text = TypeVar("Text", bound=str)
Anything = object


@pytest.fixture
def losses(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).parents[3] / "benchmarks")])
    found = importlib.import_module("real_systems").losses

    def of(target, **options):
        made = Tool(target, **options)
        return found(target, {"inputSchema": made.input_schema}, type), made.problems

    return of


def variable(item: T_contra) -> None: ...


def named(item: "Anything") -> None: ...


def bounded(item: Text) -> None: ...


class Wrapping:
    @functools.wraps(dict.keys)
    def keys(self) -> Any: ...


@pytest.mark.parametrize(
    "target",
    [
        variable,
        named,
        bounded,
        Wrapping().keys,
        pluggy.PluginManager("x").register,
        pluggy.Result.force_result.__get__(object()),
        anyio.streams.memory.MemoryObjectSendStream.send.__get__(object()),
    ],
)
def test_a_hint_that_may_be_anything_loses_nothing(losses, target):
    assert losses(target) == ([], ())


def test_what_is_lost_is_named(losses):
    def f(key: type, word: str, *rest: type, **more: Any) -> None: ...

    lost, problems = losses(f, on_unsupported="permissive")
    assert lost == ["key: anything"]
    assert any("`key`" in each for each in problems)
    assert any("a list of any values for `rest`" in each for each in problems)
    bound = Tool(f, on_unsupported="permissive").bind({"key": 1, "word": "x", "rest": [2, "3"]})
    assert bound[0] == [1, "x", 2, "3"]
