"""The shape of the package: data flows one way, and nothing heavy is loaded early."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

import toolwright
from tests.counting import for_every

SOURCE = Path(toolwright.__file__).parent

# A module may import from its own package and from the rows above it, never from its neighbours
# in a row. The rows are the way of a call: docs/decisions/0016-layout.md.
ORDER = [
    ["_door", "_words", "_process"],
    [
        "errors",
        "limits",
        "_protocol",
        "_json_values",
        "_files",
        "_elsewhere",
        "_log",
        "refusals",
    ],
    ["options", "markers", "stores"],
    ["json_schema"],
    ["read"],
    ["questions"],
    ["content", "results", "call"],
    ["schema"],
    ["arguments"],
    ["outcome"],
    ["run"],
    ["tools"],
    ["sources", "dialects"],
    ["telemetry"],
    ["serve"],
    ["client"],
    ["contract"],
    ["doctor"],
    ["console"],
    ["toolbox"],
    ["testing"],
    ["cli"],
    ["__main__"],
    ["__init__"],  # the front door names all of them, and none of them goes through it
]
ROW = {name: row for row, names in enumerate(ORDER) for name in names}


@functools.cache
def modules():
    return sorted(SOURCE.rglob("*.py"))


def dotted(path):
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def module_names():
    return {dotted(module) for module in modules()}


@functools.cache
def tree(path):
    return ast.parse(path.read_text())


@functools.cache
def nodes_of(path):
    return list(ast.walk(tree(path)))


@functools.cache
def imports(path):
    """Return every module of ours that a file imports, anywhere in the file."""
    here = path.relative_to(SOURCE).with_suffix("").parts
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = [*here[: len(here) - node.level], *(node.module or "").split(".")]
            base = ".".join(part for part in parts if part)
            found.add(base or "__init__")
            found.update(f"{base}.{alias.name}".strip(".") for alias in node.names)
    return found & module_names()


def texts(path):
    """Return the strings of a file, without docstrings and public names of rooms (`__module__`)."""
    nodes = nodes_of(path)
    bodies = [node.body for node in nodes if isinstance(getattr(node, "body", None), list)]
    docstrings = {id(line.value) for body in bodies for line in body if isinstance(line, ast.Expr)}
    rooms = {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("__module__")
    }
    strings = [node for node in nodes if isinstance(getattr(node, "value", None), str)]
    return {node.value for node in strings if id(node) not in docstrings | rooms}


def siblings_by_name(path):
    """Yield modules that a file names as `f"{__package__}.name"`, for Python to run or import."""
    package = ".".join(path.relative_to(SOURCE).parent.parts)
    for node in nodes_of(path):
        if not isinstance(node, ast.JoinedStr):
            continue
        first, *rest = node.values
        if isinstance(first, ast.FormattedValue) and ast.unparse(first.value) == "__package__":
            assert len(rest) == 1, "the name stands in full, for this test to read"
            yield f"{package}{rest[0].value}"


@for_every("path", modules(), ids=dotted)
def test_a_module_imports_only_from_its_left(path):
    own = dotted(path).split(".")[0]
    assert own in ROW, f"{own} has no place in the order"
    for other in imports(path) | set(siblings_by_name(path)):
        name = other.split(".")[0]
        assert name == own or ROW[name] < ROW[own], f"{dotted(path)} imports {other}"


@functools.cache
def names():
    """Return every module, and everything that each defines at its top level."""
    known = {*module_names()}
    for path in modules():
        defined = (getattr(node, "name", "") for node in tree(path).body)
        known |= {f"{dotted(path)}.{name}" for name in defined if name}
    return known


@for_every("path", modules(), ids=dotted)
def test_no_text_names_a_module(path):
    """Such an import or comparison would escape the order; loggers are named in `_log` alone."""
    written = {name for text in texts(path) for name in re.findall(r"toolwright\.([\w.]*)", text)}
    allowed = {""} if dotted(path) == "_log" else set()
    assert written & (names() | {""}) <= allowed


def test_a_sibling_that_is_named_is_a_module():
    known = {dotted(path) for path in modules()}
    named = {name for path in modules() for name in siblings_by_name(path)}
    assert named == {"run.child"}  # the other side of a pipe is run, not imported
    assert named <= known


def test_no_class_name_is_in_two_modules():
    places = {}
    for path in modules():
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(dotted(path))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def lines_of(function):
    """Return the length of a function, without its docstring and those of attributes it sets."""
    docs = [node.value for node in ast.walk(function) if isinstance(node, ast.Expr)]
    docs = [node for node in docs if isinstance(getattr(node, "value", None), str)]
    described = sum(node.end_lineno - node.lineno + 1 for node in docs)
    return function.end_lineno - function.lineno + 1 - described


def test_no_function_is_longer_than_sixty_lines():
    long = {
        f"{dotted(path)}:{node.name}": lines_of(node)
        for path in modules()
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and lines_of(node) > 60
    }
    assert long == {}


def test_no_modules_import_each_other():
    graph = {dotted(path): imports(path) - {dotted(path)} for path in modules()}

    def reach(start):
        seen, todo = set(), [start]
        while todo:
            for other in graph[todo.pop()]:
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen

    assert [name for name in graph if name in reach(name)] == []


def loaded_after(statement):
    code = f"import sys\n{statement}\nprint(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.promise("tool.bare-registration")
@pytest.mark.parametrize(
    "statement", ["import toolwright", "from toolwright import Tool, Toolbox, tool"]
)
def test_importing_loads_nothing_heavy(statement):
    heavy = {"pydantic", "pydantic_core", "asyncio", "importlib.metadata", "mcp", "jsonschema"}
    heavy |= {"platformdirs", "argcomplete", "rich", "uvicorn"}
    assert loaded_after(statement) & heavy == set()


@pytest.mark.promise("tool.bare-registration")
def test_registering_reads_the_bare_signature_only():
    statement = (
        "from toolwright import Toolbox\n"
        "box = Toolbox('b')\n"
        "@box.tool\n"
        "def f(x: 'Nowhere', y: int = 1) -> int: ...\n"
        "assert list(box) == ['f']"
    )
    unread = {"pydantic", "asyncio", "toolwright.read.documentation", "toolwright.schema.compile"}
    assert loaded_after(statement) & unread == set()


def test_listing_plain_functions_loads_neither_translators_nor_plugins():
    """Each takes a server milliseconds to start: pydantic looks for plugins in all packages."""
    statement = (
        "from toolwright import Toolbox\n"
        "box = Toolbox('b')\n"
        "@box.tool\n"
        "def add(a: int, b: float = 1, c: str = '') -> int:\n"
        "    'Add.'\n"
        "    return a\n"
        "box.to_mcp_json()"
    )
    unneeded = {"importlib.metadata", "difflib", "toolwright.schema.translate"}
    unneeded |= {"toolwright.read.docstring_reader", "toolwright.read.evaluate"}
    assert loaded_after(statement) & unneeded == set()


def test_every_public_name_is_there_and_no_other():
    public = {name for name in dir(toolwright) if not name.startswith("_")}
    assert public == set(toolwright.__all__)
    for name in toolwright.__all__:
        shown = getattr(toolwright, name)
        assert getattr(shown, "__module__", "toolwright").split(".")[0] == "toolwright"


def test_the_decorator_is_found_whatever_was_imported_before():
    run = "import toolwright.toolbox.box\nfrom toolwright import tool\nassert callable(tool)"
    loaded_after(run)


def test_options_and_their_keywords_are_the_same():
    from dataclasses import fields

    from toolwright.options import Options, ToolOptions

    spelled_out = {"annotations"}  # several options at once
    known = set(ToolOptions.__annotations__) - spelled_out
    assert {field.name for field in fields(Options)} - {"given"} == known


@for_every("path", modules(), ids=dotted)
def test_no_module_goes_through_the_front_door(path):
    """The package itself names everything: importing from it would tie all modules together."""
    here = path.relative_to(SOURCE).with_suffix("").parts
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.level == len(here) and not node.module:
            assert [alias.name for alias in node.names] == []


def test_a_module_says_in_few_words_what_it_is():
    """The first line of each module; the package itself says what the project is."""
    for path in sorted(SOURCE.rglob("*.py")):
        said = ast.get_docstring(tree(path)) or ""
        first = said.partition("\n")[0].split()
        assert 0 < len(first) < 12 or path == SOURCE / "__init__.py", (path.name, first)


def test_schemas_are_read_in_their_own_room():
    """Two rooms write every kind of schema as well; others write through `json_schema.document`."""
    keywords = {"$ref", "allOf", "anyOf", "oneOf"}
    readers = {
        dotted(path): sorted(found)
        for path in modules()
        if dotted(path).split(".")[0] not in {"json_schema", "schema", "dialects"}
        and (found := keywords & texts(path))
    }
    assert readers == {}
