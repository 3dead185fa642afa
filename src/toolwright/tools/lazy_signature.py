"""The signature of a tool, read when it is first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from ..options import Options
from ..read.signature import Signature
from ..read.target import Target
from ..run.prepare import read_signature

if TYPE_CHECKING:
    from ..read.scope import Scope


class LazySignature:
    """The signature of a target, for a tool and its bound copies."""

    __slots__ = ("_scope", "_signature")

    def __init__(self, scope: Scope | None) -> None:
        self._scope = scope
        self._signature: Signature | None = None

    @classmethod
    def of(cls, target: Target) -> Self:
        """Remember where the names of a target's hints are, before its frame is gone."""
        from ..read.scope import scope_of

        return cls(scope_of(target))

    def read(self, target: Target, options: Options) -> Signature:
        """Return the signature. Raises `SchemaError`."""
        scope = self._scope  # before the signature: another thread sets that, then drops this
        signature = self._signature
        if signature is None:
            signature = self._signature = read_signature(target, scope, options)
            self._scope = None
        return signature
