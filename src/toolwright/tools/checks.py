"""Checks of a tool's options and signature, before compiling."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from .._elsewhere import instead
from ..errors import SchemaError
from ..limits import Process
from ..options import Options, options_from
from ..read.foreign import foreign_marker, is_data
from ..read.scope import arguments_of, needs_scope
from ..read.signature import EMPTY, VARIADIC
from ..read.target import Bare, Target, is_async
from ..run.shared import Shared

if TYPE_CHECKING:
    from ..schema.write import Compiled

_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


def _check_run_on(target: Target, options: Options) -> str:
    """Return what is wrong with the place where a tool is to run; empty if nothing is."""
    where = options.run_on
    if isinstance(where, Process) and (where.memory or where.cpu) and sys.platform != "linux":
        return "limits the memory or processor time of its process, which only Linux can do"
    if where == "process" or isinstance(where, Process):
        from ..run.pool import claimed

        try:
            claimed(target.call)
        except ValueError as error:
            return f"cannot be found again by another process: {error}"
    if options.run_on == "inline" and options.timeout is not None and not is_async(target.call):
        return "runs inline, where no timeout can stop it"
    return ""


def read_options(target: Target, given: Mapping[str, Any], base: Options | None = None) -> Options:
    """Make options from keywords, on top of `base`. Raises `SchemaError`."""
    try:
        return options_from(given, base)
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"has a bad option: {error}",
            tool=str(given.get("name") or target.name),
            file=target.location.file,
            line=target.location.line,
        ) from None


def check(target: Target, options: Options) -> None:
    """Refuse what the bare signature shows to be wrong. Raises `SchemaError`."""
    if target.name == "<lambda>":
        raise _refusal(target, "has no name", hint='pass one: name="..."')
    if not _NAME.fullmatch(target.name):
        allowed = "use 1 to 128 letters, digits, `_`, `-`, `.` or `:`"
        raise _refusal(target, "has an invalid name", hint=allowed)
    wrong = _check_run_on(target, options)
    if wrong:
        raise _refusal(target, wrong, hint='change it, or use run_on="thread"')
    for parameter in target.parameters:
        if parameter.annotation is EMPTY:
            what, hint = _check_untyped(parameter, options)
            if what:
                raise _refusal(target, what, parameter.name, hint)


def check_injected(target: Target, options: Options, provided: Collection[Any]) -> None:
    """Refuse what the bare signature shows to be another system's to fill in; compiling finds the
    rest, once all names in hints can be resolved. Raises `SchemaError`."""
    if options.on_unsupported == "permissive" or options.input_schema is not None:
        return
    for parameter in target.parameters:
        hint: Any = Any if parameter.annotation is EMPTY else parameter.annotation
        default = EMPTY if needs_scope(hint) else parameter.default
        annotations = (getattr(part, "__metadata__", ()) for part in (hint, *arguments_of(hint)))
        marked = any(map(foreign_marker, chain.from_iterable(annotations)))
        if not marked and (default is EMPTY or is_data(default)):
            continue
        from ..schema.injected import foreign, injection

        wrong = foreign(hint, default)
        if wrong is not None and injection(hint, provided) is None:
            raise _refusal(target, wrong.what, parameter.name, wrong.hint)


def _refusal(target: Target, what: str, parameter: str = "", hint: str = "") -> SchemaError:
    where = target.location
    return SchemaError(
        what, tool=target.name, parameter=parameter, hint=hint, file=where.file, line=where.line
    )


def _check_untyped(parameter: Bare, options: Options) -> tuple[str, str]:
    """Return what is wrong with a parameter without a type, and what to do about it."""
    if options.on_unsupported == "permissive" or options.input_schema is not None:
        return "", ""
    if foreign_marker(parameter.default) is not None:
        return "", ""  # compiling says what to write instead
    if parameter.kind not in VARIADIC:
        typed = "every tool parameter must be typed"
        hint = instead("parameter", parameter.name)
        return "has no type hint", f"{typed}; for the call itself {hint}" if hint else typed
    if options.on_unsupported == "skip":
        return "", ""
    stars = "*" if parameter.kind is VARIADIC[0] else "**"
    hint = f'write `{stars}{parameter.name}: T`, or leave it out with on_unsupported="skip"'
    return "has no type hint", hint


def check_run(
    compiled: Compiled | SchemaError, target: Target, options: Options, shared: Shared | None
) -> Compiled | SchemaError:
    """Check that a tool can be run as its options say; return the error that refuses it if not."""
    if isinstance(compiled, SchemaError):
        return compiled
    from ..call import Call

    apart = options.run_on not in ("thread", "inline")
    if not apart and all(injected is Call for injected in compiled.plan.injected.values()):
        return compiled  # a call is always there: a list need not load what runs it
    from ..run.injection import Injector
    from ..run.pool import check_found

    shared = shared or Shared()
    try:
        Injector(target.name, compiled.plan.injected, shared.providers)
        if apart:
            check_found(target.name, target.call, compiled.plan.injected, shared)
    except SchemaError as error:
        return error.at(target.location.file, target.location.line)
    return compiled
