"""What the files of a project say about its tools."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .._files import read_file, read_named
from .._json_values import is_list, is_object
from .._words import did_you_mean, first_line
from ..errors import SchemaError
from .usage import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..doctor.configuration import Settings
    from ..doctor.report import Report
    from ..errors import DefinitionError
    from ..toolbox.box import Toolbox
    from ..tools.definition import Tool

NAME = "pyproject.toml"
_DRESSED = "_project"
_KEYS = (
    "target",
    "select",
    "read_only",
    "strict",
    "env_file",
    "aliases",
    "tools",
    "serve",
    "test",
    "doctor",
    "tokens",
)
_OF_TOOLS = ("description", "append", "parameters")


@dataclass(frozen=True, kw_only=True)
class Project:
    """What one file says; its paths are relative to it."""

    file: Path
    target: str
    select: list[str]
    read_only: bool
    strict: bool
    env_file: Path | None
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tools by the names under which they are published instead of their own."""
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Documentation of tools, by their own names."""
    serve: Mapping[str, Any] = field(default_factory=dict[str, Any])
    test: Mapping[str, Any] = field(default_factory=dict[str, Any])
    doctor: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tokens: Mapping[str, Any] = field(default_factory=dict[str, Any])


def find_project() -> Path | None:
    """Return the nearest `pyproject.toml` with our table, from the working folder upwards.

    One that cannot be read counts: the code that reads it says why.
    """
    current = Path.cwd()
    for folder in (current, *current.parents):
        file = folder / NAME
        if not file.is_file():
            continue
        try:
            is_ours = _table(file) is not None
        except UsageError:
            is_ours = True
        if is_ours:
            return file
    return None


def project_at(target: str) -> Project | None:
    """Return the project that a target names; None if it is not a `pyproject.toml`.

    Raises `UsageError`.
    """
    file = Path(target)
    if file.name != NAME or not file.is_file():
        return None
    table = _table(file)
    if table is None:
        raise UsageError(f"{file} has no [tool.toolwright] with a target")
    return _read(file.resolve(), table)


def real_target(target: str) -> str:
    """Return the target itself, or the one that the project names. Raises `UsageError`."""
    project = project_at(target)
    return target if project is None else project.target


def dress(box: Toolbox, project: Project, refused: Sequence[DefinitionError]) -> None:
    """Give tools the names and texts that the project has for them. Raises `UsageError`."""
    if vars(box).get(_DRESSED) == project:
        return  # an installed module is loaded only once
    _check_tools(box, project, refused)
    vars(box)[_DRESSED] = project
    renamed = {name: alias for alias, name in project.aliases.items()}
    if not renamed and not project.tools:
        return
    for name in list(box):  # all of them, so that their order stays
        is_enabled = box.is_enabled(name)
        tool = box.remove(name)
        options = _texts(tool, project.tools.get(name, {}))
        if name in renamed:
            options["name"] = renamed[name]
        try:
            added = box.add(tool.replace(**options) if options else tool)
        except SchemaError as error:
            raise UsageError(f"{project.file}: {error}") from error
        if not is_enabled:
            box.disable(added.name)


def _check_tools(box: Toolbox, project: Project, refused: Sequence[DefinitionError]) -> None:
    """Refuse names of unknown tools, unless something was refused."""
    if refused:
        return
    for table, names in (("aliases", project.aliases.values()), ("tools", project.tools)):
        for name in names:
            if name not in box:
                near = did_you_mean(name, box, "; {}")
                raise UsageError(f"{project.file}: {table} has `{name}`, which is not a tool{near}")


def _texts(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a tool that give it the texts of the project."""
    options: dict[str, Any] = {}
    if "description" in given:
        options["description"] = given["description"]
    if "append" in given:
        before = given.get("description", tool.description)
        options["description"] = f"{before}\n\n{given['append']}".strip()
    if given.get("parameters"):
        options["descriptions"] = {**(tool.options.descriptions or {}), **given["parameters"]}
    return options


# -- reading


def _table(file: Path) -> Mapping[str, Any] | None:
    import tomllib  # most targets need none of it

    try:
        document = tomllib.loads(read_file(file).decode())
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = first_line(str(error))
        raise UsageError(f"{file} is not TOML: {reason}") from error
    table = document.get("tool", {})
    return table.get("toolwright") if is_object(table) else None


def _read(file: Path, table: Mapping[str, Any]) -> Project:
    reader = _Reader(file)
    reader.check_keys("[tool.toolwright]", table, _KEYS)
    target = reader.get(table, "target", str, "text")
    if target is None:
        raise UsageError(f'{file}: [tool.toolwright] needs a target, such as target = "server.py"')
    select = table.get("select", [])
    selected = [select] if isinstance(select, str) else select
    env_file = reader.get(table, "env_file", str, "the name of a file")
    return Project(
        file=file,
        target=_beside(file, target),
        select=reader.words("select", selected),
        read_only=reader.get(table, "read_only", bool, "true or false") or False,
        strict=reader.get(table, "strict", bool, "true or false") or False,
        env_file=None if env_file is None else file.parent / env_file,
        aliases=reader.texts("aliases", table.get("aliases", {})),
        tools=reader.tools(table.get("tools", {})),
        serve=reader.table("serve", table.get("serve", {})),
        test=reader.table("test", table.get("test", {})),
        doctor=reader.table("doctor", table.get("doctor", {})),
        tokens=reader.table("tokens", table.get("tokens", {})),
    )


