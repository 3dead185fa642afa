"""What a toolbox offers besides tools: resources, prompts, and completions of their arguments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .errors import SchemaError
from .options import Complete

if TYPE_CHECKING:
    from .definition import Tool
    from .prompts import Prompt
    from .resources import Resource

F = TypeVar("F", bound=Callable[..., Any])
OnChange = Callable[[str, str], object]


class Offers:
    """Resources and prompts by name, and whoever wants to know of changes."""

    def __init__(self) -> None:
        self.resources: dict[str, Resource] = {}
        """Resources by URI, or by template."""
        self.prompts: dict[str, Prompt] = {}
        """Prompts by name."""
        self._listeners: list[OnChange] = []

    def resource(
        self,
        uri: str,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
    ) -> Callable[[F], F]:
        """Let clients read what a function returns at a URI; `{name}` in it is a parameter."""
        from .resources import Resource

        def decorate(target: F) -> F:
            made = Resource(
                uri,
                target,
                name=name,
                title=title,
                description=description,
                mime_type=mime_type,
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
    ) -> Any:
        """Offer the messages that a function writes; bare, or with options."""
        from .prompts import Prompt

        def decorate(function: Any) -> Any:
            made = Prompt(function, name=name, title=title, description=description)
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

    def completions(self, owner: Tool, argument: str, begun: str) -> list[str]:
        """Return what an argument may be that begins so."""
        for parameter in owner.signature.parameters:
            if parameter.name == argument:
                known = _completing(parameter.hint)
                if callable(known):
                    return [str(each) for each in cast("Any", known(begun))]
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

    def on_change(self, listener: OnChange) -> None:
        """Tell somebody of changes: `tools`, `resources`, `prompts`, or one `resource`."""
        self._listeners.append(listener)

    def changed(self, what: str, uri: str = "") -> None:
        """Tell everybody who wants to know; `changed("resource", uri)` if its content did."""
        for listener in list(self._listeners):
            listener(what, uri)


def _completing(hint: Any) -> Any:
    found = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Complete)]
    return found[0].values if found else None


def _begins(value: Any, begun: str) -> bool:
    return str(value).casefold().startswith(begun.casefold())
