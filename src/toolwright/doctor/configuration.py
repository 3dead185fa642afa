"""Settings of the doctor: `[tool.toolwright.doctor]` and `[tool.toolwright.tokens]`."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

from .._files import read_file
from .._json_values import is_list, is_object
from .._words import did_you_mean
from .findings import Severity

OFF = "off"
_SEVERITIES = (*(str(each) for each in Severity), OFF)


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimits:
    """Limits beyond which something is a finding."""

    tool_name: int = 64
    """Characters: OpenAI, Bedrock, Mistral and VS Code refuse longer ones."""
    param_name: int = 64
    """Characters: Anthropic refuses longer ones."""
    tool_description: int = 2048
    """Characters: Claude Code cuts longer ones."""
    param_description: int = 1024
    """Characters."""
    short_description: int = 10
    """Characters: fewer say too little."""
    parameters: int = 10
    """Parameters of one tool."""
    enum: int = 250
    """Values of one list: OpenAI counts their characters from here on."""
    nesting: int = 10
    """Levels of a schema: OpenAI's strict mode takes no more."""
    tools: int = 128
    """Tools of one toolbox: OpenAI, Groq and VS Code take no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """What holds for tools of one pattern."""

    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict[str, str])
    limits: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What to check, and how bad each finding is."""

    select: tuple[str, ...] = ()
    """Only these checks: ids, groups, or patterns of them."""
    ignore: tuple[str, ...] = ()
    """Not these checks."""
    severity: Mapping[str, str] = field(default_factory=dict[str, str])
    """Other severities, by id; `off` is one."""
    strict: bool = False
    """Warnings are failures as well."""
    dialects: tuple[str, ...] | None = None
    """For which clients and providers the tools must be portable."""
    prefix: str = ""
    """What clients put before the names of tools: it counts in their length."""
    checks: tuple[str, ...] = ()
    """Modules with the user's own checks."""
    agents: Mapping[str, tuple[str, ...]] | None = None
    """The tools of each agent: names, or patterns."""
    roles: tuple[str, ...] | None = None
    """The roles that callers may have."""
    limits: SizeLimits = field(default_factory=SizeLimits)
    tools: Mapping[str, ToolSettings] = field(default_factory=dict[str, ToolSettings])
    """What holds for some tools only, by pattern; later ones count more."""
    tool_tokens: int = 1_000
    """The definition of a tool is a finding if it takes more tokens than this."""
    total_tokens: int = 25_000
    """The list of all tools is a finding if it takes more tokens than this."""

    @functools.cached_property
    def _of_tools(self) -> dict[str, tuple[ToolSettings, SizeLimits]]:
        return {}

    def of_tool(self, name: str) -> tuple[ToolSettings, SizeLimits]:
        """Return what holds for one tool."""
        settings = self._of_tools.get(name)
        if settings is None:
            settings = self._of_tools[name] = self._merged(name)
        return settings

    def limits_of(self, name: str) -> SizeLimits:
        """Return the limits of one tool."""
        return self.of_tool(name)[1]

    def _merged(self, name: str) -> tuple[ToolSettings, SizeLimits]:
        ignore: list[str] = []
        severity: dict[str, str] = {}
        limits: dict[str, int] = {}
        for pattern, table in self.tools.items():
            if fnmatchcase(name, pattern):
                ignore += table.ignore
                severity |= table.severity
                limits |= table.limits
        merged = ToolSettings(ignore=tuple(ignore), severity=severity, limits=limits)
        return merged, replace(self.limits, **limits) if limits else self.limits


_DOCTOR_KEYS = (
    *("select", "ignore", "severity", "strict", "for", "prefix"),
    *("checks", "agents", "roles", "limits", "tools"),
)
_TOOL_KEYS = ("ignore", "severity", "limits")
_LIMITS = tuple(each.name for each in fields(SizeLimits))


def settings_from(
    config: str | Path | Mapping[str, Any] | None,
    *,
    tokens: Mapping[str, Any] | None = None,
    where: str = "",
) -> Settings:
    """Read settings from a `pyproject.toml`, or from the table of the doctor itself.

    Raises `ValueError` for an unknown key, with the nearest one, and for a value of the wrong kind.
    """
    if config is None:
        return Settings()
    if isinstance(config, str | Path):
        file = Path(config)
        table = _tables(file)
        return settings_from(
            table.get("doctor", {}), tokens=table.get("tokens", {}), where=str(file)
        )
    reader = _TableReader(where)
    return reader.settings(config, tokens or {})