class _Reader:
    """Reads values of one file; a mistake names the file and the key."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def check_keys(self, where: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
        for key in table:
            if key not in known:
                hint = did_you_mean(key, known, "; {}") or f"; it has {', '.join(known)}"
                raise UsageError(f"{self.file}: {where} has no `{key}`{hint}")

    def get(self, table: Mapping[str, Any], key: str, kind: type, wanted: str) -> Any:
        value = table.get(key)
        if value is not None and not isinstance(value, kind):
            raise self.wrong(key, wanted, value)
        return value

    def wrong(self, key: str, wanted: str, value: object) -> UsageError:
        return UsageError(f"{self.file}: `{key}` must be {wanted}; got {value!r}")

    def words(self, key: str, value: object) -> list[str]:
        if not is_list(value) or not all(isinstance(text, str) for text in value):
            raise self.wrong(key, "a list of texts", value)
        return cast("list[str]", value)

    def table(self, key: str, value: object) -> Mapping[str, Any]:
        if not is_object(value):
            raise self.wrong(key, "a table", value)
        return value

    def texts(self, key: str, value: object) -> Mapping[str, str]:
        for name, text in self.table(key, value).items():
            if not isinstance(text, str):
                raise self.wrong(f"{key}.{name}", "text", text)
        return cast("Mapping[str, str]", value)

    def tools(self, value: object) -> Mapping[str, Mapping[str, Any]]:
        for name, settings in self.table("tools", value).items():
            where = f"tools.{name}"
            table = self.table(where, settings)
            self.check_keys(f"`{where}`", table, _OF_TOOLS)
            for key in ("description", "append"):
                self.get(table, key, str, "text")
            self.texts(f"{where}.parameters", table.get("parameters", {}))
        return cast("Mapping[str, Mapping[str, Any]]", value)


def _beside(file: Path, target: str) -> str:
    """Return a target as seen from anywhere: a path beside the file, or a module found there."""
    path, colon, attribute = target.rpartition(":")
    if not colon or "/" in attribute or "\\" in attribute:
        path, colon, attribute = target, "", ""
    place = file.parent / path
    if place.exists() or path.endswith(".py"):
        return f"{place}{colon}{attribute}"
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    return target


_MOST = 1024 * 1024


def load_env_file(path: Path, *, is_typed: bool = False) -> None:
    """Set the variables that a file names; those that are set already stay. Raises `UsageError`.

    What a user types may be the pipe of another program: `--env-file <(...)`.
    """
    try:
        text = (read_named if is_typed else read_file)(path, _MOST).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8") from error
    for name, value in _variables(text, path):
        os.environ.setdefault(name, value)


def _variables(text: str, path: Path) -> Iterator[tuple[str, str]]:
    """Yield the pairs of `NAME=value`; the value may be in quotes, and a comment may follow it."""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, equals, value = stripped.removeprefix("export ").partition("=")
        name = name.strip()
        # The value is not shown: it may be a secret.
        if not equals or not name or any(character.isspace() for character in name):
            raise UsageError(f"line {number} of {path} is not NAME=value")
        value = _unquoted(value.strip())
        if value is None or "\0" in value + name:
            raise UsageError(f"line {number} of {path} has an unterminated quote")
        yield name, value


def _unquoted(value: str) -> str | None:
    """Return a value without its quotes, or without a comment; None if a quote does not end."""
    if value[:1] not in ("'", '"'):
        return value.split(" #", 1)[0].rstrip()
    quoted, end, comment = value[1:].partition(value[0])
    if not end or (comment.strip() and not comment.strip().startswith("#")):
        return None
    return quoted.replace("\\n", "\n") if value[0] == '"' else quoted


def doctor_settings(
    target: str,
    config: str | None = None,
    *,
    checks: Sequence[str] = (),
    ignore: Sequence[str] = (),
    dialects: Sequence[str] = (),
) -> Settings:
    """Return the settings of a file, of the target, or of the nearest project, and of flags.

    Raises `UsageError`.
    """
    from ..doctor.configuration import settings_from, with_given

    file = Path(config) if config is not None else _file_of(target)
    folder = "" if file is None else str(Path(os.path.realpath(file)).parent)
    if folder and folder not in sys.path:
        sys.path.append(folder)  # its own checks are beside it
    try:
        return with_given(
            settings_from(file),
            select=_words(checks),
            ignore=_words(ignore),
            severity=None,
            dialects=_words(dialects),
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def examined(
    box: Toolbox,
    settings: Settings,
    refused: Sequence[DefinitionError] = (),
    *,
    errors_only: bool = False,
) -> Report:
    """Return what the doctor finds in a target; only errors with `errors_only`, which is faster.

    Raises `UsageError` for bad settings.
    """
    from ..doctor.examine import examine
    from ..toolbox.box import registry_of

    tools = [tool for name, tool in box.items() if box.is_enabled(name)]
    try:
        return examine(
            box.name,
            tools,
            settings,
            refused=refused,
            errors_only=errors_only,
            lifespans=registry_of(box).lifespans,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def _file_of(target: str) -> Path | None:
    return Path(target) if project_at(target) is not None else find_project()


def _words(values: Sequence[str]) -> list[str] | None:
    """Return the values that were given once with commas, or several times; None if none were."""
    if not values:
        return None
    return [word.strip() for value in values for word in value.split(",") if word.strip()]
