"""A tool is a value: what toolboxes do with it leaves it as it was."""

import datetime
import inspect
import pickle
import threading
import time
from typing import Annotated

import pytest

from toolwright import Inject, SchemaError, Tool, Toolbox, ToolTimeout
from toolwright.read import target as targets
from toolwright.stores import MemoryStore
from toolwright.tools.definition import compiled_of, runner_of, signature_of


class Db:
    def __init__(self, name="itself"):
        self.name = name


def which(db: Db) -> str:
    return db.name


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


def provided_by(name):
    box = Toolbox(name)
    box.provide(Db, lambda: Db(name))
    return box


@pytest.mark.promise("tool.is-a-value")
def test_adding_a_tool_changes_nothing_in_it():
    tool = Tool(add)
    before = {name: getattr(tool, name, None) for name in Tool.__slots__ if name != "__weakref__"}
    for name in ("one", "two"):
        Toolbox(name, timeout=3, store=MemoryStore()).add(tool)
    after = {name: getattr(tool, name, None) for name in Tool.__slots__ if name != "__weakref__"}
    assert before == after
    assert tool.call({"a": 1}).value == 2


def test_a_tool_is_compiled_once_for_itself_whatever_boxes_do():
    tool = Tool(add)
    compiled, runner = compiled_of(tool), runner_of(tool)
    box = Toolbox("box", [tool])
    box.provide(Db)
    box.compile()
    assert compiled_of(tool) is compiled
    assert runner_of(tool) is runner


def test_each_box_has_a_tool_of_its_own():
    tool = Tool(add)
    one, two = Toolbox("one", [tool]), Toolbox("two", [tool])
    assert one["add"] is one["add"]
    assert len({id(tool), id(one["add"]), id(two["add"])}) == 3
    assert one["add"].target is two["add"].target is add
    assert [one.call("add", {"a": 2}).value, two.call("add", {"a": 3}).value] == [3, 4]


@pytest.mark.promise("toolbox.bound-tools")
def test_add_returns_the_tool_that_is_bound_to_the_box():
    tool, box = Tool(which, on_unsupported="permissive"), provided_by("box")
    added = box.add(tool)
    assert added is box["which"]
    assert added is not tool
    assert added.call({}).value == "box"


@pytest.mark.promise("toolbox.bound-tools")
def test_providers_are_those_of_the_box_and_of_no_other():
    tool = Tool(which, on_unsupported="permissive")
    one, two, without = provided_by("one"), provided_by("two"), Toolbox("without")
    for box in (one, two, without):
        box.add(tool)
    assert one["which"].call({}).value == one.call("which", {}).value == "one"
    assert two["which"].call({}).value == "two"
    assert "db" in without["which"].input_schema["properties"]
    assert "db" in tool.input_schema["properties"]
    assert "db" not in one["which"].input_schema.get("properties", {})


@pytest.mark.promise("toolbox.bound-tools")
def test_timeouts_are_those_of_the_box_and_a_tool_alone_has_none():
    released = threading.Event()

    def wait() -> str:
        released.wait(30)
        return "waited"

    tool = Tool(wait)
    hasty = Toolbox("hasty", [tool], timeout=0.05)
    patient = Toolbox("patient", [tool], timeout=60)
    try:
        with pytest.raises(ToolTimeout):
            _ = hasty["wait"].call({}).value
    finally:
        released.set()
    assert patient["wait"].call({}).value == "waited"
    assert tool.call({}).value == "waited"
    assert runner_of(tool).timeout is None
    assert runner_of(patient["wait"]).timeout.total == 60


@pytest.mark.promise("toolbox.bound-tools")
def test_results_are_kept_in_the_store_of_the_box():
    calls = []

    def count() -> int:
        calls.append(time.monotonic())
        return len(calls)

    tool = Tool(count, cache=60, idempotent=True)
    one, two = (Toolbox(name, [tool], store=MemoryStore()) for name in ("one", "two"))
    assert [one.call("count").value, one.call("count").value] == [1, 1]
    assert [two.call("count").value, two.call("count").value] == [2, 2]
    assert tool.call().value == 3


