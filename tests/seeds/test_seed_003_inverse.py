"""Seed document 003, toolslm: tool calling, and from schemas back to functions.

The document's names are ours without its abbreviations: `mk_ns` is `namespace`, `resolve_nm` is
`resolve`, `call_func` is `call`, `mk_param` is `make_param`, `schema2sig` is
`schema_to_signature`, `mk_tool` is `make_tool`. `raise_on_err` is `raise_on_error`.
"""

import asyncio
from inspect import Parameter
from pathlib import Path

import pytest
from fastcore.all import dict2obj

from toolwright import ArgumentError, DefinitionError, Tool, ToolNotFound
from toolwright.client import (
    call,
    call_async,
    make_param,
    make_tool,
    namespace,
    resolve,
    schema_to_signature,
)
from toolwright.client.callables.shapes import python_name


def sums(a, b):
    return a + b


async def asums(a, b):
    return a + b


def path_test(
    a: Path,  # a type hint
    b: Path,  # b type hint
):
    "Mandatory docstring"
    return a / b


class ClassA:
    "I am a class"

    def f(self, a: int):  # That is `a`
        "Do a thing"
        return 1

    def __call__(self, b: str):  # That is `b`
        "Do another thing"
        return 2


class B:
    async def g(self, x: int):
        return x * 2


ca = ClassA()
b = B()


# -- tool calling


def test_a_namespace_is_a_dictionary_of_functions():
    ns = namespace(sums)
    assert ns == {"sums": sums}
    assert ns["sums"](1, 2) == 3
    assert namespace([sums, asums]) == {"sums": sums, "asums": asums}
    assert namespace({"add": sums}) == {"add": sums}
    assert namespace(asums) == {"asums": asums}


def test_a_dotted_name_is_a_method():
    assert resolve("ca.f", globals()) == ca.f


def test_a_schema_has_the_dotted_name():
    schema = Tool(resolve("ca.f", globals()), name="ca.f")
    assert schema.name == "ca.f"
    assert schema.description == "Do a thing"
    assert schema.input_schema["properties"]["a"]["description"] == "That is `a`"
    assert schema.input_schema["required"] == ["a"]


def test_a_function_is_called_by_name():
    assert call("sums", {"a": 1, "b": 2}, [sums]) == 3
    assert call("sums", {"a": 1, "b": 2}, namespace(sums)) == 3


def test_what_it_raises_is_a_text_or_is_raised():
    ns = namespace(sums)
    said = call("sums", {"a": 1, "b": "3"}, ns, raise_on_error=False)
    assert "unsupported operand type(s) for +: 'int' and 'str'" in said
    with pytest.raises(TypeError, match="unsupported operand"):
        call("sums", {"a": 1, "b": "3"}, ns)


def test_types_are_made_of_text():
    assert call("path_test", {"a": "/home", "b": "user"}, [path_test]) == Path("/home/user")


def test_a_method_is_called_by_its_dotted_name():
    assert call("ca.f", {"a": 5}, globals()) == 1


def test_async_functions_are_awaited_and_others_run():
    assert namespace(asums) == {"asums": asums}
    assert asyncio.run(call_async("asums", {"a": 1, "b": 2}, [asums])) == 3
    assert asyncio.run(call_async("sums", {"a": 1, "b": 2}, [sums])) == 3
    said = asyncio.run(call_async("asums", {"a": 1, "b": "2"}, [asums], raise_on_error=False))
    assert "unsupported operand type(s) for +: 'int' and 'str'" in said
    with pytest.raises(TypeError):
        asyncio.run(call_async("asums", {"a": 1, "b": "2"}, [asums], raise_on_error=True))
    assert asyncio.run(call_async("b.g", {"x": 5}, globals())) == 10


@pytest.mark.parametrize(
    "name",
    [
        "sums.__globals__.popitem",  # T41: executed there
        "sums.__call__",
        "ca.__class__",
        "ca.f.__func__",
        "pytest.main",
        "asyncio.run",
        "Path.cwd",
        "ClassA.f",
        "__builtins__",
        "__name__",
        "nothing",
        "ca",  # it can be called, and its name is in the namespace
        "ca.nothing",
        "ca.",
        "",
        "ca..f",
        "x" * 100_000,
    ],
)
def test_no_name_leads_where_it_should_not(name):
    if name == "ca":
        assert call(name, {"b": "x"}, globals()) == 2
        return
    with pytest.raises(ToolNotFound):
        call(name, {}, globals())
    assert "unknown tool" in call(name, {}, globals(), raise_on_error=False)
    with pytest.raises(ToolNotFound):
        asyncio.run(call_async(name, {}, globals()))
    assert "unknown tool" in asyncio.run(call_async(name, {}, globals(), raise_on_error=False))


def test_a_namespace_holds_functions_only():
    with pytest.raises(TypeError, match="cannot be called"):
        namespace([sums, 3])
    with pytest.raises(ToolNotFound, match="cannot be called"):
        call("x", {}, {"x": 3})


# -- from schema to function


