"""Fixtures of other tests, for these as well."""

from tests.unit.run.conftest import event, loop, start

__all__ = ["event", "loop", "start"]
