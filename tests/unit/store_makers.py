"""Stores of both kinds, with a clock that tests set."""

import pytest


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


def count(value):
    return b"%d" % (int(value or 0) + 1), 60
