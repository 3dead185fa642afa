"""A tool: the frozen definition of one callable, compiled when needed."""

# The functions behind the class belong to it: the rest of the package does not need its insides.
# ruff: noqa: SLF001
# pyright: reportPrivateUsage=false

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, Unpack, cast

from .._door import public
from .._json_values import compact_json, without_surrogates
from .._protocol import LATEST_PROTOCOL, STATELESS_SINCE, TITLES_SINCE
from ..errors import SchemaError, ToolwrightError, UnexpectedError
from ..options import NO_DEFAULTS, Options, ToolOptions, with_defaults
from ..read.signature import Signature
from ..read.target import Target, open_target
from ..run.shared import Shared
from .checks import check, check_injected, check_run, read_options
from .decorator import RefusedMark, RefusedTarget, marks, note, shown_short

if TYPE_CHECKING:
    from ..call import Call
    from ..read.scope import Scope
    from ..results import Result
    from ..run.hooks import Within
    from ..run.runner import Runner
    from ..schema.write import Compiled


__all__ = [
    "PLAIN",
    "Tool",
    "bound_to",
    "check_bound",
    "compile_tools",
    "compiled_of",
    "forget_compiled",
    "inner_of",
    "outline",
    "runner_of",
    "signature_of",
    "tool_with",
]

_making = threading.Lock()
PLAIN = str.maketrans(".:", "__")
"""Replaces dots and colons in the names that clients see."""


