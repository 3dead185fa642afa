"""Every value has a right form, or a clear error."""

from typing import Any

from tests.unit.returning import returning
from tests.unit.ways import assert_plain, result_of
from toolwright import ResultError


def test_cycles_and_unwritable_values_are_clear_errors():
    cycle: list[Any] = []
    cycle.append({"a": cycle})
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    for value in (cycle, deep, object(), {"a": object()}, [lambda: 1]):
        for hint in (..., Any, object):
            result = result_of(returning(value, hint))
            assert result.is_error
            assert isinstance(result.error, ResultError)
            assert_plain(result.text)
            assert len(result.text) < 300
