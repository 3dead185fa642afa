"""Documents that people wrote: what is ours is put in and dropped, all else stays byte for byte."""

import json

import pytest

from tests.unit.cli.jsonc_documents import PATH, SHOP
from toolwright.cli.jsonc import NotJson, drop, put, read

CLAUDE = """\
{
  "globalShortcut": "",
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem"]
    }
  }
}
"""

VSCODE = """\
// Servers of this workspace.
{
\t"inputs": [], // none yet
\t"servers": {
\t\t/* the web */
\t\t"web": { "url": "https://example.com/mcp" } // do not touch
\t\t// "old": { "command": "old" }
\t}
}"""


def shop(indent, unit="  ", eol="\n"):
    """The entry as it stands in a file of many lines."""
    return json.dumps(SHOP, indent=unit).replace("\n", eol + indent)


# -- reading


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        (" \r\n\t", {}),
        ("\ufeff", {}),
        ("// nothing\n/* at\nall */", {}),
        ("// nothing", {}),
        ("\ufeff{}", {}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"a": {"b": 1}, "a": {}}', {"a": {}}),
        ("[1, 2, ]", [1, 2]),
        ('{"a": [], "b": {},}', {"a": [], "b": {}}),
        ("/**/null//", None),
        ("[true, false, -0, 1.5e+3, 1E2]", [True, False, 0, 1500.0, 100.0]),
        ("[1e999, -1e999]", [float("inf"), float("-inf")]),
        ("9" * 5000, float("inf")),
        (r'"\ud83d\ude00 \ud800 \u0041\/\n"', "😀 \ud800 A/\n"),
        ('"\x7f\u2028\ud800 // /* , }"', "\x7f\u2028\ud800 // /* , }"),
        ("{/*}*/}", {}),
        ("/***/{}/* * / **/", {}),
    ],
)
def test_what_a_document_says(text, value):
    assert read(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{'a': 1}", 'line 1, column 2: unexpected "\'"'),
        ("{a: 1}", 'line 1, column 2: unexpected "a"'),
        ("{1: 1}", 'line 1, column 2: expected a key in double quotes, or "}"'),
        ('{\n  "a": 1\n  "b": 2}', 'line 3, column 3: expected "," or "}"'),
        ('{\r\n  "a" 1}', 'line 2, column 7: expected ":" after a key'),
        ('{"a":}', "line 1, column 6: expected a value"),
        ('{\r"a": [1 2]}', 'line 2, column 9: expected "," or "]"'),
        ("{", 'line 1, column 2: expected a key in double quotes, or "}"'),
        ("[", "line 1, column 2: expected a value"),
        ("[,]", "line 1, column 2: expected a value"),
        ("{,}", 'line 1, column 2: expected a key in double quotes, or "}"'),
        ("[1,,]", "line 1, column 4: expected a value"),
        ("{}}", "line 1, column 3: expected the end of the document"),
        ("{} {}", "line 1, column 4: expected the end of the document"),
        (",", "line 1, column 1: expected a value"),
        ("[\n/* ]", "line 2, column 1: a comment is not closed"),
        ("/*/", "line 1, column 1: a comment is not closed"),
        ("[/]", 'line 1, column 2: unexpected "/"'),
        ("# no", 'line 1, column 1: unexpected "#"'),
        ('["a', "line 1, column 2: a string is not closed"),
        ('["a\n"]', "line 1, column 2: a string is not closed"),
        (r'["\x"]', "line 1, column 3: a string has an escape or a control character"),
        (r'["\u12_4"]', "line 1, column 3: a string has an escape or a control character"),
        ('["a\tb"]', "line 1, column 4: a string has an escape or a control character"),
        ('["\0"]', "line 1, column 3: a string has an escape or a control character"),
        ("\0", 'line 1, column 1: unexpected "\\u0000"'),
        ("[01]", 'line 1, column 3: expected "," or "]"'),
        ("[1.]", 'line 1, column 3: unexpected "."'),
        ("[.5]", 'line 1, column 2: unexpected "."'),
        ("[+1]", 'line 1, column 2: unexpected "+"'),
        ("[-]", 'line 1, column 2: unexpected "-"'),
        ("[1e]", 'line 1, column 3: unexpected "e"'),
        ("[٣]", 'line 1, column 2: unexpected "\\u0663"'),
        ("NaN", 'line 1, column 1: unexpected "N"'),
        ("truex", 'line 1, column 5: unexpected "x"'),
        ("True", 'line 1, column 1: unexpected "T"'),
        ("[\u00a0]", 'line 1, column 2: unexpected "\\u00a0"'),
        ("\ufeff\ufeff{}", 'line 1, column 2: unexpected "\\ufeff"'),
    ],
)
def test_what_is_refused_and_where(text, message):
    for refuse in (read, lambda text: put(text, PATH, SHOP), lambda text: drop(text, PATH)):
        with pytest.raises(NotJson) as caught:
            refuse(text)
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_how_deep_a_document_may_be(opening, closing):
    levels = 500 // sum(opening.count(mark) for mark in "[{")
    text = opening * levels + "1" + closing * levels
    assert read(text)
    with pytest.raises(NotJson, match="nested too deeply"):
        read(f"[{text}]")
    for bottomless in ("[" * 200_000, '{"a":' * 200_000):
        with pytest.raises(NotJson, match="nested too deeply"):
            read(bottomless)


