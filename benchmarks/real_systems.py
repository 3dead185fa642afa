"""How each system makes a tool from a callable, and what is checked in the tool it lists."""

import inspect
import json
import re
import typing

# -- the systems


class Toolwright:
    """Toolwright with its defaults: what has no hint is refused."""

    settings: dict = {}  # noqa: RUF012

    def __init__(self):
        from toolwright import Audio, Call, File, Image, Tool, Toolbox, ToolError, ToolwrightError

        self.tool, self.box, self.errors = Tool, Toolbox, ToolwrightError
        self.context = subscriptable(Call)
        self.names = {"Context": Call, "Image": Image, "Audio": Audio, "File": File}
        self.names["ToolError"] = ToolError

    def one(self, call, options):
        """Return the tool as it is listed, and what it says that it lost."""
        made = self.tool(call, **options, **self.settings)
        return made.to_mcp_json(), made.problems

    def batch(self, given):
        box = self.box("bench")
        for call, options in given:
            box.add(call, **options, **self.settings)
        return box.to_mcp_json()

    def reason(self, error):
        if not isinstance(error, self.errors):
            return None
        return short(getattr(error, "what", "") or str(error))


class Permissive(Toolwright):
    """Toolwright when it lets through what has no hint, as the peers do."""

    settings = {"on_unsupported": "permissive"}  # noqa: RUF012


class Peer:
    """FastMCP or the SDK: no list of losses, and every exception is a refusal."""

    def one(self, call, options):
        return dump(self.made(call, options)), ()

    def batch(self, given):
        from mcp_types import ListToolsResult

        result = ListToolsResult(tools=[self.made(call, options) for call, options in given])
        return dump(result)

    def reason(self, error):
        return f"{type(error).__name__}: {short(str(error))}"


class FastMCP(Peer):
    def __init__(self):
        import fastmcp.dependencies
        import fastmcp.exceptions
        import fastmcp.utilities.types
        from fastmcp.tools import Tool

        self.tool = Tool
        self.context = subscriptable(fastmcp.Context)
        parts = (fastmcp.utilities.types, fastmcp.exceptions, fastmcp.dependencies)
        self.names = upper(*parts) | {"Context": fastmcp.Context}

    def made(self, call, options):
        made = self.tool.from_function(call, **options)
        return made.to_mcp_tool(name=made.name)


class Sdk(Peer):
    def __init__(self):
        import mcp.server.mcpserver
        import mcp.server.mcpserver.exceptions
        import mcp.server.mcpserver.resolve
        from mcp.server.mcpserver.tools import Tool
        from mcp_types import Tool as Listed

        self.tool, self.listed = Tool, Listed
        parts = (mcp.server.mcpserver.exceptions, mcp.server.mcpserver.resolve)
        self.names = upper(*parts, mcp.server.mcpserver)
        self.context = subscriptable(self.names["Context"])

    def made(self, call, options):
        made = self.tool.from_function(call, **options)
        return self.listed(
            name=made.name,
            title=made.title,
            description=made.description,
            input_schema=made.parameters,
            output_schema=made.output_schema,
            annotations=made.annotations,
            icons=made.icons,
            _meta=made.meta,
        )


SYSTEMS = {
    "toolwright": ("toolwright", Toolwright),
    "permissive": ("toolwright", Permissive),
    "fastmcp": ("fastmcp", FastMCP),
    "mcp": ("mcp", Sdk),
}
"""By name: the environment, and the class."""


def dump(model):
    return model.model_dump_json(by_alias=True, exclude_none=True).encode()


def subscriptable(context):
    """Let a server write `Context[...]` where a system's context takes no parameters."""
    if not hasattr(context, "__class_getitem__"):
        context.__class_getitem__ = classmethod(lambda cls, _item: cls)
    return context


def upper(*modules):
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if name[0].isupper() and name not in ("FastMCP", "MCPServer")
    }


def short(text):
    """Return a message without what belongs only to the callable it is about."""
    line = text.strip().split("\n")[0]
    line = re.sub(r"`[^`]*`|'[^']*'|\"[^\"]*\"|<[^>]*>", "_", line)
    return re.sub(r"\s+", " ", line)[:120]


