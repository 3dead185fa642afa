"""Random documents: what is ours is put in and dropped, all else stays."""

import copy
import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.counting import examples
from tests.unit.cli.jsonc_documents import LEXER, SHOP, documents, in_order, parent_of, tokens
from toolwright.cli.jsonc import NotJson, drop, put, read

KEYS = ["", "a", "b", "shop", "mcpServers", "ü", "x\ud800"]


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


def is_comment(token):
    return token.startswith(("//", "/*"))


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