# -- putting and dropping: the texts, before and after


def test_claude_desktop():
    text = put(CLAUDE, PATH, SHOP)
    assert text == CLAUDE.replace(
        "\n    }\n  }\n}\n", f'\n    }},\n    "shop": {shop("    ")}\n  }}\n}}\n'
    )
    assert drop(text, PATH) == CLAUDE
    assert drop(text, ("mcpServers", "files")) == (
        f'{{\n  "globalShortcut": "",\n  "mcpServers": {{\n    "shop": {shop("    ")}\n  }}\n}}\n'
    )


def test_a_vscode_file_with_comments_and_tabs():
    text = put(VSCODE, ("servers", "shop"), SHOP)
    touched = '/mcp" }, // do not touch\n\t\t"shop": ' + shop("\t\t", "\t")
    assert text == VSCODE.replace('/mcp" } // do not touch', touched)
    assert drop(text, ("servers", "shop")) == VSCODE


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("indent", [" ", "  ", "    ", "\t"])
def test_every_line_end_and_indentation(bom, eol, indent):
    plain = json.dumps({"mcpServers": {"a": {"b": 1}}, "z": 0}, indent=indent)
    wanted = json.dumps({"mcpServers": {"a": {"b": 1}, "shop": SHOP}, "z": 0}, indent=indent)
    text = bom + plain.replace("\n", eol) + eol
    assert put(text, PATH, SHOP) == bom + wanted.replace("\n", eol) + eol
    assert drop(put(text, PATH, SHOP), PATH) == text


# Each line: a document, and the same with {"b": [1]} put at "b"; dropping it gives the first again.
THERE_AND_BACK = [
    ("{}", '{\n  "b": [\n    1\n  ]\n}'),
    ("{ }", '{ \n  "b": [\n    1\n  ]\n}'),
    ("{\n\n}", '{\n  "b": [\n    1\n  ]\n\n}'),
    ("{ /* c */ }", '{ /* c */ \n  "b": [\n    1\n  ]\n}'),
    ("{ // c\n}", '{ // c\n  "b": [\n    1\n  ]\n}'),
    ("{\n    // c\n}", '{\n    // c\n  "b": [\n    1\n  ]\n}'),
    ('{"a": 1}', '{"a": 1, "b": [1]}'),
    ('{"a":1}', '{"a":1,"b":[1]}'),
    ('{ "a": 1 }', '{ "a": 1, "b": [1] }'),
    ('{"a": 1, }', '{"a": 1, "b": [1], }'),
    ('{"a": 1 /* c */}', '{"a": 1, /* c */ "b": [1]}'),
    ('{"a": 1 /* c */, /* d */}', '{"a": 1 /* c */, /* d */ "b": [1],}'),
    ('{"a": 1 // c\n}', '{"a": 1, // c\n  "b": [\n    1\n  ]\n}'),
    ('{"a": {\n "x": 1}}', '{"a": {\n "x": 1},\n "b": [\n  1\n ]}'),
    ('{\n "a": 1\n}', '{\n "a": 1,\n "b": [\n  1\n ]\n}'),
    ('{\n "a": 1,\n}', '{\n "a": 1,\n "b": [\n  1\n ],\n}'),
    ('{\n "a": 1 }', '{\n "a": 1,\n "b": [\n  1\n ] }'),
    ('{\n "a": 1  \n}', '{\n "a": 1,  \n "b": [\n  1\n ]\n}'),
    ('{\n "a": 1, // c\n}', '{\n "a": 1, // c\n "b": [\n  1\n ],\n}'),
    ('{\n "a": 1 // c\n // d\n}', '{\n "a": 1, // c\n "b": [\n  1\n ]\n // d\n}'),
    ('{\n "a": 1 /* c\n */ /* d */\n}', '{\n "a": 1, /* c\n */ /* d */\n "b": [\n  1\n ]\n}'),
    ('{\n "a": 1 // c\n ,\n}', '{\n "a": 1 // c\n ,\n "b": [\n  1\n ],\n}'),
    ('{ "z": 0\n, "a": 1\n}', '{ "z": 0\n, "a": 1,\n  "b": [\n    1\n  ]\n}'),
    ('{\n"a": 1\n}', '{\n"a": 1,\n"b": [\n  1\n]\n}'),
]


