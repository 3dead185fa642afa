"""The source of a module with a function for each tool."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..._door import DOOR
from ..._words import value_text
from ...errors import SchemaError
from ..callables.shapes import (
    LiteralShape,
    PlainShape,
    RecordField,
    SchemaShape,
    UnionShape,
    admits_none,
    optional,
    python_name,
)
from ..callables.signature import ToolShapes, shapes_of
from .hint_source import LINE, HintWriter, docstring, one_line, text_literal, value_literal, width

_LONGEST = 60
_STANDARD = frozenset(
    ("argparse", "collections.abc", "dataclasses", "datetime", "pathlib", "sys", "typing", "uuid")
)


@dataclass(frozen=True)
class ModuleOrigin:
    """Where the tools are, and how a module says so."""

    server: str
    """What the server calls itself."""
    expression: Sequence[str]
    """The lines of the expression that makes the `RemoteServer`."""
    command: str
    """The command that wrote the module, without secrets."""


@dataclass(frozen=True)
class GeneratedFunction:
    """One function of a module."""

    name: str
    shapes: ToolShapes
    parameters: dict[str, str]
    """The Python name of each parameter."""


@dataclass(frozen=True)
class GeneratedModule:
    """A module's parts, before they are put together."""

    hints: HintWriter
    functions: list[GeneratedFunction]
    sources: list[str]
    refused: list[SchemaError]


def generate_module(
    tools: Sequence[Any], *, formats: bool = False, asynchronous: bool = False
) -> GeneratedModule:
    """Write a function for each tool; those that cannot be one are refused, with the reason."""
    hints = HintWriter()
    refused: list[SchemaError] = []
    shapes_of_tools: list[ToolShapes] = []
    for tool in tools:
        try:
            shapes_of_tools.append(shapes_of(tool, formats=formats))
        except SchemaError as error:
            refused.append(error)
    names = [_function_name(shapes.definition.name, hints) for shapes in shapes_of_tools]
    # What comes back is named first: data classes get the plain names.
    returns = [
        _returned(shapes, name, hints) for shapes, name in zip(shapes_of_tools, names, strict=True)
    ]
    functions: list[GeneratedFunction] = []
    sources: list[str] = []
    for shapes, name, hint in zip(shapes_of_tools, names, returns, strict=True):
        function = GeneratedFunction(name, shapes, _parameter_names(shapes, name))
        functions.append(function)
        sources.append("\n".join(_function(function, hint, hints, asynchronous=asynchronous)))
    return GeneratedModule(hints, functions, sources, refused)


def _function_name(tool: str, hints: HintWriter) -> str:
    name = python_name(tool)[:_LONGEST]
    if name.startswith("__") and name.endswith("__"):
        name = (
            f"{python_name(name.strip('_'))}_"  # Python asks modules for such names, and obeys them
        )
    return hints.free(f"{name}_" if name in hints.taken else name)


def _parameter_names(shapes: ToolShapes, function: str) -> dict[str, str]:
    """Return names that hide neither the function nor the server from the function's body."""
    used = {function, "server"}
    python_names = set(shapes.names.values())
    names: dict[str, str] = {}
    for name, python in shapes.names.items():
        # Type checkers take parameters that begin with two underscores for positional ones.
        parameter = f"_{python.lstrip('_')}" if python.startswith("__") else python
        while parameter in used or (parameter != python and parameter in python_names):
            parameter += "_"
        used.add(parameter)
        names[name] = parameter
    return names


def _returned(shapes: ToolShapes, name: str, hints: HintWriter) -> str:
    if shapes.returns is None:
        hints.need("typing", "Any")
        return "Any"
    hint = hints.hint(shapes.returns, f"{name} result", sent=False)
    # A function without parameters has its whole head on one line.
    fits = width(hint) < 60 and width(f"async def {name}() -> {hint}:") <= LINE
    return hint if fits else hints.alias(hint, f"{name} result")


