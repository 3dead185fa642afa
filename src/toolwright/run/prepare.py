"""Make a runner for a bare target, in a child process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import SchemaError
from ..options import Options
from ..read.signature import Signature
from ..read.target import Target, open_target

if TYPE_CHECKING:
    from ..read.scope import Scope
    from .runner import Runner
    from .shared import Shared


def read_signature(target: Target, scope: Scope | None, options: Options) -> Signature:
    """Read a target as its options say. Raises `SchemaError`."""
    from ..read.reader import read

    if options.input_schema is None:
        return read(target, scope, permissive=options.on_unsupported == "permissive")
    # The author's schema says what the parameters are: nothing about them is a problem.
    signature = read(target, scope, permissive=True)
    problems = tuple(lost for lost in signature.problems if lost.kind != "any_value")
    return replace(signature, problems=problems)


def runner_for(name: str, target: Any, options: Options, home: Shared) -> Runner:
    """Return a runner for a target with these options. Raises `SchemaError`."""
    from ..read.scope import scope_of
    from ..schema.compile import compile_all
    from .runner import Runner

    opened = replace(open_target(target), name=name)
    signature = read_signature(opened, scope_of(opened), options)
    (compiled,) = compile_all([(signature, options, home.provided)])
    if isinstance(compiled, SchemaError):
        raise compiled
    return Runner(name, opened.call, compiled, options, home)
