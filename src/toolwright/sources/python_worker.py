"""The process of a session: runs code, keeps its names.

Run as a file, by any interpreter: it imports only the standard library, and nothing relative.
Messages are JSON preceded by its length, on descriptors of their own; standard output and error
belong to the code, and standard input is empty.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import json
import linecache
import os
import signal
import struct
import sys
import traceback
import types
from typing import Any, cast

FILE = "<python "
"""The file name of every piece of code, up to its number."""
_LENGTH = struct.Struct(">I")
_MOST_NODES = 10_000
"""How many values a value may hold to be sent as JSON."""
_MOST_DEPTH = 50
_MOST_TRACE = 20
"""How many frames of an exception are shown."""


# -- code


def split(code: str, file: str) -> tuple[Any, Any]:
    """Compile code: its statements, and the expression at its end, if there is one.

    Raises `SyntaxError`, or `ValueError` for NUL.
    """
    tree = ast.parse(code, file)
    last = tree.body[-1] if tree.body else None
    value = None
    if isinstance(last, ast.Expr):
        tree.body.pop()
        expression = ast.Expression(last.value)
        value = _compiled(expression, file, "eval")
    return (_compiled(tree, file, "exec") if tree.body else None), value


def _compiled(tree: Any, file: str, mode: str) -> types.CodeType:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    compiled: Any = compile(tree, file, mode, flags=flags, dont_inherit=True)
    return compiled


def run(code: str, names: dict[str, Any], local: dict[str, Any] | None, file: str) -> Any:
    """Run code; return the value of the expression at its end, None if there is none.

    Raises whatever it raises.
    """
    # Tracebacks show its lines, as they do for files.
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    body, value = split(code, file)
    result = None
    for part in (body, value):
        if part is None:
            continue
        result = eval(part, names, names if local is None else local)  # noqa: S307 - its purpose
        if part.co_flags & inspect.CO_COROUTINE:
            import asyncio  # most code does not await

            result = asyncio.run(result)
    return result if value is not None else None


# -- values and exceptions


def sendable(value: Any, most: int) -> Any:
    """Return a value if it can be sent as JSON, else its text."""
    if _is_json(value, _MOST_DEPTH, [_MOST_NODES]):
        text = json.dumps(value, allow_nan=False)
        if len(text) <= most:
            return value
    return text_of(value, most)


def _is_json(value: Any, depth: int, nodes_left: list[int]) -> bool:
    nodes_left[0] -= 1
    kind = cast("Any", type(value))  # a subclass may hold more than its JSON shows
    if nodes_left[0] < 0 or depth < 0:
        return False
    if value is None or kind is bool:
        return True
    if kind is str:
        return _is_utf8(value)
    if kind is int:
        return value.bit_length() < 1000
    if kind is float:
        return value - value == 0  # false for NaN and infinities
    if kind is list:
        return all(_is_json(element, depth - 1, nodes_left) for element in value)
    if kind is dict:
        has_text_keys = all(type(key) is str and _is_utf8(key) for key in value)
        return has_text_keys and all(
            _is_json(element, depth - 1, nodes_left) for element in value.values()
        )
    return False


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def text_of(value: Any, most: int) -> str:
    """Return the `repr` of a value, whatever its class does."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - of any kind
        text = f"<{type(value).__name__}: its repr raised {type(error).__name__}>"
    if len(text) > most:
        text = f"{text[:most]}... ({len(text)} characters)"
    return text.encode(errors="replace").decode()


def trace_of(error: BaseException, most: int) -> str:
    """Return the traceback of an exception, from the code on: without our own frames."""
    frames = error.__traceback__
    while frames is not None and not frames.tb_frame.f_code.co_filename.startswith(FILE):
        frames = frames.tb_next
    try:
        summary = traceback.TracebackException(
            type(error), error, frames, limit=-_MOST_TRACE, compact=True
        )
        text = "".join(summary.format())
    except Exception:  # noqa: BLE001 - its own text, or that of its cause, raises
        text = f"{type(error).__name__}, whose text cannot be shown\n"
    if len(text) > most:
        text = f"{text[: most // 2]}\n[...]\n{text[-most // 2 :]}"
    return text.encode(errors="replace").decode().rstrip("\n")


# -- the process


class Channel:
    """The way to the server."""

    def __init__(self, reads: int, writes: int) -> None:
        self.reads, self.writes = reads, writes

    def receive(self) -> Any:
        """Wait for a message; None if the server is gone."""
        head = self._read(_LENGTH.size)
        body = self._read(_LENGTH.unpack(head)[0]) if head else b""
        return json.loads(body) if body else None

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = os.read(self.reads, size - len(parts))
            if not part:
                return b""
            parts += part
        return bytes(parts)

    def send(self, message: Any) -> None:
        """Send a message."""
        body = json.dumps(message).encode()
        data = memoryview(_LENGTH.pack(len(body)) + body)
        while data:
            data = data[os.write(self.writes, data) :]


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _flush() -> None:
    """Show what the code has printed, and mend the streams that it has broken."""
    if getattr(sys.stdin, "closed", True):  # `exit()` closes it
        sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except BaseException:  # noqa: BLE001 - the code may have replaced or closed it
            stream = open(1 if name == "stdout" else 2, "w", buffering=1, closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def _answer(request: Any, names: dict[str, Any], count: int) -> dict[str, Any]:
    most = request["most"]
    try:
        value = run(request["code"], names, None, f"{FILE}{count}>")
        sent = sendable(value, most)
        if value is not None:
            names["_"] = value
        answer: dict[str, Any] = {"value": sent}
    except SystemExit as error:
        answer = {"error": f"SystemExit: {text_of(error.code, most)}", "kind": "SystemExit"}
    except KeyboardInterrupt as error:
        answer = {"error": trace_of(error, most), "kind": "KeyboardInterrupt"}
    except BaseException as error:  # noqa: BLE001 - whatever code raises
        answer = {"error": trace_of(error, most), "kind": type(error).__name__}
    return answer


def main() -> None:
    """Answer one message after another until the server is gone."""
    reads, writes, memory = (int(word) for word in sys.argv[1:4])
    for number in (reads, writes):
        os.set_inheritable(number, False)  # processes that the code starts must not use them
    channel = Channel(reads, writes)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    module = types.ModuleType("__main__")
    vars(module)["__builtins__"] = builtins
    sys.modules["__main__"] = module
    sys.argv = [""]
    if sys.path and sys.path[0] == os.path.dirname(__file__):  # noqa: PTH120 - as Python put it
        sys.path[0] = ""  # modules beside the code, not those beside this file
    _limit(memory)
    process = os.getpid()
    channel.send({"number": "ready"})
    count = 0
    while (request := channel.receive()) is not None:
        count += 1
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            answer = _answer(request, vars(module), count)
        except KeyboardInterrupt:  # it came a moment late
            answer = {"error": "KeyboardInterrupt", "kind": "KeyboardInterrupt"}
        finally:
            if os.getpid() != process:
                os._exit(1)  # a fork that the code made: it has nobody to answer
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        _flush()
        channel.send({**answer, "number": request["number"]})
    os._exit(0)  # threads that the code has left would keep the process alive


if __name__ == "__main__":
    try:
        main()
    except OSError:  # the code has closed the connection, or the server is gone
        os._exit(1)
