"""The lock: what a toolbox offers, written down to be committed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from .._files import read_file, replace_file
from .._json_values import RepeatedKey, depth_of, is_list, is_object, strict_json
from .._protocol import HANDSHAKE_VERSIONS, LATEST_PROTOCOL
from .._words import first_line
from ..errors import LockError, SchemaError
from ..tools.definition import compiled_of

if TYPE_CHECKING:
    from ..serve.offering import Offering
    from ..tools.definition import Tool


Entry = dict[str, Any]
"""One tool, resource or prompt: as lists show it, and what else callers depend on."""
FILE = "toolwright.lock.json"
VERSION = 1
_KEY = "toolwright_lock"
_PARTS = ("tools", "resources", "prompts")
MOST_BYTES = 64 * 1024 * 1024
"""How large a lock file may be."""
_MOST_DEPTH = 300


class HasTools(Protocol):
    """A toolbox."""

    def __servable__(self) -> Offering:
        """Return it as servers see it."""
        ...


@dataclass(frozen=True)
class Lock:
    """What a toolbox offers: every tool, resource and prompt, with its hash.

    >>> from toolwright import Toolbox
    >>> from toolwright.contract import lock
    >>> box = Toolbox("sums")
    >>> @box.tool
    ... def add(a: int, b: int = 1) -> int:
    ...     "Add two numbers."
    ...     return a + b
    >>> list(lock(box).tools)
    ['add']
    """

    server: Mapping[str, Any]
    """What clients are told of the server itself."""
    tools: Mapping[str, Entry]
    resources: Mapping[str, Entry]
    prompts: Mapping[str, Entry]
    order: Mapping[str, list[str]]
    """The order in which lists show them."""
    made_of: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The target, and the files that it was made of: see `serve --lock`."""

    def to_json(self) -> str:
        """Return the text of the file: sorted, and the same for the same toolbox."""
        parts = {part: dict(sorted(getattr(self, part).items())) for part in _PARTS}
        order = {part: names for part, names in self.order.items() if names != sorted(names)}
        document = {_KEY: VERSION, "server": self.server, **parts}
        if order:
            document["order"] = order
        if self.made_of:
            document["made_of"] = self.made_of
        return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def write(self, file: str | Path) -> None:
        """Write the file. Raises `LockError`."""
        try:
            replace_file(file, self.to_json())
        except OSError as error:
            raise LockError(f"{file} cannot be written: {error.strerror}") from error


def lock(tools: HasTools | Iterable[Tool]) -> Lock:
    """Return what a toolbox, or a list of tools, offers now.

    Tools that are disabled or refused are not offered.
    """
    if hasattr(tools, "__servable__"):
        return lock_of(cast("HasTools", tools).__servable__())
    entries = [tool_entry(tool) for tool in cast("Iterable[Tool]", tools)]
    entries_by_name = {entry["listed"]["name"]: entry for entry in entries if entry is not None}
    empty: dict[str, Entry] = {}
    return Lock({}, entries_by_name, empty, dict(empty), {"tools": list(entries_by_name)})


def lock_of(box: Offering) -> Lock:
    """Return what a toolbox offers, as servers see it."""
    from ..tools.definition import compile_tools

    every = box.tools.values()
    tools = [tool for tool in every if box.tools.usable(tool.name, None) is not None]
    compile_tools(tools)
    entries = {tool.name: entry for tool in tools if (entry := tool_entry(tool)) is not None}
    resources = {
        uri: offered_entry(resource.to_mcp(), resource.tool)
        for uri, resource in box.resources.items()
        if resource.tool.options.enabled is not False
    }
    prompts = {
        name: offered_entry(prompt.to_mcp(), prompt.tool)
        for name, prompt in box.prompts.items()
        if prompt.tool.options.enabled is not False
    }
    server: dict[str, Any] = {"info": box.info()}
    if box.about.instructions:
        server["instructions"] = box.about.instructions
    if box.about.page_size is not None:
        server["page_size"] = box.about.page_size
    order = {"tools": list(entries), "resources": list(resources), "prompts": list(prompts)}
    return Lock(server, entries, resources, prompts, order)


