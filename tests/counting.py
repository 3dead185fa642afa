"""Tables of cases as one test, tests that run again with other cases, and how many examples."""

import functools
import inspect
import types

import pytest
from hypothesis import settings


def examples(count):
    """Return how many examples a random test runs: `count` of them when it is thorough.

    Every day it is a tenth of them, at least 10; see `make soak`.
    """
    thorough = settings.get_current_profile_name() == "thorough"
    return count if thorough else max(count // 10, 10)


def for_every(names, cases, ids=lambda *case: repr(case)):
    """Run a test with every case, as `pytest.mark.parametrize` does, but as one test.

    Collecting a test in all workers, sending and reporting it takes three milliseconds, which is
    more than most cases of large tables take. All cases run, and those that fail are named.
    """
    names = (names,) if isinstance(names, str) else names
    cases = [case if isinstance(case, tuple) else (case,) for case in cases]

    def decorate(test):
        signature = inspect.signature(test)
        fixtures = [each for name, each in signature.parameters.items() if name not in names]

        @functools.wraps(test)
        def run_all(**fixture_values):
            failures = []
            for case in cases:
                try:
                    test(**fixture_values, **dict(zip(names, case, strict=True)))
                except Exception as failure:
                    failure.add_note(f"with {ids(*case)}")
                    failures.append(failure)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(cases)} cases", failures)

        run_all.__signature__ = inspect.Signature(fixtures)
        return run_all

    return decorate


def again(test, names, cases, **more):
    """Return a test of another module with other cases; the rest of it stays as it is."""
    copy = types.FunctionType(
        test.__code__, test.__globals__, test.__name__, test.__defaults__, test.__closure__
    )
    copy.__kwdefaults__ = test.__kwdefaults__
    copy.__dict__.update(test.__dict__)
    marks = [
        mark for mark in test.pytestmark if mark.name != "parametrize" or mark.args[0] != names
    ]
    assert len(marks) < len(test.pytestmark), f"{test.__name__} has no cases of {names}"
    copy.pytestmark = marks
    return pytest.mark.parametrize(names, cases, **more)(copy)
