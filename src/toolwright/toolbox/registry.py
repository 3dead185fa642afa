"""What a toolbox offers: tools, resources, prompts, and completions."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, cast

from ..errors import SchemaError, ToolNotFound
from ..options import unknown_option
from ..read.target import is_program
from ..tools.catalog import Catalog, Problem, matches
from ..tools.decorator import RefusedTarget, note, noted_while_loading, raise_or_note, with_name
from ..tools.definition import (
    Tool,
    bound_to,
    check_bound,
    forget_compiled,
    inner_of,
    outline,
    tool_with,
)
from ..tools.members import is_mcp_server, members
from .command_lines import only_command

if TYPE_CHECKING:
    from ..options import Options, ToolOptions
    from ..run.hooks import Wraps
    from ..run.shared import Shared
    from ..tools.prompt import Prompt
    from ..tools.resource import Resource

OnChange = Callable[[str, str], object]


class Registry:
    """Tools, resources and prompts by name, each bound to what the toolbox shares."""

    def __init__(self, shared: Shared, defaults: Options, *, eager: bool) -> None:
        self.catalog = Catalog()
        """The tools."""
        self.resources: dict[str, Resource] = {}
        """Resources by URI, or by template."""
        self.prompts: dict[str, Prompt] = {}
        """Prompts by name."""
        self.defaults = defaults
        """Options of everything that does not say otherwise."""
        self.eager = eager
        self._shared = shared
        self._listeners: dict[object, OnChange] = {}
        self.origins: dict[Wraps, None] = {}
        """Other toolboxes that something here was included from."""
        self.variables: dict[str, str] = {}
        """Environment variables of included programs; an installed server needs them, too."""
        self.hosted: list[Any] = []
        """Server objects of this process that run while the toolbox is open."""
        self.runs_programs = False
        """Whether commands of a program were included."""
        self.mirrors: list[object] = []
        """What keeps the tools of other servers up to date."""
        self.asks = False
        """Whether what is available depends on more than a caller's roles."""

    # -- adding

    def add(self, target: Any, options: ToolOptions) -> Tool:
        """Add a tool; return it, bound to the toolbox. Raises `SchemaError`.

        While a command imports the program, a refusal is noted, and what is returned stands for
        the tool.
        """
        try:
            return self.add_one(target, options, check=check_bound)
        except SchemaError as error:
            note(error)
            return Tool(RefusedTarget(error))

    def add_one(
        self, target: Any, options: ToolOptions, check: Callable[[Tool], None] | None = None
    ) -> Tool:
        """Add a tool, or the one command of a program; return the tool. Raises `SchemaError`.

        What `check` does not refuse may still be refused when it is compiled: lists leave it out.
        """
        if hasattr(cast("Any", type(target)), "__tool_target__"):  # a tool of another server
            target, options = target.__tool_target__(options)
        elif is_program(target):
            target, options = only_command(target, options)
        elif is_mcp_server(target):
            name = str(target.name)
            raise SchemaError("is a server, and no tool", tool=name, hint="use `box.include(...)`")
        tool = self._bound(target, options)
        if check is not None:
            check(tool)
        if self.eager:
            tool.compile()
        self.catalog.insert(tool)
        self.asks = self.asks or tool.options.enabled is not True
        self.changed("tools")
        return tool

    def add_or_note(self, target: Any, options: ToolOptions, called: str | None = None) -> None:
        """Add a tool as a decorator does, which may name it."""
        with noted_while_loading():
            self.add(target, cast("ToolOptions", with_name(called, options)))

    def include(
        self,
        source: Any,
        select: str | Sequence[str],
        prefix: str,
        options: ToolOptions,
        is_enabled: Callable[[str], bool] | None,
        offered: Sequence[Resource | Prompt] = (),
    ) -> list[Tool]:
        """Add all selected members of a source, and what else it offers; return the tools.

        Raises `DefinitionError` for all the bad ones.
        """
        added: list[Tool] = []
        bad: list[SchemaError] = []
        for name, target in members(source):
            if not matches(name, select):
                continue
            try:
                added.append(self.add_one(target, {"name": prefix + name, **options}))
            except SchemaError as error:
                bad.append(error)
                continue
            if is_enabled is not None:
                self._switch(prefix + name, options.get("enabled"), is_on=is_enabled(name))
        for offer in offered:
            if matches(offer.tool.name, select):
                try:
                    self.put_offered(offer, {"name": prefix + offer.tool.name, **options})
                except SchemaError as error:
                    bad.append(error)
        raise_or_note(bad)
        return added

    def _switch(self, name: str, given: Any, *, is_on: bool) -> None:
        """Leave a tool as it was in its own toolbox, unless the option says otherwise."""
        if not is_on and given is not True:
            self.disable(name)
        elif is_on and given is None and not self.catalog.is_enabled(name):
            self.enable(name)

    def put_offered(self, offered: Resource | Prompt, options: ToolOptions) -> None:
        """Add a copy of what another toolbox or server offers. Raises `SchemaError`."""
        from ..tools.resource import Resource

        renamed = copy(offered)
        renamed.tool = offered.tool.replace(**options)
        if isinstance(renamed, Resource):
            self.add_resource(renamed)
        else:
            self.add_prompt(renamed, offered.tool.name)

    def _bound(self, target: Any, options: ToolOptions | None = None, known_as: str = "") -> Tool:
        """Return the tool of a target with the defaults and all that the toolbox shares."""
        if isinstance(target, Tool):
            if isinstance(target.target, RefusedTarget):
                raise target.target.refusal
            known_as = known_as or target.name
        tool = bound_to(tool_with(target, options or {}, self.defaults), self._shared, known_as)
        for within in inner_of(tool):
            if within.toolbox is not self._shared.toolbox:
                self.origins[within.toolbox] = None
        return tool

    def add_resource(self, resource: Resource) -> None:
        """Add a resource. Raises `SchemaError`."""
        from ..tools.resource import check_parameters

        if resource.uri in self.resources:
            what = f"has the URI `{resource.uri}`, which is taken"
            raise SchemaError(what, tool=resource.tool.name)
        resource.tool = self._bound(resource.tool)
        check_parameters(resource)
        self.asks = self.asks or resource.tool.options.enabled is not True
        self.resources[resource.uri] = resource
        self.changed("resources")

    def add_prompt(self, prompt: Prompt, known_as: str = "") -> None:
        """Add a prompt, which another toolbox may know by another name. Raises `SchemaError`."""
        if prompt.tool.name in self.prompts:
            raise SchemaError("is already a prompt of the toolbox", tool=prompt.tool.name)
        prompt.tool = self._bound(prompt.tool, known_as=known_as)
        prompt.tool.compile()
        self.asks = self.asks or prompt.tool.options.enabled is not True
        self.prompts[prompt.tool.name] = prompt
        self.changed("prompts")

    def remove(self, name: str) -> Tool:
        """Take a tool out and return it. Raises `ToolNotFound`."""
        removed = self.catalog.remove(name)
        self.changed("tools")
        return removed

    def disable(self, name: str) -> None:
        """Keep a tool but do not list it. Raises `ToolNotFound`."""
        self.catalog.disable(name)
        self.changed("tools")

    def enable(self, name: str) -> None:
        """List a disabled tool again. Raises `ToolNotFound`."""
        self.catalog.enable(name)
        self.changed("tools")

    # -- what a mirror of another server changes

    def put_tool(self, target: Any, options: ToolOptions) -> Tool:
        """Add a tool, or put it in the place of the one that the same server had."""
        from ..client.proxy import ProxyTool

        name = str(options.get("name"))
        existing = self.catalog.get(name)
        behind = None if existing is None else existing.target
        if isinstance(behind, ProxyTool) and behind.connection is target.connection:
            self.catalog.remove(name)
        return self.add_one(target, options)

    def take_tool(self, name: str) -> None:
        """Take a tool out, if it is still there."""
        with contextlib.suppress(ToolNotFound):
            self.remove(name)

    def take_offered(self, kind: str, key: str) -> None:
        """Take a resource or a prompt out, if it came from another server."""
        from ..client.proxy import ProxiedPrompt, ProxiedResource

        entries: dict[str, Any] = self.prompts if kind == "prompts" else self.resources
        if isinstance(entries.get(key), ProxiedPrompt | ProxiedResource):
            del entries[key]
            self.changed("prompts" if kind == "prompts" else "resources")

    def note(self, server: str, text: str) -> None:
        """Report what is wrong with what was asked of a server."""
        self.catalog.left_out.append(Problem(server, text))

    @property
    def lifespans(self) -> list[Any]:
        """The lifespans of this toolbox and of those it includes, as their authors gave them."""
        every = (self._shared.toolbox, *self.origins)
        return [
            lifespan
            for toolbox in every
            if (lifespan := getattr(toolbox, "own_lifespan", None)) is not None
        ]

    # -- changes

    def forget_compiled(self) -> None:
        """Compile everything again when next needed: the providers have changed."""
        self.catalog.forget()
        for offered in (*self.resources.values(), *self.prompts.values()):
            forget_compiled(offered.tool)

    def on_change(self, listener: OnChange) -> Callable[[], None]:
        """Call a function at each change: of `tools`, `resources`, `prompts`, or one `resource`.

        Return a function that ends this; calling it twice does no harm.
        """
        key = object()  # the same function may listen twice
        self._listeners[key] = listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe

    def changed(self, what: str, uri: str = "") -> None:
        """Notify every listener of a change."""
        for listener in list(self._listeners.values()):
            listener(what, uri)


def check_options(target: Any, given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Refuse options that a resource or a prompt does not have. Raises `SchemaError`."""
    unknown = [name for name in given if name not in known]
    if unknown:
        what = f"has a bad option: {unknown_option(unknown[0], known)}"
        raise outline(Tool(target)).refusal(what)
