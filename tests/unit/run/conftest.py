"""A loop for the calls of tests, and events that no thread is left blocked on."""

import asyncio
import threading

import pytest

from tests.unit.run.driving import LONGEST, Calling


@pytest.fixture(scope="session")
def loop():
    """A loop in a thread: a test can wait for what happens on it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop

    async def finish():
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await loop.shutdown_asyncgens()

    asyncio.run_coroutine_threadsafe(finish(), loop).result(LONGEST)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(LONGEST)
    loop.close()


@pytest.fixture
def start(loop):
    """Start a call: `start(way, box, name, arguments, call=None)`."""
    return lambda *sent, **named: Calling(loop, *sent, **named)


@pytest.fixture
def event():
    """Make an event that is set at the end, whatever happens."""
    made = []

    def make():
        made.append(threading.Event())
        return made[-1]

    yield make
    for each in made:
        each.set()
