"""Values of plain classes: by their attributes, or by the text that the class writes."""

import argparse
import collections
import json
import pathlib
import sqlite3
import types
from typing import Any, ClassVar, Optional

import pytest
import sqlalchemy
from pydantic import BaseModel, ConfigDict

from tests.unit.returning import returning, same_each_way
from tests.unit.ways import assert_plain, text_of
from toolwright import Tool


class Spoken:
    def __init__(self, word="five"):
        self.word = word

    def __str__(self):
        return f"say {self.word}"


class Heir(Spoken):
    pass


class Quiet:
    def __repr__(self):
        return "secret repr"


class Default:
    def __str__(self):
        return super().__str__()


class Failing:
    def __str__(self):
        raise RuntimeError("secret")


class NoText:
    def __str__(self):
        return 7  # noqa: PLE0307


class Endless:
    def __str__(self):
        return str(self)


@pytest.mark.promise("schema.own-text")
@pytest.mark.parametrize("hint", [..., Any, object, Spoken, Optional[Spoken], Spoken | int])
@pytest.mark.parametrize("cls", [Spoken, Heir])
def test_what_a_class_writes_of_itself_is_the_text(hint, cls):
    assert text_of(same_each_way(returning(cls(), hint))) == "say five"
    assert Tool(returning(cls(), hint)).output_schema is None


@pytest.mark.parametrize(
    ("value", "hint", "wanted"),
    [
        ([Spoken()], ..., ["say five"]),
        ([Spoken()], list[Spoken], ["say five"]),
        ([Spoken(), "a"], list, ["say five", "a"]),
        ([Spoken(), 1], list[Any], ["say five", 1]),
        ((Spoken(),), tuple[Spoken], ["say five"]),
        ({"a": Spoken()}, ..., {"a": "say five"}),
        ({"a": Spoken()}, dict[str, Any], {"a": "say five"}),
        ({"a": Spoken()}, dict[str, Spoken], {"a": "say five"}),
        ({"a": [Spoken()]}, dict[str, list[Spoken] | None], {"a": ["say five"]}),
    ],
)
def test_it_stands_as_text_inside_other_values(value, hint, wanted):
    seen = same_each_way(returning(value, hint))
    assert not seen["isError"], seen
    assert json.loads(text_of(seen)) == wanted


def test_a_field_without_a_known_form_is_text_too():
    class Holder(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        n: int
        said: Spoken

    seen = same_each_way(returning(Holder(n=1, said=Spoken()), Holder))
    assert json.loads(text_of(seen)) == {"n": 1, "said": "say five"}


@pytest.mark.parametrize("hint", [int, list[int], dict[str, int]])
def test_a_declared_type_is_not_met_by_a_text(hint):
    seen = same_each_way(returning(Spoken(), hint))
    assert seen["isError"]
    assert "not of its declared type" in text_of(seen)


@pytest.mark.parametrize(
    "value",
    [Quiet(), Default(), Failing(), NoText(), Endless(), ValueError("secret"), Spoken, type(None)],
    ids=["repr", "default", "fails", "number", "endless", "exception", "class", "none-class"],
)
@pytest.mark.parametrize("nested", [False, True])
def test_a_value_that_says_nothing_is_a_clear_error(value, nested):
    seen = same_each_way(returning([value] if nested else value))
    assert seen["isError"]
    assert "secret" not in text_of(seen)
    assert "0x" not in text_of(seen)
    assert_plain(text_of(seen))


def test_a_long_text_is_cut_and_lone_surrogates_are_replaced():
    seen = same_each_way(returning(Spoken("a" * 300_000)))
    assert not seen["isError"]
    assert len(seen["content"][0]["text"]) <= 100_000
    assert "cut" in seen["content"][-1]["text"]
    assert same_each_way(returning([Spoken("a" * 300_000)]))["content"]
    assert text_of(same_each_way(returning(Spoken("\ud800")))) == "say \ufffd"
    assert text_of(same_each_way(returning([Spoken("\ud800")]))) == '["say \ufffd"]'


def test_a_path_with_bytes_that_are_no_text_is_written():
    odd = pathlib.PurePosixPath("/tmp/\udc80")
    assert text_of(same_each_way(returning(odd))) == '"/tmp/\ufffd"'
    seen = same_each_way(returning([odd], list[pathlib.PurePosixPath]))
    assert text_of(seen) == '["/tmp/\ufffd"]'


def test_a_kept_result_is_the_same_as_the_first():
    calls = []

    def probe():
        calls.append(1)
        return Spoken()

    tool = Tool(probe, cache=60)
    assert [tool.call({}).text, tool.call({}).text] == ["say five", "say five"]
    assert len(calls) == 1


# -- attributes


class Book:
    shelf: ClassVar[int] = 3
    title: str
    pages: int = 5
    note: str
    _price: int

    def __init__(self):
        self.title, self._price = "a", 9

    def __str__(self):
        return "a book"


class Novel(Book):
    author: str = "b"


def test_declared_public_attributes_come_before_the_text():
    wanted = {"title": "a", "pages": 5}
    assert json.loads(text_of(same_each_way(returning(Book())))) == wanted
    heir = json.loads(text_of(same_each_way(returning([Novel()]))))
    assert heir == [{**wanted, "author": "b"}]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (types.SimpleNamespace(a=1, b=[2]), {"a": 1, "b": [2]}),
        (argparse.Namespace(a=1), {"a": 1}),
        (collections.UserString("word"), "word"),
    ],
    ids=["namespace", "arguments", "user-string"],
)
def test_namespaces_and_wrapped_texts_are_known(value, wanted):
    assert json.loads(text_of(same_each_way(returning(value)))) == wanted
    assert json.loads(text_of(same_each_way(returning([value], list[Any])))) == [wanted]


# -- rows of a query

QUERY = "select 1 as a, 'x' as b, 2.5 as a"


def sqlite_rows():
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    try:
        return connection.execute(QUERY).fetchall()
    finally:
        connection.close()


def sqlalchemy_rows():
    engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.StaticPool)
    with engine.connect() as connection:
        rows = connection.execute(sqlalchemy.text(QUERY)).fetchall()
    engine.dispose()
    return rows


@pytest.mark.promise("calling.rows")
@pytest.mark.parametrize("rows", [sqlite_rows, sqlalchemy_rows])
def test_rows_of_a_query_keep_the_names_of_their_columns(rows):
    named = {"a": 1, "b": "x", "a.1": 2.5}
    for hint in (..., list, list[dict[str, Any]], list[dict[str, Any] | None]):
        assert json.loads(text_of(same_each_way(returning(rows(), hint)))) == [named]
    assert json.loads(text_of(same_each_way(returning(rows()[0])))) == named
    assert json.loads(text_of(same_each_way(returning({"rows": rows()})))) == {"rows": [named]}


@pytest.mark.parametrize("rows", [sqlite_rows, sqlalchemy_rows])
def test_rows_are_lists_where_the_type_says_so(rows):
    for hint in (list[tuple[int, str, float]], list[list[Any]]):
        assert json.loads(text_of(same_each_way(returning(rows(), hint)))) == [[1, "x", 2.5]]
    seen = same_each_way(returning({"rows": rows()}, dict[str, list[tuple[int, str, float]]]))
    assert json.loads(text_of(seen)) == {"rows": [[1, "x", 2.5]]}
