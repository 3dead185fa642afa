"""What the page is told of tools, resources and prompts."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .._words import did_you_mean, one_line
from ..client.signatures import arguments_of, limits_in_words, signature_text
from ..contract.changes import Changes
from ..contract.tokens import costs_of
from ..dialects import DIALECTS, render
from ..doctor.configuration import Settings
from ..doctor.examine import examine
from ..errors import ArgumentError, LockError, SchemaError, ToolNotFound, ToolwrightError
from ..read.target import attribute, unwrapped
from ..tools.catalog import may_use
from ..tools.definition import compiled_of
from ..tools.prompt import Prompt
from ..tools.resource import Resource

if TYPE_CHECKING:
    from ..serve.offering import Offering
    from ..serve.sender import Viewer
    from ..tools.definition import Tool

JsonDict = dict[str, Any]
_LONGEST_SUMMARY = 200


class Subject(NamedTuple):
    """What the console is opened for, beside the offering itself."""

    doctor: Settings = Settings()
    """What the doctor looks for."""
    lock_file: Path | None = None
    target: str = ""
    """As it is written behind `toolwright call`; empty where there is no such target."""
    era: str | None = None
    """The version of the protocol that the server behind the bridge speaks, if there is one."""


class Inspected:
    """An offering as one caller sees it; what takes long is done once for an offering."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._lock = threading.Lock()
        self._judged_for: Offering | None = None
        self._findings: dict[str, list[JsonDict]] = {}
        self._changes: tuple[Changes | None, str] = (None, "")

    def forget(self, *_: object) -> None:
        """Work out again what takes long: the tools have changed."""
        with self._lock:
            self._judged_for = None

    def about(self, box: Offering) -> JsonDict:
        """Return what is offered, in a few words."""
        return {
            "name": box.about.name,
            "version": box.about.version,
            "instructions": box.about.instructions,
            "target": self._subject.target,
            "dialects": ["mcp", *DIALECTS],
        }

    def catalog(self, box: Offering, viewer: Viewer) -> JsonDict:
        """Return the lists, with little about each thing: it is quick for a thousand tools."""
        return {
            "tools": [self._in_list(tool) for tool in _usable(box, viewer)],
            "resources": [_resource(found) for found in box.resources_for(*viewer)],
            "prompts": [self._prompt(found) for found in box.prompts_for(*viewer)],
        }

    def judged(self, box: Offering, viewer: Viewer) -> JsonDict:
        """Return what each tool costs and what the doctor finds, by name; it may take seconds."""
        findings = self._findings_of(box)
        tools = _usable(box, viewer)
        costs = {cost.tool: cost.total for cost in costs_of([tool.to_mcp() for tool in tools])}
        return {
            "tools": {
                tool.published_name: {
                    "tokens": costs.get(tool.published_name, 0),
                    "findings": [
                        {"id": finding["id"], "severity": finding["severity"]}
                        for finding in findings.get(tool.name, ())
                    ],
                }
                for tool in tools
            },
            "others": [*findings.get("", ()), *_refused(box, viewer, findings)],
        }

    def tool(self, box: Offering, viewer: Viewer, name: str) -> JsonDict:
        """Return all about one tool that is known at once. Raises `ToolNotFound`."""
        tool = _named(box, viewer, name)
        definition = tool.to_mcp()
        cost = costs_of([definition])[0].to_dict()
        options = tool.options
        return {
            **self._in_list(tool),
            "signature": signature_text(tool),
            "description": tool.description,
            "definition": definition,
            "output_schema": tool.output_schema,
            "parameters": [
                {
                    "name": argument.name,
                    "type": argument.kind,
                    "default": argument.default or None,
                    "description": argument.said.description,
                    "limits": limits_in_words(argument),
                }
                for argument in arguments_of(tool)
            ],
            "problems": list(tool.problems),
            "limits": {
                "timeout": options.timeout and str(options.timeout),
                "cache": options.cache and str(options.cache),
                "roles": list(options.roles or ()),
            },
            "tokens": cost,
        }

    def doctor(self, box: Offering, viewer: Viewer, name: str) -> JsonDict:
        """Return what is found about one tool, and what has changed since the lock.

        It waits until all tools are judged. Raises `ToolNotFound`.
        """
        tool = _named(box, viewer, name)
        return {
            "findings": self._findings_of(box).get(tool.name, []),
            "changes": self._changes_of(box, tool),
        }

    def dialect(self, box: Offering, viewer: Viewer, name: str, dialect: str) -> JsonDict:
        """Return one tool as a provider or a client gets it, and what is lost or refused on the way.

        Raises `ToolNotFound`, and `ValueError` for an unknown dialect.
        """
        tool = _named(box, viewer, name)
        if dialect == "mcp":
            return {"definition": tool.to_mcp(), "losses": [], "tokens": _tokens([tool.to_mcp()])}
        rendered = render([tool], dialect)
        losses = [
            {"path": loss.path, "keyword": loss.keyword, "message": loss.message}
            for loss in rendered.losses
        ]
        definition = rendered.definitions[0] if rendered.definitions else None
        return {
            "definition": definition,
            "losses": losses,
            "tokens": _tokens(rendered.definitions),
        }

    def check(self, box: Offering, viewer: Viewer, name: str, arguments: Any) -> JsonDict:
        """Return what the tool's own validation says of arguments; nothing runs.

        Raises `ToolNotFound`.
        """
        from ..arguments.reader import Reader

        tool = _named(box, viewer, name)
        reader = Reader(tool.name, compiled_of(tool), repair=tool.options.repair)
        try:
            _, repairs = reader.read(arguments)
        except ArgumentError as error:
            faults = [{"path": list(fault.path), "text": fault.text} for fault in error.faults]
            return {"accepted": False, "faults": faults, "repairs": []}
        except ToolwrightError as error:
            return {"accepted": False, "faults": [{"path": [], "text": str(error)}], "repairs": []}
        notes = [{"path": list(repair.path), "text": repair.text} for repair in repairs]
        return {"accepted": True, "faults": [], "repairs": notes}

    def _in_list(self, tool: Tool) -> JsonDict:
        return {
            "name": tool.published_name,
            "called": self._called(tool, tool.published_name),
            "title": tool.title,
            "summary": one_line(tool.description.partition("\n\n")[0], _LONGEST_SUMMARY),
            "tags": sorted(tool.options.tags or ()),
            "hints": tool.annotations,
            "confirm": bool(tool.options.confirm),
            "source": _source(tool),
        }

    def _prompt(self, prompt: Prompt) -> JsonDict:
        listed = prompt.to_mcp()
        return {**listed, "called": self._called(prompt.tool, listed["name"])}

    def _called(self, tool: Tool, name: str) -> str:
        """Return the name in messages: behind the bridge, the server's own."""
        from ..client.proxy import ProxyTarget

        target = unwrapped(tool.target)
        is_behind = self._subject.era is not None and isinstance(target, ProxyTarget)
        return target.name if is_behind else name

    # -- what takes long

    def _findings_of(self, box: Offering) -> Mapping[str, list[JsonDict]]:
        """Return what the doctor finds, by the name of the tool; empty for what is about all."""
        with self._lock:
            self._judge(box)
            return self._findings

    def _changes_of(self, box: Offering, tool: Tool) -> JsonDict | None:
        """Return what has changed since the lock was written; None without a lock."""
        with self._lock:
            self._judge(box)
            changes, reason = self._changes
        if changes is None:
            return {"unreadable": reason} if reason else None
        own_changes = [
            change.to_dict()
            for change in changes
            if change.name in (tool.name, tool.published_name)
        ]
        return {"file": str(self._subject.lock_file), "changes": own_changes}

    def _judge(self, box: Offering) -> None:
        if self._judged_for is box:
            return
        findings: dict[str, list[JsonDict]] = {}
        offered = [
            tool
            for tool in box.tools.values()
            if box.tools.usable(tool.name, None) or not _compiles(tool)
        ]
        for finding in examine(box.about.name, offered, self._subject.doctor):
            findings.setdefault(finding.tool, []).append(finding.to_dict())
        self._findings, self._changes = findings, self._compared(box)
        self._judged_for = box

    def _compared(self, box: Offering) -> tuple[Changes | None, str]:
        from ..contract.compare import diff
        from ..contract.lock_file import lock_of, read

        file = self._subject.lock_file
        if file is None or not file.is_file():
            return None, ""
        try:
            return diff(read(file), lock_of(box)), ""
        except LockError as error:
            return None, str(error)