def _tables(file: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        document = tomllib.loads(read_file(file).decode())
    except OSError as error:
        msg = f"{file} cannot be read: {error.strerror}"
        raise ValueError(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"{file} is not TOML: {str(error).splitlines()[0]}"
        raise ValueError(msg) from error
    table: Any = document.get("tool", {})
    ours: Any = table.get("toolwright", {}) if is_object(table) else {}
    return ours if is_object(ours) else {}


class _TableReader:
    """Reads one table; a mistake names the file and the key."""

    def __init__(self, where: str) -> None:
        self.where = f"{where}: " if where else ""

    def settings(self, table: Mapping[str, Any], tokens: Mapping[str, Any]) -> Settings:
        self.keys("`doctor` of [tool.toolwright]", table, _DOCTOR_KEYS)
        self.keys("`tokens` of [tool.toolwright]", tokens, None)
        strict = table.get("strict", False)
        if not isinstance(strict, bool):
            raise self.wrong("strict", "true or false", strict)
        return Settings(
            select=self.words("select", table.get("select", [])),
            ignore=self.words("ignore", table.get("ignore", [])),
            severity=self.severities("severity", table.get("severity", {})),
            strict=strict,
            dialects=self.words("for", table["for"]) if "for" in table else None,
            prefix=self.text("prefix", table.get("prefix", "")),
            checks=self.words("checks", table.get("checks", [])),
            agents=self.agents(table["agents"]) if "agents" in table else None,
            roles=self.words("roles", table["roles"]) if "roles" in table else None,
            limits=SizeLimits(**self.limits("limits", table.get("limits", {}))),
            tools=self.tools(table.get("tools", {})),
            **self.budget(tokens),
        )

    def budget(self, tokens: Mapping[str, Any]) -> dict[str, int]:
        from ..contract.tokens import budget_from
        from ..dialects import DIALECTS

        try:
            budget = budget_from(tokens, "mcp", [*DIALECTS, "mcp"])
        except ValueError as error:
            msg = f"{self.where}{error}"
            raise ValueError(msg) from error
        limits = {"tool_tokens": budget.max_tool, "total_tokens": budget.max_total}
        return {name: limit for name, limit in limits.items() if limit is not None}

    def keys(self, name: str, table: object, known: Iterable[str] | None) -> None:
        if not is_object(table):
            raise self.wrong(name, "a table", table)
        for key in table if known is not None else ():
            if key not in (known or ()):
                hint = (
                    did_you_mean(key, known or (), "; {}") or f"; it has {', '.join(known or ())}"
                )
                msg = f"{self.where}{name} has no `{key}`{hint}"
                raise ValueError(msg)

    def words(self, key: str, value: object) -> tuple[str, ...]:
        listed = [value] if isinstance(value, str) else value
        if isinstance(listed, tuple):
            listed = list(cast("tuple[Any, ...]", listed))
        if not is_list(listed) or not all(isinstance(text, str) for text in listed):
            raise self.wrong(key, "a list of texts", value)
        return tuple(cast("list[str]", listed))

    def text(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.wrong(key, "text", value)
        return value

    def number(self, key: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.wrong(key, "a non-negative number", value)
        return value

    def severities(self, key: str, value: object) -> dict[str, str]:
        self.keys(key, value, None)
        for name, severity in cast("dict[str, object]", value).items():
            if severity not in _SEVERITIES:
                raise self.wrong(f"{key}.{name}", f"one of {', '.join(_SEVERITIES)}", severity)
        return cast("dict[str, str]", value)

    def limits(self, key: str, value: object) -> dict[str, int]:
        self.keys(f"`{key}`", value, _LIMITS)
        limits = cast("dict[str, object]", value)
        return {name: self.number(f"{key}.{name}", number) for name, number in limits.items()}

    def agents(self, value: object) -> dict[str, tuple[str, ...]]:
        self.keys("agents", value, None)
        agents = cast("dict[str, object]", value)
        return {name: self.words(f"agents.{name}", tools) for name, tools in agents.items()}

    def tools(self, value: object) -> dict[str, ToolSettings]:
        self.keys("tools", value, None)
        settings: dict[str, ToolSettings] = {}
        for pattern, table in cast("dict[str, Any]", value).items():
            where = f"tools.{pattern}"
            self.keys(f"`{where}`", table, _TOOL_KEYS)
            settings[pattern] = ToolSettings(
                ignore=self.words(f"{where}.ignore", table.get("ignore", [])),
                severity=self.severities(f"{where}.severity", table.get("severity", {})),
                limits=self.limits(f"{where}.limits", table.get("limits", {})),
            )
        return settings

    def wrong(self, key: str, wanted: str, value: object) -> ValueError:
        return ValueError(f"{self.where}`{key}` must be {wanted}; got {value!r:.100}")


def with_given(
    settings: Settings,
    *,
    select: Sequence[str] | str | None,
    ignore: Sequence[str] | str | None,
    severity: Mapping[str, str] | None,
    dialects: Sequence[str] | None = None,
) -> Settings:
    """Return settings with those given for one run, which take precedence. Raises `ValueError`."""
    reader = _TableReader("")
    changed: dict[str, Any] = {}
    if select is not None:
        changed["select"] = reader.words("select", _listed(select))
    if ignore is not None:
        changed["ignore"] = (*settings.ignore, *reader.words("ignore", _listed(ignore)))
    if severity is not None:
        levels = dict(severity) if isinstance(severity, Mapping) else severity  # pyright: ignore[reportUnnecessaryIsInstance]
        reader.keys("severity", levels, None)
        level_names = {name: str(value) for name, value in levels.items()}
        changed["severity"] = {**settings.severity, **reader.severities("severity", level_names)}
    if dialects is not None:
        changed["dialects"] = tuple(dialects)
    return replace(settings, **changed) if changed else settings


def _listed(value: Sequence[str] | str) -> object:
    return list(value) if isinstance(value, list | tuple | set | frozenset) else value
