"""Strings in hints mean what they mean in the module that wrote them."""

import pytest

from toolwright import SchemaError, Tool
from toolwright.tools.definition import signature_of

INT, TEXT = {"type": "integer"}, {"type": "string"}
ALIASES = """
    from typing import Union
    from typing_extensions import TypeAlias

    class Row(dict): ...
    Row = int
    Rows = Union[list["Row"], str]
    Named: TypeAlias = "Row"
    Either = Rows | None
    Kept = type["Row"]
"""


def properties(target, **options):
    return Tool(target, **options).input_schema["properties"]


@pytest.mark.promise("parameters.where-written")
@pytest.mark.parametrize(
    ("imports", "hint"),
    [
        ("from .aliases import Rows", "Rows"),
        ("from .aliases import Rows as Some", "Some"),
        ("from . import aliases", "aliases.Rows"),
        ("from . import aliases as a", "a.Rows"),
        ("from .through import Rows", "Rows"),
        ("from .aliases import Rows\nMine = Rows", "Mine"),
    ],
)
@pytest.mark.parametrize("future", ["from __future__ import annotations", ""])
@pytest.mark.parametrize("own", ["", "class Row: ..."])
def test_an_alias_of_another_module(modules, imports, hint, future, own):
    modules.write("aliases", ALIASES)
    modules.write("through", "from .aliases import Rows")
    module = modules.add("tools", f"{future}\n{imports}\n{own}\ndef go(rows: {hint}) -> int: ...\n")

    assert properties(module.go)["rows"]["anyOf"] == [{"type": "array", "items": INT}, TEXT]


@pytest.mark.parametrize("hint", ["Named", "aliases.Named", "list[Named]", "Named | None"])
def test_an_alias_that_is_text(modules, hint):
    modules.write("aliases", ALIASES)
    module = modules.add(
        "tools",
        "from __future__ import annotations\nfrom . import aliases\nfrom .aliases import Named\n"
        f"def go(row: {hint} = None) -> int: ...\n",
    )

    assert "'integer'" in str(properties(module.go)["row"])


def test_text_that_is_not_an_alias_stays_text(modules):
    module = modules.add(
        "tools",
        "from __future__ import annotations\nfrom typing import Annotated\n"
        "ABOUT = 'int'\ndef go(n: Annotated[int, ABOUT]) -> int: ...\n",
    )

    assert properties(module.go) == {"n": {"type": "integer", "description": "int"}}


@pytest.mark.promise("parameters.recursive-alias")
@pytest.mark.parametrize("future", ["from __future__ import annotations", ""])
@pytest.mark.parametrize("place", ["here", "there"])
def test_an_alias_that_holds_itself(modules, future, place):
    alias = "from typing import Union\nJson = Union[str, int, list['Json'], dict[str, 'Json']]\n"
    modules.write("there", alias)
    imports = alias if place == "here" else "from .there import Json\n"
    module = modules.add("tools", f"{future}\n{imports}def go(x: Json) -> Json: return x\n")
    made = Tool(module.go)

    value = {"a": [1, "two", {"b": []}]}
    assert made.call({"x": value}).value == value
    assert made.bind({"x": value}) == ([], {"x": value})
    assert made.call({"x": {"a": None}}).is_error


def test_aliases_that_hold_each_other(modules):
    modules.write(
        "a", "from typing import Union\nOdd = Union[int, list['Even']]\nfrom .b import Even\n"
    )
    modules.write(
        "b", "from typing import Union\nEven = Union[str, list['Odd']]\nfrom .a import Odd\n"
    )
    module = modules.add("tools", "from .a import Odd\ndef go(x: 'Odd') -> int: ...\n")
    made = Tool(module.go)

    assert made.bind({"x": [[1]]}) == ([], {"x": [[1]]})
    assert made.call({"x": [1]}).is_error