def test_a_copy_with_other_options_belongs_where_its_original_does():
    tool, box = Tool(which, on_unsupported="permissive"), provided_by("box")
    bound = box.add(tool).replace(name="renamed")
    assert bound.call({}).value == "box"
    alone = tool.replace(name="renamed")
    assert "db" in alone.input_schema["properties"]


def test_a_tool_of_one_box_takes_its_providers_to_another():
    origin, box = provided_by("origin"), Toolbox("box")
    origin.add(which)
    box.include(origin)
    assert box.call("which", {}).value == "origin"
    other = provided_by("other")
    other.include(origin)
    assert other.call("which", {}).value == "other"
    assert origin.call("which", {}).value == "origin"


def test_what_is_removed_goes_on_working_as_it_did():
    box = provided_by("box")
    box.add(which)
    assert box.remove("which").call({}).value == "box"


def test_a_pickled_tool_is_one_that_belongs_to_no_box():
    tool = Tool(add, title="Adds")
    for each in (tool, Toolbox("box", [tool], timeout=5)["add"]):
        again = pickle.loads(pickle.dumps(each))
        assert (again.name, again.title, again.options) == ("add", "Adds", tool.options)
        assert runner_of(again).timeout is None
        assert again.call({"a": 1}).value == 2


def test_a_provider_that_comes_later_counts_for_a_tool_in_hand():
    box = Toolbox("box")
    added = box.add(which, on_unsupported="permissive")
    assert "db" in added.input_schema["properties"]
    box.provide(Db, lambda: Db("later"))
    assert added is box["which"]
    assert added.call({}).value == "later"


def test_a_target_is_opened_and_read_once_for_any_number_of_boxes(monkeypatch):
    from toolwright.read import reader
    from toolwright.tools import definition

    opened, read = [], []
    opening, reading = definition.open_target, reader.read_signature
    monkeypatch.setattr(definition, "open_target", lambda t: opened.append(t) or opening(t))
    monkeypatch.setattr(
        reader, "read_signature", lambda *given: read.append(given) or reading(*given)
    )
    assert targets.open_target is opening
    tools = [Tool(add, name=f"add_{number}") for number in range(50)]
    boxes = [Toolbox(f"box{number}", tools) for number in range(10)]
    for box in boxes:
        assert signature_of(box["add_7"]) is signature_of(tools[7])
    assert len(opened) == 50
    assert len(read) == 1


def test_a_function_that_is_added_is_opened_once(monkeypatch):
    from toolwright.tools import definition

    opened = []
    opening = definition.open_target
    monkeypatch.setattr(definition, "open_target", lambda t: opened.append(t) or opening(t))
    box = Toolbox("box")
    for number in range(500):
        box.add(add, name=f"add_{number}")
    assert len(opened) == 500


def test_an_injected_provider_of_a_tool_alone_is_its_own():
    made = []

    def connect() -> Db:
        made.append(1)
        return Db(str(len(made)))

    def use(db: Annotated[Db, Inject(connect, scope="process")]) -> str:
        return db.name

    tool = Tool(use)
    box = Toolbox("box", [tool])
    assert [box.call("use").value, box.call("use").value] == ["1", "1"]
    assert tool.call().value == "2"
    box.close()
    assert tool.call().value == "2"


def test_the_signature_has_names_hints_defaults_and_descriptions():
    def price(
        sku: str,  # What is sold.
        count: Annotated[int, "How many."] = 1,
        *,
        at: "datetime.date | None" = None,
    ) -> float:  # In euros.
        """Return a price.

        Args:
            at: On which day.
        """
        return 1.0

    signature = Tool(price).signature
    assert [(each.name, each.default, each.description) for each in signature.parameters] == [
        ("sku", inspect.Parameter.empty, "What is sold."),
        ("count", 1, "How many."),
        ("at", None, "On which day."),
    ]
    assert [each.hint for each in signature.parameters] == [
        str,
        Annotated[int, "How many."],
        datetime.date | None,
    ]
    assert (signature.returns, signature.returns_description) == (float, "In euros.")
    with pytest.raises(AttributeError):
        signature.returns = int
    with pytest.raises(SchemaError, match="Missing"):
        _ = Tool(untyped).signature


def untyped(a: "Missing") -> int:  # noqa: F821
    return a
