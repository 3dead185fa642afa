"""A translator of hints that is loaded when one needs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .plain import is_plain

if TYPE_CHECKING:
    from .translate import Translator


class LazyTranslator:
    """A `Translator` that is made when a hint is not plain.

    Loading all that translating needs would cost a server of plain functions five milliseconds.
    """

    def __init__(
        self, names: Mapping[str, Any] | None, twins: dict[Any, Any], home: str, *, choosing: bool
    ) -> None:
        self.twins = twins
        self._names = names
        self._home = home
        self._choosing = choosing
        self._made: Translator | None = None

    @property
    def used_names(self) -> bool:
        """Whether a class was read with the local names."""
        return self._made is not None and self._made.used_names

    def __call__(self, hint: Any) -> Any:
        """Translate a hint."""
        return hint if is_plain(hint) else self._whole(hint)

    def optional(self, hint: Any) -> Any:
        """Translate the hint of an argument that need not be sent."""
        return hint if is_plain(hint) else self._whole.optional(hint)

    def hints_of(self, cls: type) -> dict[str, Any]:
        """Resolve the annotations of a class."""
        return self._whole.hints_of(cls)

    def typed_dict_fields(self, cls: Any) -> dict[str, tuple[Any, bool]]:
        """Return a TypedDict's translated hints, each with whether its key is required."""
        return self._whole.typed_dict_fields(cls)

    @property
    def _whole(self) -> Translator:
        if self._made is None:
            from .translate import Translator

            self._made = Translator(self._names, self.twins, self._home, choosing=self._choosing)
        return self._made
