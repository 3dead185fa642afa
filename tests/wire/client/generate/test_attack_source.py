"""Hostile servers: what they say ends in source code, and never as code."""

import ast
import inspect
import sys

import pytest
from hypothesis import strategies as st

from tests.wire.client.generate.generated_modules import loaded, ruff, source_of, using

EVIL = [
    '"""\nimport sys; sys.modules["pwned"] = 1\n"""',
    "'''\nimport sys; sys.modules['pwned'] = 1\n'''",
    '\\"""; import sys; sys.modules["pwned"] = 1 #',
    "\\",
    "ends with a backslash \\",
    'ends with a quote "',
    '"begins with a quote',
    '"""',
    '""""""',
    "\\N{BULLET} \\x41 \\u0041",
    "{__import__('sys')} %s %(prog)s",
    "a\rb\x0bc\x0cd\x1ce\u2028f\u2029g\x85h",
    "\u202etxet\u2066\u200f\ufeff\u00a0\u3000",
    "\ud800 \udfff",
    "\x00\x1b[2J\x07",
    "  indented\n    more\n  again  ",
    "\ttabs\n\t\tmore",
    "trailing   \nspaces   ",
    "\n\n\nlines\n\n\n\nbetween\n\n",
    "x = 1\n\nArgs:\n    y: z",
    ">>> import sys",
    "x" * 30_000,
    "# type: ignore",
    "# noqa\n# fmt: off",
    "",
    " ",
    "é 名 𝓬 🙂",
]


def hostile(text):
    """A tool that says a text wherever a server can say one."""
    value = text[:200]
    return {
        "name": (text or "empty")[:900],
        "title": text,
        "description": text,
        "inputSchema": {
            "type": "object",
            "description": text,
            "properties": {
                value: {"type": "string", "description": text, "default": text},
                f"e{value}": {"enum": [value, f"{value}2", 1, None], "default": value},
                f"o{value}": {
                    "type": "object",
                    "title": text,
                    "description": text,
                    "properties": {value: {"type": "string", "description": text, "title": text}},
                },
                f"c{value}": {"const": value, "default": [text]},
            },
            "required": [value],
        },
        "outputSchema": {
            "type": "object",
            "title": text,
            "description": text,
            "properties": {
                value: {"enum": [value, "other"], "description": text},
                "n": {"$ref": "#"},
            },
        },
    }


def check(*tools, **options):
    source = source_of(*tools, program=True, **options)
    assert source == source_of(*tools, program=True, **options)
    source.encode()  # no lone surrogate is in it
    assert not any(char in source for char in "\x00\x1b\u202e\u2066\u2028\r\ufeff")
    tree = ast.parse(source)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    kinds += (ast.Assign, ast.AnnAssign, ast.If, ast.Expr)
    assert all(isinstance(node, kinds) for node in tree.body)
    assert sum(isinstance(node, ast.Expr) for node in tree.body) == 1
    imported = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    imported |= {name.name for n in tree.body if isinstance(n, ast.Import) for name in n.names}
    assert imported <= ALLOWED, imported
    module = loaded(source)
    assert "pwned" not in sys.modules
    return source, module


ALLOWED = {
    *("__future__", "dataclasses", "datetime", "pathlib", "sys"),
    *("typing", "uuid", "pydantic", "toolwright.client"),
}


@pytest.mark.promise("generate.hostile", "generate.terminal")
@pytest.mark.parametrize("text", EVIL, ids=lambda text: ascii(text)[:30])
def test_nothing_that_a_server_says_becomes_code(text):
    tool = hostile(text)
    _, module = check(tool)
    sent = using(module, tool, answer={})
    functions = [each for each in vars(module).values() if inspect.isfunction(each)]
    (function,) = [f for f in functions if f.__module__ == module.__name__ and f.__name__ != "main"]
    function("x")
    assert sent == [(tool["name"], {text[:200]: "x"})]


@pytest.mark.promise("generate.hostile", "generate.checked")
def test_ruff_takes_all_of_it():
    source, _ = check(*map(hostile, EVIL))
    assert ruff(source) == ""


# -- texts and schemas that nobody chose

TEXTS = st.text(
    st.one_of(st.sampled_from("\"'\\\n\r\t {}%#\u202e\x00\ud800`"), st.characters()), max_size=60
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS)
SCHEMAS = st.recursive(
    st.one_of(
        st.just({}),
        st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"]).map(
            lambda kind: {"type": kind}
        ),
        st.builds(lambda values: {"enum": values}, st.lists(SCALARS, max_size=4)),
        st.just({"type": "string", "format": "date-time"}),
        st.just({"$ref": "#"}),
    ),
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda arms: {"anyOf": arms}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda items: {
                "type": "array",
                "prefixItems": items,
                "minItems": len(items),
                "maxItems": len(items),
            },
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(lambda value: {"type": "object", "additionalProperties": value}, inner),
        st.builds(
            lambda named, text, required: {
                "type": "object",
                "title": text,
                "description": text,
                "properties": named,
                "required": [name for name in named if required],
            },
            st.dictionaries(TEXTS, inner, max_size=4),
            TEXTS,
            st.booleans(),
        ),
        st.builds(lambda node, default: {**node, "default": default}, inner, SCALARS),
    ),
    max_leaves=12,
)


@st.composite
def tools(draw):
    root = {"type": "object", "properties": draw(st.dictionaries(TEXTS, SCHEMAS, max_size=4))}
    if draw(st.booleans()):
        root["required"] = list(root["properties"])
    made = {"name": draw(TEXTS.filter(bool)), "description": draw(TEXTS), "inputSchema": root}
    if draw(st.booleans()):
        made["outputSchema"] = draw(SCHEMAS)
    return made
