"""Fixtures of other tests, for these as well."""

from tests.wire.client.conftest import shop_url

__all__ = ["shop_url"]
