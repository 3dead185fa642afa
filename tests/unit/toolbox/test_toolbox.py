"""Toolboxes and marks: adding, including, taking out, listing; tools that never change."""

import copy
import json
import pickle
import types
from collections.abc import Mapping

import pytest
import shop as example

from toolwright import (
    DefinitionError,
    Problem,
    SchemaError,
    Tool,
    Toolbox,
    ToolNotFound,
    tool,
)
from toolwright.tools.catalog import Catalog, matches


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


def negate(a: int) -> int:
    return -a


def untyped(x): ...


def wild(*args): ...


def unknown(x: "Nowhere") -> None: ...  # noqa: F821


def listed(box):
    return [each["name"] for each in box.to_mcp()["tools"]]


def module(source, name="made"):
    made = types.ModuleType(name)
    exec(source, vars(made))
    return made


class Account:
    """An account."""

    rate = 3

    def __init__(self):
        self.read = 0

    @property
    def balance(self):
        self.read += 1
        return 0

    def pay(self, amount: int) -> int:
        """Pay."""
        return amount

    def close(self) -> None:
        """Close it."""

    @classmethod
    def find(cls, name: str) -> str:
        """Find one."""
        return name

    @staticmethod
    def count(kind: str) -> int:
        """Count them."""
        return len(kind)

    def _audit(self, day: int) -> None: ...

    class Kind: ...


class Savings(Account):
    def save(self, amount: int) -> int:
        return amount


# -- a toolbox


@pytest.mark.promise("toolbox.is-a-mapping")
def test_a_toolbox_is_a_mapping_in_the_order_of_adding():
    box = Toolbox("sums", version="1.0", instructions="Sums.")
    added = box.add(add)
    box.add(add, name="plus")
    box.tool(negate)

    assert isinstance(box, Mapping)
    assert list(box) == ["add", "plus", "negate"]
    assert len(box) == 3
    assert "plus" in box
    assert "minus" not in box
    assert box["add"] is added
    assert dict(box.items())["negate"].target is negate
    assert (box.name, box.version, box.instructions) == ("sums", "1.0", "Sums.")
    assert repr(box) == "<Toolbox sums: 3 tools>"


@pytest.mark.promise("tool.decorator-keeps-the-function", "mark.forms")
def test_the_decorator_of_a_toolbox_takes_every_form():
    box = Toolbox("sums")
    assert box.tool(add) is add
    assert box.tool()(negate) is negate
    assert box.tool("plus")(add) is add
    assert box.tool(name="and", read_only=True)(add) is add
    assert list(box) == ["add", "negate", "plus", "and"]
    assert box["and"].annotations == {"readOnlyHint": True}


def test_a_tool_is_added_as_it_is_or_with_other_options():
    made = Tool(add, title="Add")
    box = Toolbox("sums")
    assert box.add(made) is box["add"]
    other = box.add(made, name="plus")
    assert (other.name, other.title) == ("plus", "Add")
    assert made.name == "add"


@pytest.mark.promise("toolbox.names-are-unique")
def test_a_name_is_taken_only_once():
    box = Toolbox("sums")
    box.add(add)
    with pytest.raises(SchemaError, match="add is already in the toolbox"):
        box.add(negate, name="add")
    assert box["add"].target is add
    assert len(box) == 1


@pytest.mark.promise("toolbox.both-names-find-the-tool", "toolbox.names-are-unique")
@pytest.mark.parametrize(("first", "second"), [("a.b", "a_b"), ("a_b", "a.b"), ("a.b_c", "a_b.c")])
def test_names_that_are_published_alike_collide(first, second):
    box = Toolbox("sums")
    made = box.add(add, name=first)
    assert box[first.replace(".", "_")] is made
    with pytest.raises(SchemaError, match=f"{second} collides with `{first}`"):
        box.add(add, name=second)


