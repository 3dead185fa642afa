"""Tools for processes that misbehave; a child finds them by the name of this module."""

import os
import stat
import struct
import threading
import time
from pathlib import Path

from toolwright import Call, Process, Timeout, Toolbox

box = Toolbox("attack")
_threads: list[threading.Thread] = []


def appears(path: str) -> None:
    """Wait until a file is there."""
    while not Path(path).exists():
        time.sleep(0.005)


def wire() -> int:
    """Find the descriptor that answers are written to, as a library gone wild would."""
    for number in sorted(map(int, os.listdir("/proc/self/fd"))):
        try:
            is_pipe = stat.S_ISFIFO(os.fstat(number).st_mode)
            flags = Path(f"/proc/self/fdinfo/{number}").read_text().split("flags:")[1].split()[0]
        except OSError:
            continue
        if number > 2 and is_pipe and int(flags, 8) & os.O_ACCMODE == os.O_WRONLY:
            return number
    raise AssertionError("no pipe")


@box.tool(run_on="process")
def leaves_a_thread(call: Call, go: str, done: str, daemon: bool = True) -> int:
    """Leave a thread behind that goes on speaking."""

    def speak() -> None:
        appears(go)
        for _ in range(50):
            call.progress(99, 100, "a secret of the first caller")
            call.log("a secret of the first caller", "error")
            call.heartbeat()
        Path(done).touch()

    _threads.append(threading.Thread(target=speak, daemon=daemon))
    _threads[-1].start()
    return os.getpid()


@box.tool(run_on="process")
def listens(call: Call, go: str, done: str) -> int:
    """Let the thread of another call speak while this one runs."""
    Path(go).touch()
    appears(done)
    call.progress(1, 1, "mine")
    return os.getpid()


@box.tool(run_on="process", timeout=Timeout(idle=0.5))
def silent(go: str) -> int:
    """Give no sign of life."""
    Path(go).touch()
    time.sleep(600)
    return 0


@box.tool(run_on="process")
def beats(call: Call, go: str, end: str) -> int:
    """Leave a thread behind that gives signs of life for a call that is over."""

    def beat() -> None:
        appears(go)
        while not Path(end).exists():
            call.heartbeat()
            time.sleep(0.03)

    threading.Thread(target=beat, daemon=True).start()
    return os.getpid()


@box.tool(run_on="process")
def echo(word: str) -> str:
    """Return a word."""
    return word


@box.tool(run_on="process")
def pid() -> int:
    """Return the process."""
    return os.getpid()


@box.tool(run_on="process")
def forks(path: str, word: str) -> str:
    """Fork, and let the copy fall through."""
    if not os.fork():
        Path(path).write_text(str(os.getpid()), encoding="ascii")
        return f"{word} of the copy"
    return word


@box.tool(run_on="process")
def forks_properly(word: str) -> str:
    """Fork as `multiprocessing` does: the copy ends itself."""
    import multiprocessing

    queue = multiprocessing.get_context("fork").SimpleQueue()
    child = multiprocessing.get_context("fork").Process(target=queue.put, args=(word,))
    child.start()
    came = queue.get()
    child.join()
    return came


@box.tool(run_on="process")
def writes(kind: str) -> str:
    """Write to the pipe itself."""
    number = wire()
    if kind == "noise":
        os.write(number, b"\x00\x00\x00\x05noise")
    elif kind == "huge":
        os.write(number, struct.pack(">I", 0xFFFFFFF0) + b"x" * 100)
    elif kind == "list":
        os.write(number, b"\x00\x00\x00\x02[]")
    elif kind == "forged":
        body = b'{"done":{"kept":"{\\"value\\":\\"forged\\"}"}}'
        os.write(number, struct.pack(">I", len(body)) + body)
    elif kind == "half":
        os.write(number, b"\x00\x00\x10\x00half")
        os._exit(3)
    return "real"


@box.tool(run_on="process")
def large(size: int) -> str:
    """Return a long text."""
    return "x" * size


@box.tool(run_on=Process(cpu=0.5))
def spends(daemon: bool) -> int:
    """Leave a thread behind that uses the processor."""

    def spin() -> None:
        while True:
            pass

    threading.Thread(target=spin, daemon=daemon).start()
    return os.getpid()


@box.tool(run_on=Process(cpu=0.5))
def naps() -> int:
    """Use no processor time at all."""
    time.sleep(1.5)
    return os.getpid()


@box.tool(run_on="process")
def grandchild(word: str) -> str:
    """Return a word; called by a copy of the parent."""
    return word


@box.tool(run_on="process")
def waits(go: str) -> int:
    """Work until a file is there."""
    appears(go)
    return os.getpid()


@box.tool(run_on="process")
def quick() -> int:
    """Work for a moment."""
    return os.getpid()
