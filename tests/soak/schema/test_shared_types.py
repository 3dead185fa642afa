"""What several tools, or several places of one, share: it is compiled once and means the same."""

from pydantic_core import core_schema

from toolwright import Tool


def test_the_core_schemas_of_pydantic_have_a_schema_of_moderate_size():
    tool = Tool(core_schema.tuple_schema)
    assert len(tool.to_mcp_json()) < 100_000
    assert not [name for name in tool.input_schema["$defs"] if name.endswith("_2")]
