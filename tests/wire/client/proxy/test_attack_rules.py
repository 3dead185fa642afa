"""Rules that fix or hide parameters, and servers whose schemas allow them in other ways."""

import json
import sys

import pytest

from toolwright import ArgumentError, DefinitionError, Toolbox
from toolwright.client import connect
from toolwright.sources import Rule

# Lists the tools of a file, and answers every call with its arguments.
SERVER = """
import json, sys
tools = json.load(open(sys.argv[1]))
hello = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "l", "version": "1"}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    text = json.dumps(asked.get("params", {}).get("arguments"), sort_keys=True)
    result = {"initialize": hello, "tools/list": {"tools": tools}}.get(
        asked["method"], {"content": [{"type": "text", "text": text}]}
    )
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
TEXT = {"type": "string"}
WHOLE = {"type": "object", "properties": {"q": TEXT, "output": TEXT, "key": TEXT}}
TAKEN = {
    "plain": WHOLE,
    "any_name": {**WHOLE, "patternProperties": {".*": {}}},
    "open": {**WHOLE, "additionalProperties": True},
    "said": {**WHOLE, "properties": {**WHOLE["properties"], "key": {"enum": ["SECRET"]}}},
    "referred": {
        "type": "object",
        "$ref": "#/$defs/A",
        "$defs": {"A": {**WHOLE, "required": ["key"]}},
    },
    "counted": {**WHOLE, "minProperties": 2, "maxProperties": 3, "required": ["key"]},
    "tied": {**WHOLE, "dependentRequired": {"q": ["key"], "key": ["q"]}},
    "one_of": {**WHOLE, "anyOf": [{"required": ["q"]}, {"maxProperties": 9}]},
}
REFUSED = {
    "all_of": {**WHOLE, "allOf": [{"required": ["key"]}]},
    "in_branches": {"type": "object", "anyOf": [{"properties": {"output": TEXT}}]},
    "when": {**WHOLE, "if": {"properties": {"q": {"const": "x"}}}, "then": {"required": ["key"]}},
    "twice": {**WHOLE, "$ref": "#/$defs/A", "$defs": {"A": WHOLE}},
    "own_part": {**WHOLE, "$ref": "#/properties/q"},
    "elsewhere": {**WHOLE, "allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"required": ["key"]}}},
}
RULE = Rule("*", flags=["!output"], fixed={"key": "SECRET"})


@pytest.fixture
def far(tmp_path):
    made = []

    def start(schemas):
        (tmp_path / "server.py").write_text(SERVER)
        tools = [{"name": name, "inputSchema": schema} for name, schema in schemas.items()]
        (tmp_path / "tools.json").write_text(json.dumps(tools))
        argv = [sys.executable, str(tmp_path / "server.py"), str(tmp_path / "tools.json")]
        made.append(connect(argv, era="handshake"))
        return made[-1]

    yield start
    for client in made:
        client.close()


@pytest.mark.promise("proxy.fixed")
def test_no_caller_sets_what_a_rule_takes_away(far):
    hub = Toolbox("hub")
    hub.include(far(TAKEN), rules=[RULE])
    assert sorted(hub) == sorted(TAKEN)
    assert "SECRET" not in hub.to_mcp_json().decode()
    for name in TAKEN:
        said = json.dumps(hub[name].input_schema)
        assert '"key"' not in said, name
        assert '"output"' not in said, name
        came = hub.call(name, {"q": "x"})
        assert json.loads(came.text) == {"key": "SECRET", "q": "x"}, name
        for more in ("key", "output"):
            refused = hub.call(name, {"q": "x", more: "mine"})
            assert isinstance(refused.error, ArgumentError), name
            assert more in refused.text
            assert "SECRET" not in refused.text


def test_a_tool_whose_parameters_cannot_be_taken_away_is_refused_by_name(far):
    hub = Toolbox("hub")
    with pytest.raises(DefinitionError) as caught:
        hub.include(far({**TAKEN, **REFUSED}), rules=[RULE])
    for name in REFUSED:
        assert f"{name} says more about its parameters in `" in str(caught.value)
    assert "leave it out with Rule(" in str(caught.value)


def test_such_a_tool_is_taken_whole(far):
    hub = Toolbox("hub")
    hub.include(far(REFUSED))
    assert sorted(hub) == sorted(REFUSED)
