"""Calls that block the loop; what belongs to one thread."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ...limits import Process
from ...read.target import attribute
from ..author_source import AuthorSource, Import, imported
from ..findings import Found, Severity, check
from ..subjects import CheckedTool, CheckedToolbox

_BLOCKS = {
    "time.sleep": "await asyncio.sleep(...)",
    "requests": "an async client, such as httpx.AsyncClient",
    "urllib.request.urlopen": "an async client, such as httpx.AsyncClient",
    "urllib.request.urlretrieve": "an async client, such as httpx.AsyncClient",
    "urllib3": "an async client, such as httpx.AsyncClient",
    "http.client": "an async client, such as httpx.AsyncClient",
    **{
        f"httpx.{each}": "httpx.AsyncClient"
        for each in (
            "get",
            "post",
            "put",
            "patch",
            "delete",
            "head",
            "options",
            "request",
            "stream",
        )
    },
    "httpx.Client": "httpx.AsyncClient",
    **{
        f"subprocess.{each}": "await asyncio.create_subprocess_exec(...)"
        for each in ("run", "call", "check_call", "check_output", "getoutput", "getstatusoutput")
    },
    "subprocess.Popen": "await asyncio.create_subprocess_exec(...)",
    "os.system": "await asyncio.create_subprocess_exec(...)",
    "os.popen": "await asyncio.create_subprocess_exec(...)",
    "os.wait": "await asyncio.create_subprocess_exec(...)",
    "os.waitpid": "await asyncio.create_subprocess_exec(...)",
    "socket.create_connection": "await asyncio.open_connection(...)",
    "socket.getaddrinfo": "await loop.getaddrinfo(...)",
    "socket.gethostbyname": "await loop.getaddrinfo(...)",
    "sqlite3": "aiosqlite, or await asyncio.to_thread(...)",
    "psycopg2": "an async driver, such as asyncpg",
    "pymysql": "an async driver, such as aiomysql",
    "MySQLdb": "an async driver, such as aiomysql",
    "pymongo.MongoClient": "pymongo.AsyncMongoClient",
    "redis.Redis": "redis.asyncio.Redis",
    "redis.StrictRedis": "redis.asyncio.Redis",
    "smtplib": "await asyncio.to_thread(...)",
    "ftplib": "await asyncio.to_thread(...)",
    "shutil.copy": "await asyncio.to_thread(...)",
    "shutil.copytree": "await asyncio.to_thread(...)",
    "shutil.rmtree": "await asyncio.to_thread(...)",
    "asyncio.run": "await the coroutine itself",
    "input": "call.ask(...)",
}
"""Functions and whole modules that block, and what to use instead."""
_FILES = frozenset(("open", "io.open"))
_PATH_METHODS = frozenset(("read_text", "read_bytes", "write_text", "write_bytes"))


@check(
    "blocking_call",
    fix="use its async form, or make the tool a plain `def`: that runs in a thread",
    group="async",
)
def blocking_call(tool: CheckedTool) -> Found:
    """An async tool makes a call that blocks every other call meanwhile."""
    source = tool.source
    if source is None or not isinstance(source.node, ast.AsyncFunctionDef):
        return
    if tool.options.run_on == "process" or isinstance(tool.options.run_on, Process):
        return  # it has a loop of its own
    names = _Names(source)
    for call in _calls(source.node):
        dotted = names.dotted(call.func)
        blocking = _known(dotted)
        if blocking:
            text = f"is async and calls {dotted}(), which blocks every other call"
            yield tool.finding(text, line=call.lineno, fix=f"use {_BLOCKS[blocking]}")
        elif dotted in _FILES or _is_of_path(call.func):
            text = f"is async and reads or writes a file with {dotted.rpartition('.')[2]}()"
            yield tool.finding(
                text,
                line=call.lineno,
                severity=Severity.INFO,
                fix="use await asyncio.to_thread(...)",
            )


@check(
    "thread_bound",
    fix="open it with check_same_thread=False and guard it with a lock, or open one for each call"
    " with Inject",
    group="async",
    scope="toolbox",
)
def thread_bound(box: CheckedToolbox) -> Found:
    """A lifespan opens what only its own thread may use, and tools run in other threads."""
    for source in box.lifespans:
        is_async = isinstance(source.node, ast.AsyncFunctionDef)
        # An async lifespan is opened on the loop, where async tools run.
        elsewhere = [tool.name for tool in box if not is_async or _leaves_loop(tool)]
        names = _Names(source)
        for call in ast.walk(source.node):
            if not elsewhere or not isinstance(call, ast.Call):
                continue
            kwargs = {keyword.arg for keyword in call.keywords}
            if names.dotted(call.func) != "sqlite3.connect" or kwargs & {"check_same_thread", None}:
                continue
            text = (
                f"has a lifespan, {source.node.name}, that opens a connection of sqlite3: only the"
                f" thread that opens it may use it, and {elsewhere[0]} runs in another"
            )
            yield replace(box.finding(text), file=source.file, line=call.lineno)


def _leaves_loop(tool: CheckedTool) -> bool:
    """Return whether a tool runs in a thread, and not on the loop."""
    is_async = tool.source is None or isinstance(tool.source.node, ast.AsyncFunctionDef)
    return not is_async and tool.options.run_on != "inline"


def _known(dotted: str) -> str:
    """Return the entry that a dotted name falls under: itself, or its module."""
    while dotted:
        if dotted in _BLOCKS:
            return dotted
        dotted = dotted.rpartition(".")[0]
    return ""


def _is_of_path(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr in _PATH_METHODS


def _calls(function: ast.AsyncFunctionDef) -> Iterator[ast.Call]:
    """Yield the calls that an async function itself makes.

    Sync functions and lambdas inside it may run in a thread; what is awaited does not block.
    """
    todo: list[ast.AST] = list(reversed(function.body))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Await) and isinstance(node.value, ast.Call):
            call = node.value
            todo.extend(
                reversed([call.func, *call.args, *(keyword.value for keyword in call.keywords)])
            )
            continue
        if isinstance(node, ast.Call):
            yield node
        todo.extend(reversed(list(ast.iter_child_nodes(node))))


class _Names:
    """What the names in a function stand for."""

    def __init__(self, source: AuthorSource) -> None:
        self.imported: dict[str, str] = {}
        self.assigned: set[str] = set()
        for node in ast.walk(source.node):
            if isinstance(node, Import):
                self.imported |= imported(node)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.assigned.add(node.id)
        self.assigned.update(source.parameter_lines())
        self.module: dict[str, Any] = getattr(source.function, "__globals__", None) or {}
        self.free = _closure(source.function)
        self.in_file = source.imports

    def dotted(self, node: ast.expr) -> str:
        """Return the full name of what a node stands for, as `module.name`; empty if unclear."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        root = self._root(node.id)
        return ".".join([root, *reversed(parts)]) if root else ""

    def _root(self, name: str) -> str:
        if name in self.imported:
            return self.imported[name]
        if name in self.assigned:
            return ""
        target = self.free.get(name, self.module.get(name))
        if target is None:
            return self.in_file.get(name) or (name if hasattr(builtins, name) else "")
        if isinstance(target, ModuleType):
            return target.__name__
        if name in self.in_file:
            return self.in_file[name]
        if isinstance(target, FunctionType | BuiltinFunctionType | type):
            return f"{attribute(target, '__module__', '')}.{target.__qualname__}".lstrip("_.")
        return ""


def _closure(function: Any) -> dict[str, Any]:
    """Return the variables around a function that it uses."""
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    variables: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars if code else (), cells or (), strict=False):
        try:
            variables[name] = cell.cell_contents
        except ValueError:  # it is not set yet
            continue
    return variables
