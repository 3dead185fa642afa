"""`add_mcp`: one line that lets a program serve its own commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .._door import public
from ..read.target import framework_of

if TYPE_CHECKING:
    from ..sources.command_line import CommandLine, Mode
    from ..sources.command_tools import CommandStyle
    from ..sources.rules import Rule

A = TypeVar("A")
_HELP = "Offer the commands of this program to language models."
_OWN_WORDS = {"ignore_unknown_options": True, "allow_extra_args": True}


@public
def add_mcp(
    app: A,
    *,
    name: str = "mcp",
    rules: Sequence[Rule] | None = None,
    mode: Mode = "auto",
    style: CommandStyle = "typed",
    prefix: str | None = None,
    argv: Sequence[str] | None = None,
) -> A:
    """Add a group `mcp` to a program of Click, Typer, argparse, optparse or Cyclopts; return it.

    `PROGRAM mcp start` serves its commands over stdio, `stream` over HTTP, `tools` writes them to a
    file, and `mcp claude enable` installs them in an editor. Call it before the program parses its
    command line; commands that are added later are also offered. `rules`, `mode` and `style` are
    those of `CommandLine`; `prefix` replaces the program's name in the names of tools. Raises
    `TypeError` for any other app, and `ValueError` if the program has a command of that name.
    """
    add = _ADDERS.get(framework_of(app))
    if add is None:
        kinds = "Click, Typer, argparse, optparse or Cyclopts"
        msg = f"add_mcp takes an app of {kinds}; got {type(app).__name__}"
        raise TypeError(msg)
    if name in _words_of(app):
        msg = f'the program already has a command `{name}`: add_mcp(app, name="...") takes another'
        raise ValueError(msg)

    def line_of() -> CommandLine:
        from ..sources.command_line import CommandLine
        from ..sources.frameworks.recognise import program_of, program_of_files, running_files

        started = tuple(argv) if argv is not None else own_argv()
        program = program_of_files(program_of(app, argv=started), running_files())
        return CommandLine(program, rules=rules, mode=mode, style=style, name=prefix)

    def run(words: Sequence[str]) -> None:
        from .mcp_group import run_group

        sys.exit(run_group(words, line_of, (_shown_name(), name)))

    add(app, name, run)
    return app


def own_argv() -> tuple[str, ...]:
    """Return the words that start this very program again, from any folder."""
    if getattr(sys, "frozen", False):
        return (sys.executable,)
    if module := _own_module():
        from ..sources.frameworks.recognise import module_argv

        return module_argv(module)
    script = Path(sys.argv[0]).resolve()
    if script.suffix != ".py" and _is_executable(script):
        return (str(script),)  # a script that pip made for an entry point: it names its own Python
    return (sys.executable, str(script))


def _own_module() -> str:
    """Return the module that `python -m` was given; empty if it was a file."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return "" if spec is None else spec.name.removesuffix(".__main__")


def _shown_name() -> str:
    """Return what to call the program in its help."""
    module = _own_module()
    return f"python -m {module}" if module else Path(sys.argv[0]).name


def _words_of(app: Any) -> set[str]:
    """Return the commands that an app has so far, as far as known without running anything."""

    def held(name: str) -> Any:
        return getattr(app, name, None) or ()

    words: set[str] = {*held("commands"), *held("_commands")}
    for registered in (*held("registered_commands"), *held("registered_groups")):
        called = getattr(getattr(registered, "callback", None), "__name__", "")
        words.add(str(registered.name or called.replace("_", "-")))
    for action in held("_actions"):
        if hasattr(action, "add_parser"):
            words |= set(action.choices)
    return words


def _is_executable(file: Path) -> bool:
    import os

    return file.is_file() and os.access(file, os.X_OK)


Run = Callable[[Sequence[str]], None]


def _add_to_click(app: Any, name: str, run: Run) -> None:
    click: Any = sys.modules["click"]  # the app is built with it
    _intercept(app, "main", name, run)
    if not hasattr(app, "add_command"):
        return

    def group(words: tuple[str, ...]) -> None:
        run(words)

    words = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
    command = click.Command(
        name,
        callback=_own(group),
        params=[words],
        help=_HELP,
        add_help_option=False,
        context_settings=dict(_OWN_WORDS),
    )
    app.add_command(command)


def _add_to_typer(app: Any, name: str, run: Run) -> None:
    if not hasattr(app, "registered_commands"):  # the command that Typer has made from an app
        _intercept(app, "main", name, run)
        return
    _intercept_typer(app, name, run)
    many = len(app.registered_commands) + len(app.registered_groups) > 1
    if not many and app.registered_callback is None:
        return  # a second command would change how the only one is called
    typer: Any = sys.modules["typer"]

    def group(context: Any) -> None:
        run(context.args)

    group.__annotations__ = {"context": typer.Context, "return": None}
    register = app.command(
        name, help=_HELP, add_help_option=False, context_settings=dict(_OWN_WORDS)
    )
    register(_own(group))


def _intercept_typer(app: Any, name: str, run: Run) -> None:
    _reserve(app, name)
    kind: Any = cast("Any", type(app))

    def call(self: Any, *args: Any, **known: Any) -> Any:
        typed = known.get("args")
        words = list(sys.argv[1:] if typed is None else typed)
        if words[:1] == [name]:
            run(words[1:])
        return kind.__call__(self, *args, **known)

    # A class, since that is where Python looks up `__call__`.
    app.__class__ = type(kind.__name__, (kind,), {"__call__": call, "__module__": kind.__module__})


def _add_to_argparse(app: Any, name: str, run: Run) -> None:
    for action in app._actions:  # noqa: SLF001 - argparse has no other way
        if hasattr(action, "add_parser"):  # only for the help: the word is intercepted before
            _own(action.add_parser(name, help=_HELP, add_help=False))
    _intercept(app, "parse_known_args", name, run)


def _intercept(app: Any, method: str, name: str, run: Run) -> None:
    """Look at the first word before the program does: the program may require options."""
    _reserve(app, name)
    parse = getattr(app, method)

    def intercepted(args: Sequence[str] | None = None, *more: Any, **known: Any) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        if words[:1] == [name]:
            run(words[1:])
        return parse(args, *more, **known)

    setattr(app, method, intercepted)


def _reserve(app: Any, name: str) -> None:
    """Note that no positional may stand where the program looks for this word."""
    from ..sources.frameworks.parts import annotate
    from ..sources.program import OWN_WORD

    annotate(app, **{OWN_WORD: name})


def _add_to_optparse(app: Any, name: str, run: Run) -> None:
    _intercept(app, "parse_args", name, run)


def _add_to_cyclopts(app: Any, name: str, run: Run) -> None:
    from typing import Annotated

    cyclopts: Any = sys.modules["cyclopts"]

    def group(*words: Any) -> None:
        run(words)

    any_word = cyclopts.Parameter(allow_leading_hyphen=True)
    group.__annotations__ = {"words": Annotated[str, any_word]}
    subcommand = cyclopts.App(name=name, help=_HELP, help_flags=[], version_flags=[])
    subcommand.default(_own(group))
    app.command(subcommand)


def _own(group: Any) -> Any:
    """Mark the group that serves the program itself: it never becomes a tool."""
    from ..sources.command_tools import OWN_GROUP
    from ..sources.frameworks.parts import annotate

    return annotate(group, **{OWN_GROUP: True})


_ADDERS: dict[str, Callable[[Any, str, Run], None]] = {
    "click": _add_to_click,
    "typer": _add_to_typer,
    "argparse": _add_to_argparse,
    "optparse": _add_to_optparse,
    "cyclopts": _add_to_cyclopts,
}
