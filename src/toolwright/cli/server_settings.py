"""The settings of `serve`: flags, the project, a file's own."""

from __future__ import annotations

import argparse
import ast
import os
import ssl
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Self, cast

from .._files import read_named
from .._json_values import is_list, is_object
from .._log.printable import LEVELS
from ..limits import check_count
from ..serve.settings import SETTINGS, Flag, Place, ServerConfig, Setting, hint_for, server_config
from ..toolbox.box import Toolbox
from .command import Adder, TargetCommand, TypedWords, option, switch
from .project import Project, real_target
from .targets.modules import split
from .usage import UsageError

if TYPE_CHECKING:
    from ..serve.access.oauth import SignIn

_MOST_KEYS = 1024 * 1024
OF_COMMAND: Mapping[str, type] = MappingProxyType(
    {"transport": str, "workers": int, "reload": bool, "log_level": str}
)
"""Settings of a project that are flags of the command itself, and no flags of the table."""
_WATCHING = "watching calls"
_OF_SESSIONS = ("max_sessions", "max_sessions_per_client", "session_idle")
_WORDS: Mapping[type, str] = MappingProxyType(
    {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
)

Given = Mapping[str, Any]
"""What flags and the project give, by `dest_of`: only what was really given."""


def flag_of(name: str) -> str:
    """Return the flag of a setting, for messages."""
    row = SETTINGS.get(name)
    return row.flags[0].name if row is not None and row.flags else f"--{name.replace('_', '-')}"


def dest_of(name: str, flag: Flag) -> str:
    """Return the name under which a flag of a setting is in what was given."""
    return flag.part or name


def _flags() -> Iterator[tuple[str, Setting, Flag]]:
    for name, row in SETTINGS.items():
        if name not in OF_COMMAND:
            for flag in row.flags:
                yield name, row, flag


def add_flags(adder: Adder) -> None:
    """Add the flags of the table. Those that are not given are no attributes of the outcome."""
    for name, row, flag in _flags():
        kind = _kind_of(name)
        options: dict[str, Any]
        if kind is bool:
            options = {"action": "store_false" if row.default else "store_true"}
        else:
            options = {"metavar": flag.metavar, "action": "append" if flag.is_repeatable else None}
            if kind in (int, float):
                options["type"] = kind
        note = _note(row)
        adder.add(
            flag.name,
            group=row.group,
            dest=dest_of(name, flag),
            default=argparse.SUPPRESS,
            help=f"{flag.help} ({note})" if note else flag.help,
            **{key: value for key, value in options.items() if value is not None},
        )


def _note(row: Setting) -> str:
    """Return what the help says of a setting that is not given."""
    if row.variable:
        return f"${row.variable}"
    if row.default in (None, "") or isinstance(row.default, bool | tuple):
        return ""
    text = row.shown_default or _number(row.default)
    return (
        text
        if row.stdio_default == row.default
        else f"{text}; over stdio {_number(row.stdio_default)}"
    )


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


class ServeArguments(TargetCommand):
    """The arguments of `serve`: those of the command itself, and those of the table."""

    starts_server = True
    is_server = True

    token: str | None = None  # `serve --token` is the token that callers need
    strict: bool = switch(
        "fail if a tool is refused, or the doctor finds an error", group="which tools"
    )
    folder: str | None = option("work in this folder", metavar="DIR")
    http: bool = switch("serve over HTTP")
    reload: bool = switch("load the tools again when their files change")
    lock: str | None = option(
        "list what the lock has, and load the tools at the first call (toolwright.lock.json)",
        metavar="FILE",
        const="",
    )
    workers: int | None = option("number of processes to serve with (1)", kind=int, metavar="N")
    # The socket that a worker serves on; `cli.workers` passes it.
    listening: int | None = option(argparse.SUPPRESS, kind=int)
    ready: int | None = option(argparse.SUPPRESS, kind=int)
    figures: str | None = option(argparse.SUPPRESS, metavar="DIR")
    audit: str | None = option(
        "write a line of JSON for each call and each refusal (- is standard error)",
        metavar="FILE",
        group=_WATCHING,
    )
    audit_arguments: bool = switch("with arguments, secrets among them hidden", group=_WATCHING)
    otel: bool = switch("make OpenTelemetry spans", group=_WATCHING)
    settings: Given = field(default_factory=dict[str, Any])

    @property
    def place(self) -> Place:
        """Over what it serves."""
        return "http" if self.http else "stdio"

    @classmethod
    def rewritten(cls, typed: list[str]) -> list[str]:
        """Return `--lock=` for a `--lock` that is followed by the target, not a file."""
        words: list[str] = []
        for index, word in enumerate(typed):
            follows = typed[index + 1 : index + 2]
            is_bare = word == "--lock" and not (follows and follows[0].endswith(".json"))
            words.append("--lock=" if is_bare else word)
        return words

    @classmethod
    def add_arguments(cls, adder: Adder) -> None:
        """Add the arguments to a parser."""
        super().add_arguments(adder)
        add_flags(adder)

    @classmethod
    def parsed(cls, values: Mapping[str, Any], typed: TypedWords) -> Self:
        """Return the command that a parser has read."""
        dests = {dest_of(name, flag) for name, _, flag in _flags()}
        settings = {dest: value for dest, value in values.items() if dest in dests}
        return replace(super().parsed(values, typed), settings=settings)

    def completed(self, project: Project) -> Self:
        """Return it with the settings of the project. Raises `UsageError`.

        Those that do not apply are left out: the project's table is for stdio and HTTP alike.
        """
        table = settings_of_project(project.serve, project.file)
        http = self.http or table.get("transport") == "http"
        place = "http" if http else "stdio"
        dests = {dest_of(name, flag) for name, row, flag in _flags() if place in row.places}
        applied = {dest: value for dest, value in table.items() if dest in dests}
        return replace(
            super().completed(project),
            http=http,
            reload=self.reload or table.get("reload", False),
            workers=self.workers or (table.get("workers") if http else None),
            log_level=self.log_level or table.get("log_level"),
            settings={**applied, **self.settings},
        )


# -- the project


def settings_of_project(table: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Return what `[tool.toolwright.serve]` gives, as flags do. Raises `UsageError`."""
    flags: dict[str, Any] = {}
    for name, value in table.items():
        flags.update(_as_flags(name, value, file))
    # What is as it would be without it was not given: `auth = true`, `hosts = []`.
    return {key: value for key, value in flags.items() if not _says_nothing(key, value)}


def _says_nothing(name: str, value: Any) -> bool:
    row = SETTINGS.get(name)
    is_switch = isinstance(value, bool)
    return value == [] or (is_switch and value is (row.default if row is not None else False))


def _as_flags(name: str, value: Any, file: Path) -> dict[str, Any]:
    _check_name(name, file)

    def wrong(expected: str) -> UsageError:
        return UsageError(f"{file}: `serve.{name}` must be {expected}; got {value!r}")

    if name == "transport" and value not in ("stdio", "http"):
        raise wrong('"stdio" or "http"')
    if name == "log_level" and str(value).lower() not in LEVELS:
        raise wrong(f"one of {', '.join(LEVELS)}")
    if name == "tls":
        return _tls_flags(value, wrong, file.parent)
    if name == "sign_in":
        return _sign_in_flags(value, wrong)
    kind = _kind_of(name)
    if kind is tuple:
        if not _is_texts(value):
            raise wrong("a list of texts")
    elif type(value) not in ((float, int) if kind is float else (kind,)):
        raise wrong(_WORDS[kind])
    return {name: value}


def _kind_of(name: str) -> type:
    if name in OF_COMMAND:
        return OF_COMMAND[name]
    default: object = SETTINGS[name].default
    return str if default is None else type(default)


def _tls_flags(value: Any, wrong: Callable[[str], UsageError], folder: Path) -> dict[str, Any]:
    if not _is_texts(value) or len(value) != 2:
        raise wrong("a list of two files, the certificate and the key")
    flags = SETTINGS["tls"].flags
    return {flag.part: str(folder / path) for flag, path in zip(flags, value, strict=True)}


def _sign_in_flags(value: Any, wrong: Callable[[str], UsageError]) -> dict[str, Any]:
    parts = {flag.part: flag for flag in SETTINGS["sign_in"].flags}
    if not is_object(value) or not value.keys() <= parts.keys():
        raise wrong(f"a table of {', '.join(parts)}")
    settings: dict[str, Any] = {}
    for name, item in value.items():
        is_text, is_repeatable = isinstance(item, str), parts[name].is_repeatable
        if not (is_text or (is_repeatable and _is_texts(item))):
            raise wrong(f"a table whose {name} is text{' or a list of texts' * is_repeatable}")
        settings[name] = [item] if is_text and is_repeatable else item
    return settings


def _is_texts(value: Any) -> bool:
    return is_list(value) and all(isinstance(item, str) for item in value)


def _check_name(name: str, file: Path) -> None:
    if name not in OF_COMMAND and name not in SETTINGS:
        hint = hint_for(name, "http", *OF_COMMAND)
        raise UsageError(f"{file}: unknown setting `serve.{name}`: {hint}")
    row = SETTINGS.get(name)
    if row is not None and row.is_secret:
        where = f"give it with {flag_of(name)} or in the environment (env_file), not in this file"
        raise UsageError(f"{file}: `serve.{name}` is a secret: {where}")
    if row is not None and not row.flags:
        raise UsageError(f"{file}: `serve.{name}` is code: give it to `serve` or `asgi` in Python")


# -- values


def read_settings(chosen: ServeArguments, state_keys: Sequence[bytes] = ()) -> ServerConfig:
    """Return the settings of a server; a worker is told its keys. Raises `UsageError`."""
    try:
        _check_flags(chosen)
        return _read(chosen.settings, chosen.place, chosen.workers or 1, state_keys)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _check_flags(chosen: ServeArguments) -> None:
    """Refuse flags that would do nothing, or not what they say. Raises `UsageError`."""
    if not chosen.http:
        names = [
            flag.name
            for name, row, flag in _flags()
            if dest_of(name, flag) in chosen.settings and "stdio" not in row.places
        ]
        names += ["--workers"] * (chosen.workers is not None)
        if names:
            raise UsageError(f"{names[0]} goes with --http: stdio has no use for it")
    if chosen.lock is not None and chosen.reload:
        raise UsageError("--lock starts without the code that --reload watches: give one of them")
    if "console_role" in chosen.settings and "console" not in chosen.settings:
        raise UsageError("--console-role goes with --console: it says who sees arguments there")
    check_count("--workers", chosen.workers)
    if (chosen.workers or 1) > 1:
        if chosen.reload:
            raise UsageError("--reload works with one process: leave --workers out")
        if "metrics" in chosen.settings:
            raise UsageError("--metrics counts in one process: leave --workers out")
        if sys.platform == "win32":
            raise UsageError(
                "--workers does not work on Windows: processes cannot share a socket there"
            )


def _read(given: Given, place: Place, workers: int, state_keys: Sequence[bytes]) -> ServerConfig:
    values = {name: given[name] for name in SETTINGS if name in given}
    if place == "stdio":
        return server_config(place, values, flag_of)
    if "path" in values:
        values["path"] = f"/{values['path'].strip('/')}"
    token = os.environ.get(str(SETTINGS["tokens"].variable))
    values["tokens"] = [*values.get("tokens", ()), *filter(None, [token])] or None
    if workers > 1:  # two requests of one session may reach two workers
        values["stateless"] = True
    values["sign_in"] = _sign_in(given)
    _check_together(given, values, workers)
    values["tls"] = _tls(given)
    values["state_key"] = state_keys or _state_keys(given)
    return server_config(place, values, flag_of)


def _check_together(given: Given, values: Given, workers: int) -> None:
    """Refuse values that are not safe, or do nothing, beside the others. Raises `ValueError`."""
    from ..serve.access.guard import TrustedProxies, is_local, tokens_from

    tokens_from(values["tokens"])
    TrustedProxies(values.get("trusted_proxies", ()))
    is_closed = bool(values["tokens"] or values["sign_in"])
    host = values.get("host", SETTINGS["host"].default)
    if not (is_local(host) or is_closed or "auth" in given):
        msg = (
            f"{host} can be reached by other machines: give a --token or an --issuer, "
            "or say --no-auth if anyone may call these tools"
        )
        raise ValueError(msg)
    if "failed_sign_ins" in given and not is_closed:
        raise ValueError("--failed-sign-ins goes with --token or --issuer: nobody signs in here")
    useless = [name for name in _OF_SESSIONS if name in given]
    if values.get("stateless") and useless:
        why = "--stateless" if "stateless" in given else "--workers"
        msg = f"{flag_of(useless[0])} does nothing with {why}: there are no sessions"
        raise ValueError(msg)


def _state_keys(given: Given) -> tuple[bytes, ...] | None:
    """Return the keys in a file or a variable, which is removed from the environment of tools."""
    from ..serve.access.guard import VARIABLE, state_keys

    where, text = f"${VARIABLE}", os.environ.pop(VARIABLE, "")
    if "state_key_file" in given:
        where = given["state_key_file"]
        try:
            text = read_named(where, _MOST_KEYS).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{where} cannot be read as a file of keys") from error
        if not text.split():
            raise UsageError(f"there is no key in {where}")
    try:
        return state_keys(None, {VARIABLE: text}) or None
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error


def _sign_in(given: Given) -> SignIn | None:
    flags = {flag.part: flag.name for flag in SETTINGS["sign_in"].flags}
    options = {part: given[part] for part in flags if part in given}
    if not options:
        return None
    if "issuer" not in options:
        raise ValueError(f"{flags[next(iter(options))]} goes with --issuer: who signs the tokens?")
    if not options.get("audience"):
        raise ValueError(
            "--issuer needs an --audience: a token for another server must not be accepted here"
        )
    from ..serve.access.oauth import SignIn

    return SignIn(**options)


def _tls(given: Given) -> tuple[str, str] | None:
    files = [given.get(flag.part) for flag in SETTINGS["tls"].flags]
    if not any(files):
        return None
    if not all(files):
        raise UsageError("HTTPS needs both: --tls-cert and --tls-key")
    certificate, key = cast("list[str]", files)
    for file in (certificate, key):
        if not Path(file).is_file():
            raise UsageError(f"there is no file {file}")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (OSError, ValueError) as error:
        raise UsageError("--tls-cert and --tls-key are not a certificate and its key") from error
    return certificate, key


# -- what a file gives its own `serve`

_UNKNOWN: Any = object()
"""A value that is known only when the program runs."""
_SIGN_IN = ("tokens", "sign_in")


def check_own_settings(box: Toolbox, chosen: ServeArguments, config: ServerConfig) -> None:
    """Refuse to serve a file without the settings of its own `serve`, unless flags replace them.

    The call may be under `if __name__ == "__main__"`, so it is read, not run. Raises
    `UsageError`.
    """
    module = _module_of(split(real_target(chosen.target))[0])
    if module is None:
        return
    for call in _calls(module, box, chosen.place):
        settings = {
            keyword.arg: _value(keyword.value, module) for keyword in call.keywords if keyword.arg
        }
        dropped = {
            name: value
            for name, value in settings.items()
            if name in SETTINGS
            and chosen.place in SETTINGS[name].places
            and not _is_kept(name, value, chosen, config)
        }
        if dropped:
            where = f"{Path(str(module.__file__)).name}:{call.lineno}"
            raise UsageError(_refusal(where, dropped, chosen.target))


def has_own_settings(box: Toolbox, target: str) -> bool:
    """Return whether the file of a target serves it itself, with settings."""
    module = _module_of(split(real_target(target))[0])
    if module is None:
        return False
    return any(
        call.keywords for transport in ("stdio", "http") for call in _calls(module, box, transport)
    )


def _refusal(where: str, dropped: Mapping[str, Any], target: str) -> str:
    names = " and ".join(f"`{name}`" for name in dropped)
    instead = f"run `python {split(real_target(target))[0]}`"
    flags = [_flag(name, value) for name, value in dropped.items() if SETTINGS[name].flags]
    if len(flags) < len(dropped):
        return f"{where} gives its own serve() {names}, which no flag can give: {instead}"
    fix = f"give {' '.join(flags)}, or {instead}"
    if any(name in _SIGN_IN for name in dropped):
        fix += ", or say --no-auth if anyone may call these tools"
    return f"{where} gives its own serve() {names}, which this command would drop: {fix}"


def _flag(name: str, value: Any) -> str:
    flag = flag_of(name)
    if isinstance(value, bool):
        return flag
    text = value if not SETTINGS[name].is_secret and isinstance(value, str | int | float) else "..."
    return f"{flag} {text}"


def _is_kept(name: str, value: Any, chosen: ServeArguments, config: ServerConfig) -> bool:
    """Return whether a setting also holds here, or was given another value on purpose."""
    if name == "log_level":
        return True
    if name in _SIGN_IN and (config.tokens or config.sign_in or not config.auth):
        return True
    is_given = any(dest_of(name, flag) in chosen.settings for flag in SETTINGS[name].flags)
    return is_given or _same(value, getattr(config, name))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one.strip("/") == other.strip("/")
    if isinstance(one, list | tuple | set) and isinstance(other, list | tuple):
        return list(one) == list(other)  # pyright: ignore[reportUnknownArgumentType]
    return one is not _UNKNOWN and (one or None) == (other or None)


def _calls(module: ModuleType, box: Toolbox, transport: str) -> Iterator[ast.Call]:
    """Yield the calls in a module that serve a toolbox over a transport."""
    try:
        source = Path(str(module.__file__)).read_bytes()
        tree = ast.parse(source if b".serve" in source else b"")
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            serves = node.func.attr in ("serve", "serve_async")
            owner = node.func.value
            if serves and isinstance(owner, ast.Name) and vars(module).get(owner.id) is box:
                transports = [
                    keyword.value for keyword in node.keywords if keyword.arg == "transport"
                ]
                first = [*node.args, *transports][:1]
                if (_value(first[0], module) if first else "stdio") == transport:
                    yield node


def _value(node: ast.expr, module: ModuleType) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        variables = vars(module) if isinstance(node, ast.Name) else {}
        return variables.get(node.id, _UNKNOWN) if isinstance(node, ast.Name) else _UNKNOWN


def _module_of(path: str) -> ModuleType | None:
    """Return the module that was imported from a file, or by a name."""
    place = Path(path)
    if not place.is_file():
        return sys.modules.get(path)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        # Names first: resolving the paths of all modules takes a while.
        if file.endswith(place.name) and Path(file).resolve() == place.resolve():
            return module
    return None
