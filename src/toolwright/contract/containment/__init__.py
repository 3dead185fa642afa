"""Decides containment: by proof, by a witness, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from .accept import Acceptance
from .document import Budget, SchemaDocument, SchemaNode, Undecided
from .prove import Prover
from .samples import Sampler

JsonSchema = Mapping[str, Any] | bool
_STEPS = 100_000
"""Steps of a proof: less than a second at most."""
_SEARCH = 150_000
"""Steps of the search for a witness."""
_MOST_WITNESSES = 3000
"""How many values are tried as a witness."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether every value of one schema fits another."""

    answer: Literal["contained", "not contained", "unknown"]
    witness: Any = None
    """A value that fits one and not the other, if the answer is `not contained`."""

    @property
    def is_contained(self) -> bool:
        """Whether that is proved."""
        return self.answer == "contained"


CONTAINED, UNKNOWN = Verdict("contained"), Verdict("unknown")


def contains(
    wider: JsonSchema,
    narrower: JsonSchema,
    *,
    wider_root: Any = None,
    narrower_root: Any = None,
) -> Verdict:
    """Return whether every value of the narrower schema fits the wider one.

    Where they are parts of larger schemas, their references point into those. The answer is always
    true: `contained` is proved, and `not contained` has a witness. The rest is `unknown`.

    >>> contains({"type": "number"}, {"type": "integer", "minimum": 0}).answer
    'contained'
    >>> contains({"type": "integer", "maximum": 9}, {"type": "integer"})
    Verdict(answer='not contained', witness=10)
    """
    try:
        narrower_node = SchemaDocument(narrower if narrower_root is None else narrower_root).node(
            narrower
        )
        right = SchemaDocument(wider if wider_root is None else wider_root).node(wider)
        if _is_proved(narrower_node, right):
            return CONTAINED
        return _refuted(narrower_node, right)
    except (Undecided, RecursionError, ValueError, OverflowError):
        return UNKNOWN


def _is_proved(left: SchemaNode, right: SchemaNode) -> bool:
    try:
        return Prover(Budget(_STEPS)).fits((left,), right)
    except Undecided:
        return False


def _refuted(left: SchemaNode, right: SchemaNode) -> Verdict:
    prover = Prover(Budget(_SEARCH))
    acceptance: Acceptance = prover.shaper.acceptance
    sampler = Sampler(prover.shaper, right.value)
    for value in islice(sampler.values((left,), (right,)), _MOST_WITNESSES):
        if acceptance.accepts(right, value) is False and acceptance.accepts(left, value):
            return Verdict("not contained", value)
    return UNKNOWN


__all__ = ["Verdict", "contains"]
