"""An alias for a type that is still being resolved."""

from __future__ import annotations

import sys
from typing import Any


class LazyAlias:
    """Stands for an alias inside its own value: `Json = dict[str, "Json"]`."""

    def __init__(self, name: str, module: str) -> None:
        self.name = name
        self.module = module
        self.value: Any = None
        self._made: Any = None

    def used(self) -> Any:
        """Return the alias as a type, for use inside its own value."""
        if self._made is None:
            self._made = _alias(self.name, self.module, lambda: self.value)
        return self._made

    def resolved_as(self, value: Any) -> Any:
        """Set what it stands for; return that, or the alias if the value needs it."""
        self.value = value
        if self._made is None:
            return value
        if sys.version_info < (3, 12):
            vars(self._made)["__value__"] = value
        return self._made


def _alias(name: str, module: str, value: Any) -> Any:
    if sys.version_info >= (3, 12):
        # Only the statement makes an alias whose value is asked for later.
        space: dict[str, Any] = {"value": value, "__name__": module}
        exec(f"type {name} = value()", space)  # noqa: S102 - `name` is an identifier
        return space[name]
    from typing_extensions import TypeAliasType

    make: Any = TypeAliasType
    alias = make(name, None)
    vars(alias)["__module__"] = module
    return alias
