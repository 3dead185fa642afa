"""Local types under `from __future__ import annotations`, used while their function still runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, NotRequired, Optional, TypedDict

from pydantic import BaseModel

from toolwright import Tool


def local_typed_dict() -> Tool:
    class Kind(TypedDict):
        word: str
        near: NotRequired[Kind]

    def f(kind: Kind, kinds: list[Kind]) -> Kind: ...

    tool = Tool(f)
    tool.compile()
    return tool


def local_dataclass_with_a_local_typed_dict() -> Tool:
    class Kind(TypedDict):
        word: str

    @dataclass
    class Holder:
        kind: Kind
        more: list[Kind]
        name: str = "x"

    def f(holder: Holder) -> Holder: ...

    tool = Tool(f)
    tool.compile()
    return tool


def local_model_with_a_forward_reference() -> Tool:
    class Outer(BaseModel):
        inner: Inner
        outers: list[Outer] = []

    class Inner(BaseModel):
        x: int

    def f(outer: Outer) -> Optional[Outer]: ...

    tool = Tool(f)
    tool.compile()
    return tool


def local_named_tuple() -> Tool:
    class Inner(BaseModel):
        x: int

    class Pair(NamedTuple):
        left: Inner
        right: int

    def f(pair: Pair) -> Pair: ...

    tool = Tool(f)
    tool.compile()
    return tool


def local_plain_class() -> Tool:
    class Engine:
        def __init__(self, size: Size):
            self.size = size

    class Size(TypedDict):
        width: int

    def f(engine: Engine) -> Engine: ...

    tool = Tool(f)
    tool.compile()
    return tool


def local_class_through_a_method() -> Tool:
    class Item(BaseModel):
        x: int

    class Shelf:
        def find(self, item: Item) -> Item: ...

    tool = Tool(Shelf().find)
    tool.compile()
    return tool
