"""Remote tools as Python callables."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, cast

from ..._json_values import JsonObject, is_object
from ..._log.printable import printable
from ..._words import count_of, nearest, path_text, truncate
from ...arguments.explain import value_fault
from ...errors import ArgumentError, Fault, SchemaError
from ...tools.decorator import MARK
from .definition import ToolDefinition
from .remote_values import UNSET, Checker, TooTangled, adapter_of, broken_result, plain_json, typed
from .shapes import RecordField, admits_none, python_name
from .signature import (
    BOX_FIELD,
    HintMaker,
    ToolShapes,
    is_box,
    opened_box,
    shapes_of,
    signature_of_shapes,
)

Dispatch = Callable[[str, JsonObject], Any]
"""Sends JSON arguments to a tool by name; returns its value, or an awaitable of it."""


class RemoteCallable:
    """A remote tool that is called like a function of this program.

    It has a signature, annotations and a docstring made from the tool's definition. What is not
    given is not sent; what is given is checked before it is sent; what comes back has the types
    that the output schema declares.
    """

    def __init__(self, shapes: ToolShapes, dispatch: Dispatch) -> None:
        self._shapes = shapes
        self._dispatch = dispatch
        self._fields = {field.name: field for field in shapes.fields}
        self.tool: ToolDefinition = shapes.definition
        self.__name__ = self.__qualname__ = python_name(shapes.definition.name)
        self.__doc__ = docstring(shapes)
        setattr(self, MARK, _options(shapes.definition))

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the tool and wait for its value."""
        return self._typed(self.send(self._named(args, kwargs)))

    async def call_async(self, /, *args: Any, **kwargs: Any) -> Any:
        """Do the same from async code."""
        return self._typed(await self.send_async(self._named(args, kwargs)))

    def send(self, arguments: Mapping[str, Any]) -> Any:
        """Call the tool with JSON arguments, by its own names for them; return its JSON value."""
        value = self._dispatch(self.tool.name, self.checked(arguments))
        return self.unboxed(_waited(value) if inspect.isawaitable(value) else value)

    async def send_async(self, arguments: Mapping[str, Any]) -> Any:
        """Do the same from async code."""
        checked = self.checked(arguments)
        if inspect.iscoroutinefunction(self._dispatch):
            return self.unboxed(await self._dispatch(self.tool.name, checked))
        # A plain function may block, and the event loop must not.
        value = await asyncio.to_thread(self._dispatch, self.tool.name, checked)
        return self.unboxed(await value if inspect.isawaitable(value) else value)

    def arguments(self, /, *args: Any, **kwargs: Any) -> JsonObject:
        """Return the JSON arguments of a call, checked. Raises `ArgumentError`."""
        return self.checked(self._named(args, kwargs))

    def checked(self, given: Mapping[str, Any]) -> JsonObject:
        """Return arguments, by the tool's own names for them, as JSON. Raises `ArgumentError`."""
        name = self.tool.name
        sent: JsonObject = {}
        for key, value in given.items():
            field = self._fields.get(key)
            if value is UNSET or (value is None and field and _means_absent(field)):
                continue
            sent[key] = plain_json(value, name, (key,))
        missing = [
            declared
            for declared in self._fields.values()
            if declared.required and declared.name not in sent
        ]
        if missing:
            raise ArgumentError(name, [self._missing(absent) for absent in missing])
        try:
            faults, more = self._checker.faults(sent)
            if faults:  # as a server would; what no repair makes right is explained
                repaired, repairs = self._checker.repaired(sent)
                faults, more = self._checker.faults(repaired) if repairs else (faults, more)
                sent = repaired
        except TooTangled:
            return sent  # the server checks it
        if faults:
            raise ArgumentError(name, faults, more=more)
        return sent

    def typed(self, value: Any) -> Any:
        """Return the tool's value, in the types that its output schema declares.

        Raises `ResultError` for a value that is not what the schema says. Without a schema, the
        value is returned as it is.
        """
        return self._typed(self.unboxed(value))

    def _typed(self, value: Any) -> Any:
        if self._shapes.normal_output is None:
            return value
        return typed(self._adapter, value, self.tool.name)

    def unboxed(self, value: Any) -> Any:
        """Return a value out of its box, checked against the output schema, but not yet typed."""
        shapes = self._shapes
        if shapes.normal_output is None:
            return value
        if shapes.is_boxed:
            is_open = not (is_object(value) and set(value) == {BOX_FIELD})
            if is_open or self._output_faults(value):
                value = {BOX_FIELD: value}  # the dispatcher has opened the box
        faults = self._output_faults(value)
        if faults:
            raise broken_result(self.tool.name, value_fault(faults[0]))
        return value[BOX_FIELD] if shapes.is_boxed else value

    def _output_faults(self, value: Any) -> list[Fault]:
        try:
            return self._output_checker.faults(value)[0]
        except TooTangled:
            raise broken_result(self.tool.name, "it is too tangled to be checked") from None

    def __init_subclass__(cls) -> None:
        if "__annotations__" in vars(cls):
            del cls.__annotations__  # they would be taken for those of the tools

    def __getattr__(self, name: str) -> Any:
        # Made when first asked for: a server may have a thousand tools.
        # Not kept in `__dict__`: a `Tool` made from this is called by the tool's own names.
        if name == "__signature__":
            return self._signature
        if name == "__annotations__":
            return self._annotations
        msg = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(msg)

    def __repr__(self) -> str:
        return f"<remote tool {self.__name__}{self.__signature__}>"

    # -- names

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return arguments by the tool's own names for them."""
        name = self.tool.name
        required = [field.name for field in self._shapes.fields if field.required]
        if len(args) > len(required):
            text = (
                f"takes {count_of(len(required), 'argument')} by position; {len(args)} were given"
            )
            raise ArgumentError(name, [Fault((), "too_many", f"{text}: give the others by name")])
        by_name = dict(zip(required, args, strict=False))
        for key, value in kwargs.items():
            own_name = self._by_python.get(key, key if key in self._fields else None)
            if own_name is None and not self._shapes.takes_more:
                raise ArgumentError(name, [self._unknown(key)])
            own_name = key if own_name is None else own_name
            if own_name in by_name:
                text = f"{path_text((key,))} is given twice"
                raise ArgumentError(name, [Fault((key,), "twice", text)])
            by_name[own_name] = value
        return by_name

    def _unknown(self, key: str) -> Fault:
        near = nearest(key, list(self._by_python)[:200])
        hint = f"; did you mean `{truncate(near, 60)}`?" if near else ""
        return Fault((key,), "unknown", f"unknown argument {path_text((key,))}{hint}")

    def _missing(self, field: RecordField) -> Fault:
        parameter = path_text((self._shapes.names[field.name],))
        return Fault((field.name,), "missing", f"missing argument {parameter}")

    # -- made when first needed

    @cached_property
    def defaults(self) -> JsonObject:
        """The defaults that the schema publishes, by the tool's own names."""
        return {field.name: field.default for field in self._shapes.fields if field.has_default}

    @cached_property
    def _by_python(self) -> dict[str, str]:
        return {python: name for name, python in self._shapes.names.items()}

    @cached_property
    def _signature(self) -> inspect.Signature:
        return signature_of_shapes(self._shapes, *self._hints)

    @cached_property
    def _annotations(self) -> dict[str, Any]:
        signature = self._signature
        hints = {
            parameter.name: parameter.annotation for parameter in signature.parameters.values()
        }
        if signature.return_annotation is not inspect.Signature.empty:
            hints["return"] = signature.return_annotation
        return hints

    @cached_property
    def _hints(self) -> tuple[HintMaker, HintMaker]:
        return HintMaker(sent=True), HintMaker(sent=False)

    @cached_property
    def _checker(self) -> Checker:
        return Checker(self._shapes.normal_input)

    @cached_property
    def _output_checker(self) -> Checker:
        return Checker(self._shapes.normal_output or {})

    @cached_property
    def _adapter(self) -> Any:
        returns = self._shapes.returns
        return adapter_of(Any if returns is None else self._hints[1].hint(returns))