@pytest.mark.parametrize(("text", "added"), THERE_AND_BACK)
def test_there_and_back(text, added):
    assert put(text, ["b"], [1]) == added
    assert drop(added, ["b"]) == text


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("", "{}\n"),
        ("\n", "{}\n"),
        ("\ufeff\r\n", "\ufeff{}\r\n"),
        ("// c", "// c\n{}\n"),
        ("// c\r\n", "// c\r\n{}\r\n"),
        ("\ufeff/* c */", "\ufeff/* c */\n{}\n"),
    ],
)
def test_a_document_with_nothing_in_it(text, added):
    eol = "\r\n" if "\r" in text else "\n"
    whole = json.dumps({"mcpServers": {"shop": SHOP}}, indent=2).replace("\n", eol)
    assert put(text, PATH, SHOP) == added.replace("{}", whole)
    assert drop(put(text, PATH, SHOP), PATH[:1]) == added
    assert drop(text, PATH) == text


@pytest.mark.parametrize(
    ("text", "path", "value", "changed"),
    [
        ('{"a": 1, "b": 2}', ["a"], "x", '{"a": "x", "b": 2}'),
        ('{"a":1}', ["a"], {"b": [1, 2]}, '{"a":{"b":[1,2]}}'),
        ('{"a": 1 /* c */ , }', ["a"], True, '{"a": true /* c */ , }'),
        ('{\n\t"a": {} // c\n}', ["a"], [1], '{\n\t"a": [\n\t\t1\n\t] // c\n}'),
        ('{\n "a": [1]\n}', ["a"], [1, 2], '{\n "a": [1, 2]\n}'),
        ('{\n "a": [\n  1]\n}', ["a"], [2], '{\n "a": [\n  2\n ]\n}'),
        ('{"a": 1, "a": 2}', ["a"], 3, '{"a": 1, "a": 3}'),
        ('{"a": 1, "a": {"b": 1}}', ["a", "b"], 3, '{"a": 1, "a": {"b": 3}}'),
        (r'{"\u0061": 1}', ["a"], 3, r'{"\u0061": 3}'),
        ('{"a": null}', ["a"], {}, '{"a": {}}'),
    ],
)
def test_a_value_is_replaced_where_it_stands(text, path, value, changed):
    assert put(text, path, value) == changed


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": {"x": 1 , /* c */ "y" : [ ]}}', {"y": [], "x": 1}),
        ('{"a": 1.0}', 1),
        ('{"a": 1, "a": "\\u0041"}', "A"),
        ('{"a": [1,]}', (1,)),
    ],
)
def test_what_is_there_already_is_not_written_again(text, value):
    assert put(text, ["a"], value) == text