def _usable(box: Offering, viewer: Viewer) -> list[Tool]:
    roles, call = viewer
    tools = [tool for tool in box.tools.values() if box.tools.usable(tool.name, roles, call)]
    return [tool for tool in tools if _compiles(tool)]


def _refused(
    box: Offering, viewer: Viewer, findings: Mapping[str, list[JsonDict]]
) -> Iterable[JsonDict]:
    """Return why tools are refused that a caller could use."""
    roles, call = viewer
    for tool in box.tools.values():
        if not _compiles(tool) and may_use(tool, roles, call, kind="tool", name=tool.name):
            yield from findings.get(tool.name, ())


def _compiles(tool: Tool) -> bool:
    try:
        tool.compile()
    except SchemaError:
        return False
    return True


def _named(box: Offering, viewer: Viewer, name: str) -> Tool:
    tools = {tool.published_name: tool for tool in _usable(box, viewer)}
    if name not in tools:
        raise ToolNotFound(name, hint=did_you_mean(name, tools))
    return tools[name]


def _source(tool: Tool) -> str:
    """Return where a tool comes from, in a word: a module, or a kind of target."""
    module = attribute(unwrapped(tool.target), "__module__") or type(tool.target).__module__
    if not isinstance(module, str):
        return ""
    package, _, place = module.partition(".")
    if package != __name__.partition(".")[0]:
        return module
    room = place.partition(".")[0]
    return {"sources": "a command line", "client": "another server"}.get(room, room)


def _resource(resource: Resource) -> JsonDict:
    listed = resource.to_mcp()
    return {**listed, "is_template": "uriTemplate" in listed}


def _tokens(definitions: Iterable[Any]) -> int:
    return sum(cost.total for cost in costs_of(list(definitions)))
