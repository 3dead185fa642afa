"""What a server offers, as a toolbox takes it."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

from .._json_values import is_list, is_object
from .._protocol import LOG_LEVELS
from ..call import Call, reports_progress
from ..errors import CallError, SchemaError
from ..json_schema.walk import modernised
from ..options import ToolOptions
from ..questions import InputNeeded, Question
from ..results import Result
from ..sources.program import Command
from ..sources.rules import EVERYTHING, Rule, checked_rules, rule_for, unused
from ..sources.value_types import typed_dict
from ..tools.catalog import matches
from ..tools.prompt import Prompt
from ..tools.resource import Resource, UriTemplate, belongs_to
from .answers import result_of
from .bounds import MOST_BYTES
from .callables.definition import hints_of
from .offered_schema import linear, offered_schema, refuse_hidden
from .question_handlers import ABILITIES
from .wire.interface import RequestScope, needs_task

if TYPE_CHECKING:
    from ..tools.definition import Tool
    from ..tools.prompt import Prompt
    from ..tools.resource import Resource
    from .wire.interface import AnyConnection

# -- a call that is passed on


class PassedQuestion(Question):
    """A question from another server, asked as it came; its answer goes back as it comes."""

    def __init__(self, method: str, params: Mapping[str, Any]) -> None:
        self.method = method
        self.ability = ABILITIES[method]
        self._params = dict(params)

    def params(self) -> dict[str, Any]:
        """Return the parameters that are sent."""
        return self._params


class PassedCall:
    """One call that is passed on: progress, messages and questions find their way back."""

    def __init__(self, call: Call, what: str, seconds: float | None) -> None:
        self._call = call
        self._loop = asyncio.get_running_loop()
        self.needed: InputNeeded | None = None
        """Why the whole call has to begin again, with the answers of its caller."""
        self.scope = RequestScope(
            what,
            seconds,
            on_progress=self._progress if reports_progress(call) else None,
            on_log=self._log,
            answer=self._answer,
        )

    def _progress(self, done: float, total: float | None, message: str) -> None:
        self._call.progress(done, total, message)

    def _log(self, level: Any, said: Any, name: str | None = None) -> None:
        if level in LOG_LEVELS:
            self._call.log(said, level, name)

    async def _answer(self, key: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Ask the caller, on the loop of the call. Raises `CallError`."""
        if method not in ABILITIES:
            raise CallError(f"{method} cannot be passed on")
        asking = self._ask({key: PassedQuestion(method, params)})
        try:
            if asyncio.get_running_loop() is self._loop:
                answers = await asking
            else:
                sent = asyncio.run_coroutine_threadsafe(asking, self._loop)
                answers = await asyncio.wrap_future(sent)
        except InputNeeded as needed:
            self.needed = needed
            raise CallError("the caller is asked first") from None
        return dict(answers[key])

    async def _ask(self, questions: Mapping[str, Question]) -> dict[str, Any]:
        return await self._call.request(**questions)


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
        self.as_task = False
        """Whether the server runs it only as a task; here it is called as any other."""
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
        passed.scope.as_task = self.as_task
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

    rule: Rule

    async def __call__(self, /, _toolwright_call: Call, **values: Any) -> Result:
        """Call the tool with the given and the fixed arguments."""
        refuse_hidden(self.name, values, self.rule)
        params = {"name": self.name, "arguments": {**values, **self.fixed}}
        came = await self.send(_toolwright_call, "tools/call", params)
        return result_of(self.name, came)


class ProxyRead(ProxyTarget):
    """Reads a resource of another server."""

    template: ProxiedResource

    async def __call__(self, /, _toolwright_call: Call, **values: Any) -> Result:
        """Read what is at the URI with these values. Raises `CallError` if a rule hides it."""
        uri = self.template.filled(values) if values else self.name
        if not self.template.__gives__(uri):
            raise CallError(f"unknown resource `{uri[:128]}`")
        came = await self.send(_toolwright_call, "resources/read", {"uri": uri})
        blocks = [
            {"type": "resource", "resource": content} for content in came.get("contents") or ()
        ]
        return Result(blocks=blocks or [{"type": "text", "text": ""}])


class ProxyGet(ProxyTarget):
    """Gets a prompt of another server."""

    async def __call__(self, /, _toolwright_call: Call, **values: Any) -> list[Any]:
        """Return the messages."""
        params = {"name": self.name, "arguments": {**values, **self.fixed}}
        came = await self.send(_toolwright_call, "prompts/get", params)
        return list(came.get("messages") or ())


