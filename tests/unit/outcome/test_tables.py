"""Tables of pandas, polars, pyarrow and numpy keep index, names, order and gaps."""

import importlib
import json
from typing import Any

import pytest

from tests.unit.returning import each_way, returning, same_each_way
from tests.unit.ways import assert_plain, result_of, text_of
from toolwright import Toolbox

pd = importlib.import_module("pandas")
np = importlib.import_module("numpy")

NAN = float("nan")


@pytest.fixture
def sales():
    return pd.DataFrame(
        {"city": ["Oslo", "Rome", "Oslo"], "year": [2023, 2023, 2024], "price": [1.5, NAN, 3.0]}
    )


def read(value, hint=..., **options):
    """Return the JSON that a model reads of a value."""
    return json.loads(text_of(same_each_way(returning(value, hint), **options)))


# -- pandas


@pytest.mark.promise("tables.index")
def test_the_index_is_the_beginning_of_each_row(sales):
    assert read(sales)[1] == {"city": "Rome", "year": 2023, "price": None}
    grouped = sales.groupby("city").sum(numeric_only=True)
    assert read(grouped) == [
        {"city": "Oslo", "year": 4047, "price": 4.5},
        {"city": "Rome", "year": 2023, "price": 0.0},
    ]
    assert [row["index"] for row in read(sales.describe())][:2] == ["count", "mean"]
    pivot = sales.pivot_table(index="city", columns="year", values="price")
    assert read(pivot) == [{"city": "Oslo", "2023": 1.5, "2024": 3.0}]
    assert read(sales[sales.year == 2024]) == [
        {"index": 2, "city": "Oslo", "year": 2024, "price": 3.0}
    ]
    assert read(sales.tail(1))[0]["index"] == 2
    assert read(sales.iloc[[0, 1]])[0] == {"city": "Oslo", "year": 2023, "price": 1.5}


def test_an_index_of_several_levels_is_several_keys(sales):
    wanted = {"city": "Oslo", "year": 2023, "price": 1.5}
    assert read(sales.set_index(["city", "year"]))[0] == wanted
    bare = pd.DataFrame({"a": [1]}, index=pd.MultiIndex.from_tuples([("x", 1)]))
    assert read(bare) == [{"level_0": "x", "level_1": 1, "a": 1}]
    sizes = sales.groupby(["city", "year"]).size()
    assert read(sizes)[0] == {"city": "Oslo", "year": 2023, "value": 1}


@pytest.mark.promise("tables.columns")
def test_columns_keep_their_order_and_none_vanishes(sales):
    double = pd.DataFrame([[1, 2, 3, 4]], columns=["b", "a", "b", "b.1"])
    assert list(read(double)[0].items()) == [("b", 1), ("a", 2), ("b.2", 3), ("b.1", 4)]
    both = sales.set_index("city", drop=False)
    assert list(read(both)[0]) == ["city", "city.1", "year", "price"]
    means = sales.groupby("city").agg({"price": ["mean", "max"]})
    assert read(means)[0] == {"city": "Oslo", "price.mean": 2.25, "price.max": 3.0}
    assert read(means.reset_index())[0] == {"city": "Oslo", "price.mean": 2.25, "price.max": 3.0}
    assert list(read(pd.DataFrame({pd.Timestamp("2026-01-02"): [1]}))[0]) == ["2026-01-02T00:00:00"]


@pytest.mark.promise("tables.series")
def test_a_series_is_values_an_object_or_rows(sales):
    assert read(sales["price"]) == [1.5, None, 3.0]
    assert read(sales.iloc[0]) == {"city": "Oslo", "year": 2023, "price": 1.5}
    assert read(sales.mean(numeric_only=True)) == {
        "year": pytest.approx(2023.33, 1e-3),
        "price": 2.25,
    }
    assert read(sales["price"].describe())["name"] == "price"
    assert read(sales["price"].describe())["count"] == 2.0
    rome = sales.set_index("city").loc["Rome"]
    assert read(rome) == {"name": "Rome", "year": 2023, "price": None}
    assert read(pd.Series({"name": "a"}, name="x")) == {"name.1": "x", "name": "a"}
    counts = sales["city"].value_counts()
    assert read(counts) == [{"city": "Oslo", "count": 2}, {"city": "Rome", "count": 1}]
    assert read(sales.groupby("city")["price"].sum())[0] == {"city": "Oslo", "price": 4.5}
    assert read(pd.Series([1, 2], index=["a", "a"])) == [
        {"index": "a", "value": 1},
        {"index": "a", "value": 2},
    ]
    days = pd.Series([1], index=pd.date_range("2026-01-02", periods=1, tz="UTC"), name="n")
    assert read(days) == [{"index": "2026-01-02T00:00:00+00:00", "n": 1}]


