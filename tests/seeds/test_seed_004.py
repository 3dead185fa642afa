"""Seed document 004, omni: every schema example in it.

Differences that hold for all of them: arguments are closed (`additionalProperties: false`), and
`T | None = None` is an optional `T`, as in the document's own examples.
"""

from typing import Annotated, Any, Literal

import pytest

from toolwright import Fixed, Hidden, SchemaError, Tool, Toolbox, tool


def arguments(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """The root of an input schema."""
    root = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**root, "required": list(required)} if required else root


# -- the overview


def test_a_required_and_an_enumerated_parameter():
    def read(
        path: Annotated[str, "File path"],
        encoding: Literal["utf-8", "gbk", "ascii"] = "utf-8",
    ): ...

    assert Tool(read).input_schema == arguments(
        {
            "path": {"type": "string", "description": "File path"},
            "encoding": {
                "type": "string",
                "enum": ["utf-8", "gbk", "ascii"],
                "default": "utf-8",
            },
        },
        "path",
    )


# -- the table of types


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        # The document has bare types here; an array without `items` is refused by some clients.
        (
            list,
            {
                "type": "array",
                "items": {"type": ["string", "number", "boolean", "object", "array", "null"]},
            },
        ),
        (dict, {"type": "object", "additionalProperties": True}),
        (Literal["a", "b", "c"], {"type": "string", "enum": ["a", "b", "c"]}),
    ],
    ids=str,
)
def test_a_python_type_becomes_a_json_type(hint, schema):
    def take(value: hint): ...

    assert Tool(take).input_schema == arguments({"value": schema}, "value")


def test_hints_become_schemas():
    def example(
        name: str,
        count: int,
        price: float,
        enabled: bool,
        tags: list[str],
        metadata: dict[str, str],
        status: Literal["pending", "done"],
        optional: str | None = None,
    ) -> str: ...

    assert Tool(example).input_schema == arguments(
        {
            "name": {"type": "string"},
            "count": {"type": "integer"},
            "price": {"type": "number"},
            "enabled": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            # The document forgets what the values are.
            "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
            "status": {"type": "string", "enum": ["pending", "done"]},
            "optional": {"type": "string"},
        },
        "name",
        "count",
        "price",
        "enabled",
        "tags",
        "metadata",
        "status",
    )


# -- the complete example


@tool(
    "search_code",
    description="Search for patterns in code files",
    read_only=True,
    idempotent=True,
)
def search_code(
    query: str,  # Required parameter
    file_pattern: str = "*.py",  # Has default value
    case_sensitive: bool = False,  # Boolean type
    max_results: int = 100,  # Integer
    encoding: Literal["utf-8", "gbk"] = "utf-8",  # Enum
    exclude_patterns: list[str] | None = None,  # Optional list
) -> str:
    """Search for patterns in code"""


def search_code_schema(*descriptions: str) -> dict[str, Any]:
    """The documented schema, with these descriptions."""
    properties = {
        "query": {"type": "string"},
        "file_pattern": {"type": "string", "default": "*.py"},
        "case_sensitive": {"type": "boolean", "default": False},
        "max_results": {"type": "integer", "default": 100},
        # The document loses this default.
        "encoding": {"type": "string", "enum": ["utf-8", "gbk"], "default": "utf-8"},
        "exclude_patterns": {"type": "array", "items": {"type": "string"}},
    }
    for node, text in zip(properties.values(), descriptions, strict=True):
        node["description"] = text
    return arguments(properties, "query")


def test_the_complete_example():
    made = Toolbox("omni").add(search_code)
    assert made.name == "search_code"
    # The document's descriptions stand nowhere in its function; what stands there is a comment.
    assert made.input_schema == search_code_schema(
        "Required parameter",
        "Has default value",
        "Boolean type",
        "Integer",
        "Enum",
        "Optional list",
    )
    assert made.output_schema == {"type": "string"}


def test_the_complete_example_with_the_documented_descriptions():
    def search_code(
        query: str,
        file_pattern: str = "*.py",
        case_sensitive: bool = False,
        max_results: int = 100,
        encoding: Literal["utf-8", "gbk"] = "utf-8",
        exclude_patterns: list[str] | None = None,
    ) -> str:
        """Search for patterns in code

        Args:
            query: Search query string
            file_pattern: File match pattern
            case_sensitive: Whether to be case-sensitive
            max_results: Maximum number of results
            encoding: File encoding
            exclude_patterns: List of exclude patterns
        """

    made = Tool(search_code)
    assert made.input_schema == search_code_schema(
        "Search query string",
        "File match pattern",
        "Whether to be case-sensitive",
        "Maximum number of results",
        "File encoding",
        "List of exclude patterns",
    )
    assert made.description == "Search for patterns in code"


def test_the_description_of_the_decorator_counts_more_than_the_docstring():
    assert Tool(search_code).description == "Search for patterns in code files"


def test_without_a_description_the_docstring_is_it():
    def read():
        """Read a file.

        Only text files.
        """

    # The document takes the first line and drops the rest.
    assert Tool(read).description == "Read a file.\n\nOnly text files."


# -- the tool in the protocol


def run_command(**options: Any) -> Tool:
    def run(
        cmd: Annotated[str, "Nushell command to execute"],
        ensure_structured: Annotated[
            bool | None, "Force JSON output for observation commands"
        ] = None,
    ): ...

    return Tool(
        run,
        name="omnicell.run_command",
        title="OmniCell Command",
        description="Execute Nushell command, returns structured JSON",
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
        **options,
    )