@pytest.mark.parametrize(("old", "new"), [("1", True), ("false", 0), ("[1]", [True])])
def test_true_is_not_one(old, new):
    assert put(f'{{"a": {old}}}', ["a"], new) == f'{{"a": {json.dumps(new)}}}'


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"b": 1}', "{}"),
        ('{ "b": 1 }', "{ }"),
        ('{"b": 1, "c": 2}', '{"c": 2}'),
        ('{ "b": 1, "c": 2 }', '{ "c": 2 }'),
        ('{"a": 0, "b": 1, "c": 2}', '{"a": 0, "c": 2}'),
        ('{\n  "b": {\n    "x": 1\n  },\n  "c": 2\n}', '{\n  "c": 2\n}'),
        (
            '{\n  "a": 0,\n  // of c?\n  "b": 1,\n\n  "c": 2\n}',
            '{\n  "a": 0,\n  // of c?\n\n  "c": 2\n}',
        ),
        (
            '{\n  "a": 0, // of a\n  "b": 1, // of b\n  "c": 2\n}',
            '{\n  "a": 0, // of a\n  "c": 2\n}',
        ),
        ('{\n  "a": 0, // of a\n  "b": 1 // of b\n}', '{\n  "a": 0 // of a\n}'),
        ('{\n  "a": 0,\n  "b": 1,\n}', '{\n  "a": 0,\n}'),
        ('{\n  // of b?\n  "b": 1\n}', "{\n  // of b?\n}"),
        ('{\n  // of b?\n  "b": 1}', "{\n  // of b?\n}"),
        ('{\n  "b": 1, "c": 2\n}', '{\n  "c": 2\n}'),
        ('{\n  "b": 1, /* of\n c */ "c": 2\n}', '{\n  /* of\n c */ "c": 2\n}'),
        ('{\n  /* x */ "b": 1,\n  "c": 2\n}', '{\n  /* x */\n  "c": 2\n}'),
        ('{ "a": 0\n, "b": 1\n, "c": 2\n}', '{ "a": 0\n, "c": 2\n}'),
        ('{\n  "b": 1\n  // of c\n  , "c": 2}', '{\n  // of c\n   "c": 2}'),
        ('{"b": 1, "a": 0, "b": 2}', '{"a": 0}'),
        ('{"a": 0, "b": 1, "b": 2}', '{"a": 0}'),
        ('{\n  // c\n  "b": 1,\n  "b": 2}', "{\n  // c\n}"),
        ('{"x": {"b": 1}}', '{"x": {"b": 1}}'),
        ("[1]", "[1]"),
        ("", ""),
    ],
)
def test_a_member_goes_with_its_line(text, left):
    assert drop(text, ["b"]) == left


@pytest.mark.parametrize("text", ['{"a": 1}', '{"a": {"b": 1}, "a": []}', "{}", '["a"]', "null"])
def test_dropping_what_is_not_there(text):
    assert drop(text, ["a", "b"]) == drop(text, ["a", "b", "c"]) == text


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("[]", PATH, "cannot set mcpServers.shop: the document is not an object"),
        ('{"mcpServers": []}', PATH, "cannot set mcpServers.shop: mcpServers is not an object"),
        (
            '{"a\\nb": {"c": null}}',
            ["a\nb", "c", "d"],
            "cannot set a\\nb.c.d: a\\nb.c is not an object",
        ),
    ],
)
def test_a_path_through_something_else(text, path, message):
    with pytest.raises(ValueError) as caught:
        put(text, path, 1)
    assert str(caught.value) == message
    assert not isinstance(caught.value, NotJson)


def bottomless(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [{1}, float("nan"), float("inf"), bottomless(600), bottomless(9999)]
)
def test_a_value_that_json_does_not_have(value):
    for text in ("", "{}", '{"a": 1}', '{"b": 1}'):
        with pytest.raises(ValueError, match="^cannot set a: ") as caught:
            put(text, ["a"], value)
        assert not isinstance(caught.value, NotJson)


def test_no_more_is_written_than_can_be_read():
    assert read(put("{}", ["a"], bottomless(498)))
    with pytest.raises(ValueError, match="nested too deeply"):
        put("{}", ["a"], bottomless(499))
    with pytest.raises(ValueError, match="nested too deeply"):
        put("", ["a"] * 9999, 1)


@pytest.mark.parametrize("edit", [lambda: put("{}", [], 1), lambda: drop("{}", [])])
def test_a_path_has_keys(edit):
    with pytest.raises(ValueError, match="no keys"):
        edit()


def test_what_is_written_can_be_saved():
    text = put("{}", ["ü\ud800"], "ß\udfff\u2028😀\n\ud83d\ude00")
    assert text == '{\n  "ü\\ud800": "ß\\udfff\\u2028😀\\n😀"\n}'
    text.encode()
    assert put(text, ["ü\ud800"], "ß\udfff\u2028😀\n\ud83d\ude00") == text
    pair = put("{}", ["\ud83d\ude00"], 1)
    assert put(pair, ["😀"], 1) == put(pair, ["\ud83d\ude00"], 1) == pair
    assert drop(pair, ["\ud83d\ude00"]) == "{}"
