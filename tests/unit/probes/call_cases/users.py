"""Calls of users, D."""

import datetime
import pathlib

from tests.unit.probes.call_case import probe
from tests.unit.ways import text_of


@probe(
    "U11 a long text is cut and says so",
    options={"max_result": 100},
    holds=lambda seen: seen["content"][0]["text"] == "x" * 100 and "900 of 1000" in text_of(seen),
)
def long_text() -> str:
    return "x" * 1000


@probe(
    "U11 a long list is cut between items",
    options={"max_result": 50},
    holds=lambda seen: not seen["isError"] and agreed_list(seen) and "left out" in text_of(seen),
)
def long_list() -> list[int]:
    return list(range(1000))


def agreed_list(seen):
    import json

    shown = seen["structuredContent"]
    shown = shown["result"] if isinstance(shown, dict) else shown
    return json.loads(seen["content"][0]["text"]) == shown == list(range(len(shown))) != []


@probe("U11 a large object is an error with size and cap", options={"max_result": 50}, error=["50"])
def large_object() -> dict[str, str]:
    return {"a": "x" * 100}


@probe("U21 several faults, one line each", {"a": "x", "b": "y"}, error=["`a`", "`b`", "\n"])
def several(a: int, b: int) -> int:
    return a + b


@probe("U21 a KeyError", error=["KeyError: 'k'"])
def key_error() -> int:
    return {}["k"]


@probe("U21 a missing file", error=["FileNotFoundError"])
def missing_file() -> str:
    return pathlib.Path("/nonexistent/file").read_text()


@probe("U25 sets of dates in a dataclass map", gives={"k": ["2026-01-02"]})
def deep() -> dict[str, set[datetime.date]]:
    return {"k": {datetime.date(2026, 1, 2)}}


@probe("U25 a time, a timedelta and a uuid without a declared type", text='["P1D","12:00:00"]')
def undeclared_times():
    return [datetime.timedelta(days=1), datetime.time(12)]
