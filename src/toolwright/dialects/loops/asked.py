"""Reads which calls a message of a provider asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .fields import field, listed, plain


class Asked(NamedTuple):
    """One call that a model asks for."""

    id: str
    """What its answer must name; empty if the message does not say."""
    name: str
    arguments: Any
    """An object, or text that should be the JSON of one."""
    is_legacy: bool = False
    """Whether it is the only call of a message, without an id: OpenAI's older `function_call`."""


def in_chat(message: Any) -> list[Asked]:
    """Read a message of OpenAI's Chat Completions (or any API of that shape), or its calls."""
    bare = [call for call in listed(message) if field(call, "function", "custom") is not None]
    message = _chat_message(message)
    calls = bare or listed(field(message, "tool_calls"))
    legacy = None if calls else field(message, "function_call")
    if field(legacy, "arguments") is not None:  # a part of Gemini's has `args`
        return [_asked(None, legacy, "arguments")._replace(is_legacy=True)]
    return [_chat_call(call) for call in calls]


def _chat_message(message: Any) -> Any:
    """Return the message of a whole response: of its first choice, where there are several."""
    choices = listed(field(message, "choices"))
    return field(choices[0] if choices else message, "message") or message


def _chat_call(call: Any) -> Asked:
    # Calls of custom tools, whose input is text, are answered as well.
    function = field(call, "function", "custom") or call
    return _asked(field(call, "id"), function, "arguments", "input")


def in_responses(message: Any) -> list[Asked]:
    """Read a response of OpenAI's Responses, the list of its items, or one of them."""
    items = listed(message) or listed(field(message, "output")) or [message]
    kinds = ("function_call", "custom_tool_call")
    return [
        _asked(field(item, "call_id"), item, "arguments", "input")
        for item in items
        if field(item, "type") in kinds
    ]


def in_anthropic(message: Any) -> list[Asked]:
    """Read a message from Anthropic, or the list of its blocks."""
    blocks = listed(message) or listed(field(message, "content"))
    return [
        _asked(field(block, "id"), block, "input")
        for block in blocks
        if field(block, "type") == "tool_use"
    ]


def in_gemini(message: Any) -> list[Asked]:
    """Read a content from Gemini, the response that has it, or the list of its parts."""
    candidates = listed(field(message, "candidates"))
    content = field(candidates[0], "content") if candidates else message
    parts = listed(content) or listed(field(content, "parts"))
    calls = [field(part, "functionCall", "function_call") for part in parts]
    return [_asked(field(call, "id"), call, "args") for call in calls if call is not None]


def in_converse(message: Any) -> list[Asked]:
    """Read a message from Bedrock's Converse, the response that has it, or its blocks."""
    message = field(field(message, "output"), "message") or message
    blocks = listed(message) or listed(field(message, "content"))
    calls = [field(block, "toolUse") for block in blocks]
    return [_asked(field(call, "toolUseId"), call, "input") for call in calls if call is not None]


def _asked(call_id: Any, call: Any, *arguments: str) -> Asked:
    name = field(call, "name")
    return Asked(
        "" if call_id is None else str(call_id),
        name if isinstance(name, str) else "",
        plain(field(call, *arguments)),
    )


Reader = Callable[[Any], list[Asked]]
READERS: Mapping[str, Reader] = {
    "openai": in_chat,
    "openai-responses": in_responses,
    "anthropic": in_anthropic,
    "gemini": in_gemini,
    "gemini-openapi": in_gemini,
    "bedrock": in_converse,
    "nova": in_converse,
    "mistral": in_chat,
    "cohere": in_chat,
    "xai": in_chat,
    "groq": in_chat,
    "deepseek": in_chat,
    "ollama": in_chat,
}
WITHOUT_IDS = frozenset(("gemini", "gemini-openapi", "ollama"))
"""Where calls may have no id: answers are told apart by name and order."""


def asked_in(message: Any, dialect: str) -> list[Asked]:
    """Return the calls that a message asks for, in its order.

    Raises `ValueError` for a dialect whose messages have no calls, and for a message of another
    provider: without calls, it would be taken for the end of the conversation.
    """
    reader = READERS.get(dialect)
    if reader is None:
        dialects = ", ".join(READERS)
        msg = f"{dialect!r} has no messages that ask for tools; those of {dialects} do"
        raise ValueError(msg)
    if message is None or isinstance(message, str | bytes | int | float):
        kind = type(message).__name__
        msg = f"a message of {dialect} is a dict or an object of its SDK; got {kind}"
        raise TypeError(msg)
    calls = reader(message)
    if not calls:
        _refuse_message_of_another(message, dialect, reader)
    return calls


def _refuse_message_of_another(message: object, dialect: str, read: Reader) -> None:
    tried = {read}
    for name, reader in READERS.items():
        if reader not in tried and reader(message):
            msg = f"the message asks for tools as those of {name} do, not those of {dialect}"
            raise ValueError(msg)
        tried.add(reader)
