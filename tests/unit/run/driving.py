"""Calls that a test starts, stops and waits for from outside.

No test here looks at a clock: an answer is in time if it comes while the function is still blocked
on an event of the test, which the test sets afterwards.
"""

import asyncio
import threading
from concurrent.futures import Future

LONGEST = 60
"""Seconds after which something counts as hanging; no test that passes waits so long."""
SOON = 0.05
"""Seconds of a deadline that is meant to pass."""
LATER = 1.0
"""Seconds of a deadline that is meant to pass after the function has begun, on a busy machine too."""
WAYS = ("call", "call_async")
NOTE = "toolwright/cache"
STOPPED = object()
"""The answer of a call whose task was cancelled: there is none."""


class Calling:
    """One call under way: in a thread of its own, or as a task of the tests' loop."""

    def __init__(self, loop, way, box, name, arguments=None, call=None):
        self.answered = Future()
        self.loop = loop
        if way == "call":
            work = lambda: self._settle(lambda: box.call(name, arguments, call=call))
            threading.Thread(target=work, daemon=True).start()
        else:
            made = threading.Event()
            loop.call_soon_threadsafe(self._start, box.call_async(name, arguments, call=call), made)
            wait_for(made)

    def _settle(self, function):
        try:
            self.answered.set_result(function())
        except BaseException as error:
            self.answered.set_exception(error)

    def _start(self, coroutine, made):
        self.task = self.loop.create_task(coroutine)
        self.task.add_done_callback(
            lambda task: self._settle(lambda: STOPPED if task.cancelled() else task.result())
        )
        made.set()

    def cancel_task(self):
        self.loop.call_soon_threadsafe(self.task.cancel)

    @property
    def is_answered(self):
        return self.answered.done()

    def answer(self):
        return self.answered.result(LONGEST)


def wait_for(event):
    """Wait until something has happened; it must."""
    assert event.wait(LONGEST), "it never happened"


async def happened(event):
    """Wait on a loop until something has happened in a thread; it must."""
    loop = asyncio.get_running_loop()
    assert await loop.run_in_executor(None, event.wait, LONGEST), "it never happened"


def wait_until(holds, turns=LONGEST * 1000):
    """Let others go on until something holds; it must."""
    pause = threading.Event()
    for _ in range(turns):
        if holds():
            return
        pause.wait(0.001)
    raise AssertionError("it never came to hold")


def code_of(result):
    """The code of an error; None of a success."""
    return None if result.error is None else result.error.code


def note_of(result):
    """What a result says about the cache."""
    return (result.meta or {}).get(NOTE)
