"""What a server offers, as a toolbox takes it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

from ..._json_values import is_list, is_object
from ...call import Call
from ...errors import SchemaError
from ...options import ToolOptions
from ...results import Result
from ...sources.commands.values import typed_dict
from ...sources.program import Command
from ...sources.rules import Rule, rule_for
from ...tools.catalog import matches
from ...tools.prompt import Prompt
from ...tools.resource import Resource
from ..answers import result_of
from ..bounds import MOST_BYTES
from ..callables.definition import hints_of
from .linear import linear
from .offered import offered_schema, refuse_hidden
from .passing import PassedCall

if TYPE_CHECKING:
    from ..wire.interface import AnyConnection

_CALL, _VALUES = "_toolwright_call", "_toolwright_values"


class ProxyTarget:
    """Runs a tool, a resource or a prompt of another server."""

    def __init__(
        self,
        connection: AnyConnection,
        name: str,
        values: Any = Any,
        fixed: Mapping[str, Any] | None = None,
    ) -> None:
        kind = inspect.Parameter
        hint = values if values is Any else Unpack[values]
        self.__signature__ = inspect.Signature(
            [
                kind(_CALL, kind.KEYWORD_ONLY, annotation=Call),
                kind(_VALUES, kind.VAR_KEYWORD, annotation=hint),
            ]
        )
        self.__name__ = name
        self.connection = connection
        self.name = name
        """The server's own name for it."""
        self.fixed = dict(fixed or {})

    def __repr__(self) -> str:  # what is fixed, such as a key, is for the server alone
        return f"<ProxyTarget {self.name}>"

    async def send(self, call: Call, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Pass a request on. Raises `CallError`, or `InputNeeded` to begin the call again."""
        connection = self.connection
        passed = PassedCall(call, self.name, connection.settings.timeout)
        try:
            came = await connection.send(method, params, passed.scope)
        except Exception:
            if passed.needed is not None:
                raise passed.needed from None
            raise
        if passed.needed is not None:
            raise passed.needed
        return came


class ProxyTool(ProxyTarget):
    """Calls a tool of another server."""

    rule: Rule | None = None

    async def __call__(self, /, _toolwright_call: Call, **values: Any) -> Result:
        """Call the tool with the given and the fixed arguments."""
        if self.rule is not None:
            refuse_hidden(self.name, values, self.rule)
        params = {"name": self.name, "arguments": {**values, **self.fixed}}
        came = await self.send(_toolwright_call, "tools/call", params)
        return result_of(self.name, came)


class ProxyRead(ProxyTarget):
    """Reads a resource of another server."""

    template: Resource

    async def __call__(self, /, _toolwright_call: Call, **values: Any) -> Result:
        """Read what is at the URI with these values."""
        uri = self.template.filled(values) if values else self.name
        came = await self.send(_toolwright_call, "resources/read", {"uri": uri})
        blocks = [{"type": "resource", "resource": each} for each in came.get("contents") or ()]
        return Result(blocks=blocks or [{"type": "text", "text": ""}])


class ProxyGet(ProxyTarget):
    """Gets a prompt of another server."""

    async def __call__(self, /, _toolwright_call: Call, **values: Any) -> list[Any]:
        """Return the messages."""
        params = {"name": self.name, "arguments": values}
        came = await self.send(_toolwright_call, "prompts/get", params)
        return list(came.get("messages") or ())


class ProxiedResource(Resource):
    """A resource of another server, listed as that server describes it."""

    told: Mapping[str, Any]

    def to_mcp(self) -> dict[str, Any]:
        """Return it as lists show it, under the name that it has here."""
        return {**self.told, "name": self.tool.name}


class ProxiedPrompt(Prompt):
    """A prompt of another server, listed as that server describes it."""

    told: Mapping[str, Any]

    def to_mcp(self) -> dict[str, Any]:
        """Return it as lists show it, under the name that it has here."""
        return {**self.told, "name": self.tool.name}


# -- tools


def proxied_tools(
    connection: AnyConnection,
    definitions: Mapping[str, Mapping[str, Any]],
    select: str | Sequence[str],
    rules: Sequence[Rule] | None,
) -> Iterator[tuple[str, ProxyTool | SchemaError, ToolOptions]]:
    """Yield the selected tools: a name that a toolbox takes, a target, and options."""
    for name, definition in definitions.items():
        if not matches(name, select):
            continue
        hints: Mapping[str, Any] = definition.get("annotations") or {}
        rule = rule_for(Command(path=(name,), annotations=hints), rules)
        if rule is None:
            continue
        try:
            yield plain_name(name), *proxied_tool(connection, name, definition, rule)
        except SchemaError as error:
            yield plain_name(name), error, {}


def proxied_tool(
    connection: AnyConnection, name: str, definition: Mapping[str, Any], rule: Rule | None = None
) -> tuple[ProxyTool, ToolOptions]:
    """Return a tool of a server as a target, and the options that publish it as it is.

    Raises `SchemaError` for a rule that takes away what the tool needs.
    """
    schema = linear(definition.get("inputSchema") or {})
    schema.setdefault("type", "object")
    output: Any = definition.get("outputSchema")
    fixed = dict(rule.fixed) if rule is not None else {}
    if rule is not None:
        schema = offered_schema(name, schema, rule)
    target = ProxyTool(connection, name, fixed=fixed)
    target.rule = rule
    options: dict[str, Any] = {
        "title": definition.get("title"),
        "description": definition.get("description") or "",
        "input_schema": schema,
        "output_schema": linear(output) if is_object(output) else output,
        "annotations": hints_of(definition.get("annotations")),
        "max_result": MOST_BYTES,
        "extra": "pass",
    }
    if is_object(definition.get("_meta")):
        options["meta"] = definition["_meta"]
    if is_list(definition.get("icons")):
        options["icons"] = definition["icons"]
    if rule is not None:
        options |= rule.options
    return target, cast(
        "ToolOptions", {key: each for key, each in options.items() if each is not None}
    )


def described(options: ToolOptions) -> ToolOptions:
    """Write the given texts of parameters into the published schema."""
    texts, schema = options.get("descriptions"), options.get("input_schema")
    if not texts or schema is None:
        return options
    properties = dict(schema.get("properties") or {})
    for name, text in texts.items():
        if is_object(properties.get(name)):
            properties[name] = {**properties[name], "description": text}
    changed: Any = {**options, "input_schema": {**schema, "properties": properties}}
    del changed["descriptions"]
    return changed


def plain_name(name: str) -> str:
    """Return a name that every client accepts: some servers use slashes and blanks."""
    return re.sub(r"[^A-Za-z0-9_.:-]", "_", name)[:128] or "_"


# -- resources and prompts


def proxied_resource(connection: AnyConnection, told: Mapping[str, Any]) -> ProxiedResource:
    """Return a resource, or a template of many, of a server. Raises `SchemaError`."""
    uri = str(told.get("uriTemplate") or told["uri"])
    name = plain_name(str(told.get("name") or uri))
    plain = Resource(uri, ProxyRead(connection, uri), name=name) if "uriTemplate" in told else None
    variables = plain.variables if plain is not None else ()
    hints = dict.fromkeys(variables, str)
    target = ProxyRead(connection, uri, typed_dict("Values", hints, variables) if hints else Any)
    made = ProxiedResource(
        uri,
        target,
        name=name,
        title=told.get("title"),
        description=told.get("description") or "",
        mime_type=told.get("mimeType"),
    )
    target.template = made
    made.told = told
    return made


def proxied_prompt(connection: AnyConnection, told: Mapping[str, Any]) -> ProxiedPrompt:
    """Return a prompt of a server. Raises `SchemaError`."""
    arguments = [each for each in told.get("arguments") or () if is_object(each)]
    required = [str(each["name"]) for each in arguments if each.get("required")]
    hints = {str(each["name"]): str for each in arguments}
    target = ProxyGet(connection, str(told["name"]), typed_dict("Values", hints, required))
    made = ProxiedPrompt(
        target,
        name=plain_name(str(told["name"])),
        title=told.get("title"),
        description=told.get("description") or "",
    )
    made.told = told
    return made
