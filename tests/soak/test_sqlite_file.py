"""Stores in a file: other processes, broken files, names of stores."""

import gc
import os

from tests.unit.store_makers import path
from toolwright.stores import SqliteStore


def test_a_store_that_is_dropped_closes_its_file(path):
    store = SqliteStore(path)
    store.put("k", b"1", 60)
    del store
    gc.collect()
    assert os.listdir(path.parent) == ["store.db"]
