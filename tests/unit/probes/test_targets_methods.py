"""Methods, wrappers and records as targets."""

import functools
import inspect
from typing import NamedTuple

import jsonschema
import pytest
from fastcore.meta import delegates

from tests.unit.probes.case import INT, STR, covers
from tests.unit.probes.compiled import properties
from tests.unit.probes.targets.methods import Desk
from toolwright import ArgumentError, SchemaError, Tool, Toolbox

# -- methods


@pytest.mark.promise("target.unbound")
@covers("platools-20", "T20")
def test_a_method_without_its_instance_is_refused_on_registration():
    with pytest.raises(SchemaError, match="without its instance"):
        Toolbox("short_path").add(Desk.add)


@covers("platools-20", "T20")
def test_a_method_without_its_instance_does_not_show_self():
    assert "self" not in Tool(Desk.add).input_schema["properties"]


@covers("platools-20")
def test_registering_in_the_class_body_is_refused_at_once():
    box = Toolbox("short_path")

    with pytest.raises(SchemaError, match="without its instance"):

        class Local:
            @box.tool
            def method(self, x: int) -> int: ...


@covers("platools-20")
def test_registering_a_class_method_in_the_class_body_is_refused_at_once():
    box = Toolbox("short_path")

    with pytest.raises(SchemaError, match=r"add it as `TheClass\.method`"):

        class Local:
            @box.tool
            @classmethod
            def method(cls, x: int) -> int: ...


@pytest.mark.promise("target.methods")
@covers("platools-21", "D14", "T20")
@pytest.mark.parametrize(
    "target",
    [
        Desk().marked,
        Desk.make,
        Desk().make,
        Desk.double,
        Desk().double,
        Desk.tool_over_class,
        Desk.class_over_tool,
        Desk.tool_over_static,
        Desk.static_over_tool,
        Desk().tool_over_class,
        Desk().static_over_tool,
        Desk.Inner().deep,
    ],
    ids=lambda target: target.__qualname__,
)
def test_methods_of_every_kind_have_only_their_own_parameters(target):
    made = Tool(target)

    assert made.input_schema["properties"] == {"x": INT}
    assert made.output_schema == INT
    assert made.description
    assert made.callable
    positional, named = made.bind({"x": 1})
    inspect.signature(made.target).bind(*positional, **named)


@covers("D14")
def test_the_mark_of_a_method_counts_when_it_is_bound():
    assert Tool(Desk().marked).annotations == {"readOnlyHint": True}


@pytest.mark.promise("include.only-marked")
@covers("D14", "T20")
def test_including_an_object_takes_its_marked_methods_only():
    box = Toolbox("short_path")
    box.include(Desk())

    assert sorted(box) == [
        "class_over_tool",
        "marked",
        "static_over_tool",
        "tool_over_class",
        "tool_over_static",
    ]


@covers("platools-21")
def test_static_methods_as_descriptors_are_read():
    assert properties(vars(Desk)["double"]) == {"x": INT}


@covers("platools-20")
def test_an_unbound_method_with_its_instance_bound_by_partial_is_a_tool():
    made = Tool(functools.partial(Desk.add, Desk()))

    assert set(made.input_schema["properties"]) == {"x", "y"}
    assert made.callable


# -- wrappers


@covers("T40")
def test_delegated_parameters_are_expanded_and_documented():
    def inner(
        x: int,  # How far
        deep: bool = False,  # Go deep
    ):
        """Inner."""

    @delegates(inner)
    def outer(name: str, **kwargs):
        """Outer.

        Args:
            name: Who.
        """

    schema = Tool(outer).input_schema

    assert schema["properties"]["name"] == {"type": "string", "description": "Who."}
    assert schema["properties"]["deep"] == {
        "type": "boolean",
        "default": False,
        "description": "Go deep",
    }
    assert schema["additionalProperties"] is False


@pytest.mark.promise("target.wrappers")
@covers("platools-23", "P23")
def test_stacked_wrappers_are_seen_through():
    def passing(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    @passing
    @functools.lru_cache
    @passing
    def f(x: int, y: str = "a") -> int:
        """Wrapped."""

    assert properties(f) == {"x": INT, "y": {"type": "string", "default": "a"}}
    assert Tool(f).description == "Wrapped."


@covers("platools-23")
def test_a_wrapper_with_parameters_of_its_own_has_those():
    def inner(x: int, y: int) -> int:
        """Inner."""

    @functools.wraps(inner)
    def wrapper(z: str) -> str:
        return z

    # `wraps` copies the annotations of `inner`; the parameters are the wrapper's own.
    wrapper.__annotations__ = {"z": str, "return": str}

    assert properties(wrapper) == {"z": STR}


@covers("P23")
def test_a_cached_method_has_no_self():
    class Cached:
        @functools.lru_cache
        def get(self, x: int) -> int:
            """Get."""

    made = Tool(functools.partial(Cached.get, Cached()), name="get")

    assert set(made.input_schema["properties"]) == {"x"}


@covers("P26")
def test_single_dispatch_methods_are_called_by_position():
    class Shower:
        @functools.singledispatchmethod
        def show(self, value: int, width: int = 3) -> str:
            """Show."""

    made = Tool(Shower().show, name="show")

    assert made.input_schema["properties"] == {
        "value": INT,
        "width": {"type": "integer", "default": 3},
    }
    assert made.bind({"value": 1}) == ([1], {"width": 3})


@covers("P22", "D15", "T37")
def test_a_partial_has_the_name_of_its_function_or_a_given_one():
    def scale(value: float, factor: int) -> float: ...

    half = functools.partial(scale, factor=2)

    assert Tool(half).name == "scale"
    assert Tool(half, name="half").name == "half"


# -- records


class Pair(NamedTuple):
    left: int
    right: str = "r"


@pytest.mark.promise("schema.named-tuples")
@covers("P18")
@pytest.mark.parametrize(
    "sent", [[1], [1, "a"], {"left": 1}, {"left": 1, "right": "a"}, {}, [], {"left": "a"}]
)
def test_a_named_tuple_is_taken_in_just_the_forms_its_schema_tells(sent):
    def f(pair: Pair): ...

    made = Tool(f)
    told = jsonschema.Draft202012Validator(made.input_schema).is_valid({"pair": sent})

    try:
        made.bind({"pair": sent})
    except ArgumentError:
        assert not told
    else:
        assert told