def _options(tool: ToolDefinition) -> JsonObject:
    """Return the options for a `Tool` of this callable: it publishes the very same schemas."""
    options: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "input_schema": {"type": "object", "properties": {}, **tool.input_schema},
    }
    if tool.output_schema is not None:
        boxed = is_box(tool.output_schema, tool.name)
        options["output_schema"] = opened_box(tool.output_schema) if boxed else tool.output_schema
    published = {
        "title": tool.title,
        "annotations": tool.annotations,
        "icons": tool.icons,
        "meta": tool.meta,
    }
    return options | {name: value for name, value in published.items() if value}


def _means_absent(field: RecordField) -> bool:
    return not field.required and not admits_none(field.shape)


def _waited(value: Awaitable[Any]) -> Any:
    from ...run.loop import background

    return background.run(value if inspect.iscoroutine(value) else _awaited(value))


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


def docstring(shapes: ToolShapes) -> str:
    """Return the docstring: the description, and what is said of each parameter."""
    parameter_lines = [
        f"    {shapes.names[field.name]}: {printable(' '.join(field.description.split()))}"
        for field in shapes.fields
        if field.description.strip()
    ]
    text = printable(shapes.definition.description.strip())
    return (
        "\n".join([*([text, ""] if text else []), "Args:", *parameter_lines])
        if parameter_lines
        else text
    )


