"""What servers and other outlets need of a toolbox."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, cast

from .._words import value_text
from ..errors import SchemaError, ToolError, ToolNotFound
from ..markers import Complete
from ..tools.catalog import may_use
from ..tools.definition import Tool, compiled_of, signature_of

if TYPE_CHECKING:
    from ..call import Call
    from ..refusals import OnRefusal
    from ..results import Result
    from ..stores import Store
    from ..tools.prompt import Prompt
    from ..tools.resource import Resource

Listener = Callable[[str, str], object]
"""Called at each change of `tools`, `resources`, `prompts`, or one `resource` with its URI."""
Roles = Iterable[str] | None
"""The roles of a caller; None is the author, who may use everything."""
MAX_TYPED = 1000
"""How many characters of an argument may be typed before it is no longer completed."""
MAX_COMPLETIONS = 1000
"""How many values from a completing function are looked at."""


class About(Protocol):
    """What an author says about the whole, and may change until it is served."""

    name: str
    version: str
    instructions: str
    page_size: int | None
    """The most items on one page of a list; None is all."""
    tasks: str | Store | None
    """Where calls that became tasks are recorded."""
    keep_tasks: float
    """How many seconds the record of a finished task is kept."""


class OwnRoute(NamedTuple):
    """A function of a toolbox that answers requests to a path."""

    path: str
    endpoint: Callable[..., Any]
    methods: Sequence[str]
    is_public: bool


class Tools(Protocol):
    """Tools by name, and who may use them; with a call, functions of the author decide as well."""

    def values(self) -> Iterable[Tool]:
        """Return all tools."""
        ...

    def usable(self, name: str, roles: Roles, call: Call | None = None) -> Tool | None:
        """Return a tool that a caller may use; None if it is hidden or unknown."""
        ...

    def not_found(self, name: str, roles: Roles, call: Call | None = None) -> ToolNotFound:
        """Return the error for a name that a caller cannot use."""
        ...

    def to_mcp_json(self, protocol: str, roles: Roles = None, call: Call | None = None) -> bytes:
        """Return the list of the tools that a caller may use."""
        ...


class Live(Protocol):
    """Has an offering at any time: a toolbox always the same, a reloaded one its newest."""

    @property
    def now(self) -> Offering:
        """What is offered now."""
        ...

    @property
    def is_live(self) -> bool:
        """Whether it may be exchanged for one that offers other things."""
        ...

    def busy(self) -> AbstractContextManager[Offering]:
        """Yield what is offered now, and keep it open while something in it runs."""
        ...

    def on_change(self, listener: Listener, /) -> Callable[[], None]:
        """Call a function at each change; return a function that ends this."""
        ...

    def enter(self) -> Awaitable[object]:
        """Enter the lifespan. Raises whatever entering it raises."""
        ...

    def aclose(self) -> Awaitable[object]:
        """Close it."""
        ...


def completions(owner: Resource | Prompt, argument: str, typed: str) -> list[str]:
    """Return the values of an argument that begin with what was typed."""
    tool = owner.tool
    if len(typed) > MAX_TYPED:
        return []
    for parameter in signature_of(tool).parameters:
        if parameter.name == argument:
            values = _completing(parameter.hint)
            if callable(values):
                proposed = islice(cast("Any", values(typed)), MAX_COMPLETIONS)
                return [str(value) for value in proposed]
            if values is not None:
                return [str(value) for value in values if _begins(value, typed)]
    node: Mapping[str, Any] = tool.input_schema.get("properties", {}).get(argument, {})
    listed: list[Any] = node.get("enum") or node.get("items", {}).get("enum") or []
    return [str(value) for value in listed if _begins(value, typed)]


def _completing(hint: Any) -> Any:
    markers = [
        marker for marker in getattr(hint, "__metadata__", ()) if isinstance(marker, Complete)
    ]
    return markers[0].values if markers else None


def _begins(value: Any, typed: str) -> bool:
    return str(value).casefold().startswith(typed.casefold())


def _no() -> bool:
    return False


def _nothing(*_: object) -> None:
    pass


async def _nothing_soon() -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Offering:
    """What a toolbox offers, and how it is run; its own `Live`, since it is always the same."""

    about: About
    info: Callable[[], dict[str, Any]]
    """Returns what clients are told about the server itself, in the protocol's form."""
    tools: Tools
    resources: Mapping[str, Resource]
    prompts: Mapping[str, Prompt]
    routes: list[OwnRoute] = field(default_factory=list["OwnRoute"])
    call: Callable[[str, Any, Call | None], Awaitable[Result]]
    """Calls a tool that the caller may use: it was found by `usable`."""
    directed: Callable[[str, Any], tuple[str, Any]] | None = None
    """Returns the tool that a call is meant for, and its arguments, where one stands for others."""
    get: Callable[[Resource | Prompt, Mapping[str, str] | None, Call | None], Awaitable[Result]]
    """Reads a resource, or gets the messages of a prompt."""
    complete: Callable[[Resource | Prompt, str, str], list[str]] = completions
    """Returns the values of an argument that begin with what was typed, in a thread."""
    refused: OnRefusal
    """Reports a refused request to the audit log and the metrics."""
    asks: Callable[[], bool] = _no
    """Whether what is available depends on more than a caller's roles: see `Sender.viewer`."""
    is_wrapped: Callable[[], bool] = _no
    """Whether calls go through hooks or a lifespan."""
    on_change: Callable[[Listener], Callable[[], None]] = lambda _: _nothing
    open_store: Callable[[], object] = _nothing
    """Opens the store, if one is named, before the first call does. Raises `StoreError`."""
    enter: Callable[[], Awaitable[object]] = _nothing_soon
    close: Callable[[], object] = _nothing
    """Closes it, in a thread that may wait."""
    aclose: Callable[[], Awaitable[object]] = _nothing_soon

    console: Callable[[Any, Live], None] | None = None
    """Adds the console to an HTTP app, where it was asked for."""

    now: Offering = field(init=False)
    """What is offered now: always this."""
    is_live: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "now", self)  # an attribute: each call looks at it several times

    def busy(self) -> Self:
        """Return it, to be entered: it stays open until it is closed."""
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    # -- what it has

    @property
    def has_tasks(self) -> bool:
        """Whether a call of any tool may become a task."""
        return any(tool.options.task for tool in self.tools.values())

    @property
    def sees_calls(self) -> bool:
        """Whether anything here gets a `Call`, and so may log."""
        from ..run.current import looks_up

        behind = [offered.tool for offered in (*self.resources.values(), *self.prompts.values())]
        for tool in (*self.tools.values(), *behind):
            with contextlib.suppress(SchemaError):
                if compiled_of(tool).plan.injected or looks_up(tool.target):
                    return True
        return False

    # -- resources and prompts, for a caller

    def offers(self, offered: Resource | Prompt, roles: Roles, call: Call | None = None) -> bool:
        """Return whether a caller may use a resource or a prompt."""
        tool, uri = offered.tool, getattr(offered, "uri", "")
        if call is not None and tool.options.enabled is False:
            return False
        return may_use(tool, roles, call, kind="resource" if uri else "prompt", name=uri)

    def resources_for(self, roles: Roles, call: Call | None = None) -> list[Resource]:
        """Return the resources that a caller may read."""
        return [
            resource for resource in self.resources.values() if self.offers(resource, roles, call)
        ]

    def prompts_for(self, roles: Roles, call: Call | None = None) -> list[Prompt]:
        """Return the prompts that a caller may get."""
        return [prompt for prompt in self.prompts.values() if self.offers(prompt, roles, call)]

    def find_resource(
        self, uri: str, roles: Roles, call: Call | None = None
    ) -> tuple[Resource, dict[str, str]] | None:
        """Return what a caller reads at a URI, and the variables in it; None if there is none."""
        from ..tools.resource import found_at

        return found_at(self.resources, uri, lambda each: self.offers(each, roles, call))

    def find_prompt(self, name: str, roles: Roles, call: Call | None = None) -> Prompt | None:
        """Return a prompt that a caller may get."""
        prompt = self.prompts.get(name)
        return prompt if prompt is not None and self.offers(prompt, roles, call) else None

    def is_hidden(self, uri: str, roles: Roles, call: Call | None = None) -> bool:
        """Return whether there is a resource that a caller may not read."""
        if self.find_resource(uri, roles, call) is not None:
            return False
        return self.find_resource(uri, None) is not None


_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Confirm"}},
    "required": ["confirm"],
}


async def ask_to_confirm(name: str, arguments: Any, call: Call) -> None:
    """Ask the user, and return if they confirm. Raises `ToolError` if they do not.

    Also raises what asking raises: `InputNeeded` where the client must repeat the request.
    """
    form: Any = await call.ask(
        _FORM, f"Run {name} with {value_text(arguments, 500)}?", key="confirm"
    )
    if not form.get("confirm"):
        raise ToolError("the user did not confirm it", code="declined")
