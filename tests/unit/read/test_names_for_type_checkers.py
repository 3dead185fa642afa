"""Names that only type checkers import are imported when a hint needs them."""

import sys
import threading

import pytest

from toolwright import SchemaError, Tool
from toolwright.tools.definition import signature_of

MODELS = """
    from dataclasses import dataclass

    @dataclass
    class Point:
        x: int
"""
IMPORT = "from typing import TYPE_CHECKING\n"
TRY = """if TYPE_CHECKING:
    try:
        from .missing import Point
    except ImportError:
        from .models import Point
"""
BY_VERSION = """if TYPE_CHECKING:
    import sys
    if sys.version_info >= (9,):
        from .missing import Point
    else:
        from .models import Point
"""
ALIAS = """if TYPE_CHECKING:
    from .models import Point as P
    from typing import TypeAlias
    Point: TypeAlias = 'P'
"""
POINT = {
    "type": "object",
    "properties": {"x": {"type": "integer"}},
    "required": ["x"],
}


def properties(target, **options):
    return Tool(target, **options).input_schema["properties"]


@pytest.fixture
def models(modules):
    modules.write("models", MODELS)
    return modules


@pytest.mark.promise("parameters.checkers-only")
@pytest.mark.parametrize(
    "block",
    [
        IMPORT + "if TYPE_CHECKING:\n    from .models import Point",
        "import typing\nif typing.TYPE_CHECKING:\n    from .models import Point",
        "import typing as t\nif t.TYPE_CHECKING:\n    from .models import Point",
        "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from . import models\n    Point = models.Point",
        IMPORT + "if not TYPE_CHECKING:\n    pass\nelse:\n    from .models import Point",
        IMPORT + "if TYPE_CHECKING or 1 > 2:\n    from .models import Point",
        IMPORT
        + "try:\n    if TYPE_CHECKING:\n        from .models import Point\nfinally:\n    pass",
        IMPORT + "if TYPE_CHECKING:\n    from .models import *",
        IMPORT + TRY,
        IMPORT + BY_VERSION,
        IMPORT + ALIAS,
    ],
)
def test_each_way_to_import_for_type_checkers(models, block):
    module = models.add(
        "tools",
        f"from __future__ import annotations\n{block}\n"
        "def go(p: Point, q: list[Point] | None = None) -> Point: ...\n",
    )
    made = Tool(module.go)

    assert made.input_schema["properties"]["p"] == POINT
    assert made.input_schema["properties"]["q"]["items"] == POINT
    assert made.output_schema["properties"] == POINT["properties"]
    assert made.problems == ()


@pytest.mark.promise("parameters.checkers-scope")
def test_the_module_itself_never_sees_them(models):
    module = models.add(
        "tools",
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from .models import Point
        def go(p: Point) -> int: return p.x
        """,
    )
    before = dict(vars(module))

    assert Tool(module.go).call({"p": {"x": 3}}).value == 3
    assert vars(module).keys() == before.keys()


@pytest.mark.promise("parameters.checkers-scope")
def test_only_what_is_needed_is_imported_and_only_when_it_is(models):
    models.write("heavy", "raise RuntimeError('too heavy')")
    module = models.add(
        "tools",
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from .models import Point
            from .heavy import Weight
        def go(p: Point) -> int: ...
        """,
    )
    made = Tool(module.go)
    assert not models.loaded("models")

    made.compile()
    assert models.loaded("models")
    assert made.problems == ()


@pytest.mark.promise("parameters.checkers-only")
def test_an_import_that_fails_is_the_reason(models):
    module = models.add(
        "tools",
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from absent_package import Frame
        def go(f: Frame) -> int: ...
        def give() -> Frame: ...
        """,
    )

    with pytest.raises(SchemaError) as caught:
        Tool(module.go).compile()

    assert caught.value.parameter == "f"
    assert caught.value.message == "go.f has a type that is not known: `Frame`"
    assert caught.value.hint == (
        "`from absent_package import Frame` is for type checkers only, and fails when it is run: "
        "No module named 'absent_package'"
    )
    assert caught.value.file == module.__file__
    assert "absent_package" in Tool(module.give).problems[0]


@pytest.mark.parametrize("failure", ["raise SystemExit(3)", "1 / 0", "def (:"])
def test_whatever_an_import_raises_becomes_the_reason(modules, failure):
    modules.write("broken", failure)
    module = modules.add(
        "tools",
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from .broken import Thing
        def go(f: Thing) -> int: ...
        """,
    )

    with pytest.raises(SchemaError, match=r"from \.broken import Thing` is for type checkers"):
        Tool(module.go).compile()


def test_a_name_that_the_other_module_has_for_type_checkers_only_is_followed(models):
    models.write(
        "other", "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from .models import Point\n"
    )
    module = models.add(
        "tools",
        """
        from __future__ import annotations
        import typing as t
        if t.TYPE_CHECKING:
            from .other import Point
            from . import other
        def go(p: Point, q: other.Point) -> int: ...
        """,
    )

    assert properties(module.go) == {"p": POINT, "q": POINT}


def test_what_is_defined_for_type_checkers_can_be_used(models):
    module = models.add(
        "tools",
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING, Union
        if TYPE_CHECKING:
            from typing import TypedDict
            from .models import Point
            Places = Union[list["Point"], "Line"]
            class Line(TypedDict):
                start: Point
                end: Point
        def go(places: Places) -> int: ...
        """,
    )
    line = {
        "type": "object",
        "properties": {"start": POINT, "end": POINT},
        "required": ["start", "end"],
    }

    assert properties(module.go)["places"]["anyOf"] == [{"type": "array", "items": POINT}, line]


def test_else_branches_are_what_ran(models):
    module = models.add(
        "tools",
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from absent import Number
        else:
            Number = int
        def go(n: Number) -> int: ...
        """,
    )

    assert properties(module.go) == {"n": {"type": "integer"}}


