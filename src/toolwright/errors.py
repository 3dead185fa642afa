"""Everything Toolwright raises.

    ToolwrightError
    +-- DefinitionError            the author's: a target cannot become a tool
    |   +-- SchemaError            (ValueError) names tool, parameter, file and line, and the fix
    +-- StoreError                 (OSError) the file of a store cannot be used
    +-- LockError                  (ValueError) a lock file cannot be read or written
    +-- CallError                  the run's
        +-- ArgumentError          (ValueError) the arguments do not fit the tool
        +-- ToolError              raised by an author to speak to the model
        +-- ResultError            the value cannot be sent, or breaks its declared type
        +-- UnexpectedError        anything else a tool raised; `__cause__` has it
        +-- ToolNotFound           (KeyError) no tool of that name
        +-- ToolTimeout            (TimeoutError) no answer by the deadline
        +-- CallCancelled          the caller no longer wants the answer
        +-- ServerUnavailable      (ConnectionError) another server cannot be reached, or is gone
        +-- Overloaded             too much at once; `retry_after` says when to come back

Messages are for reading and may change; `code` is stable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from ._door import public
from ._words import truncate

__all__ = [
    "ArgumentError",
    "CallCancelled",
    "CallError",
    "DefinitionError",
    "Fault",
    "LockError",
    "Overloaded",
    "ResultError",
    "SchemaError",
    "ServerUnavailable",
    "StoreError",
    "ToolError",
    "ToolNotFound",
    "ToolTimeout",
    "ToolwrightError",
    "UnexpectedError",
]


@public
class ToolwrightError(Exception):
    """The root of every exception that crosses Toolwright's API."""

    code: str = "error"

    def __init__(self, message: str, *, path: Sequence[str | int] = (), hint: str = "") -> None:
        self.message = _as_text(message)
        super().__init__(self.message)
        self.path = tuple(path)
        self.hint = _as_text(hint)

    def __str__(self) -> str:
        return f"{self.message} - {self.hint}" if self.hint else self.message


def _as_text(value: object) -> str:
    """Return an author's message as text, even if it is something else."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001
        return type(value).__name__


@public
class DefinitionError(ToolwrightError):
    """One or more targets cannot become tools; `problems` has one `SchemaError` for each."""

    code = "definition"

    def __init__(
        self,
        message: str = "",
        *,
        problems: Iterable[SchemaError] = (),
        path: Sequence[str | int] = (),
        hint: str = "",
    ) -> None:
        self.problems: tuple[SchemaError, ...] = tuple(problems)
        if not message:
            lines = "".join(f"\n  {problem}" for problem in self.problems)
            message = f"{len(self.problems)} targets cannot become tools:{lines}"
        super().__init__(message, path=path, hint=hint)


@public
class SchemaError(DefinitionError, ValueError):
    """A target cannot become a tool: which one, which parameter, where, and what to do."""

    code = "schema"

    def __init__(
        self,
        what: str,
        *,
        tool: str,
        parameter: str = "",
        hint: str = "",
        file: str = "",
        line: int = 0,
    ) -> None:
        subject = f"{tool}.{parameter}" if parameter else tool
        super().__init__(f"{subject} {what}", path=(parameter,) if parameter else (), hint=hint)
        self.what = what
        self.tool = tool
        self.parameter = parameter
        self.file = file
        self.line = line
        self.problems = (self,)

    def named(self, tool: str) -> SchemaError:
        """Return the same refusal under the name that the tool was to have."""
        return self._named(tool)()

    def _named(self, tool: str) -> partial[SchemaError]:
        return partial(
            SchemaError,
            self.what,
            tool=tool,
            parameter=self.parameter,
            hint=self.hint,
            file=self.file,
            line=self.line,
        )

    def at(self, file: str, line: int) -> SchemaError:
        """Set where it is, and return it."""
        self.file, self.line = file, line
        return self

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        where = f" ({place})" if place else ""
        return f"{super().__str__()}{where}"

    def __reduce__(self) -> tuple[object, ...]:
        return self._named(self.tool), ()


@public
class StoreError(ToolwrightError, OSError):
    """The file of a store cannot be used: which one, and why. Never sent to a caller."""

    code = "store"


@public
class LockError(ToolwrightError, ValueError):
    """A lock file cannot be read or written, or is not one."""

    code = "lock"


@public
class CallError(ToolwrightError):
    """A call did not succeed."""

    code = "call"

    def for_model(self) -> str:
        """Return what a model should know."""
        return str(self)


@public
class ToolError(CallError):
    """Raise it in a tool to say something to the model; every word of it is sent.

    >>> raise ToolError("the shop is closed", code="closed", retryable=True, hint="try at nine")
    Traceback (most recent call last):
    ...
    toolwright.ToolError: the shop is closed - try at nine
    """

    code = "tool_error"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        retryable: bool | None = None,
        hint: str = "",
        path: Sequence[str | int] = (),
    ) -> None:
        super().__init__(message, hint=hint, path=path)
        self.retryable = retryable
        if code is not None:
            self.code = str(getattr(code, "value", code))


@public
class ResultError(CallError):
    """A tool's value cannot be sent as JSON, or is not of the type it declares."""

    code = "result"


