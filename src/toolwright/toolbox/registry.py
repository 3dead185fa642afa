"""What a toolbox offers besides tools: resources, prompts, and completions of their arguments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..errors import SchemaError
from ..markers import Complete
from ..tools.catalog import may_use

if TYPE_CHECKING:
    from ..tools.definition import Tool
    from ..tools.prompt import Prompt
    from ..tools.resource import Resource

F = TypeVar("F", bound=Callable[..., Any])
OnChange = Callable[[str, str], object]
MOST_BEGUN = 1000
"""How many characters may be typed of an argument that is completed."""
MOST_COMPLETIONS = 1000
"""How many values of a function that completes are looked at."""


class Registry:
    """Resources and prompts by name, and whoever wants to know of changes."""

    def __init__(self) -> None:
        self.resources: dict[str, Resource] = {}
        """Resources by URI, or by template."""
        self.prompts: dict[str, Prompt] = {}
        """Prompts by name."""
        self._listeners: dict[object, OnChange] = {}

    def resource(
        self,
        uri: str,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        roles: Sequence[str] | None = None,
    ) -> Callable[[F], F]:
        """Let clients read what a function returns at a URI; `{name}` in it is a parameter.

        With `roles`, it is there only for callers who have one of them.
        """
        from ..tools.resource import Resource

        def decorate(target: F) -> F:
            made = Resource(
                uri,
                target,
                name=name,
                title=title,
                description=description,
                mime_type=mime_type,
                roles=roles,
            )
            if uri in self.resources:
                raise SchemaError(f"has the URI `{uri}`, which is taken", tool=made.tool.name)
            made.tool = self.adopt(made.tool)
            made.check_parameters()
            self.resources[uri] = made
            self.changed("resources")
            return target

        return decorate

    def prompt(
        self,
        target: Any = None,
        /,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        roles: Sequence[str] | None = None,
    ) -> Any:
        """Offer the messages that a function writes; bare, or with options.

        With `roles`, it is there only for callers who have one of them.
        """
        from ..tools.prompt import Prompt

        def decorate(function: Any) -> Any:
            made = Prompt(function, name=name, title=title, description=description, roles=roles)
            if made.tool.name in self.prompts:
                raise SchemaError("is already a prompt of the toolbox", tool=made.tool.name)
            made.tool = self.adopt(made.tool)
            made.tool.compile()
            self.prompts[made.tool.name] = made
            self.changed("prompts")
            return function

        if isinstance(target, str):
            name = target
            return decorate
        return decorate if target is None else decorate(target)

    # -- what a caller may use

    def resources_for(self, roles: Iterable[str] | None) -> list[Resource]:
        """Return the resources that somebody with these roles may read; None is the author."""
        return [each for each in self.resources.values() if may_use(each.tool, roles)]

    def prompts_for(self, roles: Iterable[str] | None) -> list[Prompt]:
        """Return the prompts that somebody with these roles may get; None is the author."""
        return [each for each in self.prompts.values() if may_use(each.tool, roles)]

    def find_resource(
        self, uri: str, roles: Iterable[str] | None
    ) -> tuple[Resource, dict[str, str]] | None:
        """Return what is read at a URI, and the variables in it; None if there is nothing.

        A URI that was given as it is comes first, then the first template that it fits. If a value
        in it is not safe there, no later template is tried.
        """
        from ..tools.uri_template import MOST_URI, UnsafeValue

        if len(uri) > MOST_URI:
            return None
        known = self.resources.get(uri)
        if known is not None and not known.is_template and may_use(known.tool, roles):
            return known, {}
        for each in self.resources.values():
            if not each.is_template or not may_use(each.tool, roles):
                continue
            try:
                values = each.values_in(uri)
            except UnsafeValue:
                return None
            if values is not None:
                return each, values
        return None

    def find_prompt(self, name: str, roles: Iterable[str] | None) -> Prompt | None:
        """Return a prompt that somebody with these roles may get."""
        found = self.prompts.get(name)
        return found if found is not None and may_use(found.tool, roles) else None

    def is_hidden(self, uri: str, roles: Iterable[str] | None) -> bool:
        """Return whether there is a resource that somebody with these roles may not read."""
        if roles is None or self.find_resource(uri, roles) is not None:
            return False
        return self.find_resource(uri, None) is not None

    def completions(self, owner: Tool, argument: str, begun: str) -> list[str]:
        """Return what an argument may be that begins so."""
        if len(begun) > MOST_BEGUN:
            return []
        for parameter in owner.signature.parameters:
            if parameter.name == argument:
                known = _completing(parameter.hint)
                if callable(known):
                    found = islice(cast("Any", known(begun)), MOST_COMPLETIONS)
                    return [str(each) for each in found]
                if known is not None:
                    return [str(each) for each in known if _begins(each, begun)]
        node = owner.input_schema.get("properties", {}).get(argument, {})
        listed: list[Any] = node.get("enum") or node.get("items", {}).get("enum") or []
        return [str(each) for each in listed if _begins(each, begun)]

    @property
    def sees_calls(self) -> bool:
        """Whether anything here gets a `Call`, and so may log."""
        for tool in self.offered():
            with contextlib.suppress(SchemaError):
                if tool.compile().plan.injected:
                    return True
        return False

    def adopt(self, tool: Tool) -> Tool:
        """Let what is behind a resource or a prompt share what the toolbox has."""
        return tool

    def offered(self) -> list[Tool]:
        """Return everything that can be run: here, what is behind resources and prompts."""
        return [each.tool for each in (*self.resources.values(), *self.prompts.values())]

    def on_change(self, listener: OnChange) -> Callable[[], None]:
        """Call a function at each change: of `tools`, `resources`, `prompts`, or one `resource`.

        Return a function that ends this; to call it twice does no harm.
        """
        key = object()  # the same function may listen twice
        self._listeners[key] = listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe

    def changed(self, what: str, uri: str = "") -> None:
        """Tell everybody who wants to know; `changed("resource", uri)` if its content did."""
        for listener in list(self._listeners.values()):
            listener(what, uri)


def _completing(hint: Any) -> Any:
    found = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Complete)]
    return found[0].values if found else None


def _begins(value: Any, begun: str) -> bool:
    return str(value).casefold().startswith(begun.casefold())