# -- what is checked

OPENINGS = {"description", "default", "title", "examples", "deprecated"}


def losses(call, listed, context):
    """Name the parameters that a listed tool has lost, or states wrongly; the same for everyone."""
    schema = listed["inputSchema"]
    properties, required = schema.get("properties", {}), schema.get("required", ())
    parameters = signature(call)
    if parameters is None:
        return ["no signature"]
    hints = resolved(call)
    lost = []
    for each in parameters:
        node = properties.get(each.name)
        if each.kind is each.VAR_POSITIONAL:
            if not isinstance(node, dict) or node.get("type") != "array":
                lost.append(f"{each.name}: *")
        elif each.kind is each.VAR_KEYWORD:
            if each.name in required or not schema.get("additionalProperties", True):
                lost.append(f"{each.name}: **")
        elif node is None:
            # Servers say `Context`; a hint that is a string still does.
            names = (context.__name__, "Context")
            if not any(name in str(each.annotation) for name in names):
                lost.append(f"{each.name}: left out")
        elif says_nothing(node) and says_something(hints.get(each.name, each.annotation)):
            lost.append(f"{each.name}: anything")
    return lost


KINDS = {"string", "number", "boolean", "object", "array"}


def says_nothing(node):
    """Return whether a schema takes any value, whether written as nothing or as every kind."""
    if node is True or not set(node) - OPENINGS:
        return True
    if set(node) - OPENINGS != {"anyOf"}:
        return False
    return {arm.get("type") for arm in node["anyOf"] if isinstance(arm.get("type"), str)} >= KINDS


def says_something(hint):
    if hint is inspect.Parameter.empty or is_open(hint):
        return False
    return not re.search(r"\bAny\b|\bobject\b|~|\bT\b", inspect.formatannotation(hint))


def is_open(hint):
    """Return whether a type variable may be anything."""
    return isinstance(hint, typing.TypeVar) and not (hint.__bound__ or hint.__constraints__)


def signature(call):
    """Return the parameters of a callable; a wrapper around a builtin has only its own."""
    for follow in (True, False):
        try:
            return inspect.signature(call, follow_wrapped=follow).parameters.values()
        except (TypeError, ValueError):
            continue
    return None


def resolved(call):
    """Return what the names in hints mean: one may stand for `object`. Nothing if one is unknown."""
    try:
        return typing.get_type_hints(call, include_extras=True)
    except Exception:  # hints may run any code, and names may be for type checkers  # noqa: BLE001
        return {}


def faults(listed):
    """Name what is invalid in the schemas of a listed tool."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    found = []
    for key in ("inputSchema", "outputSchema"):
        schema = listed.get(key)
        if schema is None:
            continue
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            found.append(f"{key}: {short(error.message)}")
        found += [f"{key}: {fault}" for fault in empties(schema, schema)]
    if listed["inputSchema"].get("type") != "object":
        found.append("inputSchema: no object")
    return sorted(set(found))


def empties(node, root):
    """Find choices without any arm, and references to nothing."""
    if isinstance(node, list):
        for each in node:
            yield from empties(each, root)
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        if key in ("anyOf", "oneOf", "allOf", "enum") and value == []:
            yield f"empty {key}"
        if key == "$ref" and isinstance(value, str) and not reaches(root, value):
            yield "a $ref to nothing"
        if key not in ("default", "examples", "enum", "const"):
            yield from empties(value, root)


def reaches(root, ref):
    at = root
    for part in ref.removeprefix("#").split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(at, dict) or key not in at:
            return False
        at = at[key]
    return ref.startswith("#")


def described(listed):
    """Count the parameters of a listed tool, and those with a description."""
    nodes = listed["inputSchema"].get("properties", {}).values()
    return len(nodes), sum(
        isinstance(node, dict) and bool(node.get("description")) for node in nodes
    )


def parsed(entry):
    def refuse(name):
        raise ValueError(f"{name} is not JSON")

    return json.loads(entry, parse_constant=refuse)