@public
class Tool:
    """A callable with its name, its description and its schemas.

    Making one reads only the bare signature; hints, documentation and schemas are worked out when
    first needed, or by `compile`. Every refusal is a `SchemaError`.

    >>> def add(a: int, b: int = 1) -> int:
    ...     "Add two numbers."
    ...     return a + b
    >>> Tool(add).input_schema["required"]
    ['a']
    """

    __slots__ = (
        "__weakref__",
        "_compiled",
        "_reading",
        "_runner",
        "_shared",
        "_target",
        "name",
        "options",
    )

    if TYPE_CHECKING:  # slots are set by `_fill`, and some of these types are loaded late
        name: str
        options: Options
        _target: Target
        _reading: LazySignature
        _shared: Shared | None
        _compiled: Compiled | SchemaError | None
        _runner: Runner | None

    @shown_short
    def __init__(self, target: Any, **options: Unpack[ToolOptions]) -> None:
        try:
            _make(self, target, options, None)
        except SchemaError as error:
            note(error)  # raises it, unless a command imports the program
            _make(self, RefusedTarget(error), {}, None)

    def __setattr__(self, name: str, value: Any) -> None:
        msg = f"a Tool is frozen; use `tool.replace({name}=...)`"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> None:
        msg = "a Tool is frozen"
        raise AttributeError(msg)

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"

    def __reduce__(self) -> Any:
        return _rebuild, (self._target.call, self.options)

    def replace(self, **options: Unpack[ToolOptions]) -> Tool:
        """Return a copy of this tool with other options; it belongs to the same toolbox."""
        return tool_with(self, options, NO_DEFAULTS)

    @property
    def target(self) -> Any:
        """The callable itself."""
        return self._target.call

    @property
    def title(self) -> str | None:
        """A name for people to read: the author's, or one made from the name if that is wanted."""
        if self.options.title is None and self.options.auto_title:
            return readable(self.name)
        return self.options.title

    @property
    def description(self) -> str:
        """What the tool does, for a model to read."""
        if self.options.description is not None:
            return self.options.description
        signature = signature_of(self)
        returns = signature.returns_description
        text = signature.description
        if returns and returns not in text:
            text = f"{text}\n\nReturns: {returns}".strip()
        # One that is cut inside a character would make the whole list unreadable.
        return without_surrogates(text)

    @property
    def signature(self) -> Signature:
        """What was read off the target: `parameters` with their names, hints, defaults and texts.

        A parameter without a default has `inspect.Parameter.empty`. Raises `SchemaError`.

        >>> def add(
        ...     a: int,  # The first number.
        ...     b: int = 1,
        ... ) -> int: ...
        >>> [(each.name, each.hint, each.description) for each in Tool(add).signature.parameters]
        [('a', <class 'int'>, 'The first number.'), ('b', <class 'int'>, '')]
        """
        return signature_of(self)

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments: a fresh copy, draft 2020-12."""
        return json.loads(compiled_of(self).input_schema)

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The JSON Schema of the values, bare; None if there is nothing to say about them."""
        schema = compiled_of(self).output_schema
        return None if schema is None else json.loads(schema)

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be kept of the target, one line each."""
        return tuple(map(str, compiled_of(self).problems))

    @property
    def callable(self) -> bool:
        """Whether it can be called: not if the target is a method without its instance."""
        return not self._target.unbound

    @property
    def published_name(self) -> str:
        """The name in lists: in the portable style, dots and colons are underscores."""
        if self.name.isidentifier() or not self.options.style.plain_names:
            return self.name  # the same object: catalogs keep it
        return self.name.translate(PLAIN)

    @property
    def annotations(self) -> dict[str, bool]:
        """The protocol's hints on behaviour; only those that the author gave."""
        hints = {
            "readOnlyHint": self.options.read_only,
            "destructiveHint": self.options.destructive,
            "idempotentHint": self.options.idempotent,
            "openWorldHint": self.options.open_world,
        }
        return {name: value for name, value in hints.items() if value is not None}

    @property
    def compiled(self) -> bool:
        """Whether it has been compiled, or refused."""
        return self._compiled is not None

    def compile(self) -> None:
        """Compile now. Raises `SchemaError`, the same one each time, if that is impossible."""
        compiled_of(self)

    def bind(self, arguments: Mapping[str, Any] | str | bytes) -> tuple[list[Any], dict[str, Any]]:
        """Validate arguments strictly; return the target's own, by position and by name.

        Raises `ArgumentError`, or `UnexpectedError` if a type of the author's own fails. Nothing is
        repaired here.
        """
        from ..arguments.reader import Reader

        compiled = compiled_of(self)
        reader = Reader(self.name, compiled, repair=False)
        try:
            validated, _ = reader.read(arguments)
        except ToolwrightError:
            raise
        except Exception as error:
            what = f"{self.name}: {type(error).__name__} while the arguments were validated"
            raise UnexpectedError(what) from error
        return compiled.plan.bind(validated)

    def call(
        self, arguments: Mapping[str, Any] | str | bytes | None = None, *, call: Call | None = None
    ) -> Result:
        """Call the tool with a JSON object; whatever happens, there is a result.

        A `Call` says who asks and until when, and listens to progress.

        >>> def add(a: int, b: int = 1) -> int:
        ...     return a + b
        >>> Tool(add).call({"a": 2}).value
        3
        """
        return runner_of(self).call(arguments, call)

    async def call_async(
        self, arguments: Mapping[str, Any] | str | bytes | None = None, *, call: Call | None = None
    ) -> Result:
        """Call the tool from async code; a sync function runs in a thread."""
        return await runner_of(self).call_async(arguments, call)

    def to_mcp(self, protocol: str = LATEST_PROTOCOL) -> dict[str, Any]:
        """Return the tool as `tools/list` shows it to clients of a protocol version."""
        return json.loads(self.to_mcp_json(protocol))

    def to_mcp_json(self, protocol: str = LATEST_PROTOCOL) -> bytes:
        """Return the tool as `tools/list` shows it, as JSON."""
        return listed(
            compiled_of(self),
            self.options,
            protocol,
            name=self.published_name,
            title=self.title,
            description=self.description,
            annotations=self.annotations,
        )


# -- what other modules of the package need of a tool, and users do not


def signature_of(tool: Tool) -> Signature:
    """Return the signature of a tool's target. Raises `SchemaError` if it cannot be read."""
    return tool._reading.read(tool._target, tool.options)


def compiled_of(tool: Tool) -> Compiled:
    """Return a tool's validator, serialiser and schemas. Raises `SchemaError`, always the same."""
    if tool._compiled is None:
        compile_tools([tool])
    compiled: Any = tool._compiled
    if isinstance(compiled, SchemaError):
        raise compiled
    return compiled


