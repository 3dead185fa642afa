"""What we use of other packages without their promise: each private name, and the bounds for it."""

import ast
import importlib.metadata
import inspect
import pkgutil
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import toolwright

SOURCE = Path(toolwright.__file__).parent
PYPROJECT = SOURCE.parent.parent / "pyproject.toml"

# By distribution: private names that `src` uses, and where that distribution defines them.
DEPENDENCIES = {
    "mcp": {
        "_absorb_tool_listing": "mcp.client.session",
        "_discard_session": "mcp.server.streamable_http_manager",
        "_handle_stateful_request": "mcp.server.streamable_http_manager",
        "_lowlevel_server": "mcp.server.mcpserver.server",
        "_request_streams": "mcp.server.streamable_http",
        "_serve_opening_request": "mcp.server.streamable_http_manager",
        "_server_instances": "mcp.server.streamable_http_manager",
        "_session_owners": "mcp.server.streamable_http_manager",
        "_task_group": "mcp.server.streamable_http_manager",
        "_token_verifier": "mcp.server.mcpserver.server",
    },
    "pydantic": {
        "_apply_constraint_with_incompatibility_info": "pydantic._internal._known_annotated_metadata",
        "_types_namespace": "pydantic.main",
        "_use_prebuilt": "pydantic._internal._model_construction",
        "_HAS_DEFAULT_FACTORY_CLASS": "pydantic._internal._signature",
        "__pydantic_complete__": "pydantic.main",
        "__pydantic_config__": "pydantic.dataclasses",
        "__pydantic_core_schema__": "pydantic.main",
        "__pydantic_extra__": "pydantic.main",
        "__pydantic_fields__": "pydantic.main",
        "__pydantic_serializer__": "pydantic.main",
        "__pydantic_validator__": "pydantic.main",
    },
    "jsonschema": {"_utils": "jsonschema"},
    "uvicorn": {"_start_asgi_task": "uvicorn.protocols.http.httptools_impl"},
}
# Of what users bring along: it is recognised if it is there, and nothing depends on it.
FRAMEWORKS = {
    "attrs": {"_Nothing": "attr"},
    "click": {"_flag_needs_value": "click.core"},
    "cyclopts": {"_commands": "cyclopts.core", "_meta_parent": "cyclopts.core"},
    "fastmcp": {
        "_lifespan_manager": "fastmcp.server.server",
        "_mcp_server": "fastmcp.server.server",
    },
    "typer": {"_click": "typer"},
    "dishka": {"_FromComponent": ""},
    "injector": {"_inject_marker": ""},
}
# Of Python's own library.
PYTHON = set(
    """_AppendAction _AppendConstAction _CountAction _ExtendAction _HelpAction _StoreConstAction
    _SubParsersAction _VersionAction _actions _choices_actions _deprecated _expand_help
    _get_formatter _group_actions _mutually_exclusive_groups _name_parser_map
    _option_string_actions _long_opts _short_opts _boundary_ _missing_ _or_ _exit _field_defaults
    _get_running_loop _getframe _handle_fromlist _is_protocol _is_runtime_protocol
    _threads_queues""".split()
)
# Texts that only look like names, and names that are ours.
OTHERS = set(
    """_test _ARGCOMPLETE _ARGCOMPLETE_COMP_WORDBREAKS _attribute_ _door _ipython_ _list_changed _meta
    _project _repr_ _toolwright_values""".split()
)


def is_private(name):
    return bool(re.fullmatch(r"_[A-Za-z]\w*|__pydantic_\w+__", name))


def names_of(tree):
    """Yield the private names that a module uses as attributes, arguments, modules and texts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword):
            yield node.arg or ""
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (node.module or "").split(".")
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (part for each in node.names for part in each.name.split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if re.fullmatch(r"[\w.]+", node.value):
                yield from node.value.split(".")


def defined_in(tree):
    """Yield the names that a module gives to something of its own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.attr if isinstance(node, ast.Attribute) else node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname


def own_classes():
    for found in pkgutil.walk_packages(toolwright.__path__, "toolwright."):
        if not found.name.endswith("__main__"):
            module = import_module(found.name)
            yield from (
                each
                for each in vars(module).values()
                if inspect.isclass(each) and each.__module__ == found.name
            )


def overridden():
    """Yield private methods of dependencies that classes of ours override."""
    for own in own_classes():
        for base in own.__mro__[1:]:
            if base.__module__.split(".")[0] in ("mcp", "uvicorn", "pydantic", "starlette"):
                common = vars(own).keys() & vars(base).keys()
                yield from (name for name in common if inspect.isfunction(vars(own)[name]))


def test_every_private_name_of_another_package_is_named_here():
    trees = [ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")]
    defined = {name for tree in trees for name in defined_in(tree)}
    # pydantic's names are set by us as well, on classes that stand in for its own.
    defined = {name for name in defined if not name.startswith("__pydantic")}
    used = {name for tree in trees for name in names_of(tree)} - defined
    used |= set(overridden())
    listed = {*PYTHON, *OTHERS}
    for names in (*DEPENDENCIES.values(), *FRAMEWORKS.values()):
        listed |= names.keys()
    private = {name for name in used if is_private(name)}
    assert private - listed == set(), "a private name that no list here has"
    assert listed - private == set(), "a name that is not used any more"


@pytest.mark.parametrize(
    ("distribution", "name", "module"),
    [
        (distribution, name, module)
        for distribution, names in (*DEPENDENCIES.items(), *FRAMEWORKS.items())
        for name, module in names.items()
        if module
    ],
)
def test_a_private_name_is_still_there(distribution, name, module):
    if distribution in FRAMEWORKS:
        pytest.importorskip(module.split(".")[0])
    found = import_module(module)
    is_module = name == "_click" or name == "_utils"
    if is_module and importlib.util.find_spec(f"{module}.{name}") is None:
        pytest.skip("older versions use the package itself")
    assert is_module or re.search(rf"\b{name}\b", inspect.getsource(found))


def requirements():
    project = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
    optional = project["optional-dependencies"].values()
    for line in (*project["dependencies"], *(each for extra in optional for each in extra)):
        found = re.fullmatch(r"([\w.-]+)(\[[\w,]+\])?(.*)", line)
        yield found[1], found[3].split(",") if found[3] else []


def test_what_has_private_names_has_an_upper_bound():
    bounds = dict(requirements())
    for distribution in DEPENDENCIES:
        assert any(bound.startswith("<") for bound in bounds[distribution]), distribution


def test_every_dependency_has_a_lower_bound():
    for distribution, bounds in requirements():
        if distribution != "toolwright":
            assert any(bound.startswith(">=") for bound in bounds), distribution