@pytest.mark.promise("tables.missing")
def test_missing_values_are_null():
    times = pd.to_datetime(["2026-01-02T03:04:05.123456789Z", None])
    frame = pd.DataFrame(
        {
            "time": times.tz_convert("Europe/Berlin"),
            "wait": pd.to_timedelta(["1h", None]),
            "kind": pd.Categorical(["x", None]),
            "count": pd.array([1, None], dtype="Int64"),
            "flag": pd.array([True, None], dtype="boolean"),
            "text": pd.array(["a", None], dtype="string"),
            "month": pd.PeriodIndex(["2026-01", None], freq="M"),
            "list": [[1.0, NAN], {"a": np.array([NAN])}],
        }
    )
    first, second = read(frame)
    assert first == {
        "time": "2026-01-02T04:04:05.123456789+01:00",
        "wait": "PT1H",
        "kind": "x",
        "count": 1,
        "flag": True,
        "text": "a",
        "month": "2026-01",
        "list": [1.0, None],
    }
    assert second == {**dict.fromkeys(first), "list": {"a": [None]}}
    assert read(pd.DatetimeIndex(["2026-01-01", None])) == ["2026-01-01T00:00:00", None]
    assert read(pd.Categorical(["a", None])) == ["a", None]
    assert read({"a": pd.NaT, "b": [pd.NA], "c": (pd.NaT,)}) == {
        "a": None,
        "b": [None],
        "c": [None],
    }
    assert read(pd.NaT) is None
    assert read(pd.NA) is None


def test_empty_tables_are_empty():
    for value in (pd.DataFrame(), pd.DataFrame(columns=["a"]), pd.Series([], dtype=float)):
        assert read(value) == []
    assert read(pd.DataFrame(index=["a"])) == [{"index": "a"}]
    assert read(pd.DataFrame(index=range(2))) == [{}, {}]


def test_tables_fit_where_they_are_declared_or_nested(sales):
    rows = read(sales)
    assert read(sales, list[dict[str, Any]]) == rows
    assert read(sales, pd.DataFrame) == rows
    assert read({"rows": sales, "first": sales.iloc[0]}) == {"rows": rows, "first": rows[0]}
    assert read([sales, sales.iloc[0]], list) == [rows, rows[0]]
    assert read(sales.iloc[0], dict[str, Any]) == rows[0]
    assert result_of(returning(sales)).value is sales


def test_a_number_that_is_not_finite_is_still_refused():
    seen = same_each_way(returning(pd.DataFrame({"a": [float("inf")]})))
    assert seen["isError"]
    assert_plain(text_of(seen))


# -- size


class Counting(pd.DataFrame):
    """Counts the rows that are read of it."""

    rows: list[int] = []  # noqa: RUF012

    @property
    def _constructor(self):
        return Counting

    @property
    def columns(self):  # read once for each conversion
        self.rows.append(len(self))
        return super().columns


@pytest.mark.promise("tables.huge")
@pytest.mark.parametrize("hint", [..., list[dict[str, Any]]])
def test_of_a_huge_table_only_the_beginning_is_converted(hint):
    Counting.rows.clear()
    frame = Counting(pd.DataFrame({"n": np.arange(1_000_000)}))
    Counting.rows.clear()
    result = result_of(returning(frame, hint), max_result=1000)
    assert json.loads(result.content[0]["text"])[0] == {"n": 0}
    assert "of 1000000 items left out" in result.content[-1]["text"]
    assert all(rows == 1_000_000 or rows < 200 for rows in Counting.rows)


def test_every_kind_of_table_is_cut():
    pl, pa = importlib.import_module("polars"), importlib.import_module("pyarrow")
    many = np.arange(100_000)
    for value in (
        pd.Series(many),
        pd.Series(many, index=many + 1),
        pd.Series(many, index=[f"k{each}" for each in many]),
        pd.Index(many),
        pl.DataFrame({"n": many}),
        pl.Series(many),
        pa.table({"n": many}),
        pa.array(many),
        many,
        np.zeros((100_000, 3)),
    ):
        result = result_of(returning(value), max_result=500)
        assert not result.is_error, result.text
        assert "of 100000 items left out" in result.content[-1]["text"]
        assert len(result.content[0]["text"]) <= 500


def test_a_huge_table_that_cannot_be_cut_is_refused_unread():
    frame = pd.DataFrame({"n": np.arange(100_000)})
    for value, hint in (({"f": frame}, ...), (frame, dict[str, Any]), ([frame, 1], ...)):
        said = result_of(returning(value, hint), max_result=500).text
        assert "a table of 100000 by 1, which 500 bytes cannot hold" in said
    wide = result_of(returning(pd.DataFrame(np.zeros((1, 20_000)))))
    assert "a table of 1 by 20000" in wide.text


# -- polars, pyarrow, numpy


@pytest.mark.promise("tables.others")
def test_polars_frames_are_rows():
    pl = importlib.import_module("polars")
    frame = pl.DataFrame({"b": [1, None], "a": [1.5, NAN], "l": [[1.0, NAN], None]})
    assert [list(row.items()) for row in read(frame)] == [
        [("b", 1), ("a", 1.5), ("l", [1.0, None])],
        [("b", None), ("a", None), ("l", None)],
    ]
    assert read(frame["a"]) == [1.5, None]
    assert read(frame, list[dict[str, Any]]) == read(frame)
    assert read(frame.head(0)) == []
    said = result_of(returning(frame.lazy())).text
    assert said == "probe: the result is a query that was not run - return what `collect()` gives"


