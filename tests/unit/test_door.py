"""The door: public names, and whatever in Python relies on the module that a class names."""

import ast
import doctest
import importlib
import pickle
import re
import traceback
import typing
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, create_model

import toolwright
from tests.counting import for_every
from toolwright import Tool, Toolbox
from toolwright.client import connect

ROOT = Path(__file__).parents[2]
ROOMS = {
    *("errors", "limits", "options", "markers", "content", "results", "call", "questions"),
    *("refusals", "stores", "telemetry", "serve", "sources", "testing", "doctor", "contract"),
    *("client", "dialects", "read"),
    *("contract.tokens", "contract.trials"),
}
PUBLIC = {name: getattr(toolwright, name) for name in toolwright.__all__}
CLASSES = {name: each for name, each in PUBLIC.items() if isinstance(each, type)}


@for_every("room", sorted(ROOMS), ids=str)
def test_every_public_name_of_a_room_is_there(room):
    module = importlib.import_module(f"toolwright.{room}")
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name) is not None, name


def add(a: int, b: int = 1) -> int:
    return a + b


INSTANCES = {
    "Process": toolwright.Process(memory=10_000_000),
    "Retry": toolwright.Retry(3),
    "Timeout": toolwright.Timeout(total=3),
    "Problem": toolwright.Problem("add", "is lost"),
    "Refused": toolwright.Refused("tool", "role"),
    "Caller": toolwright.Caller("ada", roles=("admin",)),
    "SchemaOptions": toolwright.FULL,
    "Image": toolwright.Image(b"\x89PNG\r\n\x1a\n"),
    "Audio": toolwright.Audio(b"RIFF", "audio/wav"),
    "File": toolwright.File(b"it", "text/plain"),
    "Tool": Tool(add),
    "Result": Tool(add).call({"a": 1}),
    "ToolError": toolwright.ToolError("closed", hint="try at nine"),
    "ToolNotFound": toolwright.ToolNotFound("ad"),
    "StoreError": toolwright.StoreError("is locked"),
    "Complete": toolwright.Complete(["a"]),
    "Fixed": toolwright.Fixed(1),
    "Flatten": toolwright.Flatten(),
    "FromText": toolwright.FromText(),
    "Hidden": toolwright.Hidden(),
    "Nullable": toolwright.Nullable(),
    "Inject": toolwright.Inject(add),
}


@for_every("name", [name for name in PUBLIC if name != "FULL"])
def test_a_public_name_says_that_it_is_from_the_package(name):
    shown = PUBLIC[name]
    assert shown.__module__ == "toolwright"
    assert shown.__qualname__ == name
    assert getattr(importlib.import_module(shown.__module__), name) is shown


@for_every("name", CLASSES)
def test_the_hints_of_a_public_class_can_be_read(name):
    cls = CLASSES[name]
    for hint in typing.get_type_hints(cls, include_extras=True).values():
        assert not isinstance(hint, str | typing.ForwardRef)


@for_every("name", CLASSES)
def test_a_public_class_is_found_again_by_pickle(name):
    assert pickle.loads(pickle.dumps(CLASSES[name])) is CLASSES[name]


@pytest.mark.parametrize(
    "name",
    ["Process", "Retry", "Timeout", "Problem", "Caller", "Tool", "ToolError", "SchemaOptions"],
)
def test_an_object_of_a_public_class_is_pickled(name):
    given = INSTANCES[name]
    again = pickle.loads(pickle.dumps(given))
    assert type(again) is type(given)
    if name not in ("Tool", "ToolError"):
        assert again == given


@for_every("name", INSTANCES)
def test_a_public_class_is_the_type_of_a_field(name):
    given = INSTANCES[name]
    model = create_model(
        "Holder",
        __config__=ConfigDict(arbitrary_types_allowed=True),
        held=(CLASSES[name], ...),
        many=(list[CLASSES[name]], []),
    )
    made = model(held=given, many=[given])
    assert type(made.held) is CLASSES[name]


