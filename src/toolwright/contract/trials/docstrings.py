"""Examples in docstrings: run as doctest runs them, through the tool.

The tool's own name there makes a real call: arguments become JSON and are validated, and the value
of the result is returned.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import functools
import inspect
import io
import itertools
import json
import re
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pydantic_core import PydanticSerializationError, to_jsonable_python

from ...read.docstring_parts import doc_of
from ...read.signature import POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VARIADIC
from ...read.source import whole_module
from ...tools.definition import signature_of
from .calls import Kind, Outcome, TrialCalls, totals
from .examples import Example, raised

if TYPE_CHECKING:
    from ...tools.definition import Tool


_SECTION = re.compile(r"\A\s*+(?:examples?|usage)\s*+(:{0,2})\s*+\Z", re.IGNORECASE)
_UNDERLINE = re.compile(r"\A\s*+[-=~]{3,}+\s*+\Z")
_AWAIT = re.compile(r"\bawait\s+")
_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_MOST_CALLS = 50
"""How many calls in one docstring are read."""
_MOST_READ = 100_000
"""How many characters of one docstring are read."""


def docstring_examples(name: str, tool: Tool) -> list[Trial]:
    """Return the examples in the docstring of a tool."""
    docstring = doc_of(tool.target)[:_MOST_READ]
    text = inspect.cleandoc(docstring)
    if not text:
        return []
    first = line_of_docstring(tool)
    # `cleandoc` drops the blank lines before the text.
    first += first and docstring[: len(docstring) - len(docstring.lstrip())].count("\n")
    file = signature_of(tool).location.file
    names = _names(name, tool)

    def place(line: int) -> str:
        return f"{file}:{first + line}" if file and first else file

    trials: list[Trial] = []
    try:
        lines = doctest.DocTestParser().get_examples(text)
    except ValueError as error:  # a prompt that is indented oddly
        lines = []
        trials.append(UnreadExample(name, place(0), str(error)))
    if any(_mentions(line.source, names) for line in lines):
        where = next(line.lineno for line in lines if _mentions(line.source, names))
        trials.append(DocstringExamples(name, tool, tuple(lines), names, place(where)))
    for line, call in _calls_in_sections(text, names):
        try:
            arguments = _literal_arguments(call, tool)
        except ValueError:
            continue  # prose that looks like a call
        trials.append(Example(tool=name, arguments=arguments, source=place(line), kind="docstring"))
    return trials


def written_arguments(tool: Tool) -> list[dict[str, Any]]:
    """Return the arguments of the calls that the docstring of a tool writes out; none is run."""
    text = inspect.cleandoc(doc_of(tool.target)[:_MOST_READ])
    names = _names(tool.name, tool)
    if "{" not in text and not any(f"{name}(" in text for name in names):
        return []  # as most docstrings: reading them for examples takes a while
    calls = [call for _, call in _calls_in_sections(text, names)]
    try:
        lines = doctest.DocTestParser().get_examples(text)
    except ValueError:  # a prompt that is indented oddly
        lines = []
    sources = [line.source for line in lines if line.exc_msg is None]  # no example to follow
    doctest_calls = [_call_from(_AWAIT.sub("", source).strip(), names) for source in sources]
    arguments: list[dict[str, Any]] = []
    for call in itertools.islice(
        [*(call for call in doctest_calls if call is not None), *calls], _MOST_CALLS
    ):
        with contextlib.suppress(ValueError, RecursionError):
            arguments.append(_literal_arguments(call, tool))
    return arguments


def _names(name: str, tool: Tool) -> frozenset[str]:
    """Return the names by which a docstring may call the tool."""
    function_name = getattr(tool.target, "__name__", name)
    return frozenset(
        candidate
        for candidate in (name, function_name, name.rpartition(".")[2])
        if candidate.isidentifier()
    )


def _mentions(source: str, names: frozenset[str]) -> bool:
    return any(re.search(rf"(?<![\w.]){re.escape(name)}\s*\(", source) for name in names)


@dataclass(frozen=True, slots=True)
class UnreadExample:
    """A docstring whose examples cannot be read."""

    tool: str
    source: str
    why: str
    label: str = ""
    kind: Kind = "docstring"

    def run(self, calls: TrialCalls) -> Outcome:
        """Return a failure that says why."""
        return Outcome(
            tool=self.tool, kind="docstring", status="failed", source=self.source, detail=self.why
        )


@dataclass(frozen=True, slots=True)
class DocstringExamples:
    """All `>>>` lines of one docstring, run in order, since they depend on each other."""

    tool: str
    defined: Tool
    lines: tuple[doctest.Example, ...]
    names: frozenset[str]
    source: str
    label: str = ""
    kind: Kind = "docstring"

    def run(self, calls: TrialCalls) -> Outcome:
        """Run the lines; the first whose outcome is not as written fails them all."""
        before = len(calls.made)
        last: list[dict[str, Any]] = []

        def through_the_tool(*given: Any, **named: Any) -> Any:
            arguments = _as_json(_named(self.defined, given, named))
            last[:] = [arguments]
            result = calls.call(self.tool, arguments)
            if result.error is not None and result.error.__cause__ is not None:
                raise result.error.__cause__ from None
            return result.value

        fault = self._first_fault(through_the_tool)
        return Outcome(
            tool=self.tool,
            kind="docstring",
            status="failed" if fault else "passed",
            source=self.source,
            detail=fault,
            arguments=last[0] if fault and last else None,
            errors=sum(call.is_error for call in calls.made[before:]),
            **totals(calls.made[before:]),
        )

    def _first_fault(self, through_the_tool: Callable[..., Any]) -> str:
        target = inspect.unwrap(self.defined.target)
        names = dict(getattr(target, "__globals__", {}))
        names |= dict.fromkeys(self.names, through_the_tool)
        names["__name__"] = "__main__"
        for line in self.lines:
            if line.options.get(doctest.SKIP):
                continue
            if fault := _fault_of(line, names):
                return fault
        return ""


Trial: TypeAlias = Example | DocstringExamples | UnreadExample
"""What can be tried; whatever happens, there is an outcome."""


def _fault_of(line: doctest.Example, names: dict[str, Any]) -> str:
    """Run one line; return what is wrong with its outcome."""
    printed, outcome = io.StringIO(), ""
    source = _AWAIT.sub("", line.source)
    with _shown_in(printed):
        try:
            exec(compile(source, "<docstring>", "single", dont_inherit=True), names)  # noqa: S102 - the author's own example
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - it may be what the example shows
            outcome = "".join(_last_line(error))
            if line.exc_msg is None:
                return f"`{source.strip()}` raised {raised(error)}"
    flags = _OPTIONS
    for flag, is_set in line.options.items():
        flags = flags | flag if is_set else flags & ~flag
    checker = doctest.OutputChecker()
    if line.exc_msg is not None:
        if not outcome:
            return f"`{source.strip()}` should have raised {line.exc_msg.strip()}"
        if checker.check_output(_bare(line.exc_msg), _bare(outcome), flags):
            return ""
        return (
            f"`{source.strip()}` should have raised {line.exc_msg.strip()}; got {outcome.strip()}"
        )
    got = printed.getvalue()
    # Many examples show only a call, and not its outcome.
    if not line.want or checker.check_output(line.want, got, flags):
        return ""
    return (
        f"`{source.strip()}` should give {line.want.strip()}; got {got.strip()[:500] or 'nothing'}"
    )


@contextlib.contextmanager
def _shown_in(printed: io.StringIO) -> Generator[None]:
    """Capture what a line prints, and the value of an expression.

    What the tool prints in its own thread is not part of what it returns, and is left out.
    """

    def show(value: Any) -> None:
        if value is not None:
            printed.write(f"{value!r}\n")

    hook, sys.displayhook = sys.displayhook, show
    before, sys.stdout = sys.stdout, _OfThread(printed, sys.stdout)
    try:
        yield
    finally:
        sys.displayhook, sys.stdout = hook, before


class _OfThread(io.TextIOBase):
    """Sends what this thread writes to one stream, and everything else to another."""

    def __init__(self, own: io.StringIO, other: Any) -> None:
        self.own, self.other, self.thread = own, other, threading.get_ident()

    def write(self, text: str, /) -> int:
        is_own_thread = threading.get_ident() == self.thread
        return (self.own if is_own_thread else self.other).write(text)


def _last_line(error: BaseException) -> list[str]:
    return traceback.format_exception_only(error)


def _bare(said: str) -> str:
    """Return what an exception says, without the module of its class."""
    kind, colon, message = said.partition(":")
    return f"{kind.rpartition('.')[2]}{colon}{message}"


# -- arguments


def _named(tool: Tool, given: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments by name. Raises `TypeError` for too many."""
    signature = signature_of(tool)
    published = tool.input_schema.get("properties", {})
    kinds = (POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD)
    names = [parameter.name for parameter in signature.parameters if parameter.kind in kinds]
    # Parameters that no caller can set are not in the schema.
    names = [name for name in names if name in published]
    arguments: dict[str, Any] = dict(zip(names, given, strict=False))
    further = given[len(names) :]
    variadic = next(
        (parameter for parameter in signature.parameters if parameter.kind == VARIADIC[0]), None
    )
    if further and (variadic is None or variadic.name not in published):
        msg = f"{tool.name} takes {len(names)} arguments by position; got {len(given)}"
        raise TypeError(msg)
    if further and variadic is not None:
        arguments[variadic.name] = list(further)
    return arguments | dict(named)