class ProxiedResource(Resource):
    """A resource of another server, listed as that server describes it."""

    told: Mapping[str, Any]
    selection: ServerSelection

    def __gives__(self, uri: str) -> bool:
        """Return whether rules let a URI be read through this template."""
        return not self.is_template or self.selection.gives(uri, self.told)

    def to_mcp(self) -> dict[str, Any]:
        """Return it as lists show it, with the texts that it has here."""
        # A resource is asked for by its URI: its name is for people, and need not be plain.
        return {**self.told, **_shown(self.tool), "name": name_of(self.told)}


class ProxiedPrompt(Prompt):
    """A prompt of another server, listed as that server describes it."""

    told: Mapping[str, Any]

    def to_mcp(self) -> dict[str, Any]:
        """Return it as lists show it, with the texts that it has here."""
        return {**self.told, **_shown(self.tool)}


def _shown(tool: Tool) -> dict[str, str]:
    """Return the texts of a resource or a prompt that a toolbox may have changed."""
    texts = {"title": tool.title, "description": tool.description}
    return {"name": tool.name, **{key: text for key, text in texts.items() if text}}


# -- which


class ServerSelection:
    """What a selection and rules offer of a server. The rules hold for whatever it has."""

    def __init__(self, select: str | Sequence[str], rules: Sequence[Rule] | None) -> None:
        self._select = select
        self._rules = checked_rules(rules, of_server=True)
        self._addresses: dict[str, tuple[UriTemplate, Rule | None]] = {}

    def hold(self, rules: Mapping[str, Rule | None]) -> None:
        """Hold the URIs and templates that the server has to their rules; None hides one."""
        addresses: dict[str, tuple[UriTemplate, Rule | None]] = {}
        for uri, rule in rules.items():
            with contextlib.suppress(ValueError):  # it has no form in which it could be read
                addresses[uri] = UriTemplate(uri), rule
        self._addresses = addresses  # at once: other threads look at it

    def hide(self, uri: str) -> None:
        """Hide a URI or a template that is refused."""
        if uri in self._addresses:
            self._addresses[uri] = self._addresses[uri][0], None

    def tool_rule(self, definition: Mapping[str, Any]) -> Rule | None:
        """Return the rule for a tool; None if it is not offered."""
        name = definition["name"]
        return self._rule(definition, name) if matches(name, self._select) else None

    def rule(self, told: Mapping[str, Any]) -> Rule | None:
        """Return the rule for a resource, a template or a prompt; None if it is not offered."""
        name = plain_name(name_of(told))
        return self._rule(told, name_of(told)) if matches(name, self._select) else None

    def gives(self, uri: str, told: Mapping[str, Any]) -> bool:
        """Return whether a URI may be read through a template: no other rule is about it."""
        rule = self.rule(told)
        belongs = belongs_to(uri, UriTemplate(str(told["uriTemplate"])))
        if any(
            address_rule is not rule and belongs(address)
            for address, address_rule in self._addresses.values()
        ):
            return False
        return self._rule(told, name_of(told), uri) is rule

    def unused_rules(self, listed: Collection[Mapping[str, Any]]) -> Iterator[str]:
        """Yield what is wrong with each rule that fits nothing that a server has."""
        named = [_named(told, name_of(told)) for told in listed if self._rules]
        for which in unused(self._rules, lambda rule: any(rule.fits(*one) for one in named)):
            yield f"has a rule that matches nothing of it: {which}"

    def _rule(self, told: Mapping[str, Any], name: str, *uris: str) -> Rule | None:
        command, *names = _named(told, name)
        return rule_for(command, self._rules, *names, *uris)


def _named(told: Mapping[str, Any], name: str) -> tuple[Command, *tuple[str, ...]]:
    """Return what rules are asked about: a command, and other names of what a server has."""
    hints = told.get("annotations")
    command = Command(path=(name,), annotations=hints if is_object(hints) else {})
    addresses = (told[key] for key in ("uri", "uriTemplate") if key in told)
    return command, plain_name(name), *addresses


def name_of(told: Mapping[str, Any]) -> str:
    """Return the name that a server gives to something that it has."""
    return str(told.get("name") or told.get("uri") or told["uriTemplate"])


# -- tools


def proxied_tools(
    connection: AnyConnection,
    definitions: Mapping[str, Mapping[str, Any]],
    selection: ServerSelection,
) -> Iterator[tuple[str, ProxyTool | SchemaError, ToolOptions]]:
    """Yield the selected tools: a name that a toolbox takes, a target, and options."""
    for name, definition in definitions.items():
        rule = selection.tool_rule(definition)
        if rule is None:
            continue
        try:
            yield plain_name(name), *proxied_tool(connection, name, definition, rule)
        except SchemaError as error:
            yield plain_name(name), error, {}


