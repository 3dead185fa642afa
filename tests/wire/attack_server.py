"""Tools that fork, that speak after their end, and that hold the end of the server."""

import atexit
import os
import threading
import time
from pathlib import Path

from toolwright import Call, Toolbox
from toolwright.cli import main

box = Toolbox("attack")


def fork_and_return(path: str, word: str) -> str:
    if not os.fork():
        Path(path).write_text(str(os.getpid()), encoding="ascii")
        return f"{word} of the copy"
    return word


@box.tool
def forks(path: str, word: str) -> str:
    """Fork in a thread, and let the copy fall through."""
    return fork_and_return(path, word)


@box.tool(run_on="inline")
def forks_inline(path: str, word: str) -> str:
    """Fork on the event loop, and let the copy fall through."""
    return fork_and_return(path, word)


@box.tool
async def forks_async(path: str, word: str) -> str:
    """Fork in a coroutine, and let the copy fall through."""
    return fork_and_return(path, word)


@box.tool
def forks_and_stays(path: str) -> str:
    """Fork, and let the copy live on by itself."""
    if not os.fork():
        Path(path).write_text(str(os.getpid()), encoding="ascii")
        time.sleep(600)
        os._exit(0)
    return "forked"


@box.tool
def forks_properly(word: str) -> str:
    """Fork as `multiprocessing` does; the copy runs a tool of its own in a thread."""
    import asyncio
    import multiprocessing

    def work(queue: "multiprocessing.SimpleQueue[str]") -> None:
        queue.put(asyncio.run(box.call_async("echo", {"word": word})).value)

    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=work, args=(queue,))
    child.start()
    came = queue.get()
    child.join()
    return came


@box.tool
def echo(word: str) -> str:
    """Return a word."""
    return word


@box.tool
def speaks_later(call: Call, go: str, done: str) -> str:
    """Leave a thread behind that goes on speaking."""

    def speak() -> None:
        while not Path(go).exists():
            time.sleep(0.01)
        for _ in range(20):
            call.progress(99, 100, "late")
            call.log("late", "error")
        Path(done).touch()

    threading.Thread(target=speak, daemon=True).start()
    return "answered"


@box.tool
def holds_the_end(how: str, seconds: float) -> str:
    """Leave something behind that Python waits for at its end; it has so long."""
    main._EXIT_SECONDS = seconds
    if how == "atexit":
        atexit.register(time.sleep, 600)
    else:
        threading.Thread(target=time.sleep, args=(600,), daemon=False).start()
    return how