@pytest.mark.promise("toolbox.both-names-find-the-tool")
def test_a_removed_tool_gives_back_both_of_its_names():
    box = Toolbox("sums")
    made = box.add(add, name="a.b")
    assert box.remove("a_b") is made
    assert list(box) == []
    assert "a.b" not in box
    box.add(add, name="a_b")
    assert "a.b" not in box


@pytest.mark.promise("errors.not-found-names-the-nearest")
def test_an_unknown_name_is_a_key_error_that_names_the_nearest_tool():
    box = Toolbox("sums")
    box.add(add)
    for use in (box.__getitem__, box.remove, box.disable, box.enable):
        with pytest.raises(ToolNotFound) as caught:
            use("ad")
        assert isinstance(caught.value, KeyError)
        assert caught.value.name == "ad"
        assert "add" in caught.value.hint
    with pytest.raises(ToolNotFound) as caught:
        box["something else"]
    assert caught.value.hint == ""
    assert box.get("ad") is None


@pytest.mark.promise("toolbox.disable")
def test_a_disabled_tool_is_kept_but_not_listed():
    box = Toolbox("sums")
    box.add(add)
    box.add(negate)
    assert listed(box) == ["add", "negate"]
    box.disable("add")
    assert listed(box) == ["negate"]
    assert "add" in box
    box.enable("add")
    assert listed(box) == ["add", "negate"]


@pytest.mark.promise("toolbox.disable")
def test_a_removed_tool_comes_back_enabled():
    box = Toolbox("sums")
    made = box.add(add)
    box.disable("add")
    assert box.remove("add") is made
    assert listed(box) == []
    box.add(made)
    assert listed(box) == ["add"]


@pytest.mark.promise("toolbox.lists-itself")
def test_the_list_is_kept_until_the_toolbox_changes():
    box = Toolbox("sums")
    box.add(add)
    first = box.to_mcp_json()
    assert box.to_mcp_json() is first
    assert json.loads(first) == box.to_mcp() == {"tools": [box["add"].to_mcp()]}
    assert box.to_mcp_json("2025-11-25") != first
    box.add(negate)
    assert box.to_mcp_json() is not first
    assert listed(box) == ["add", "negate"]


@pytest.mark.promise("toolbox.lists-itself")
def test_a_changed_copy_of_the_list_changes_nothing():
    box = Toolbox("sums")
    box.add(add)
    box.to_mcp()["tools"].clear()
    assert listed(box) == ["add"]


# -- include


@pytest.mark.promise("include.module")
def test_a_module_gives_the_public_functions_defined_in_it():
    made = module(
        "from os.path import join\n"
        "def first(x: int): ...\n"
        "def _second(x: int): ...\n"
        "class Third:\n    def __init__(self, x: int): ...\n"
        "NUMBER = 4\n"
    )
    assert [each.name for each in Toolbox("box").include(made)] == ["first"]


@pytest.mark.promise("include.module")
def test_a_module_with_all_gives_just_those_names():
    made = module(
        "__all__ = ['second', 'Third', 'join', 'NUMBER']\n"
        "def join(x: int): ...\n"
        "def first(x: int): ...\n"
        "def second(x: int): ...\n"
        "class Third:\n    def __init__(self, x: int): ...\n"
        "NUMBER = 4\n"
    )
    assert [each.name for each in Toolbox("box").include(made)] == ["second", "Third", "join"]


def test_a_module_that_only_passes_functions_on_says_what_to_name():
    made = module("from os.path import join\nfrom shutil import copy\n")
    box = Toolbox("box")
    assert box.include(made) == []
    (problem,) = box.problems
    assert problem.text == (
        f"{made.__name__} gives no tools: it has no `__all__`, and its functions (such as `join`) "
        f"are defined elsewhere: name one, as in `{made.__name__}:join`, or the module that "
        "defines it"
    )
    assert Toolbox("box").include(module("x = 1\n")) == []