@public
class UnexpectedError(CallError):
    """A tool raised something it did not mean the model to see; `__cause__` has it."""

    code = "unexpected"


MOST_FAULTS = 5
"""How many faults the message names."""


class Fault:
    """One thing wrong with one argument: its path, a stable code, and a line of text."""

    __slots__ = ("code", "path", "text")

    def __init__(self, path: Sequence[str | int], code: str, text: str) -> None:
        self.path = tuple(path)
        self.code = code
        self.text = text

    def __repr__(self) -> str:
        return f"Fault({self.path!r}, {self.code!r}, {self.text!r})"


@public
class ArgumentError(CallError, ValueError):
    """The arguments do not fit the tool; `faults` has one entry for each thing wrong."""

    code = "arguments"

    def __init__(
        self, tool: str, faults: Iterable[Fault], *, count: int = 0, more: bool = False
    ) -> None:
        self.tool = tool
        self.faults: tuple[Fault, ...] = tuple(faults)
        self.count = max(count, len(self.faults))
        """How many faults there are: if very many, only the first are in `faults`."""
        self.more = more
        """Whether there are more than `count`: they were not looked for."""
        lines = [fault.text for fault in self.faults[:MOST_FAULTS]]
        if more:
            lines.append("... and more")
        elif self.count > len(lines):
            lines.append(f"... and {self.count - len(lines)} more")
        path = self.faults[0].path if self.faults else ()
        super().__init__(f"{tool}: " + "\n".join(lines), path=path)

    def __reduce__(self) -> tuple[object, ...]:
        again = partial(ArgumentError, self.tool, self.faults, count=self.count, more=self.more)
        return again, ()


@public
class ToolNotFound(CallError, KeyError):
    """No tool of that name."""

    code = "not_found"

    def __init__(self, name: str, *, hint: str = "") -> None:
        super().__init__(f"unknown tool `{truncate(name, 128)}`", hint=hint)
        self.name = name

    def __reduce__(self) -> tuple[object, ...]:
        return partial(ToolNotFound, self.name, hint=self.hint), ()


@public
class ToolTimeout(CallError, TimeoutError):
    """There was no answer by the deadline."""

    code = "timeout"
    retryable = True


@public
class CallCancelled(CallError):
    """The caller no longer wants the answer."""

    code = "cancelled"


@public
class ServerUnavailable(CallError, ConnectionError):
    """Another server cannot be reached, has ended, or does not speak the protocol."""

    code = "unavailable"


@public
class Overloaded(CallError):
    """Too much at once: nothing was run. `retry_after` is in seconds."""

    code = "overloaded"
    retryable = True

    def __init__(self, message: str, *, retry_after: float = 1.0, hint: str = "") -> None:
        self.retry_after = max(round(retry_after, 3), 0.001)
        super().__init__(message, hint=hint or f"try again in {_seconds(self.retry_after)}")

    def __reduce__(self) -> tuple[object, ...]:
        return partial(Overloaded, self.message, retry_after=self.retry_after, hint=self.hint), ()


def _seconds(number: float) -> str:
    return f"{number:.3g} s" if number < 10 else f"{number:.0f} s"
