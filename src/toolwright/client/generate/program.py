"""The source of a command-line program around a generated module."""

from __future__ import annotations

import re

from ..._door import DOOR
from ..._words import value_text
from ..callables.shapes import (
    ListShape,
    LiteralShape,
    PlainShape,
    RecordField,
    SchemaShape,
    UnionShape,
)
from .literals import one_line, text_literal
from .module import GeneratedFunction, GeneratedModule

_COMMAND = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]*")
_MOST_HELP = 500
_PLAIN_CHOICES = re.compile(r"[A-Za-z0-9_.,+-]{1,60}")


def program_source(made: GeneratedModule, server: str) -> list[str]:
    """Return the function `main`, with a subcommand for each tool, and the line that runs it."""
    hints = made.hints
    hints.need("argparse")
    hints.need("sys")
    hints.need("collections.abc", "Callable", "Sequence")
    hints.need("typing", "Any")
    hints.need(f"{DOOR}.client", "run_command")
    # The dest has a space: no parameter can have that name.
    about = f"Call the tools of {one_line(server)}."
    lines = [
        "def main(words: Sequence[str] | None = None) -> int:",
        '    """Run one tool from the command line."""',
        "    parser = argparse.ArgumentParser(",
        f"        description={_help(about)},",
        "    )",
        f"    {'commands = ' if made.functions else ''}parser.add_subparsers(",
        '        dest="the command",',
        '        metavar="COMMAND",',
        "        required=True,",
        "    )",
    ]
    pairs: list[str] = []
    for function, name in zip(made.functions, _command_names(made.functions), strict=True):
        lines += _subcommand(function, name, made)
        pairs.append(f"        {text_literal(name)}: {function.name},")
    table = "    functions: dict[str, Callable[..., Any]] = {"
    lines += [
        *([table, *pairs, "    }"] if pairs else [f"{table}}}"]),
        "    return run_command(parser, functions, words)",
    ]
    return ["\n".join(lines), 'if __name__ == "__main__":\n    sys.exit(main())']


def _command_names(functions: list[GeneratedFunction]) -> list[str]:
    """Return the words that call the functions: the tools' own names where those can be typed."""
    given = [each.shapes.definition.name for each in functions]
    taken = {name for name in given if _COMMAND.fullmatch(name)}
    names: list[str] = []
    for function, name in zip(functions, given, strict=True):
        word = name if name in taken else function.name
        while word in names or (word in taken and word != name):
            word += "_"
        names.append(word)
    return names


def _subcommand(function: GeneratedFunction, name: str, made: GeneratedModule) -> list[str]:
    described = function.shapes.definition.description
    first = one_line(described.strip().partition("\n\n")[0])
    flags = {"--help", "-h"}
    adds = [_argument(field, function, made, flags) for field in function.shapes.fields]
    held = "command = " if adds else ""
    lines = [
        f"    {held}commands.add_parser(",
        f"        {text_literal(name)},",
        *([f"        help={_help(first)},"] if first else []),
        *([f"        description={_help(one_line(described))},"] if first else []),
        "    )",
    ]
    for add in adds:
        lines += add
    return lines


def _help(text: str) -> str:
    shown = text if len(text) <= _MOST_HELP else f"{text[: _MOST_HELP - 3]}..."
    return text_literal(shown.replace("%", "%%"))


def _argument(
    field: RecordField, function: GeneratedFunction, made: GeneratedModule, flags: set[str]
) -> list[str]:
    """Return the lines that add one argument; what was not given stays out of the call."""
    name = function.parameters[field.name]
    flag = "--" + (name.strip("_") or name).replace("_", "-")
    while flag in flags:
        flag += "-"
    flags.add(flag)
    first = text_literal(name if field.required else flag)
    parts = [f"        {first},"]
    if not field.required:
        parts += [f"        dest={text_literal(name)},", "        default=argparse.SUPPRESS,"]
    parts += [f"        {part}," for part in _kind(field.shape, made, optional=not field.required)]
    said = one_line(field.description)
    chosen = _alone(field.shape)
    if isinstance(chosen, LiteralShape) and _metavar(chosen) == "CHOICE":
        said = f"{said} (one of {value_text(list(chosen.values))})".strip()
    if field.has_default:
        said = f"{said} (default: {value_text(field.default)})".strip()
    if said:
        parts.append(f"        help={_help(said)},")
    return ["    command.add_argument(", *parts, "    )"]


def _metavar(shape: LiteralShape) -> str:
    """Return how the usage names a choice: argparse cannot wrap a line of any texts."""
    listed = ",".join(map(str, shape.values))
    return f"{{{listed}}}" if _PLAIN_CHOICES.fullmatch(listed) else "CHOICE"


def _alone(shape: SchemaShape) -> SchemaShape:
    """Return the only arm of a union besides null, or the shape itself."""
    if not isinstance(shape, UnionShape):
        return shape
    arms = [arm for arm in shape.arms if arm != PlainShape("None")]
    return arms[0] if len(arms) == 1 else shape


def _kind(shape: SchemaShape, made: GeneratedModule, *, optional: bool) -> list[str]:
    """Return how the words of an argument are read."""
    shape = _alone(shape)
    if shape == PlainShape("str"):
        return []
    if isinstance(shape, PlainShape) and shape.hint in ("int", "float"):
        return [f"type={shape.hint}"]
    if shape == PlainShape("bool") and optional:
        return ["action=argparse.BooleanOptionalAction"]
    if isinstance(shape, LiteralShape) and all(isinstance(each, str) for each in shape.values):
        values = [f"            {text_literal(each)}," for each in shape.values]
        metavar = text_literal(_metavar(shape))
        return ["\n".join(("choices=[", *values, "        ]")), f"metavar={metavar}"]
    if isinstance(shape, ListShape) and isinstance(shape.item, PlainShape):
        inner = _kind(shape.item, made, optional=False)
        if not inner or inner[0] in ("type=int", "type=float"):
            return ['nargs="*"', *inner]
    made.hints.need(f"{DOOR}.client", "json_value")
    return ["type=json_value", 'metavar="JSON"']
