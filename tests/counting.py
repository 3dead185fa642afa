"""How much is tried every day, and what only `make soak` tries."""

import functools
import inspect

import pytest
from hypothesis import settings

SHARE = 10
LARGE, DAILY = 4, 3
"""A table with more than `LARGE` cases is large: every day, `DAILY` of them are tried."""


def examples(count):
    """Return how many examples a test runs now, if a thorough run has `count` of them."""
    thorough = settings.get_current_profile_name() == "thorough"
    return count if thorough else max(count // SHARE, 10)


def rare_ones(count):
    """Return which of `count` cases are left to `make soak`: the daily ones are spread evenly."""
    if count <= LARGE:
        return []
    daily = {at * count // DAILY for at in range(DAILY)}
    return [at for at in range(count) if at not in daily]


def soaked(*values):
    """Return test parameters that only `make soak` uses."""
    return [pytest.param(each, marks=pytest.mark.soak) for each in values]


def soaked_rows(*rows):
    """Return rows of test parameters that only `make soak` uses."""
    return [pytest.param(*row, marks=pytest.mark.soak) for row in rows]


def for_every(names, cases, ids=lambda *case: repr(case)):
    """Run a test with every case, as `pytest.mark.parametrize` does, but as one test.

    Collecting a test in all workers, sending and reporting it takes three milliseconds, which is
    more than most cases of large tables take. All cases run, and those that fail are named.
    """
    names = (names,) if isinstance(names, str) else names
    cases = [each if isinstance(each, tuple) else (each,) for each in cases]

    def decorate(test):
        signature = inspect.signature(test)
        fixtures = [each for name, each in signature.parameters.items() if name not in names]

        @functools.wraps(test)
        def run_all(**given):
            failures = []
            for case in cases:
                try:
                    test(**given, **dict(zip(names, case, strict=True)))
                except Exception as failure:
                    failure.add_note(f"with {ids(*case)}")
                    failures.append(failure)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(cases)} cases", failures)

        run_all.__signature__ = inspect.Signature(fixtures)
        return run_all

    return decorate