def test_functions_that_a_module_loads_when_asked_are_tools():
    made = module(
        "def __dir__():\n    return ['first', '_second']\n"
        "def __getattr__(name):\n"
        "    if name not in __dir__():\n        raise AttributeError(name)\n"
        "    def first(x: int): ...\n"
        "    return first\n"
    )
    assert [each.name for each in Toolbox("box").include(made)] == ["first"]


def test_a_name_of_a_type_in_all_is_no_tool():
    made = module(
        "from collections.abc import Mapping\n"
        "from typing import Annotated, Generic, Literal, TypeVar, Union\n"
        "T = TypeVar('T')\n"
        "__all__ = ['Query', 'Mode', 'Values', 'Boxed']\n"
        "Query = Union[str, int]\n"
        "Mode = Literal['a']\n"
        "Values = Mapping[str, int]\n"
        "class Box(Generic[T]):\n    def __init__(self, x: int): ...\n"
        "Boxed = Box[int]\n"
    )
    box = Toolbox("box")
    box.include(made)
    assert (len(box), box["Boxed"].input_schema["required"]) == (1, ["x"])


@pytest.mark.promise("include.module")
def test_the_functions_of_the_example_module_are_included():
    assert [each.name for each in Toolbox("box").include(example)] == ["search", "order", "stock"]


@pytest.mark.promise("include.object", "include.properties-are-not-read")
def test_an_object_gives_its_public_methods_and_no_property_is_read():
    account = Savings()
    names = [each.name for each in Toolbox("box").include(account)]
    assert names == ["pay", "close", "find", "count", "save"]
    assert account.read == 0


def test_a_class_gives_its_class_methods_and_static_methods():
    box = Toolbox("box")
    assert [each.name for each in box.include(Account)] == ["find", "count"]
    assert box["find"].bind({"name": "x"}) == ([], {"name": "x"})


def test_a_mapping_gives_its_values_under_its_keys():
    box = Toolbox("box")
    box.include({"plus": add, "sign.negate": negate, "pay": Account().pay})
    assert list(box) == ["plus", "sign.negate", "pay"]
    assert box["plus"].target is add


@pytest.mark.promise("include.toolbox")
def test_a_toolbox_gives_its_tools_with_their_options():
    source = Toolbox("source")
    source.add(add, name="orders.add", title="Plus", read_only=True)
    source.add(negate)
    box = Toolbox("box")
    box.include(source, prefix="shop.")
    assert list(box) == ["shop.orders.add", "shop.negate"]
    assert box["shop.orders.add"].title == "Plus"
    assert box["shop.orders.add"].annotations == {"readOnlyHint": True}
    assert list(source) == ["orders.add", "negate"]


@pytest.mark.promise("include.only-marked")
def test_where_some_members_are_marked_only_those_are_taken():
    made = module(
        "from toolwright import tool\n"
        "def first(x: int): ...\n"
        "@tool('other', title='Second')\n"
        "def second(x: int): ...\n"
    )
    [included] = Toolbox("box").include(made)
    assert (included.name, included.title) == ("other", "Second")


@pytest.mark.promise("include.select")
@pytest.mark.parametrize(
    ("select", "names"),
    [
        ("*", ["pay", "close", "find", "count"]),
        ("c*", ["close", "count"]),
        (["pay", "f*"], ["pay", "find"]),
        (["*", "!c*"], ["pay", "find"]),
        ("!pay", ["close", "find", "count"]),
        (["c*", "!count"], ["close"]),
        ("P*", []),
    ],
)
def test_patterns_select_by_the_sources_own_names(select, names):
    box = Toolbox("box")
    box.include(Account(), select=select, prefix="x.")
    assert list(box) == [f"x.{name}" for name in names]


def test_a_prefix_and_options_go_to_each_tool():
    box = Toolbox("box")
    made = box.include(Account(), select="c*", prefix="bank_", open_world=True, tags=["money"])
    assert [each.name for each in made] == ["bank_close", "bank_count"]
    assert all(each.annotations == {"openWorldHint": True} for each in made)
    assert all(each.options.tags == ("money",) for each in made)


