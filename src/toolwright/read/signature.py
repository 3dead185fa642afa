"""A signature and its parameters: what reading a target gives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import SchemaError

EMPTY: Any = inspect.Parameter.empty

POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
POSITIONAL_OR_KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD
KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL
VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD
VARIADIC = (VAR_POSITIONAL, VAR_KEYWORD)


class Location(NamedTuple):
    """Where a target was written."""

    file: str = ""
    line: int = 0


NOWHERE = Location()


class Parameter(NamedTuple):
    """One parameter; `hint` is the resolved type, `description` what its author wrote about it.
    `untyped` ones were let through as any value."""

    name: str
    kind: Any
    hint: Any
    default: Any = EMPTY
    description: str = ""
    untyped: bool = False


_SENTENCES = {
    "stray": "documents `{name}`, which is not a parameter",
    "unread": 'leaves "{text}" in the description: it is not clear which parameter it is about',
    "more_unread": "leaves {text} more such lines in the description",
    "any_value": "takes any value for `{name}`: {text}",
    "any_values": "takes a list of any values for `{name}`: {text}",
    "any_rest": "takes any unknown argument: {text}",
    "no_rest": "takes no unknown arguments: {text}",
    "left_out": "leaves `{name}` out: {text}",
    "keyword": "leaves the keyword `{name}` out: a parameter has that name",
    "type_part": "leaves a part of its type out: {text}",
    "default": "the default {text} is not JSON",
    "serialiser": "a serialiser without a return type may give any value",
    "no_output": "has no output schema: {text}",
    "unlisted_output": "lists no output schema: it has {name}, {text}",
}


class Lost(NamedTuple):
    """Something that an author wrote and no schema can say; as text, a sentence about the tool."""

    kind: str
    """One of the words in `_SENTENCES`."""
    name: str = ""
    """The name that it is about."""
    text: str = ""
    """What it is, or why it is lost."""
    parameter: str = ""
    """The parameter, or the definition, in whose schema it was found."""
    place: str = ""
    """Where in there, as it is shown."""

    @property
    def sentence(self) -> str:
        """What happened, without the place."""
        return _SENTENCES[self.kind].format(name=self.name, text=self.text)

    def __str__(self) -> str:
        return f"{self.place}: {self.sentence}" if self.place else self.sentence


SPELLINGS = "__toolwright_spellings__"
"""The method with which a target's class says how else its arguments may be called."""


class OtherSpelling(NamedTuple):
    """Another name for an argument, which nothing publishes."""

    key: str
    opposite: bool = False
    """It means the opposite of a boolean."""
    choice: str = ""
    """It is a boolean that stands for this value."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Signature:
    """A target, read: its name, what it takes and gives, and what its author says about it."""

    name: str
    call: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    returns: Any = EMPTY
    description: str = ""
    returns_description: str = ""
    location: Location = NOWHERE
    reserved: frozenset[str] = frozenset()
    """Names that are bound already: no caller can set them, not even through `**kwargs`."""
    unbound: bool = False
    """The target is a method without an instance: it has schemas, but cannot be called."""
    namespace: Mapping[str, Any] | None = None
    """Names local to where the target was defined, for types that refer to them."""
    problems: tuple[Lost, ...] = ()
    """What could not be kept."""

    def refusal(self, what: str, *, parameter: str = "", hint: str = "") -> SchemaError:
        """Build the error that refuses this target."""
        return SchemaError(
            what,
            tool=self.name,
            parameter=parameter,
            hint=hint,
            file=self.location.file,
            line=self.location.line,
        )