def _function(
    function: GeneratedFunction, returns: str, hints: HintWriter, *, asynchronous: bool
) -> list[str]:
    shapes, name = function.shapes, function.name
    word = "async def" if asynchronous else "def"
    call = "await server.call_async" if asynchronous else "server.call"
    parameters = _parameters(function, hints)
    head = [f"{word} {name}() -> {returns}:"]
    if parameters:
        head = [f"{word} {name}(", *parameters, f") -> {returns}:"]
    pairs = [
        f"            {text_literal(field.name)}: {function.parameters[field.name]},"
        for field in shapes.fields
    ]
    if shapes.takes_more:
        pairs.append(f"            **{_more(function)},")
    sent = ["        {", *pairs, "        },"] if pairs else ["        {},"]
    return [
        *head,
        *docstring(_documentation(function), "    "),
        f"    return {call}(",
        f"        {text_literal(shapes.definition.name)},",
        *sent,
        f"        {name},",
        "    )",
    ]


def _more(function: GeneratedFunction) -> str:
    name = "more"
    while name in function.parameters.values() or name in (function.name, "server"):
        name += "_"
    return name


def _parameters(function: GeneratedFunction, hints: HintWriter) -> list[str]:
    lines: list[str] = []
    starred = False
    for field in function.shapes.fields:
        if not field.required and not starred:
            lines.append("    *,")
            starred = True
        lines.append(_parameter(field, function.parameters[field.name], function.name, hints))
    if function.shapes.takes_more:
        hints.need("typing", "Any")
        lines.append(f"    **{_more(function)}: Any,")
    return lines


def _parameter(field: RecordField, name: str, owner: str, hints: HintWriter) -> str:
    context = f"{owner} {field.name}"
    default, shape, is_unset = _default(field)
    hint = hints.hint(shape, context, sent=True)
    if is_unset:
        hints.need(_HOME, "UNSET")
        if hint != "Any":
            hints.need(_HOME, "Unset")
            hint = hints.union([hint, "Unset"], context)
    line = f"    {name}: {hint}{default},"
    return line if width(line) <= LINE else f"    {name}: {hints.alias(hint, context)}{default},"


_HOME = f"{DOOR}.client"


def _default(field: RecordField) -> tuple[str, SchemaShape, bool]:
    """Return the default as source, the shape with it, and whether it is `UNSET`.

    `UNSET` stands where None is a value of its own, and where no literal is short, safe and of the
    declared type.
    """
    if field.required:
        return "", field.shape, False
    if field.has_default and _fits(field.default, field.shape):
        literal = value_literal(field.default)
        if literal is not None:
            return f" = {literal}", field.shape, False
    if field.has_default or admits_none(field.shape):
        return " = UNSET", field.shape, True
    return " = None", optional(field.shape), False


def _fits(value: Any, shape: SchemaShape) -> bool:
    """Return whether a type checker accepts a literal for a hint."""
    if isinstance(shape, UnionShape):
        return any(_fits(value, arm) for arm in shape.arms)
    if isinstance(shape, LiteralShape):
        return any(type(value) is type(literal) and value == literal for literal in shape.values)
    if not isinstance(shape, PlainShape):
        return False
    kinds = {"bool": (bool,), "int": (int,), "float": (int, float), "str": (str,)}
    if value is None:
        return shape.hint in ("None", "Any")
    return type(value) in kinds.get(shape.hint, ())


def _documentation(function: GeneratedFunction) -> str:
    shapes = function.shapes
    lines: list[str] = []
    for field in shapes.fields:
        sentence = one_line(field.description)
        if field.has_default and _default(field)[2]:
            default_text = value_text(field.default)
            sentence = f"{sentence} (default: {default_text})".strip()
        if sentence:
            lines.append(f"    {function.parameters[field.name]}: {sentence}")
    arguments = "\n".join(("Args:", *lines)) if lines else ""
    sentence = shapes.definition.description.strip() or shapes.definition.title.strip()
    described = sentence or f"Call `{shapes.definition.name}`."
    return "\n\n".join(part for part in (_dedented(described), arguments) if part)


def _dedented(text: str) -> str:
    import inspect

    return inspect.cleandoc(text)


