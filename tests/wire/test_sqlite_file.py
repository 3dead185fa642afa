"""Stores in a file: other processes, broken files, names of stores."""

import os
import subprocess
import sys

import pytest

from tests.unit.store_makers import path
from toolwright.stores import SqliteStore

# -- processes

WORK = """
import sys
from toolwright.stores import SqliteStore
print("ready", flush=True)
sys.stdin.readline()
store = SqliteStore(sys.argv[1])
for _ in range(200):
    store.update("k", lambda old: (b"%d" % (int(old or 0) + 1), 60))
store.close()
"""


def test_processes_lose_no_update(path):
    command = [sys.executable, "-c", WORK, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    workers = [subprocess.Popen(command, **pipes) for _ in range(3)]
    for worker in workers:
        worker.stdout.readline()
    for worker in workers:
        worker.stdin.close()
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    for worker in workers:
        worker.stdout.close()
    store = SqliteStore(path)
    assert store.get("k") == b"600"
    store.close()


FORK = """
import os, sys, threading
from toolwright.stores import MemoryStore, SqliteStore

store, memory = SqliteStore(sys.argv[1]), MemoryStore()
count = lambda old: (b"%d" % (int(old or 0) + 1), 60)
done = threading.Event()

def work():
    while not done.is_set():
        store.update("thread", count)
        memory.update("thread", count)

thread = threading.Thread(target=work)
thread.start()
children = []
for _ in range(10):
    child = os.fork()
    if not child:
        for _ in range(20):
            store.update("k", count)
            memory.update("k", count)
        store.close()
        os._exit(0 if memory.get("k") == b"20" else 1)
    children.append(child)
    store.update("k", count)
codes = [os.waitpid(child, 0)[1] for child in children]
done.set()
thread.join()
assert codes == [0] * 10, codes
assert store.get("k") == b"210", store.get("k")
assert memory.get("k") is None
assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
store.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_in_the_midst_of_work_is_safe(path):
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK, str(path)]
    subprocess.run(command, check=True, timeout=60)


def test_sqlite_is_loaded_only_for_a_file():
    code = "import sys, toolwright.stores; toolwright.stores.open_store(None); assert 'sqlite3' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