def test_data_classes_are_read_from_json_as_fields():
    class Settings(BaseModel):
        retry: toolwright.Retry
        timeout: toolwright.Timeout | None = None
        process: toolwright.Process | None = None
        problem: toolwright.Problem | None = None

    given = '{"retry": {"attempts": 5}, "timeout": {"total": 2}, "problem": ["a", "b"]}'
    # Exceptions cannot be JSON, and only their default is used here.
    read = Settings.model_validate_json(given)
    assert (read.retry.attempts, read.timeout) == (5, toolwright.Timeout(total=2))
    assert read.problem == toolwright.Problem("a", "b")


def test_a_traceback_shows_the_public_name():
    try:
        _ = Toolbox("box").call("nothing").value
    except toolwright.ToolNotFound as error:
        lines = traceback.format_exception_only(error)
    assert lines[-1].startswith("toolwright.ToolNotFound: ")


def test_content_is_known_by_its_class():
    class Image(toolwright.Image):
        """One of the user's own, from another module."""

    def own() -> Image: ...
    def ours() -> list[toolwright.Image]: ...
    def result() -> toolwright.Result: ...

    for function in (own, ours, result):
        assert Tool(function).output_schema is None


HOMES = {name: home for home, names in toolwright._HOMES.items() for name in names}


@for_every("name", CLASSES)
def test_the_examples_in_the_documentation_of_a_public_class_hold(name):
    """Doctest leaves out classes that say they are from elsewhere, so they are run here."""
    home = importlib.import_module(f"toolwright.{HOMES[name]}")
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in doctest.DocTestFinder().find(
        CLASSES[name], name, module=home, globs=dict(vars(home))
    ):
        runner.run(test)
    assert runner.summarize().failed == 0


def texts():
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        yield path, path.read_text()
    for path in sorted((ROOT / "examples").rglob("*.py")):
        yield path, path.read_text()


@for_every(("path", "text"), texts(), ids=lambda path, text: path.name)
def test_texts_import_from_public_rooms_only(path, text):
    named = re.findall(r"(?:from|import) +toolwright\.([a-z_.]+)", text)
    named += re.findall(r"\(from `toolwright\.([a-z_.]+)`\)", text)
    assert {name for name in named if name not in ROOMS} == set()


FACES = {
    "Toolbox": Toolbox("b"),
    "Tool": INSTANCES["Tool"],
    "Resource": toolwright.Resource("shop://orders", add),
    "Prompt": toolwright.Prompt(add),
    "Call": toolwright.Call(),
    "Result": INSTANCES["Result"],
    "McpClient": connect(toolwright.Toolbox("empty")),
}


def attributes(instance):
    """Return what completion offers, including attributes that are set only on the instance."""
    return {name for name in dir(instance) if not name.startswith("_")}


def documented(name):
    """Return the names in the first column of the table for a class in the reference."""
    text = (ROOT / "docs" / "reference.md").read_text()
    section = text.split(f"## {name}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return [attribute for row in rows for attribute in re.findall(r"`(\w+)`", row)]


@pytest.mark.promise("door.reference")
@pytest.mark.parametrize("name", FACES)
def test_the_reference_names_every_public_attribute_once_and_nothing_else(name):
    """An attribute that users are not meant to use starts with an underscore."""
    assert sorted(documented(name)) == sorted(attributes(FACES[name]))


@for_every(
    "path", [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").rglob("*.py"))]
)
def test_texts_use_no_private_attributes(path):
    assert re.findall(r"\b\w+\._[a-z]\w*", path.read_text()) == []


def test_every_public_room_is_there():
    for room in ROOMS:
        assert importlib.import_module(f"toolwright.{room}")


def test_the_door_and_its_types_are_the_same():
    tree = ast.parse(Path(toolwright.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {alias.name: node.module for node in block.body for alias in node.names}
    assert typed == HOMES
    assert set(typed) == {*toolwright.__all__, "__version__"}