def remote_callable(tool: Any, dispatch: Dispatch, *, formats: bool = False) -> RemoteCallable:
    """Return a callable for a tool definition: a dict, an object with attributes, or the SDK's.

    `dispatch(name, arguments)` gets the JSON arguments and returns the value, or an awaitable of
    it. With `formats`, texts with a format are dates, UUIDs and paths. Raises `SchemaError` if two
    parameters have the same name in Python.
    """
    return RemoteCallable(shapes_of(tool, formats=formats), dispatch)


def make_tool(dispatch: Callable[..., Any], tool: Any, *, formats: bool = False) -> RemoteCallable:
    """Return a callable for a tool definition; `dispatch(name, **arguments)` runs it.

    >>> tool = {"name": "run", "inputSchema": {"properties": {"cmd": {}}, "required": ["cmd"]}}
    >>> run = make_tool(lambda name, **arguments: (name, arguments), tool)
    >>> run("ls")
    ('run', {'cmd': 'ls'})
    """
    remote = remote_callable(tool, _by_keywords(dispatch), formats=formats)
    clash = _taken_names(dispatch) & remote.tool.input_schema.get("properties", {}).keys()
    if clash:
        raise SchemaError(
            f"has a parameter `{min(clash)}`, and so has the dispatcher",
            tool=truncate(remote.tool.name, 100),
            hint="declare it as `def dispatch(name, /, **arguments)`",
        )
    return remote


def _by_keywords(dispatch: Callable[..., Any]) -> Dispatch:
    if inspect.iscoroutinefunction(dispatch):

        async def send_async(name: str, arguments: JsonObject) -> Any:
            return await cast("Awaitable[Any]", dispatch(name, **arguments))

        return send_async

    def send(name: str, arguments: JsonObject) -> Any:
        return dispatch(name, **arguments)

    return send


def _taken_names(dispatch: Callable[..., Any]) -> set[str]:
    """Return the name of the dispatcher's first parameter, if a keyword could also mean it."""
    try:
        parameters = list(inspect.signature(dispatch).parameters.values())
    except (TypeError, ValueError):
        return set()
    first = parameters[:1]
    return {
        parameter.name
        for parameter in first
        if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    }
