"""Documents that people wrote: what is ours is put in and dropped, all else stays byte for byte."""

import copy
import json
import re

import pytest
from counting import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolwright.cli.clients.jsonc import NotJson, drop, put, read

PATH = ("mcpServers", "shop")
SHOP = {"command": "uv", "args": ["run", "shop.py"], "env": {}}

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


@pytest.mark.parametrize(
    "make",
    [
        lambda n: '{"a":{}' + ',"k":{"x":1}' * n + "}",
        lambda n: "{" + '"k": {\n"x": 1},\n' * n + "}",
        lambda n: '{"a": 1 ' + "/* c */ " * n + "}",
        lambda n: "{" + "// c\n" * n + "}",
        lambda n: '{"a": "' + "\\u0041x" * n + '"}',
        lambda n: '{"a": 1' + " " * 5 * n + "}",
        lambda n: '{"a": 1' + ', "shop": 1' * n + "}",
        lambda n: "/" + "*" * 5 * n + '/{"a": [' + "1," * n + "]}",
    ],
)
def test_a_large_document_is_edited(make):
    text = make(10_000)
    added = put(text, ("mine",), SHOP)
    drop(text, ("shop",))
    assert drop(added, ("mine",)) == text


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


# -- any document

# Until a text is done, these stand before the key of the target, and around its value.
KEY, FROM, TO = "\ue000", "\ue001", "\ue002"
KEYS = ["", "a", "b", "shop", "mcpServers", "ü", "x\ud800"]
SCALARS = ["0", "-0", "1.50", "1e999", "12345678901234567890", "true", "false", "null", '""']
SCALARS += [
    '"\\ud800"',
    '"a\\/b\\u0041\\n"',
    '"http://x/*y*/"',
    '"}, \\""',
    '"ü😀\x7f"',
    '"\u2028"',
]
LEXER = re.compile(r'//[^\r\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|[{}\[\]:,]|[^\s{}\[\]:,"/]+', re.S)


class Writer:
    """Writes random values in a random style; knows what they mean."""

    def __init__(self, pick, path):
        self.pick = pick
        self.path = path
        self.eol = pick(["\n", "\n", "\r\n", "\r"])
        self.unit = pick(["  ", "    ", "\t", " ", ""])
        self.wild = pick([False, False, True])
        self.commented = pick([False, True])
        self.trailing = pick([False, False, True])
        self.comments = 0
        self.twice = False

    def comment(self):
        self.comments += 1
        text = self.pick(["", "*", '"', "{", ', "x": 1', "/* "]) + str(self.comments)
        if self.pick([False, True]):
            return f"//{text}{self.eol}"
        return self.pick([f"/*{text}*/", f"/*{text}{self.eol} */"])

    def gap(self, normal):
        if self.wild:
            pieces = ["", " ", "\t", self.eol, self.eol + self.unit, normal]
            gap = self.pick(pieces)
            return gap + self.comment() + self.pick(pieces) if self.pick([0, 0, 1]) else gap
        if self.commented and self.pick([0, 0, 0, 1]):
            return " " + self.comment() + normal
        return normal

    def value(self, depth):
        kind = self.pick("slo" if depth < 3 else "s")
        if kind == "s":
            text = self.pick(SCALARS)
            return text, json.loads(text)
        if kind == "o":
            return self.object(depth, None)
        parts = [self.value(depth + 1) for _ in range(self.pick([0, 1, 2]))]
        text = self.joined([part for part, _ in parts], depth)
        return f"[{text}]", [value for _, value in parts]

    def joined(self, parts, depth):
        lines = self.pick([True, True, False])
        inner = self.eol + self.unit * (depth + 1) if lines else ""
        outer = self.eol + self.unit * depth if lines else ""
        if not parts:
            return self.gap(self.pick(["", "", " ", outer]))
        text = ""
        for index, part in enumerate(parts):
            text += self.gap(inner if lines or not index else " ") + part
            if index < len(parts) - 1:
                text += self.gap("") + ","
        return text + (self.gap("") + "," if self.trailing else "") + self.gap(outer)

    def object(self, depth, path):
        """With a path, this object is on the way to the target, and may have what is next."""
        value, parts = {}, []
        keys = self.pick([[], ["a"], ["b", "a"], ["ü", "", "a", "a"], ["a//b", "x\ud800"]])
        place = self.pick(range(len(keys) + 1)) if path and self.pick([0, 1, 1]) else None
        for index in range(len(keys) + 1):
            if index == place:
                parts.append(self.member(path[0], depth, path[1:], value))
            if index < len(keys):
                parts.append(self.member(keys[index], depth, None, value))
        if place is not None and self.pick([0, 0, 0, 1]):
            # Again the same key, before: it must not count.
            parts.insert(0, self.member(path[0], depth, None, {}))
            self.twice = True
        return "{" + self.joined(parts, depth) + "}", value

    def member(self, key, depth, path, into):
        if path:
            text, value = self.object(depth + 1, path)
        else:
            text, value = self.value(depth + 1)
            text = FROM + text + TO if path is not None else text
        into[key] = value
        written = json.dumps(key, ensure_ascii=self.pick([True, False]))
        written = written.replace("s", "\\u0073") if self.pick([0, 0, 1]) else written
        written = KEY + written if path == () else written
        return written + self.gap("") + ":" + self.gap(self.pick([" ", ""])) + text