def _as_json(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments as a client would send them. Raises `TypeError`."""
    try:
        return cast("dict[str, Any]", to_jsonable_python(dict(arguments)))
    except PydanticSerializationError as error:
        msg = f"an argument cannot be sent as JSON: {error}"
        raise TypeError(msg) from None


def _literal_arguments(call: ast.Call | str, tool: Tool) -> dict[str, Any]:
    """Return the arguments of a call that is written out. Raises `ValueError`."""
    if isinstance(call, str):
        return json.loads(call)
    if any(keyword.arg is None for keyword in call.keywords):
        msg = "it has `**`"
        raise ValueError(msg)
    positional = tuple(ast.literal_eval(argument) for argument in call.args)
    by_keyword = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    try:
        return _as_json(_named(tool, positional, by_keyword))
    except TypeError as error:
        raise ValueError(str(error)) from None


# -- sections


def _calls_in_sections(text: str, names: frozenset[str]) -> Iterator[tuple[int, ast.Call | str]]:
    """Yield calls, or arguments as JSON, in sections of examples, each with its line."""
    for start, block in _sections(text):
        for line, call in itertools.islice(_calls_in(block, names), _MOST_CALLS):
            yield start + line, call


def _sections(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the sections of examples: the number of their first line, and their lines."""
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        heading = lines[index]
        index += 1
        match = _SECTION.match(heading)
        underlined = index < len(lines) and bool(_UNDERLINE.match(lines[index]))
        if match is None or not (match[1] or underlined):
            continue
        margin = len(heading) - len(heading.lstrip())
        index += underlined
        start = index
        while index < len(lines) and not _ends(lines, index, margin, underlined=underlined):
            index += 1
        yield start, lines[start:index]


def _ends(lines: list[str], at: int, margin: int, *, underlined: bool) -> bool:
    """Return whether a section of examples ends before a line."""
    line = lines[at]
    if not line.strip():
        return False
    if underlined:
        return at + 1 < len(lines) and bool(_UNDERLINE.match(lines[at + 1]))
    return len(line) - len(line.lstrip()) <= margin


def _calls_in(block: list[str], names: frozenset[str]) -> Iterator[tuple[int, ast.Call | str]]:
    """Yield the calls of a section: lines that are calls, perhaps quoted or in a list."""
    index = 0
    while index < len(block):
        line = block[index].strip().removeprefix("- ").removeprefix("* ").strip("`").strip()
        line = line.removeprefix("await ")
        if line.startswith(">>>"):
            while index < len(block) and block[index].strip():  # doctest reads them, with output
                index += 1
            continue
        if _starts_with_call(line, names):
            for end in range(index + 1, min(index + 21, len(block)) + 1):
                call = _call_from("\n".join([line, *block[index + 1 : end]]).strip("`"), names)
                if call is not None:
                    yield index, call
                    index = end - 1
                    break
        elif line.startswith("{") and line.endswith("}"):
            with contextlib.suppress(ValueError, RecursionError):
                if isinstance(json.loads(line), dict):
                    yield index, line
        index += 1


def _starts_with_call(line: str, names: frozenset[str]) -> bool:
    return any(line.startswith(f"{name}(") for name in names)


def _call_from(source: str, names: frozenset[str]) -> ast.Call | None:
    try:
        tree = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    is_call = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)
    return cast("ast.Call", tree) if is_call and cast("Any", tree).func.id in names else None


def line_of_docstring(tool: Tool) -> int:
    """Return the line on which the docstring of a tool begins; 0 if that is not known."""
    place = signature_of(tool).location
    return _docstrings(place.file).get(place.line, 0) if place.file else 0


@functools.lru_cache(maxsize=32)
def _docstrings(file: str) -> dict[int, int]:
    """Return the first lines of docstrings, by the first lines of their functions and classes."""
    try:
        tree = whole_module(file)
    except (RecursionError, MemoryError):
        tree = None
    docstring_lines: dict[int, int] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            lines = [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
            docstring_lines |= dict.fromkeys(range(min(lines), node.lineno + 1), first.lineno)
    return docstring_lines