def compile_tools(tools: Sequence[Tool]) -> None:
    """Compile many tools at once; each keeps its own result or error."""
    from ..arguments.sample import no_collection
    from ..schema.compile import compile_all

    jobs: list[tuple[Tool, Signature]] = []
    for tool in tools:
        if not tool.compiled:
            try:
                jobs.append((tool, signature_of(tool)))
            except SchemaError as error:
                _set(tool, "_compiled", error)
            else:
                _set(tool, "_target", tool._target.once_read())
    # Nearly all that compiling makes is kept, but the rest should not wait for all tools.
    jobs_to_compile = [(signature, tool.options, _provided(tool)) for tool, signature in jobs]
    done = compile_all(jobs_to_compile, no_collection)
    for (tool, _), compiled in zip(jobs, done, strict=True):
        checked = check_run(compiled, tool._target, tool.options, tool._shared)
        _set(tool, "_compiled", checked)


def tool_with(target: Any, options: Mapping[str, Any], defaults: Options) -> Tool:
    """Make a tool from a target, or return a `Tool` with these options. Raises `SchemaError`.

    Whatever was given for the tool itself takes precedence over defaults.
    """
    if not isinstance(target, Tool):
        tool = Tool.__new__(Tool)
        _make(tool, target, options, defaults)
        return tool
    merged = read_options(target._target, options, target.options) if options else target.options
    try:
        completed = with_defaults(merged, defaults)
    except ValueError as error:
        raise outline(target).refusal(f"has a bad option: {error}") from None
    if completed is target.options:
        return target
    tool = _rebuild(target.target, completed)
    _set(tool, "_shared", target._shared)
    return tool


def forget_compiled(tool: Tool) -> None:
    """Compile a tool again when next needed: the providers of its toolbox have changed."""
    _set(tool, "_compiled", None)
    _set(tool, "_runner", None)


def outline(tool: Tool) -> Signature:
    """Return the name and place of a target, without reading it: enough to refuse it by name."""
    return Signature(tool.name, tool.target, (), location=tool._target.location)


def bound_to(tool: Tool, shared: Shared, known_as: str = "") -> Tool:
    """Return a copy of a tool that runs with the providers, store and timeout of a toolbox.

    The tool stays as it is. The copy shares what was read off the target, which is neither opened
    nor checked a second time. A tool of another toolbox, which may know it by another name,
    keeps that toolbox's providers, after those of the new one, and its hooks and lifespan.
    """
    if tool._shared is shared:
        return tool
    if tool._shared is not None:
        shared = shared.over(tool._shared, known_as or tool.name)
    bound = Tool.__new__(Tool)
    _fill(bound, tool._target, tool.options, tool._reading, shared)
    return bound


def inner_of(tool: Tool) -> tuple[Within, ...]:
    """Return the toolboxes that a tool was included from, the outermost first."""
    return () if tool._shared is None else tool._shared.inner


def check_bound(tool: Tool) -> None:
    """Refuse a tool with a parameter that another system would inject, as far as that can be seen
    without resolving names. Raises `SchemaError`."""
    if not tool.compiled:
        check_injected(tool._target, tool.options, _provided(tool))


def runner_of(tool: Tool) -> Runner:
    """Return the runner of a tool: always the same one. Raises `SchemaError`."""
    tool_runner = tool._runner
    if tool_runner is not None:
        return tool_runner
    from ..run.runner import Runner

    compiled = compiled_of(tool)
    with _making:  # only one: it counts the calls that run
        if tool._runner is None:
            runner = Runner(tool.name, tool.target, compiled, tool.options, tool._shared)
            _set(tool, "_runner", runner)
        return cast("Runner", tool._runner)


def _provided(tool: Tool) -> Sequence[Any]:
    """Return the types that the tool's toolbox has a provider for."""
    return () if tool._shared is None else tool._shared.provided


def _set(instance: Tool, name: str, value: Any) -> None:
    object.__setattr__(instance, name, value)


def _make(tool: Tool, target: Any, given: Mapping[str, Any], defaults: Options | None) -> None:
    """Make a tool from a target, its mark and what was given, in layers. Raises `SchemaError`."""
    try:
        opened = open_target(target)
    except SchemaError as error:
        raise error.named(str(given.get("name") or error.tool)) from None
    marked = marks(target)
    if isinstance(marked, RefusedMark):
        raise marked.refusal_of(opened)
    base = read_options(opened, marked, defaults) if marked else defaults
    _define(tool, opened, read_options(opened, given, base))