def proxied_tool(
    connection: AnyConnection, name: str, definition: Mapping[str, Any], rule: Rule = EVERYTHING
) -> tuple[ProxyTool, ToolOptions]:
    """Return a tool of a server as a target, and the options that publish it as it is.

    Raises `SchemaError` for a rule that takes away what the tool needs.
    """
    schema = linear(modernised(definition.get("inputSchema") or {}))
    schema.setdefault("type", "object")
    schema = offered_schema(name, schema, rule)
    output: Any = definition.get("outputSchema")
    target = ProxyTool(connection, name, fixed=rule.fixed)
    target.rule = rule
    target.as_task = needs_task(definition)
    options: dict[str, Any] = {
        "title": definition.get("title"),
        "description": definition.get("description") or "",
        "input_schema": schema,
        "output_schema": linear(modernised(output)) if is_object(output) else output,
        "annotations": hints_of(definition.get("annotations")),
        "max_result": MOST_BYTES,
        "extra": "pass",
    }
    if is_object(definition.get("_meta")):
        options["meta"] = definition["_meta"]
    if is_list(definition.get("icons")):
        options["icons"] = definition["icons"]
    return target, cast(
        "ToolOptions", {key: option for key, option in options.items() if option is not None}
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

_OF_OFFERED = (
    *("roles", "enabled", "title", "description", "speak", "max_result"),
    *("timeout", "retry", "cache", "max_concurrency", "rate_limit"),
)
"""The options of tools that mean the same for resources and prompts."""


def offered_options(options: ToolOptions, name: str, rule: Rule) -> ToolOptions:
    """Return the options of a resource or a prompt. Raises `SchemaError` if a rule cannot hold."""
    merged: dict[str, Any] = {**options, **rule.options}
    if rule.options.get("confirm"):
        what = "is no tool, so its users are not asked to confirm it"
        raise SchemaError(what, tool=name, hint=f'leave it out with Rule("{name}", offer=False)')
    return cast("ToolOptions", {key: merged[key] for key in _OF_OFFERED if key in merged})


def proxied_resource(
    connection: AnyConnection, told: Mapping[str, Any], selection: ServerSelection, rule: Rule
) -> ProxiedResource:
    """Return a resource, or a template of many, of a server. Raises `SchemaError`."""
    uri = str(told.get("uriTemplate") or told["uri"])
    name = plain_name(name_of(told))
    plain = Resource(uri, ProxyRead(connection, uri), name=name) if "uriTemplate" in told else None
    variables = plain.variables if plain is not None else ()
    if rule.fixed or offered_schema(name, _texts(variables), rule) != _texts(variables):
        what = "is read at a URI, where a rule can neither fix nor hide parameters"
        raise SchemaError(what, tool=name, hint=f'leave it out with Rule("{name}", offer=False)')
    hints = dict.fromkeys(variables, str)
    target = ProxyRead(connection, uri, typed_dict("Values", hints, variables) if hints else Any)
    resource = ProxiedResource(
        uri,
        target,
        name=name,
        title=told.get("title"),
        description=told.get("description") or "",
        mime_type=told.get("mimeType"),
    )
    target.template = resource
    resource.told, resource.selection = told, selection
    return resource


def proxied_prompt(connection: AnyConnection, told: Mapping[str, Any], rule: Rule) -> ProxiedPrompt:
    """Return a prompt of a server. Raises `SchemaError`."""
    name = str(told["name"])
    arguments = [argument for argument in told.get("arguments") or () if is_object(argument)]
    required = [str(argument["name"]) for argument in arguments if argument.get("required")]
    schema = _texts([str(argument["name"]) for argument in arguments], required)
    offered: dict[str, Any] = offered_schema(plain_name(name), schema, rule)["properties"]
    hints = dict.fromkeys(offered, str)
    target = ProxyGet(
        connection,
        name,
        typed_dict("Values", hints, [parameter for parameter in required if parameter in offered]),
        {key: text if isinstance(text, str) else str(text) for key, text in rule.fixed.items()},
    )
    prompt = ProxiedPrompt(
        target,
        name=plain_name(name),
        title=told.get("title"),
        description=told.get("description") or "",
    )
    open_arguments = [argument for argument in arguments if argument["name"] in offered]
    prompt.told = {**told, "arguments": open_arguments} if arguments else told
    return prompt


def _texts(names: Iterable[str], required: Iterable[str] = ()) -> dict[str, Any]:
    """Return the schema of arguments that are texts."""
    properties = {name: {"type": "string"} for name in names}
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
