"""Loops with a provider: the calls asked for, and their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .._json_values import is_object, strict_json
from ..arguments.repair import UNREADABLE, decode
from ..errors import CallError

if TYPE_CHECKING:
    from .rendered import Rendered


def field(value: Any, *names: str) -> Any:
    """Return the first of these fields that is there; None if none is.

    Some SDKs name a field differently from the wire: `function_call` is `functionCall`.
    """
    for name in names:
        content: Any
        if isinstance(value, Mapping):
            content = cast("Mapping[str, Any]", value).get(name)
        else:
            content = getattr(value, name, None)
        if content is not None:
            return content
    return None


def listed(value: Any) -> list[Any]:
    """Return the items of a list; nothing for any other value, such as a placeholder."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return list(cast("Sequence[Any]", value))
    return []


def plain(value: Any) -> Any:
    """Return an SDK's object as the JSON it stands for; anything else as it is."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    return dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value


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


def by_id(asked: list[Asked], dialect: str) -> Iterator[tuple[Asked, CallError | None]]:
    """Yield every call with the reason not to run it, if any; of those with one id, the first.

    Providers refuse two answers to one id. The same call twice is run once. If two calls
    with one id differ, nobody could say whose answer it is: neither is run.
    """
    first: dict[str, Asked] = {}
    differ: set[str] = set()
    for call in asked:
        if first.setdefault(call.id, call) != call:
            differ.add(call.id)
    answered: set[str] = set()
    for call in asked:
        if not call.id:
            needs_none = call.is_legacy or dialect in WITHOUT_IDS
            yield call, None if needs_none else _without_id(call)
        elif call.id not in answered:
            answered.add(call.id)
            yield call, _same_id(call) if call.id in differ else None


def _without_id(asked: Asked) -> CallError:
    return CallError(
        f"{asked.name or 'a tool'} was not run: the call has no id, so it cannot be answered",
        hint="send every call with an id of its own",
    )


def _same_id(asked: Asked) -> CallError:
    return CallError(
        f"nothing was run: different calls have the id {asked.id[:100]!r}",
        hint="send every call with an id of its own",
    )


def own_call(asked: Asked, rendered: Rendered) -> tuple[str, Any]:
    """Return the tool's own name and arguments.

    An unknown tool, or arguments that are not an object, are passed on as they came: running
    the call says what is wrong.
    """
    published = _published(asked.name, rendered)
    arguments = _object_in(asked.arguments)
    if published is None:
        return asked.name, arguments
    if not is_object(arguments):
        return rendered.names[published], asked.arguments
    decoded = rendered.decode(published, arguments)
    return decoded.name, decoded.arguments


def _published(name: str, rendered: Rendered) -> str | None:
    """Return the name that a tool was sent with; a model may use the tool's own, from an error."""
    if name in rendered.names:
        return name
    return next((sent for sent, tool_name in rendered.names.items() if tool_name == name), None)


def _object_in(sent: Any) -> Any:
    """Read arguments that came as text; a call without parameters may have none."""
    if sent is None or (isinstance(sent, str) and not sent.strip()):
        return {}
    if not isinstance(sent, str):
        return sent
    try:
        arguments = strict_json(sent)
    except (ValueError, RecursionError):
        arguments = decode(sent)
        return sent if arguments is UNREADABLE else arguments
    if isinstance(arguments, str):  # encoded twice
        arguments = decode(arguments)
    return {} if arguments is None else arguments


_AROUND: dict[str, str] = {
    "anthropic": "content",
    "bedrock": "content",
    "nova": "content",
    "gemini": "parts",
    "gemini-openapi": "parts",
}
"""Dialects that want all answers in one user message, and the key of the answers there."""


def grouped(dialect: str, answers: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the messages to append; by default one for each answer."""
    key = _AROUND.get(dialect)
    if key is None:
        return list(answers)
    return [{"role": "user", key: [part for answer in answers for part in _parts(answer, key)]}]


def _parts(answer: dict[str, Any], key: str) -> list[Any]:
    """Return an answer, without the message around it if it has one."""
    return answer[key] if answer.get("role") == "user" else [answer]