@pytest.mark.parametrize(
    "record",
    [
        "@dataclass\nclass Shape:\n    at: Point",
        "class Shape(TypedDict):\n    at: Point",
        "class Shape(NamedTuple):\n    at: Point",
        "class Shape(BaseModel):\n    at: Point",
        "@pydantic_dataclass\nclass Shape:\n    at: Point",
        "class Shape:\n    def __init__(self, at: Point) -> None:\n        self.at = at",
        "class Inner(BaseModel):\n    at: Point\nclass Shape(BaseModel):\n    at: Point\n    inner: Inner | None = None",
    ],
)
def test_fields_of_records_too(models, record):
    module = models.add(
        "tools",
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "from typing import TYPE_CHECKING, NamedTuple\n"
        "from typing_extensions import TypedDict\n"
        "from pydantic import BaseModel\n"
        "from pydantic.dataclasses import dataclass as pydantic_dataclass\n"
        "if TYPE_CHECKING:\n    from .models import Point\n"
        f"{record}\n"
        "def go(shape: Shape, shapes: list[Shape] = []) -> Shape: return shape\n",
    )
    made = Tool(module.go)

    assert "'x': {'type': 'integer'}" in str(made.input_schema["properties"]["shape"])
    assert "'x': {'type': 'integer'}" in str(made.output_schema)
    given = [{"x": 1}] if "NamedTuple" in record else {"at": {"x": 1}}
    made.bind({"shape": given})


@pytest.mark.promise("errors.names-in-records")
@pytest.mark.parametrize("kind", ["@dataclass\nclass Shape:", "class Shape(BaseModel):"])
def test_an_unknown_name_in_a_record_is_named_with_its_field(modules, kind):
    module = modules.add(
        "tools",
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "from pydantic import BaseModel\n"
        f"{kind}\n    size: int\n    at: Nowhere\n"
        "def go(shapes: list[Shape]) -> int: ...\n"
        "def give() -> Shape: ...\n",
    )

    with pytest.raises(SchemaError) as caught:
        Tool(module.go).compile()

    assert (
        caught.value.message == "go.shapes has a type that is not known: `Nowhere`, in `Shape.at`"
    )
    assert caught.value.hint == f"define or import `Nowhere` in `{module.__name__}`"
    assert caught.value.file == module.__file__
    [problem] = Tool(module.give).problems
    assert "`Nowhere`, in `Shape.at`" in problem
    made = Tool(module.go, on_unsupported="permissive")
    assert made.problems == ("takes any value for `shapes`: its type cannot be sent as JSON",)


def test_threads_that_need_a_name_at_once_see_one_class(models):
    module = models.add(
        "tools",
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from typing import TypedDict
            class Line(TypedDict):
                length: int
        def go(line: Line) -> int: ...
        """,
    )
    start = threading.Barrier(8)
    seen = []

    def compile_one():
        start.wait()
        seen.append(signature_of(Tool(module.go)).parameters[0].hint)

    threads = [threading.Thread(target=compile_one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len({id(hint) for hint in seen}) == 1


def test_code_without_a_file_has_nothing_for_type_checkers():
    names = {"__name__": "nowhere_at_all"}
    exec("def go(x: 'Gone') -> int: ...", names)

    with pytest.raises(SchemaError, match="define or import `Gone` in `nowhere_at_all`"):
        Tool(names["go"]).compile()
    assert "nowhere_at_all" not in sys.modules


def test_text_at_the_margin_does_not_end_the_function_it_stands_in(models):
    source = (
        IMPORT
        + 'def other() -> str:\n    """Say it:\n\nfrom .missing import Point\n"""\n\n'
        + "if TYPE_CHECKING:\n    from .models import Point\n\n"
        + 'TEXT = """\ndef Point():\n    return 1\n"""\n\n'
        + 'def show(point: "Point") -> int:\n    return point.x\n'
    )
    module = models.add("margins", source)
    assert properties(module.show) == {"point": POINT}


def test_a_module_that_cannot_be_imported_costs_only_the_names_that_need_it(models):
    models.write(
        "kinds",
        """
        from __future__ import annotations
        import os
        import sys
        from collections.abc import Sequence
        from numbers import no_such_name as Odd
        if sys.version_info >= (3, 11):
            Ink = float | str
        else:
            Ink = bytes
        Coords = Sequence[float]
        Where = str | os.PathLike[str]
        Strange = Odd | int
        """,
    )
    module = models.add(
        "drawing",
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from .kinds import Coords, Ink, Strange, Where
        def draw(at: Coords, ink: Ink, into: Where = "") -> None: ...
        def odd(strange: Strange) -> None: ...
        """,
    )
    assert properties(module.draw) == {
        "at": {"type": "array", "items": {"type": "number"}},
        "ink": {"anyOf": [{"type": "number"}, {"type": "string"}]},
        "into": {
            "anyOf": [{"type": "string"}, {"type": "string", "format": "path"}],
            "default": "",
        },
    }
    with pytest.raises(
        SchemaError, match=r"`from .kinds import Strange` is for type checkers only"
    ):
        Tool(module.odd).compile()


def test_a_constructor_that_attrs_writes_uses_the_names_of_its_module(modules):
    made = modules.add(
        "sizes",
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        import attrs
        if TYPE_CHECKING:
            from collections.abc import Mapping

        def _plain(by_name: Mapping[str, int]) -> dict[str, int]:
            return dict(by_name)

        @attrs.frozen
        class Sizes:
            by_name: dict[str, int] = attrs.field(converter=_plain)
        """,
    )
    assert properties(made.Sizes)["by_name"]["additionalProperties"] == {"type": "integer"}
