"""Resources that belong to a thread, such as connections of sqlite3, in lifespans and tools."""

import asyncio
import contextlib
import contextvars
import logging
import sqlite3
import threading

import pytest

from toolwright import Call, Toolbox

CURRENT = contextvars.ContextVar("CURRENT")


def database():
    db = sqlite3.connect(":memory:")
    yield db
    db.close()


class Database:
    def __enter__(self):
        self.db = sqlite3.connect(":memory:")
        return self.db

    def __exit__(self, *_):
        self.db.close()


def crowd(count):
    """Keep threads of the pool busy at once, so that the next job gets another of them."""
    barrier = threading.Barrier(count)
    box = Toolbox("crowd")

    @box.tool
    def wait() -> int:
        return barrier.wait(30)

    async def run():
        await asyncio.gather(*(box.call_async("wait") for _ in range(count)))

    asyncio.run(run())


def lifespan_threads():
    return [each for each in threading.enumerate() if each.name == "toolwright-lifespan"]


def all_end(threads):
    """Return whether threads end, which may be a moment after what they did is known."""
    for each in threads:
        each.join(30)
    return not any(each.is_alive() for each in threads)


@pytest.mark.promise("lifespan.one-thread")
@pytest.mark.parametrize("lifespan", [database, contextlib.contextmanager(database), Database])
def test_a_sync_lifespan_opens_and_closes_in_one_thread(lifespan):
    box = Toolbox("notes", lifespan=lifespan)
    for _ in range(3):
        with box:
            crowd(4)
    assert all_end(lifespan_threads())


def test_so_do_those_of_included_toolboxes():
    outer = Toolbox("outer", lifespan=database)
    for number in range(3):
        inner = Toolbox(f"inner{number}", lifespan=database)
        inner.add(lambda: 1, name=f"one{number}")
        outer.include(inner)
    with outer:
        crowd(8)
        assert len(lifespan_threads()) == 4
    assert all_end(lifespan_threads())


def test_a_variable_of_the_context_is_reset_where_it_was_set():
    def lifespan():
        token = CURRENT.set("open")
        yield
        CURRENT.reset(token)

    with Toolbox("notes", lifespan=lifespan):
        crowd(4)


def test_a_thread_ends_where_the_lifespan_fails_or_its_opening_is_given_up():
    begun, goes_on = threading.Event(), threading.Event()

    def broken():
        raise OSError("no disk")
        yield

    def slow():
        begun.set()
        goes_on.wait(30)
        yield

    with pytest.raises(OSError, match="no disk"), Toolbox("a", lifespan=broken):
        pass

    async def give_up():
        async with asyncio.timeout(30):
            opening = asyncio.ensure_future(Toolbox("b", lifespan=slow).__aenter__())
            await asyncio.to_thread(begun.wait, 30)
            opening.cancel()
            goes_on.set()
            with contextlib.suppress(asyncio.CancelledError):
                await opening

    asyncio.run(give_up())
    assert all_end(lifespan_threads())


@pytest.mark.promise("lifespan.other-thread")
def test_the_model_reads_that_it_belongs_to_another_thread_and_the_log_says_what_to_do(caplog):
    box = Toolbox("notes", lifespan=database)

    @box.tool
    def count(call: Call) -> int:
        return call.lifespan.execute("select 1").fetchone()[0]

    with box, caplog.at_level(logging.ERROR):
        text = box.call("count").text
    assert text.startswith("count failed unexpectedly (reference ")
    assert text.endswith("): it used what belongs to another thread")
    assert "check_same_thread=False" in caplog.records[-1].getMessage()


def test_other_errors_are_not_taken_for_that():
    class Odd(RuntimeError):
        def __str__(self):
            raise ValueError

    errors = [RuntimeError("a thread"), Odd(), sqlite3.ProgrammingError("x")]
    box = Toolbox("notes")

    @box.tool
    def fail(number: int) -> int:
        raise errors[number]

    for number in range(len(errors)):
        assert box.call("fail", {"number": number}).text.endswith(")")


def async_database():
    async def database():
        yield sqlite3.connect(":memory:")

    return database


@pytest.mark.parametrize(
    ("lifespan", "run_on", "count"),
    [
        (database, "thread", 1),
        (database, "inline", 1),
        (contextlib.contextmanager(database), "thread", 1),
        (async_database(), "thread", 1),
        (async_database(), "inline", 0),
    ],
)
def test_the_doctor_finds_it_where_tools_run_in_other_threads(lifespan, run_on, count):
    box, outer = Toolbox("notes", lifespan=lifespan), Toolbox("outer")

    @box.tool(run_on=run_on)
    def one(call: Call) -> int:
        "Return one."
        return 1

    outer.include(box)
    for each in (box, outer):
        found = list(each.check(select="thread_bound"))
        assert len(found) == count
        assert all(finding.file == __file__ for finding in found)