@pytest.mark.promise("include.the-good-are-added", "errors.batch")
def test_the_good_are_added_and_one_error_names_all_the_bad():
    box = Toolbox("box")
    with pytest.raises(DefinitionError) as caught:
        box.include({"untyped": untyped, "add": add, "wild": wild})
    assert list(box) == ["add"]
    assert [each.tool for each in caught.value.problems] == ["untyped", "wild"]
    assert "untyped.x" in str(caught.value)
    assert "wild.args" in str(caught.value)


@pytest.mark.promise("errors.batch")
def test_a_single_bad_one_is_raised_itself():
    box = Toolbox("box")
    with pytest.raises(SchemaError) as caught:
        box.include({"untyped": untyped, "add": add})
    assert list(box) == ["add"]
    assert (caught.value.tool, caught.value.parameter) == ("untyped", "x")
    assert caught.value.problems == (caught.value,)


def test_a_name_that_is_taken_is_one_of_the_bad():
    box = Toolbox("box")
    box.add(add)
    with pytest.raises(SchemaError, match="already in the toolbox"):
        box.include({"add": negate, "negate": negate})
    assert list(box) == ["add", "negate"]


# -- marks


@pytest.mark.promise("mark.forms")
def test_a_mark_takes_every_form_and_leaves_the_target_as_it_is():
    def bare(a: int) -> int:
        return a

    def called(a: int) -> int:
        return a

    def named(a: int) -> int:
        return a

    def with_options(a: int) -> int:
        return a

    assert tool(bare) is bare
    assert tool()(called) is called
    assert tool("other")(named) is named
    assert tool(read_only=True)(with_options) is with_options
    assert bare(1) == 1
    assert Tool(bare).name == "bare"
    assert Tool(called).name == "called"
    assert Tool(named).name == "other"
    assert Tool(with_options).annotations == {"readOnlyHint": True}


@pytest.mark.promise("mark.later-options-count-more")
def test_options_given_later_count_more_than_the_mark():
    @tool("marked", title="Marked", read_only=True)
    def target(a: int) -> int:
        return a

    made = Toolbox("box").add(target, name="given", read_only=False)
    assert (made.name, made.title) == ("given", "Marked")
    assert made.annotations == {"readOnlyHint": False}


def test_a_method_keeps_its_mark_when_it_is_bound():
    class Shop:
        @tool(title="Find it")
        def find(self, name: str) -> str:
            return name

        def other(self, name: str) -> str:
            return name

    [made] = Toolbox("box").include(Shop())
    assert (made.name, made.title) == ("find", "Find it")


def test_what_cannot_carry_a_mark_is_refused():
    with pytest.raises(TypeError, match="cannot carry options"):
        tool(len)


# -- when what is read


@pytest.mark.promise("toolbox.eager")
def test_an_eager_toolbox_compiles_what_is_added():
    box = Toolbox("box", eager=True)
    assert box.add(add).compiled
    with pytest.raises(SchemaError, match="Nowhere"):
        box.add(unknown)
    assert list(box) == ["add"]


def test_a_tool_is_compiled_when_it_is_first_needed():
    box = Toolbox("box")
    made = box.add(unknown)
    assert not made.compiled
    with pytest.raises(SchemaError, match="Nowhere"):
        made.input_schema
    assert made.compiled


def test_a_refused_tool_raises_the_same_error_each_time():
    made = Tool(unknown)
    errors = []
    for _ in range(2):
        with pytest.raises(SchemaError) as caught:
            made.compile()
        errors.append(caught.value)
    assert errors[0] is errors[1]


@pytest.mark.promise("toolbox.refused-tools-are-left-out")
def test_a_tool_that_cannot_be_compiled_is_left_out_and_named():
    box = Toolbox("box")
    box.add(unknown)
    box.add(add)
    assert listed(box) == ["add"]
    [problem] = box.problems
    assert (problem.tool, problem.fatal) == ("unknown", True)
    assert "Nowhere" in str(problem)
    with pytest.raises(SchemaError):
        box.compile()


