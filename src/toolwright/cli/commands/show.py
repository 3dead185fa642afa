"""`show`: show one tool, resource or prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..command import TargetCommand, positional, switch
from ..load import OpenedTarget, open_target
from ..output import print_entries, print_heading, print_json, print_rows, print_text, say

if TYPE_CHECKING:
    from ...client.signatures import Argument
    from ...tools.definition import Tool

_HINTS = {
    "read_only": "read-only",
    "destructive": "destructive",
    "idempotent": "idempotent",
    "open_world": "reaches the world outside",
    "confirm": "asks to be confirmed",
    "task": "may become a task",
}


class ShowCommand(TargetCommand):
    """Shows one tool: its schemas and what its author says."""

    shows_rest = True

    tool: str = positional("TOOL", "a tool, the URI of a resource, or the name of a prompt")
    schema: bool = switch("with its JSON Schemas")
    json: bool = switch("print JSON")

    @property
    def one_tool(self) -> str:
        """The only tool that it is about."""
        return self.tool

    def run(self) -> int:
        """Show it."""
        opened = open_target(self)
        tool, definition, head = _found(opened, self.tool)
        if self.json:
            print_json(definition)
            return 0 if opened.usable else 1
        _print(tool, head)
        if self.schema:
            for title, schema in (("Arguments", tool.input_schema), ("Result", tool.output_schema)):
                if schema is not None:
                    say("")
                    print_heading(f"{title}, JSON Schema")
                    print_json(schema)
        return 0 if opened.usable else 1


def _found(opened: OpenedTarget, name: str) -> tuple[Tool, dict[str, Any], str]:
    """Return a named thing as clients get it, and its first line. Raises `ToolNotFound`."""
    from ...client.signatures import signature_text

    box = opened.box
    resource, prompt = box.resources.get(name), box.prompts.get(name)
    if resource is not None:
        return resource.tool, resource.to_mcp(), resource.uri
    if prompt is not None and name not in box:
        return prompt.tool, prompt.to_mcp(), signature_text(prompt.tool)
    tool = opened.tool(name)
    return tool, tool.to_mcp(), signature_text(tool)


def _print(tool: Tool, head: str) -> None:
    from ...client.signatures import arguments_of

    print_entries([(head, "")])
    if tool.description:
        say("")
        print_text(tool.description)
    arguments = arguments_of(tool)
    if arguments:
        say("")
        print_heading("Arguments")
        print_rows([_row(argument) for argument in arguments], indent=2)
    about = [words for option, words in _HINTS.items() if getattr(tool.options, option)]
    if tool.options.roles:
        about.append(f"for {', '.join(tool.options.roles)}")
    if about:
        say(f"\n{', '.join(about).capitalize()}.")
    for problem in tool.problems:
        say(f"\nNote: it {problem}")


def _row(argument: Argument) -> tuple[str, str, str, str]:
    from ...client.signatures import limits_in_words

    described = " ".join(argument.said.description.split())  # in one cell
    words = [described, *limits_in_words(argument)]
    sentences = " ".join(f"{text.rstrip('.')}." for text in words if text)
    needed = "any" if argument.name.startswith("*") else "required"
    return argument.name, argument.kind, argument.default or needed, sentences