tool = dict2obj(
    {
        "description": "Find real-…",
        "inputSchema": {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "additionalProperties": False,
            "properties": {
                "language": {
                    "description": "Filter by …",
                    "items": {"type": "string"},
                    "type": "array",
                },
                "matchCase": {"default": False, "description": "Whether th…", "type": "boolean"},
                "path": {"description": "Filter by …", "type": "string"},
                "query": {"description": "The litera…", "type": "string"},
                "useRegexp": {"default": False, "description": "Whether to…", "type": "boolean"},
            },
            "required": ["query"],
            "type": "object",
        },
        "name": "searchGitHub",
    }
)


def test_a_required_property_is_a_plain_parameter():
    props, req = tool.inputSchema["properties"], tool.inputSchema["required"]
    assert list(props) == ["language", "matchCase", "path", "query", "useRegexp"]
    made = make_param("query", props.query, req)
    assert str(made) == "query: str"
    assert made.kind is Parameter.POSITIONAL_OR_KEYWORD


def test_an_optional_property_is_given_by_keyword():
    props, req = tool.inputSchema["properties"], tool.inputSchema["required"]
    made = make_param("language", props.language, req)
    assert str(made) == "language: list[str] = None"
    assert made.kind is Parameter.KEYWORD_ONLY
    assert make_param("language", props.language, req, "lang").name == "lang"


def test_a_tool_has_a_signature():
    assert str(schema_to_signature(tool)) == (
        "(query: str, *, language: list[str] = None, matchCase: bool = False, "
        "path: str = None, useRegexp: bool = False)"
    )


def dispatch_eg(name, **kwargs):
    return f"Called {name} with {kwargs}"


def test_a_tool_is_a_function():
    fn = make_tool(dispatch_eg, tool)
    said = "Called searchGitHub with {'query': 'hello', 'path': 'src/'}"
    assert fn("hello", path="src/") == said
    assert fn.__doc__.startswith("Find real-…")
    assert fn.__name__ == "searchGitHub"
    assert fn.__annotations__["language"] == list[str]


tool_hy = dict2obj(
    {
        "name": "run",
        "description": "Run command",
        "inputSchema": {
            "type": "object",
            "properties": {
                "cmd": {"type": "string"},
                "approval-policy": {"type": "string", "default": "never"},
            },
            "required": ["cmd"],
        },
    }
)


def test_hyphens_are_underscores_in_python_alone():
    sig = schema_to_signature(tool_hy)
    assert list(sig.parameters) == ["cmd", "approval_policy"]
    assert sig.parameters["approval_policy"].default == "never"
    assert sig.parameters["approval_policy"].kind is Parameter.KEYWORD_ONLY
    seen = []

    def disp(name, **kwargs):
        seen.append((name, kwargs))
        return kwargs

    fn = make_tool(disp, tool_hy)
    assert fn("ls", approval_policy="never") == {"cmd": "ls", "approval-policy": "never"}
    assert seen[-1] == ("run", {"cmd": "ls", "approval-policy": "never"})
    required = {
        "name": "run",
        "description": "Run command",
        "inputSchema": {
            "type": "object",
            "properties": {"approval-policy": {"type": "string"}, "cmd": {"type": "string"}},
            "required": ["approval-policy", "cmd"],
        },
    }
    make_tool(disp, dict2obj(required))("never", "ls")
    assert seen[-1] == ("run", {"approval-policy": "never", "cmd": "ls"})


def test_names_that_collide_are_refused():
    properties = {"approval-policy": {"type": "string"}, "approval_policy": {"type": "string"}}
    schema = {"type": "object", "properties": properties}
    collision = dict2obj({"name": "run", "description": "Run command", "inputSchema": schema})
    with pytest.raises(DefinitionError, match="collision"):
        schema_to_signature(collision)
    assert python_name("") == "_"


# -- what went wrong there: the probes T43 to T46


def test_type_lists_unions_enumerations_and_objects_keep_what_they_say():
    properties = {
        "a": {"type": ["string", "null"]},
        "b": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "c": {"enum": ["x", "y"]},
        "d": {"type": "object", "properties": {"e": {"type": "integer"}}},
    }
    schema = {"type": "object", "properties": properties}
    made = make_tool(dispatch_eg, dict2obj({"name": "t", "inputSchema": schema}))
    hints = made.__annotations__
    assert hints["a"] == str | None
    assert hints["b"] == int | str
    assert hints["c"].__args__ == ("x", "y")
    assert hints["d"].__annotations__.keys() == {"e"}


def test_a_tool_without_properties_and_a_plain_dict_are_tools():
    assert make_tool(dispatch_eg, {"name": "t", "inputSchema": {"type": "object"}})() == (
        "Called t with {}"
    )


def test_a_value_of_a_wrong_type_is_not_sent():
    with pytest.raises(ArgumentError, match="`query` must be a string; got 3"):
        make_tool(dispatch_eg, tool)(3)


def test_a_parameter_that_is_called_as_the_dispatcher_calls_the_tool_is_refused_at_once():
    schema = {"name": "t", "inputSchema": {"properties": {"name": {"type": "string"}}}}
    with pytest.raises(DefinitionError, match=r"declare it as `def dispatch\(name, /"):
        make_tool(dispatch_eg, schema)

    def dispatch(name, /, **arguments):
        return arguments

    assert make_tool(dispatch, schema)(name="x") == {"name": "x"}