def tool_entry(tool: Tool) -> Entry | None:
    """Return a tool for a lock; None if its definition is refused."""
    try:
        listed = tool.to_mcp(LATEST_PROTOCOL)
        before = tool.to_mcp(HANDSHAKE_VERSIONS[-1])
    except SchemaError:
        return None
    entry: Entry = {"listed": listed}
    if before.get("outputSchema") != listed.get("outputSchema"):
        entry["boxed_output"] = before["outputSchema"]
    if not compiled_of(tool).lists_output:
        entry["unlisted_output"] = tool.output_schema
    options = tool.options
    if options.confirm:
        entry["confirm"] = True
    if options.task:
        entry["task"] = options.task
    return _hashed(entry, tool)


def offered_entry(listed: dict[str, Any], tool: Tool) -> Entry:
    """Return a resource or a prompt for a lock."""
    return _hashed({"listed": listed}, tool)


def _hashed(entry: Entry, tool: Tool) -> Entry:
    from ..options import Predicate

    if tool.options.roles:
        entry["roles"] = sorted(tool.options.roles)
    if isinstance(tool.options.enabled, Predicate):
        entry["asks"] = True
    return {"hash": hash_of(entry), **entry}


def hash_of(entry: Entry) -> str:
    """Return the hash of an entry, whatever the order of its keys."""
    bare = {key: value for key, value in entry.items() if key != "hash"}
    text = json.dumps(bare, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


# -- reading


def read(file: str | Path) -> Lock:
    """Read a lock file. Raises `LockError`: it is not there, damaged, or not a lock of ours."""
    try:
        data = read_file(file, MOST_BYTES)
    except FileNotFoundError:
        raise LockError(f"there is no {file}", hint="`toolwright lock` writes it") from None
    except OSError as error:
        raise LockError(f"{file} cannot be read: {error.strerror}") from error
    return parse(data, str(file))


def parse(data: bytes, name: str = FILE) -> Lock:
    """Return the lock that a file holds. Raises `LockError`."""
    if len(data) > MOST_BYTES:
        raise LockError(f"{name} is too large for a lock: {len(data)} bytes")
    try:
        document = strict_json(data, unique=True)
    except RecursionError:
        raise LockError(f"{name} is nested too deeply for a lock") from None
    except RepeatedKey as error:
        raise LockError(
            f"{name} is damaged: {error}", hint="write it with `toolwright lock`"
        ) from None
    except ValueError as error:
        conflict = b"<<<<<<<" in data and b">>>>>>>" in data
        why = "it has merge conflicts in it" if conflict else first_line(str(error))
        raise LockError(
            f"{name} is not JSON: {why}", hint="write it with `toolwright lock`"
        ) from None
    if not is_object(document) or _KEY not in document:
        raise LockError(f"{name} is not a lock: it has no `{_KEY}`")
    version = document[_KEY]
    if version != VERSION:
        hint = "a later Toolwright wrote it" if _is_later(version) else "write it again"
        raise LockError(f"{name} is a lock of version {version!r:.20}, not {VERSION}", hint=hint)
    return _Reader(name).lock(document)


def _is_later(version: object) -> bool:
    return isinstance(version, int) and version > VERSION


class _Reader:
    """Reads the parts of a lock; a mistake names the file and the part."""

    def __init__(self, name: str) -> None:
        self.name = name

    def wrong(self, what: str) -> LockError:
        return LockError(f"{self.name} is damaged: {what}", hint="write it with `toolwright lock`")

    def lock(self, document: dict[str, Any]) -> Lock:
        """Return the lock. Raises `LockError`."""
        if depth_of(document) > _MOST_DEPTH:
            raise LockError(f"{self.name} is nested too deeply for a lock")
        parts = {part: self._entries(document, part) for part in _PARTS}
        order = self._table(document, "order")
        orders = {part: self._order(part, order.get(part), parts[part]) for part in _PARTS}
        server = self._table(document, "server")
        if not _is_server(server):
            raise self.wrong("`server` is not valid")
        made_of = self._made_of(self._table(document, "made_of"))
        return Lock(server, **parts, order=orders, made_of=made_of)

    def _table(self, document: dict[str, Any], key: str) -> dict[str, Any]:
        table = document.get(key, {})
        if not is_object(table):
            raise self.wrong(f"`{key}` is not an object")
        return table

    def _entries(self, document: dict[str, Any], part: str) -> dict[str, Entry]:
        entries = self._table(document, part)
        for name, entry in entries.items():
            where = f"{part} has `{name[:80]}`"
            if not is_object(entry) or not is_object(entry.get("listed")):
                raise self.wrong(f"{where}, which is not valid")
            self._check_listed(where, part, entry)
            roles = entry.get("roles", [])
            if not is_list(roles) or not all(isinstance(role, str) for role in roles):
                raise self.wrong(f"{where}, whose roles are not a list of texts")
            if entry.get("hash") != hash_of(entry):
                raise self.wrong(f"{where}, whose hash does not match its content")
        if part == "tools" and len({entry["listed"]["name"] for entry in entries.values()}) < len(
            entries
        ):
            raise self.wrong(f"{part} has one name twice")
        return entries

    def _check_listed(self, where: str, part: str, entry: Entry) -> None:
        listed = entry["listed"]
        tables = [listed.get("inputSchema")] if part == "tools" else []
        tables += [listed.get(key, {}) for key in ("outputSchema", "annotations", "_meta")]
        tables += [entry.get(key, {}) for key in ("boxed_output", "unlisted_output")]
        texts = [listed.get("name")]
        texts += [listed.get(key, "") for key in ("title", "description", "uri", "uriTemplate")]
        is_shown = all(isinstance(text, str) for text in texts) and all(map(is_object, tables))
        if not is_shown or not _is_unicode(listed):
            raise self.wrong(f"{where}, whose `listed` is not valid")

    def _order(self, part: str, given: Any, entries: dict[str, Entry]) -> list[str]:
        if given is None:
            return sorted(entries)
        if not is_list(given) or sorted(map(str, given)) != sorted(entries):
            raise self.wrong(f"`order` does not name the {part}")
        return [str(name) for name in given]

    def _made_of(self, made_of: dict[str, Any]) -> dict[str, Any]:
        tables = [made_of.get(key, {}) for key in ("files", "folders", "versions")]
        lists = [made_of.get(key, []) for key in ("select", "needs_code", "refused")]
        texts = [made_of.get("target", "")]
        if not all(map(is_object, tables)) or not all(map(is_list, lists)):
            raise self.wrong("`made_of` is not valid")
        texts += [text for table in tables for text in table.values()]
        texts += [text for texts_of_list in lists for text in texts_of_list]
        if not all(isinstance(text, str) for text in texts):
            raise self.wrong("`made_of` is not valid")
        return made_of


def _is_server(server: Entry) -> bool:
    info, pages = server.get("info", {}), server.get("page_size", 1)
    if not is_object(info) or not isinstance(pages, int) or pages < 1:
        return False
    texts = [server.get("instructions", ""), info.get("name", ""), info.get("version", "")]
    return all(isinstance(text, str) for text in texts) and _is_unicode(server)


def _is_unicode(value: Any) -> bool:
    """Return whether no text in a value has a lone surrogate, which no list can show."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


_SECONDS = 60.0
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""Keeps git from writing, fetching or asking for anything."""


def read_at(ref: str, file: str | Path) -> Lock:
    """Return the lock that a file held at a git ref. Raises `LockError`.

    `cat-file` runs no filter and no hook, and needs no working tree.
    """
    path = Path(file)
    if ref.startswith("-") or not ref.strip() or "\0" in ref:
        raise LockError(f"{ref!r} is not a git ref")
    folder = path.parent
    commit = _git(folder, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if commit is None:
        raise LockError(f"{ref} is neither a file nor a git ref here")
    number = commit.decode("ascii", "replace").strip()
    name = f"{number}:./{path.name}"
    size = _git(folder, "cat-file", "-s", name)
    if size is None:
        raise LockError(f"{ref} has no {path.name}", hint="the contract was not locked there")
    if int(size) > MOST_BYTES:
        raise LockError(f"{path.name} of {ref} is too large for a lock: {int(size)} bytes")
    data = _git(folder, "cat-file", "blob", name)
    if data is None:
        raise LockError(f"{path.name} of {ref} cannot be read")
    return parse(data, f"{path.name} of {ref}")


def _git(folder: Path, *words: str) -> bytes | None:
    """Return what git prints; None if it refuses. Raises `LockError` if there is no git."""
    argv = ["git", "-C", str(folder), "--no-pager", "-c", "core.fsmonitor=false", *words]
    try:
        done = subprocess.run(  # noqa: S603 - words, not a command line
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env={**os.environ, **_QUIET},
        )
    except FileNotFoundError:
        raise LockError("git is not installed", hint="name a lock file instead") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LockError(f"git cannot be asked: {type(error).__name__}") from error
    return done.stdout if done.returncode == 0 else None
