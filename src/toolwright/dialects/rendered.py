"""What came of rendering: definitions, and the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .._json_values import JsonObject, is_object, strict_json
from .._log.printable import printable
from .._words import did_you_mean, truncate
from ..arguments.sample import no_collection
from ..errors import ToolNotFound
from .codecs import Codec, decoded
from .wire import Sent, definitions

if TYPE_CHECKING:
    from ..results import Result


class Decoded(NamedTuple):
    """A call as the tool itself takes it."""

    name: str
    arguments: Any
    """An object; anything else is left as it came, for the tool to refuse."""


class Rendered:
    """Tools as one provider or client takes them, and how to undo that."""

    __slots__ = (
        "_codecs",
        "_definitions",
        "_search",
        "_sent",
        "_wire",
        "dialect",
        "losses",
        "names",
        "request",
        "strict",
    )

    def __init__(
        self,
        dialect: str,
        wire: str,
        sent: Sequence[Sent],
        codecs: Mapping[str, tuple[str, Codec | None]],
        losses: tuple[Loss, ...],
        strict: frozenset[str],
        request: JsonObject,
        search: Mapping[str, Any],
    ) -> None:
        self.dialect = dialect
        """The name of the dialect."""
        self.names: Mapping[str, str] = MappingProxyType(
            {name: tool_name for name, (tool_name, _) in codecs.items()}
        )
        """Each tool's own name, by its published name."""
        self.losses = losses
        """What could not be expressed."""
        self.strict = strict
        """The tools' own names, for those that the provider is asked to enforce."""
        self.request = request
        """What else belongs in the request."""
        self._codecs = codecs
        self._wire = wire
        self._sent = sent
        self._search = search
        self._definitions: list[JsonObject] | None = None

    def __repr__(self) -> str:
        count = len(self.names)
        return f"<Rendered {self.dialect}: {count} tool{'s' * (count != 1)}>"

    @property
    def definitions(self) -> list[JsonObject]:
        """The tools as the provider's requests have them: plain dicts, which you may change."""
        if self._definitions is None:
            with no_collection():
                self._definitions = definitions(self._wire, self._sent, self._search)
        return self._definitions

    def decode(self, name: str, arguments: Any = None) -> Decoded:
        """Return the tool's own name and arguments for a call. Raises `ToolNotFound`.

        `arguments` is an object or JSON text. What has another shape than was asked for is left as
        it is: the tool's own validation explains it.
        """
        entry = self._codecs.get(name) if isinstance(name, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
        if entry is None:
            raise ToolNotFound(str(name), hint=did_you_mean(str(name), self.names))
        tool_name, codec = entry
        if isinstance(arguments, str | bytes):
            try:
                arguments = strict_json(arguments) if arguments.strip() else {}
            except (ValueError, RecursionError):
                return Decoded(tool_name, arguments)
        if arguments is None:
            arguments = {}  # how some providers write a call without arguments
        elif isinstance(arguments, Mapping) and not is_object(arguments):
            arguments = dict(cast("Mapping[str, Any]", arguments))
        return Decoded(tool_name, decoded(arguments, codec))

    def result(self, result: Result, call_id: str | None = "", name: str = "") -> JsonObject:
        """Return a result as the provider takes it: a message, or one block of a message.

        Anthropic, Gemini and Bedrock take the results of one turn as blocks of one message, in the
        role of the user. `name` is the tool's own or published name; `call_id=None` answers a
        `function_call`, which has no id.
        """
        from .messages import ToolAnswer, message

        if name not in self.names:
            published_names = {
                tool_name: published_name for published_name, tool_name in self.names.items()
            }
            name = published_names.get(name, name)
        return message(self.dialect, self._wire, ToolAnswer(result, call_id, name))


_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing in one tool that a dialect cannot express, or a limit that the tool broke."""

    tool: str
    """The tool's own name; empty if it concerns all tools."""
    path: str
    """Where in the arguments: `filters.tags[]`; empty for the whole tool."""
    keyword: str
    """The keyword or rule: `uniqueItems`, `$ref`, `name`, `strict`, `tools`."""
    message: str
    """What was done about it."""

    def __str__(self) -> str:
        place = ".".join(truncate(part, _LONGEST) for part in (self.tool, self.path) if part)
        reason = f"{self.keyword} {self.message}" if self.keyword else self.message
        return printable(f"{place}: {reason}" if place else reason).replace("\n", " ")
