"""Every check there is, in the order of the documentation."""

from __future__ import annotations

from ..findings import Check, checks_in
from . import audience, blocking, definitions, flow, names, secrets, sizes, suppressions

_GROUPS = (
    *("definition", "description", "flow", "access", "hints", "size", "tokens", "secrets"),
    *("similar", "async", "portability", "doctor"),
)
_MODULES = (definitions, flow, audience, names, sizes, secrets, blocking, suppressions)
BUILT_IN: tuple[Check, ...] = tuple(
    sorted(checks_in(_MODULES), key=lambda check: _GROUPS.index(check.group))
)