@pytest.mark.promise("errors.batch")
def test_compiling_names_all_that_cannot_be():
    box = Toolbox("box")
    box.add(unknown)
    box.add(unknown, name="second")
    box.add(add)
    with pytest.raises(DefinitionError) as caught:
        box.compile()
    assert [each.tool for each in caught.value.problems] == ["unknown", "second"]


@pytest.mark.promise("schema.problems")
def test_problems_say_what_was_lost_tool_by_tool():
    def lossy(limit: float = float("inf")) -> None:
        """Do it.

        Args:
            limt: Most to take.
        """

    box = Toolbox("box")
    box.add(add)
    box.add(lossy)
    assert box["add"].problems == ()
    assert {each.tool for each in box.problems} == {"lossy"}
    assert tuple(each.text for each in box.problems) == box["lossy"].problems
    assert all(isinstance(each, Problem) and not each.fatal for each in box.problems)
    assert any(
        str(each) == "lossy documents `limt`, which is not a parameter" for each in box.problems
    )


# -- tools


@pytest.mark.promise("tool.frozen")
@pytest.mark.parametrize("attribute", ["name", "options", "description", "anything"])
def test_a_tool_never_changes(attribute):
    made = Tool(add)
    with pytest.raises(AttributeError, match="frozen"):
        setattr(made, attribute, "x")
    assert made.name == "add"


@pytest.mark.promise("tool.replace")
def test_replacing_gives_a_copy_with_other_options():
    made = Tool(add, title="Add", tags=["sums"])
    other = made.replace(name="plus", description="Plus.", style="full")
    assert (other.name, other.description, other.title) == ("plus", "Plus.", "Add")
    assert other.options.tags == ("sums",)
    assert other.target is add
    assert (made.name, made.description) == ("add", "Add two numbers.")
    assert made.replace().to_mcp() == made.to_mcp()


def test_a_replaced_name_must_be_a_name():
    with pytest.raises(SchemaError, match="invalid name"):
        Tool(add).replace(name="a b")


@pytest.mark.promise("tool.fresh-copies")
def test_schemas_are_fresh_copies():
    made = Tool(add)
    made.input_schema["properties"].clear()
    made.output_schema["type"] = "string"
    made.to_mcp()["inputSchema"].clear()
    assert list(made.input_schema["properties"]) == ["a", "b"]
    assert made.output_schema == {"type": "integer"}
    assert made.to_mcp()["inputSchema"] == made.input_schema


@pytest.mark.promise("tool.pickle")
@pytest.mark.parametrize("compiled", [False, True])
def test_a_tool_can_be_pickled_if_its_target_can(compiled):
    made = Tool(example.search, name="find", title="Find", style="full", meta={"a": 1})
    if compiled:
        made.compile()
    again = pickle.loads(pickle.dumps(made))
    assert (again.name, again.options, again.target) == (made.name, made.options, made.target)
    assert again.to_mcp_json() == made.to_mcp_json()
    assert again.bind({"query": "x"}) == made.bind({"query": "x"})


def test_a_tool_can_be_copied():
    made = Tool(add, title="Add")
    for again in (copy.copy(made), copy.deepcopy(made)):
        assert again.to_mcp() == made.to_mcp()


# -- the catalog below


def test_a_catalog_selects_and_knows_what_is_enabled():
    catalog = Catalog([Tool(add), Tool(add, name="orders.add"), Tool(negate)])
    assert [each.name for each in catalog.select("*add")] == ["add", "orders.add"]
    assert [each.name for each in catalog.select(["*", "!orders.*"])] == ["add", "negate"]
    catalog.disable("orders_add")
    assert not catalog.is_enabled("orders.add")
    assert catalog.is_enabled("add")


def test_patterns_mind_the_case_and_refuse_last():
    assert matches("orders.find", "orders.*")
    assert not matches("Orders.find", "orders.*")
    assert not matches("orders.find", ["!orders.*", "orders.find"])
    assert matches("anything", [])
