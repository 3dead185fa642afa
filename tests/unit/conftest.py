"""A unit test starts no process: what does so belongs in `tests/wire`."""

import sys

import pytest

STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec"}
_tests = []


def _refuse(event, _):
    if event in STARTS and _tests:
        raise AssertionError(f"{_tests[-1]} starts a process: it belongs in tests/wire")


sys.addaudithook(_refuse)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    _tests.append(item.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item):
    _tests.clear()
