"""A toolbox of this process, reached as a server is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from ..._protocol import LATEST_PROTOCOL
from ...call import Call
from ...errors import CallError, ToolError, ToolNotFound, ToolTimeout
from ...questions import Question
from ...serve.offering import Offering
from ...serve.sender import USER
from ...tools.prompt import messages_of
from ...tools.resource import contents_of
from ..question_handlers import ABILITIES, QuestionHandlers
from ..settings import ClientSettings
from .interface import RequestScope, ServerInfo, ServerList


class LocalConnection:
    """Calls a toolbox as a client of the latest protocol sees it."""

    is_local = True

    def __init__(self, box: Offering, settings: ClientSettings) -> None:
        self.box = box
        self.settings = settings
        self.handlers = QuestionHandlers(settings)
        self.on_change: Callable[[str, str], object] = lambda _what, _uri: None
        self._unsubscribe: Callable[[], None] | None = None

    def __str__(self) -> str:
        return self.box.about.name

    async def info(self) -> ServerInfo:
        """Return what the toolbox says about itself."""
        self.watch()
        about, title = self.box.about, str(self.box.info().get("title", ""))
        return ServerInfo(about.name, about.version, title, about.instructions, LATEST_PROTOCOL)

    async def pass_on(self) -> None:
        """Let another toolbox have what this one offers."""
        self.handlers.passes_on = True
        self.watch()

    def watch(self) -> None:
        """Pass on changes of the toolbox."""
        if self._unsubscribe is None:
            self._unsubscribe = self.box.on_change(self._changed)

    def _changed(self, what: str, uri: str) -> None:
        self.on_change(what, uri)

    async def close(self) -> None:
        """Stop listening; the toolbox stays open: it is not ours to close."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None

    async def listed(self, kind: str) -> ServerList:
        """Return all tools, resources, templates or prompts."""
        return ServerList(self._items(kind), {})

    def _items(self, kind: str) -> list[dict[str, Any]]:
        box = self.box
        viewer = USER.viewer(box)
        if kind == "tools":
            return json.loads(box.tools.to_mcp_json(LATEST_PROTOCOL, *viewer))["tools"]
        if kind == "prompts":
            return [prompt.to_mcp() for prompt in box.prompts_for(*viewer)]
        resources = box.resources_for(*viewer)
        return [
            resource.to_mcp()
            for resource in resources
            if resource.is_template == (kind == "templates")
        ]

    async def send(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Answer a request as a server would. Raises `CallError`."""
        call = Call(
            on_progress=scope.on_progress,
            on_log=scope.on_log or self.settings.on_log,
            asker=LocalAsker(self.handlers, scope),
        )
        try:
            async with asyncio.timeout(scope.seconds) as scope.deadline:
                return await self._run(method, params, call)
        except TimeoutError:
            call.cancel()
            text = f"{scope.what}: {self} gave no answer in {scope.seconds:g} s"
            raise ToolTimeout(text) from None
        except asyncio.CancelledError:
            call.cancel()
            raise
        finally:
            scope.deadline = None

    async def _run(self, method: str, params: Mapping[str, Any], call: Call) -> dict[str, Any]:
        box = self.box
        viewer = USER.viewer(box)
        if method == "tools/call":
            name = params["name"]
            tool = box.tools.usable(name, *viewer)
            if tool is None:
                raise box.tools.not_found(name, *viewer)
            result = await box.call(tool.name, params.get("arguments") or {}, call)
            return result.to_mcp(LATEST_PROTOCOL)
        if method == "resources/read":
            match = box.find_resource(params["uri"], *viewer)
            if match is None:
                raise ToolError(f"there is no resource {params['uri']}", code="not_found")
            result = await box.get(*match, call)
            _check(result.error)
            return {"contents": contents_of(match[0], params["uri"], result)}
        prompt = box.find_prompt(params["name"], *viewer)
        if prompt is None:
            raise ToolNotFound(params["name"])
        result = await box.get(prompt, params.get("arguments") or {}, call)
        _check(result.error)
        described = {"description": prompt.tool.description} if prompt.tool.description else {}
        return {**described, "messages": messages_of(prompt, result)}


class LocalAsker:
    """Answers what a tool asks with the handlers of the client."""

    def __init__(self, handlers: QuestionHandlers, scope: RequestScope) -> None:
        self.loop = asyncio.get_running_loop()
        self.abilities = (
            frozenset(ABILITIES.values()) if scope.answer is not None else handlers.abilities
        )
        self._answer = scope.answer or handlers.answer
        self._scope = scope

    async def ask(self, requests: Mapping[str, Question]) -> dict[str, Any]:
        """Return an answer for each key. Raises `CallError`."""
        answers: dict[str, Any] = {}
        for key, question in requests.items():
            self._scope.pause()
            try:
                came = await self._answer(key, question.method, question.params())
            finally:
                self._scope.go_on()
            try:
                answers[key] = question.answer(came)
            except ValueError as error:
                raise CallError(f"the client's answer is not valid: {error}") from error
        return answers


def _check(error: CallError | None) -> None:
    if error is not None:
        raise error