_MAIN = '''\
def main(words: list[str] | None = None) -> int:
    """Call a tool with arguments written as name=value; without words, list the tools."""
    return server.run(words)


if __name__ == "__main__":
    sys.exit(main())'''


def module_source(made: GeneratedModule, origin: ModuleOrigin, *, program: bool = False) -> str:
    """Put the parts of a module together; as a `program`, it runs a tool from the command line."""
    hints = made.hints
    if program:
        hints.need("sys")
    hints.need(_HOME, "RemoteServer")
    about = f"Tools of {one_line(origin.server)}, as functions.\n\n"
    about += "Written by this command; with `--check`, it says whether this is still true:\n\n"
    about += f"    {one_line(origin.command)}"
    parts = [
        "\n".join(docstring(about, "")),
        "from __future__ import annotations",
        *_imports(hints),
        "\n".join(origin.expression),
    ]
    source = "\n\n".join(parts)
    blocks = [
        *hints.classes,
        "\n".join(hints.aliases),
        *made.sources,
        _MAIN if program else "",
    ]
    return "\n\n\n".join([source, *(block for block in blocks if block)]) + "\n"


def _imports(hints: HintWriter) -> list[str]:
    """Return the imports in two groups: Python's own, and others."""
    groups: dict[int, list[str]] = {0: [], 1: []}
    for module, names in sorted(hints.imports.items()):
        group = 0 if module in _STANDARD else 1
        if not names:
            groups[group].append(f"import {module}")
            continue
        ordered = sorted(names, key=lambda each: (not each.isupper(), not each[0].isupper(), each))
        line = f"from {module} import {', '.join(ordered)}"
        if len(line) > LINE:
            line = "\n".join((f"from {module} import (", *(f"    {n}," for n in ordered), ")"))
        groups[group].append(line)
    for lines in groups.values():
        lines.sort(key=lambda line: not line.startswith("import "))
    return ["\n".join(lines) for lines in groups.values() if lines]


# -- what has changed since


def changes(old: str, new: str) -> list[str]:
    """Return one line for each function and class that differs; none if both mean the same.

    The code is compared, not the text: a formatter may have changed that, and comments are the
    user's. Raises `ValueError` if the old text is not Python.
    """
    try:
        before = _parts(old)
    except (SyntaxError, RecursionError) as error:
        msg = f"is not Python that can be compared ({error})"
        raise ValueError(msg) from None
    after = _parts(new)
    lines = [
        f"added: {name}{_signature(node)}" for name, node in after.items() if name not in before
    ]
    lines += [f"removed: {name}" for name in before if name not in after]
    for name in before.keys() & after.keys():
        if ast.dump(before[name]) != ast.dump(after[name]):
            lines.append(f"changed: {name}{_difference(before[name], after[name])}")
    return sorted(lines)


def _parts(source: str) -> dict[str, ast.stmt]:
    """Return the statements by what they define; not the docstring, which says how it was made."""
    parts: dict[str, ast.stmt] = {}
    for position, node in enumerate(ast.parse(source).body):
        if position == 0 and isinstance(node, ast.Expr):
            continue
        if isinstance(node, ast.ImportFrom | ast.Import | ast.If):
            continue
        parts[_name(node)] = node
    return parts


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Assign | ast.AnnAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return ast.unparse(target)
    return ast.unparse(node)[:60]


def _signature(node: ast.stmt) -> str:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({ast.unparse(node.args)}){returns}"


def _difference(before: ast.stmt, after: ast.stmt) -> str:
    old, new = _signature(before), _signature(after)
    if old != new:
        return f"{old} is now {new}"
    return " (its documentation)" if _body(before) == _body(after) else ""


def _body(node: ast.stmt) -> list[str]:
    """Return the statements of a function or class, without its docstring."""
    statements: list[ast.stmt] = getattr(node, "body", [])
    is_said = bool(statements) and isinstance(statements[0], ast.Expr)
    return [ast.dump(statement) for statement in statements[1 if is_said else 0 :]]
