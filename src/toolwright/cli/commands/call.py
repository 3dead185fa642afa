"""`call`: call a tool, read a resource or get a prompt."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._files import read_named
from ..._json_values import RepeatedKey, unique_keys
from ..._log.printable import keep_logs_printable, printable, say
from ...call import Call
from ...json_schema.facts import Facts, facts
from ...toolbox.box import served
from ..command import TargetCommand, option, positional, repeated, switch, words
from ..load import OpenedTarget, open_target
from ..output import print_json
from ..terminal import ProgressBar, interruptible
from ..usage import UsageError

if TYPE_CHECKING:
    from ...results import Result
    from ...toolbox.box import Toolbox


_ASKED = "what the tool asks (on a terminal you are asked)"
_INTEGER = re.compile("-?(?:0|[1-9][0-9]{0,17})")


class _Outcome(NamedTuple):
    """The outcome of a request, in the form that all kinds share."""

    result: Result
    blocks: list[dict[str, Any]]
    whole: dict[str, Any]
    """What `--json` prints."""
    is_json: bool = False
    example: str = ""
    """How a tool is called, if it was called without arguments that it needs."""


class CallCommand(TargetCommand):
    """Calls a tool, reads a resource or gets a prompt."""

    shows_rest = True
    shows_traces = True

    tool: str = positional("TOOL", "a tool, the URI of a resource, or with --prompt a prompt")
    given: list[str] = words(
        "key=value", "arguments; `key=@file` reads a file, `key=-` standard input"
    )
    json: bool = switch("print JSON; an object, @file or - after it is taken as the arguments")
    arguments: str | None = option(argparse.SUPPRESS, metavar="JSON")
    prompt: bool = switch("TOOL is the name of a prompt")
    save: str | None = option(
        "write images, audio and files of the result there", metavar="FILE|DIR"
    )
    yes: bool = switch(
        "confirm, and send forms with their defaults", group=_ASKED, excludes="consent"
    )
    no: bool = switch("decline whatever it asks", group=_ASKED, excludes="consent")
    answer: list[str] = repeated(
        "the value of a field in a form", metavar="NAME=value", group=_ASKED
    )

    @classmethod
    def rewritten(cls, typed: list[str]) -> list[str]:
        """Put `--arguments` before the JSON that follows `--json`.

        `--json` alone asks for JSON output, so argparse cannot give it a value as well.
        """
        rewritten_words: list[str] = []
        for word in typed:
            follows = bool(rewritten_words) and rewritten_words[-1] == "--json"
            if follows and word.lstrip()[:1] in ("{", "@", "["):
                rewritten_words += ["--arguments", word]
            elif follows and word == "-":
                rewritten_words.append("--arguments=-")
            else:
                rewritten_words.append(word)
        return rewritten_words

    @property
    def one_tool(self) -> str:
        """The only tool that it is about."""
        return self.tool

    def run(self) -> int:
        """Call it with JSON, and print its result."""
        opened = open_target(self)
        if not opened.usable:
            return 1
        if self.prompt:
            outcome = _get_prompt(opened.box, self)
        elif "://" in self.tool:
            outcome = _read_resource(opened.box, self)
        else:
            outcome = _call_tool(opened, self)
        return _print(outcome, self)


def _call_tool(opened: OpenedTarget, chosen: CallCommand) -> _Outcome:
    from ...errors import CallError
    from ...outcome.failure import failed
    from ...results import holds_text
    from ...serve.offering import ask_to_confirm

    box = opened.box
    if chosen.tool in box.prompts and chosen.tool not in box:
        raise UsageError(f"`{chosen.tool}` is a prompt: give --prompt")
    tool = opened.tool(chosen.tool)  # its name is checked before its arguments are
    arguments = _arguments(chosen, facts(tool.input_schema))

    async def work(call: Call) -> Result:
        if tool.options.confirm:
            try:
                await ask_to_confirm(chosen.tool, arguments, call)
            except CallError as error:
                return failed(error)
        return await box.call_async(chosen.tool, arguments, call=call)

    result = _run(box, chosen, work, confirm=tool.options.confirm)
    return _Outcome(
        result,
        result.content,
        result.to_mcp(),
        is_json=not holds_text(result),
        example=_example(chosen, tool.input_schema),
    )


def _read_resource(box: Toolbox, chosen: CallCommand) -> _Outcome:
    if chosen.given or chosen.arguments:
        raise UsageError("a resource takes no arguments: they are part of its URI")
    uri = chosen.tool
    match = served(box).find_resource(uri, None)
    if match is None:
        uris = ", ".join(box.resources) or "none"
        raise UsageError(f"there is no resource {uri}; {box.name} has {uris}")
    resource, values = match
    result = _run(box, chosen, lambda call: served(box).get(resource, values, call))
    if result.is_error:
        return _Outcome(result, [], result.to_mcp())
    from ...tools.resource import contents_of

    contents = contents_of(resource, uri, result)
    blocks: list[dict[str, Any]] = [
        {"type": "resource", "resource": content} for content in contents
    ]
    return _Outcome(result, blocks, {"contents": contents})


def _get_prompt(box: Toolbox, chosen: CallCommand) -> _Outcome:
    name = chosen.tool
    prompt = served(box).find_prompt(name, None)
    if prompt is None:
        names = ", ".join(box.prompts) or "none"
        raise UsageError(f"there is no prompt `{name}`; {box.name} has {names}")
    pairs = {pair.partition("=")[0]: {"type": "string"} for pair in chosen.given}
    values = _arguments(chosen, facts({"properties": pairs}))
    result = _run(box, chosen, lambda call: served(box).get(prompt, values, call))
    if result.is_error:
        return _Outcome(result, [], result.to_mcp())
    from ...tools.prompt import messages_of

    messages = messages_of(prompt, result)
    blocks: list[dict[str, Any]] = []
    for message in messages:
        blocks += [{"type": "text", "text": f"{message['role']}:"}, message["content"]]
    return _Outcome(result, blocks, {"messages": messages})


def _run(
    box: Toolbox,
    chosen: CallCommand,
    work: Callable[[Call], Awaitable[Result]],
    *,
    confirm: bool = False,
) -> Result:
    """Run work as a server does for a client; the client is the person at the terminal."""
    from ...run.loop import background
    from ..asking import CommandAsker, Given, Typist, need_consent

    answers = Given(True if chosen.yes else False if chosen.no else None, _pairs(chosen.answer))
    typist = Typist() if Typist.is_there() else None
    if confirm:
        need_consent(chosen.tool, answers, typist)
    # The call enters the lifespan: one that fails to open is a failed call.
    with ProgressBar(chosen.tool) as bar, interruptible(), contextlib.closing(box):

        async def asked() -> tuple[Result, set[str]]:
            asker = CommandAsker(answers, typist, bar.paused)
            call = Call(chosen.tool, on_progress=bar.update, on_log=bar.log, asker=asker)
            try:
                return await work(call), asker.used
            finally:
                if typist is not None:  # before anything is printed about the result
                    typist.stop()

        keep_logs_printable()
        result, used = background.run(asked())
    unused = [] if result.is_error else [name for name in answers.answers if name not in used]
    for name in unused:
        print(f"toolwright: nothing asked for `{printable(name)}` (--answer)", file=sys.stderr)
    return result


def _print(outcome: _Outcome, chosen: CallCommand) -> int:
    from ..blocks import print_blocks, savable, save

    result = outcome.result
    media = savable(outcome.blocks) if chosen.save and not result.is_error else []
    if chosen.json:
        print_json(outcome.whole)
    elif result.is_error:
        say(_why(result) + outcome.example)
    else:
        blocks = [block for block in outcome.blocks if not any(block is medium for medium in media)]
        print_blocks(blocks, is_json=outcome.is_json)
    if chosen.save and not result.is_error:
        for path, size in save(media, chosen.save, chosen.tool):
            print(
                f"saved {printable(str(path))} ({size:,} byte{'s' * (size != 1)})", file=sys.stderr
            )
        if not media:
            raise UsageError("the result has no image, audio or file to --save")
    return 1 if result.is_error else 0


def _why(result: Result) -> str:
    """Return what went wrong; for a question that nobody can be asked, also how to answer it."""
    from ...questions import CannotAsk

    text = result.text
    if isinstance(result.error, CannotAsk) and "elicitation" in result.error.abilities:
        return (
            f"{text}; it asks its user, and standard input is not a terminal: give --yes"
            " (with --answer NAME=value for what has no default) or --no"
        )
    return text


def _pairs(given: Sequence[str]) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in given]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise UsageError(f"--answer is written NAME=value; got `{name}`")
    return {name: value for name, _, value in pairs}


def _example(chosen: CallCommand, schema: Mapping[str, Any]) -> str:
    """Return how the tool is called, if it was called without arguments that it needs."""
    needed = schema.get("required", [])
    if chosen.given or chosen.arguments or not needed:
        return ""
    pairs = " ".join(f"{name}=..." for name in needed)
    return f"; write `toolwright call{chosen.typed.target} {chosen.tool} {pairs}`"


def _arguments(chosen: CallCommand, said: Facts) -> dict[str, Any]:
    """Return the arguments of `--json` and of `key=value`. Raises `UsageError` for one in both."""
    arguments = _object_from(chosen.arguments) if chosen.arguments else {}
    single = _values_from(chosen.given, said)
    for key in single:
        if key in arguments:
            raise UsageError(f"`{key}` is given twice: in --json, and as {key}=...")
    return {**arguments, **single}


def _object_from(text: str) -> dict[str, Any]:
    """Read an object of arguments: from the text itself, `@file`, or standard input."""
    source = sys.stdin.read() if text == "-" else _read(text[1:]) if text[0] == "@" else text
    try:
        arguments = json.loads(source, object_pairs_hook=unique_keys)
    except RepeatedKey as error:
        raise UsageError(f"{error}: give it once") from None
    except RecursionError:
        raise UsageError("the arguments are JSON that is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"the arguments are not JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise UsageError("the arguments must be one JSON object")
    return arguments  # pyright: ignore[reportUnknownVariableType]


def _values_from(pairs: list[str], said: Facts) -> dict[str, Any]:
    """Read `key=value`: JSON where it is JSON, else text; `key=@file` and `key=-` are read.

    A parameter declared as a string gets the text unchanged, whatever it looks like.
    `@@` starts a text with one `@`.
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"arguments are written key=value; got `{pair}`")
        if key in values:
            raise UsageError(_twice(key, said.inner(key), pairs))
        if value == "-":
            values[key] = sys.stdin.read()
        elif value.startswith("@@"):
            values[key] = value[1:]
        elif value.startswith("@"):
            escaped = f"; `@` reads a file, the text `{value}` is written {key}=@{value}"
            values[key] = _read(value[1:], escaped)
        elif said.inner(key).is_only("string"):
            values[key] = value
        elif said.inner(key).is_only("integer") and _INTEGER.fullmatch(value):
            values[key] = int(value)  # as it is shown to whoever has to confirm it
        else:
            values[key] = _json_or_text(value)
    return values


def _twice(key: str, said: Facts, pairs: list[str]) -> str:
    if not said.is_only("array"):
        return f"`{key}` is given twice: give it once"
    values = [_json_or_text(pair.partition("=")[2]) for pair in pairs if pair.startswith(f"{key}=")]
    is_text = said.items.is_only("string")
    texts = [json.dumps(value) if is_text else str(value) for value in values]
    return f"`{key}` is given twice: a list is {key}='[{', '.join(texts)}]'"


def _json_or_text(text: str) -> Any:
    if text[:1] in ("{", "[", '"') or text in ("true", "false", "null"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text  # numbers stay text: the declared type decides


def _read(path: str, hint: str = "") -> str:
    try:
        return read_named(path).decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}{hint}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8") from error