def _define(tool: Tool, opened: Target, options: Options) -> None:
    """Make a tool that belongs to no toolbox. Raises `SchemaError`."""
    if options.name and options.name != opened.name:
        opened = replace(opened, name=options.name)
    check(opened, options)
    _fill(tool, opened, options, LazySignature.of(opened), None)


def _fill(
    tool: Tool, target: Target, options: Options, reading: LazySignature, shared: Shared | None
) -> None:
    _set(tool, "name", target.name)
    _set(tool, "options", options)
    _set(tool, "_target", target)
    _set(tool, "_reading", reading)
    _set(tool, "_shared", shared)
    refused = target.call.refusal if isinstance(target.call, RefusedTarget) else None
    _set(tool, "_compiled", refused)
    _set(tool, "_runner", None)


def _rebuild(target: Any, options: Options) -> Tool:
    rebuilt = Tool.__new__(Tool)
    _define(rebuilt, open_target(target), options)
    return rebuilt


class LazySignature:
    """The signature of a target, for a tool and its bound copies."""

    __slots__ = ("_scope", "_signature")

    def __init__(self, scope: Scope | None) -> None:
        self._scope = scope
        self._signature: Signature | None = None

    @classmethod
    def of(cls, target: Target) -> Self:
        """Remember where the names of a target's hints are, before its frame is gone."""
        from ..read.target import scope_of

        return cls(scope_of(target))

    def read(self, target: Target, options: Options) -> Signature:
        """Return the signature. Raises `SchemaError`."""
        scope = self._scope  # before the signature: another thread sets that, then drops this
        signature = self._signature
        if signature is None:
            from ..read.reader import read_signature

            signature = self._signature = read_signature(target, scope, options)
            self._scope = None
        return signature


def readable(name: str) -> str:
    """Return a name as words.

    >>> readable("get_weather"), readable("shop.findHTTPRoute2")
    ('Get weather', 'Shop find HTTP route2')
    """
    words = [word if _is_short_form(word) else word.lower() for word in _words(name)]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def _is_short_form(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def _words(name: str) -> Iterator[str]:
    """Yield the words of a name.

    They end at anything other than a letter or digit, and where a capital begins another word.
    """
    word = ""
    for index, char in enumerate(name):
        after = name[index + 1 : index + 2]
        if not char.isalnum():
            if word:
                yield word
            word = ""
            continue
        if word and _begins(word[-1], char, after):
            yield word
            word = ""
        word += char
    if word:
        yield word


def _begins(before: str, char: str, after: str) -> bool:
    if not char.isupper():
        return False
    return not before.isupper() or after.islower()


def listed(
    compiled: Compiled,
    options: Options,
    protocol: str,
    *,
    name: str,
    title: str | None,
    description: str,
    annotations: Mapping[str, bool],
) -> bytes:
    """Return a tool as clients of a protocol version see it, as JSON."""
    parts = [b'{"name":', compact_json(name)]
    if title:
        parts += [b',"title":', compact_json(title)]
    if description:
        parts += [b',"description":', compact_json(description)]
    if options.icons:
        parts += [b',"icons":', compact_json([dict(icon) for icon in options.icons])]
    parts += [b',"inputSchema":', compiled.input_schema]
    output = _output(options, compiled, protocol)
    if output is not None:
        parts += [b',"outputSchema":', output]
    noted: dict[str, Any] = dict(annotations)
    if title and protocol < TITLES_SINCE:
        noted = {"title": title, **noted}
    if noted:
        parts += [b',"annotations":', compact_json(noted)]
    meta = dict(options.meta or {})
    if options.tags:
        meta.setdefault("toolwright/tags", list(options.tags))
    if meta:
        parts += [b',"_meta":', compact_json(meta)]
    return b"".join([*parts, b"}"])


def _output(options: Options, compiled: Compiled, protocol: str) -> bytes | None:
    """Return the output schema, boxed for clients that take only objects."""
    emit = options.emit
    if compiled.packed_output is None or emit == "text" or compiled.bytes_output:
        return None
    if not compiled.lists_output:
        return None
    if emit == "auto" and compiled.text_output:
        return None
    if not compiled.boxes_output:
        return compiled.output_schema
    bare = protocol >= STATELESS_SINCE and not compiled.nullable_output
    return compiled.output_schema if bare else compiled.boxed_output_schema
