"""Fixtures of other tests, for these as well."""

from tests.unit.read.conftest import modules

__all__ = ["modules"]