@st.composite
def documents(draw):
    """A text, what it means, a path, and where its key and value stand if they are there.

    Where a key stands twice, no place of a key is given.
    """
    random = draw(st.randoms(use_true_random=False))
    path = draw(st.sampled_from([PATH, ("shop",), ("mcpServers", "b\n", "shop")]))
    writer = Writer(lambda choices: random.choice(list(choices)), path)
    text, value = writer.object(0, path)
    bom = random.choice(["", "", "\ufeff"])
    text = bom + writer.gap("") + text + writer.gap(writer.eol)
    places = [
        text.index(mark) - index for index, mark in enumerate((KEY, FROM, TO)) if mark in text
    ]
    if places and writer.twice:
        places[0] = None
    return re.sub(f"[{KEY}{FROM}{TO}]", "", text), value, path, places


VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1.5, "", "a // b", 'q"\\', "ü\ud800\u2028\n", 2**70]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
    ),
    max_leaves=6,
) | st.just(SHOP)


def exact(value):
    """As text, for `1 == True` in Python."""
    return json.dumps(value, sort_keys=True)


def updated(value, path, new):
    value = copy.deepcopy(value)
    inner = value
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = new
    return value


def parent_of(value, path):
    """The object that holds the target; None if there is none."""
    for key in path[:-1]:
        value = value.get(key)
        if value is None:
            return None
    return value


def tokens(text):
    """Every token and comment, but for commas."""
    return [token for token in LEXER.findall(text.removeprefix("\ufeff")) if token != ","]


def is_comment(token):
    return token.startswith(("//", "/*"))


def in_order(few, many):
    rest = iter(many)
    return all(item in rest for item in few)


def shared(one, other):
    """How many things two sequences start with alike."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other))
    )


often = settings(
    max_examples=examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@often
@given(documents())
def test_any_document_is_read(document):
    text, value, path, places = document
    assert exact(read(text)) == exact(value)
    if places:
        assert exact(read(text[slice(*places[1:])])) == exact(parent_of(value, path)[path[-1]])


@often
@given(documents(), VALUES)
def test_anything_can_be_put_and_nothing_else_changes(document, new):
    text, value, path, places = document
    result = put(text, path, new)
    assert exact(read(result)) == exact(updated(value, path, new))
    assert put(result, path, new) == result
    result.encode(errors="strict" if "\ud800" not in text else "surrogatepass")
    if places:
        _, start, end = places
        assert result.startswith(text[:start])
        assert result.endswith(text[end:])
        return
    # Only put in: every byte is there, in order; and what is new stands in one piece.
    assert in_order(text, result)
    before, after = tokens(text), tokens(result)
    assert shared(before, after) + shared(before[::-1], after[::-1]) >= len(before)
    breaks = {eol for eol in re.findall(r"\r\n|\r|\n", result)}
    assert breaks <= (set(re.findall(r"\r\n|\r|\n", text)) or {"\n"})


@often
@given(documents(), VALUES)
def test_what_was_put_can_be_dropped(document, new):
    text, value, path, places = document
    parent = parent_of(value, path)
    left = drop(put(text, path, new), path)
    wanted = updated(value, path, None)
    del parent_of(wanted, path)[path[-1]]
    assert exact(read(left)) == exact(wanted)
    if not places and parent:
        assert left == text
    elif not places and parent is not None:
        assert tokens(left) == tokens(text)
        assert exact(read(left)) == exact(value)


@often
@given(documents())
def test_dropping_takes_one_member_and_its_line(document):
    text, value, path, places = document
    left = drop(text, path)
    if not places:
        assert left == text
        return
    wanted = copy.deepcopy(value)
    del parent_of(wanted, path)[path[-1]]
    assert exact(read(left)) == exact(wanted)
    assert in_order(left, text)
    assert drop(left, path) == left
    key, _, end = places
    if key is None:
        return
    # Every other token stays, and every comment that is not in the member or behind it on its line.
    found = [item for item in LEXER.finditer(text) if item[0] not in (",", "\ufeff")]
    assert in_order(tokens(left), tokens(text))
    others = [item for item in found if not key <= item.start() < end]
    lost = {item[0] for item in others if is_comment(item[0])} - set(tokens(left))
    assert tokens(left) == [item[0] for item in others if item[0] not in lost]
    for item in others:
        if item[0] in lost:
            between = re.sub(r"//[^\r\n]*|/\*.*?\*/", "", text[end : item.start()], flags=re.S)
            assert re.fullmatch(r"[ \t]*(\s*,[ \t]*)?", between)
            assert not re.search(r"[\r\n]", item[0])


@often
@given(st.text(alphabet="{{}}[]\",,::/*\n\r 1a\\u'-.e\t", max_size=30), VALUES)
def test_any_text_is_read_or_refused(text, new):
    try:
        value = read(text)
    except NotJson as error:
        assert re.match(r"line \d+, column \d+: [^\r\n]+$", str(error))
        with pytest.raises(ValueError):
            json.loads(text)
        return
    if isinstance(value, dict) and not isinstance(value.get("a", {}), dict):
        value = None
    if isinstance(value, dict):
        result = put(text, ["a", "b"], new)
        assert exact(read(result)) == exact(updated(value, ["a", "b"], new))
        assert "b" not in read(drop(result, ["a", "b"]))["a"]


@often
@given(VALUES, st.sampled_from([None, 0, 1, 4, "\t"]), st.booleans())
def test_json_is_read_as_json(value, indent, ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    assert exact(read(text)) == exact(json.loads(text))
    assert put(f'{{"a": {text}}}', ["a"], value) == f'{{"a": {text}}}'


@often
@given(
    st.recursive(
        st.just({}), lambda inner: st.dictionaries(st.sampled_from("abc"), inner), max_leaves=8
    )
)
def test_a_file_that_python_wrote_stays_as_python_writes_it(value):
    text = json.dumps({"x": 1, **value}, indent=4)
    path = ("mcpServers", "shop")
    assert put(text, path, SHOP) == json.dumps(updated({"x": 1, **value}, path, SHOP), indent=4)