WRAPPING = """
    from __future__ import annotations
    import inspect
    from functools import wraps

    class Level(int): ...

    def shown(function):
        @wraps(function)
        def wrapper(*args, **kwargs):
            kwargs.pop("level", None)
            return function(*args, **kwargs)
        signature = inspect.signature(function)
        level = inspect.Parameter("level", inspect.Parameter.KEYWORD_ONLY, annotation="Count", default=1)
        wrapper.__signature__ = signature.replace(parameters=[*signature.parameters.values(), level])
        return wrapper

    Count = int
"""


@pytest.mark.promise("parameters.where-written")
def test_a_wrapper_with_a_signature_from_another_module(modules):
    modules.write("wrapping", WRAPPING)
    modules.write("models", "Place = str")
    module = modules.add(
        "tools",
        """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        from .wrapping import shown
        if TYPE_CHECKING:
            from .models import Place
        class Atlas:
            @shown
            def find(self, place: Place) -> Place:
                "Find it."
                return place
        @shown
        def go(place: Place) -> Place:
            "Go there."
            return place
        """,
    )
    for target in (module.go, module.Atlas().find):
        made = Tool(target)

        assert properties(target) == {"place": TEXT, "level": {**INT, "default": 1}}
        assert made.output_schema == TEXT
        assert made.call({"place": "Rome", "level": 2}).value == "Rome"
        assert signature_of(made).location.file == module.__file__


def test_a_method_named_like_a_type_is_no_type(modules):
    module = modules.add(
        "tools",
        """
        from __future__ import annotations
        class Store:
            def list(self) -> int: ...
            str = object()
            class Item(int): ...
            def find(self, names: list[str], at: Item) -> list[str]: ...
        """,
    )

    names, at = signature_of(Tool(module.Store().find)).parameters
    assert names.hint == list[str]
    assert at.hint is module.Store.Item


def test_parameters_of_a_class_that_takes_none_at_run_time_are_dropped(modules):
    module = modules.add(
        "tools",
        """
        from __future__ import annotations
        class Series(int): ...
        def go(a: list[int] | Series[str], b: dict[str, Series[str]]) -> int: ...
        """,
    )
    signature = signature_of(Tool(module.go))

    assert signature.parameters[0].hint == list[int] | module.Series
    assert signature.parameters[1].hint == dict[str, module.Series]


def test_a_module_that_raises_on_a_look_is_a_refusal(modules):
    modules.write("lazy", "def __getattr__(name):\n    raise ModuleNotFoundError('needs torch')\n")
    module = modules.add(
        "tools",
        "from __future__ import annotations\nfrom . import lazy\ndef go(x: lazy.Tensor) -> int: ...\n",
    )

    with pytest.raises(SchemaError, match=r"`lazy\.Tensor` is not a type: needs torch"):
        Tool(module.go).compile()


def test_the_bound_of_a_type_variable_is_read_where_it_was_written(modules):
    modules.write("bounds", "from typing import TypeVar\nT = TypeVar('T', 'Row', str)\nRow = int\n")
    module = modules.add("tools", "from .bounds import T\ndef go(x: list[T]) -> T: ...\n")

    assert properties(module.go)["x"]["items"] == {"anyOf": [INT, TEXT]}


@pytest.mark.parametrize(
    "hint",
    [
        'Union[bytes, "memoryview[int]"]',
        'list[Union[bytes, "memoryview[int]"]]',
        'list["memoryview[int]"] | bytes',
        'Annotated[Union[bytes, "memoryview[int]"], "said"]',
    ],
)
@pytest.mark.parametrize("future", ["from __future__ import annotations", ""])
def test_a_part_of_an_alias_that_takes_no_parameters_at_run_time(modules, hint, future):
    # Before Python 3.14, `memoryview` takes no parameters.
    source = f"from typing import Annotated, Union\nData = {hint}\n"
    module = modules.add("tools", f"{future}\n{source}def go(data: Data) -> int: ...\n")

    tool = Tool(module.go)

    assert "string" in str(tool.input_schema["properties"]["data"])
    assert tool.problems == ()
