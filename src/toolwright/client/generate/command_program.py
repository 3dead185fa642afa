"""What generated command-line programs run."""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..._json_values import strict_json
from ..._log.printable import printable
from ...errors import ToolwrightError


def json_value(text: str) -> Any:
    """Read the JSON of an option."""
    try:
        return strict_json(text)
    except (ValueError, RecursionError) as error:
        msg = f"`{text[:60]}` is not JSON ({error})"
        raise argparse.ArgumentTypeError(msg) from None


def run_command(
    parser: argparse.ArgumentParser,
    functions: Mapping[str, Callable[..., Any]],
    words: Sequence[str] | None = None,
) -> int:
    """Run the function of the command that was chosen, print its value, and return the exit code.

    The code is 1 for a call that failed, 2 for a mistake on the command line, and otherwise 0.
    """
    given = _parsed(parser, words)
    function = functions[given.pop("the command")]
    try:
        value = function(**given)
        if inspect.iscoroutine(value):
            from ...run.loop import background

            value = background.run(value)
    except (ToolwrightError, OSError) as error:
        print(f"{parser.prog}: {printable(str(error))}", file=sys.stderr)  # noqa: T201
        return 1
    except KeyboardInterrupt:
        return 130
    try:
        print(_shown(value))  # noqa: T201
    except BrokenPipeError:
        return 0
    return 0


def _parsed(parser: argparse.ArgumentParser, words: Sequence[str] | None) -> dict[str, Any]:
    """Parse a command line; help and errors repeat what a server says, and control no terminal."""
    out, said = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            return vars(parser.parse_args(words))
    finally:
        sys.stdout.write(printable(out.getvalue()))
        sys.stderr.write(printable(said.getvalue()))


def _shown(value: Any) -> str:
    """Return text as it is, on a terminal without what controls it, and anything else as JSON."""
    if isinstance(value, str):
        return printable(value) if sys.stdout.isatty() else value
    from pydantic_core import to_jsonable_python

    try:
        plain = to_jsonable_python(value, by_alias=True)
    except Exception:  # noqa: BLE001 - content, such as an image
        return str(value)
    return json.dumps(plain, indent=2, ensure_ascii=not sys.stdout.isatty() and _is_plain())


def _is_plain() -> bool:
    """Return whether standard output cannot hold every character."""
    return (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