@pytest.mark.promise("toolbox.lists-itself")
def test_a_tool_as_the_protocol_lists_it():
    assert run_command().to_mcp() == {
        # The document lists the name with its dot, which many clients refuse.
        "name": "omnicell_run_command",
        # The document has the title among the annotations; the protocol prefers it here.
        "title": "OmniCell Command",
        "description": "Execute Nushell command, returns structured JSON",
        "annotations": {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
        "inputSchema": arguments(
            {
                "cmd": {"type": "string", "description": "Nushell command to execute"},
                "ensure_structured": {
                    "type": "boolean",
                    "description": "Force JSON output for observation commands",
                },
            },
            "cmd",
        ),
    }


def test_the_full_style_lists_a_dotted_name():
    assert run_command().name == "omnicell.run_command"
    assert run_command(style="full").to_mcp()["name"] == "omnicell.run_command"


# -- options that are published


@pytest.mark.parametrize("protocol", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    ("name", "description", "options", "annotations"),
    [
        (
            "read_file",
            "Read file contents",
            {"read_only": True, "idempotent": True},
            {"readOnlyHint": True, "idempotentHint": True},
        ),
        ("delete_file", "Delete a file", {"destructive": True}, {"destructiveHint": True}),
        ("fetch_url", "Fetch URL content", {"open_world": True}, {"openWorldHint": True}),
    ],
)
def test_hints_are_published_as_annotations(protocol, name, description, options, annotations):
    box = Toolbox("omni")

    @box.tool(name=name, description=description, **options)
    def target(path: str) -> str: ...

    assert box.to_mcp(protocol)["tools"] == [
        {
            "name": name,
            "description": description,
            "inputSchema": arguments({"path": {"type": "string"}}, "path"),
            "annotations": annotations,
        }
    ]


def my_tool(param: str) -> str: ...


def test_hints_that_were_not_given_are_not_published():
    # The document publishes `false` for them, which for two of them is not the protocol's default.
    assert "annotations" not in Tool(my_tool).to_mcp()
    assert Tool(my_tool, read_only=False).to_mcp()["annotations"] == {"readOnlyHint": False}


def test_the_name_is_that_of_the_function_unless_given():
    assert Tool(my_tool).name == "my_tool"
    assert Tool(my_tool, name="other").name == "other"
    assert Tool(tool("marked")(lambda: None)).name == "marked"


def test_a_title_is_published_only_if_given():
    assert "title" not in Tool(my_tool).to_mcp()
    assert Tool(my_tool, title="My tool").to_mcp()["title"] == "My tool"


# -- parameters that no caller sees


class Settings: ...


class ConfigPaths: ...


MESSAGE = arguments({"message": {"type": "string"}}, "message")


@pytest.mark.promise("parameters.hidden")
def test_what_the_program_provides_is_not_in_the_schema():
    # The document finds such parameters by two fixed types; here each is marked.
    async def my_command(
        message: str,
        settings: Annotated[Settings, Fixed(Settings())],
        paths: Annotated[ConfigPaths, Fixed(ConfigPaths())],
    ) -> str: ...

    assert Tool(my_command).input_schema == MESSAGE


@pytest.mark.promise("errors.refused-when-compiled")
def test_a_type_that_is_neither_json_nor_provided_is_refused():
    async def my_command(message: str, settings: Settings, paths: ConfigPaths) -> str: ...

    with pytest.raises(SchemaError, match="`Settings`") as caught:
        Tool(my_command).compile()
    assert (caught.value.tool, caught.value.parameter) == ("my_command", "settings")


def test_a_project_root_can_be_kept_from_callers():
    def my_command(message: str, project_root: Annotated[str, Hidden()] = "/srv"): ...

    assert Tool(my_command).input_schema == MESSAGE


@pytest.mark.promise("parameters.on-unsupported")
def test_untyped_variadics_are_left_out_on_demand():
    # The document drops them silently; without the option we refuse.
    def my_command(message: str, *args, **kwargs): ...

    assert Tool(my_command, on_unsupported="skip").input_schema == MESSAGE
    with pytest.raises(SchemaError, match='on_unsupported="skip"'):
        Tool(my_command)


def test_skipping_leaves_typed_variadics_out_too():
    def my_command(message: str, *args: int, **kwargs: str): ...

    assert Tool(my_command, on_unsupported="skip").input_schema == MESSAGE


@pytest.mark.promise("parameters.on-unsupported")
def test_skipping_is_for_variadics_only():
    def my_command(message, *args): ...

    with pytest.raises(SchemaError, match="every tool parameter must be typed"):
        Tool(my_command, on_unsupported="skip")


# -- the generated schema


@pytest.mark.promise("parameters.none-means-absent")
def test_a_default_or_none_makes_a_parameter_optional():
    @tool("example")
    def generated(
        required_param: str,
        optional_param: str = "default",
        optional_list: list[str] | None = None,
    ) -> str: ...

    # Elsewhere the document says that parameters with the default None are left out; they are not.
    made = Tool(generated)
    assert made.name == "example"
    assert made.input_schema == arguments(
        {
            "required_param": {"type": "string"},
            "optional_param": {"type": "string", "default": "default"},
            "optional_list": {"type": "array", "items": {"type": "string"}},
        },
        "required_param",
    )


def test_the_schema_of_a_decorated_function_can_be_looked_at():
    decorated = tool("my_tool")(my_tool)
    assert decorated is my_tool
    assert Tool(decorated).input_schema == arguments({"param": {"type": "string"}}, "param")