@pytest.mark.promise("tables.others")
def test_arrow_tables_are_rows():
    pa = importlib.import_module("pyarrow")
    table = pa.table({"b": [1, None], "a": [1.5, NAN]})
    assert read(table) == [{"b": 1, "a": 1.5}, {"b": None, "a": None}]
    assert read(table.to_batches()[0]) == read(table)
    double = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert read(double) == [{"a": 1, "a.1": 2}]
    assert read(table["a"]) == [1.5, None]
    assert read(pa.array([1, None])) == [1, None]
    assert read(pa.scalar(5)) == 5
    assert read(table.slice(0, 0)) == []


@pytest.mark.promise("tables.others")
def test_numpy_arrays_with_fields_are_rows():
    kind = [("name", "U5"), ("n", "i4"), ("f", "f8"), ("t", "M8[ns]")]
    array = np.array([("x", 1, 1.5, "2026-01-02"), ("y", 2, NAN, "NaT")], dtype=kind)
    rows = [
        {"name": "x", "n": 1, "f": 1.5, "t": "2026-01-02T00:00:00"},
        {"name": "y", "n": 2, "f": None, "t": None},
    ]
    assert read(array) == rows
    assert read(array[0]) == rows[0]
    assert read(array.view(np.recarray)) == rows
    assert read(array.reshape(2, 1)) == [[row] for row in rows]
    assert read({"a": array}) == {"a": rows}
    nested = np.zeros(1, dtype=[("p", [("x", "f4")]), ("v", "i4", (2,))])
    assert read(nested) == [{"p": {"x": 0.0}, "v": [0, 0]}]


def test_times_of_numpy_are_never_plain_numbers():
    for value, wanted in (
        (np.array(["2026-01-02", "NaT"], dtype="M8[ns]"), ["2026-01-02T00:00:00", None]),
        (np.datetime64("2026-01-02T03:04", "ns"), "2026-01-02T03:04:00"),
        (np.array(["2026-01-02T00:00:00.000000001"], dtype="M8[ns]"), None),
        (np.array([60], dtype="m8[s]"), ["PT1M"]),
        (np.timedelta64(60 * 10**9, "ns"), "PT1M"),
        (np.datetime64("20000-01-01"), "20000-01-01"),
    ):
        seen = read(value)
        wanted = ["2026-01-02T00:00:00.000000001"] if wanted is None else wanted
        assert seen == wanted


def test_both_eras_get_the_same_rows(sales):
    for seen in each_way(returning(sales, list[dict[str, Any]])).values():
        shown = seen["structuredContent"]
        assert (shown if isinstance(shown, list) else shown["result"])[0]["city"] == "Oslo"


@pytest.mark.promise("result.frames")
@pytest.mark.parametrize("kind", ["pandas.DataFrame", "polars.DataFrame", "pyarrow.Table"])
def test_a_declared_frame_is_published_as_what_it_is_sent_as(kind):
    library, _, name = kind.partition(".")
    module = importlib.import_module(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    box = Toolbox("sales")

    def sales():
        "Tell what was sold."
        return make({"city": ["Oslo"], "price": [1.5]})

    sales.__annotations__["return"] = getattr(module, name)
    tool = box.add(sales)
    assert tool.output_schema == {"type": "array", "items": {"type": "object"}}
    assert box.problems == ()
    whole = box.call("sales").to_mcp()
    assert whole["structuredContent"] == [{"city": "Oslo", "price": 1.5}]
    assert [each.id for each in box.check(select="definition")] == []


def test_a_declared_series_or_image_is_no_contradiction():
    from PIL.Image import Image as Picture

    def series() -> pd.Series: ...
    def picture() -> Picture: ...
    def maybe() -> pd.DataFrame | None: ...

    box = Toolbox("sales", [series, picture, maybe])
    assert box.problems == ()


def test_an_explicit_schema_is_not_said_to_be_missing():
    class Engine: ...

    def start() -> Engine: ...

    box = Toolbox("sales")
    box.add(start, output_schema={"type": "object"})
    assert box.problems == ()


@pytest.mark.parametrize("hint", [list[pd.DataFrame], dict[str, pd.DataFrame], pd.DataFrame | None])
def test_tables_inside_others_are_said_to_be_nothing_that_they_are_not(hint):
    box = Toolbox("t", [returning([pd.DataFrame({"a": [1]})], hint)])
    (tool,) = box.to_mcp()["tools"]
    assert "outputSchema" not in tool and box.problems == ()


def test_a_class_beside_a_table_is_still_reported():
    box = Toolbox("t", [returning(None, list[pd.DataFrame | Thing])])
    assert ["cannot be sent as JSON" in problem.text for problem in box.problems] == [True]


class Thing:
    pass
