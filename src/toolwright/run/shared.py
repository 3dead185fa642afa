"""What the tools of one toolbox share: providers, store, default timeout."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ..limits import Timeout

if TYPE_CHECKING:
    from ..stores import Store
    from .hooks import Within, Wraps
    from .injection import Providers


class Shared:
    """What the tools of a toolbox share; each part is made when first needed."""

    def __init__(
        self,
        *,
        version: str = "",
        timeout: Timeout | None = None,
        store: str | Store | None = None,
    ) -> None:
        self.version = version
        self.timeout = timeout
        self._store = store
        self._lock = threading.RLock()
        self._rates: Store | None = None
        self._above: Shared | None = None
        """The one whose store is used instead."""
        self._providers: Providers | None = None
        self.toolbox: Wraps | None = None
        """The toolbox, which wraps calls in its hooks and its lifespan."""
        self.inner: tuple[Within, ...] = ()
        """The toolboxes that the tool was included from, the outermost first."""

    @property
    def store(self) -> Store:
        """Where results and rates are kept. Raises `StoreError`."""
        if self._above is not None:
            return self._above.store
        with self._lock:
            store = self._store
            if store is None or isinstance(store, str):
                from ..stores import open_store  # most tools need none

                store = self._store = open_store(store)
            return store

    def open_store(self) -> None:
        """Open the store, if one was given. Raises `StoreError`."""
        if self._store is not None:
            _ = self.store

    @property
    def rates(self) -> Store:
        """Where rates are kept: if in memory, not beside results, which could push them out."""
        if self._above is not None:
            return self._above.rates
        with self._lock:
            if self._rates is None:
                from ..stores import open_store

                shared = self.store
                self._rates = shared if shared.blocking else open_store(None)
            return self._rates

    @property
    def providers(self) -> Providers:
        """The providers of injected values."""
        with self._lock:  # one only: it holds what must be closed
            if self._providers is None:
                from .injection import Providers

                self._providers = Providers()
            return self._providers

    @property
    def provided(self) -> list[Any]:
        """The types that have a provider."""
        return [] if self._providers is None else self._providers.types

    def over(self, origin: Shared, name: str) -> Shared:
        """Return the `Shared` of a tool included here from `origin`, where it is called `name`."""
        from .hooks import Within
        from .injection import Providers

        combined = Shared(version=self.version, timeout=self.timeout or origin.timeout)
        combined._above = self
        combined._providers = Providers(self.providers, origin.providers)
        combined.toolbox = self.toolbox
        innermost = () if origin.toolbox is None else (Within(origin.toolbox, name),)
        combined.inner = (*innermost, *origin.inner)
        return combined

    def close(self) -> None:
        """Clean up the values that were made once."""
        if self._providers is not None:
            self._providers.kept.close()

    async def aclose(self) -> None:
        """Clean up the values that were made once, from async code."""
        if self._providers is not None:
            await self._providers.kept.aclose()
