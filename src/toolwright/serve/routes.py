"""The author's routes and middleware, beside the tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from .http.asgi import AsgiApp, Scope
    from .offering import Live, OwnRoute

Routes = Mapping[str, Any] | Iterable[Any]
"""ASGI apps by path, or routes of Starlette."""


class Found(NamedTuple):
    """What answers a request."""

    app: AsgiApp
    scope: Scope
    is_public: bool
    methods: frozenset[str] = frozenset()
    """The methods that it takes; empty if only it knows them."""


class RouteTable:
    """Finds what answers a request that is not for the tools."""

    def __init__(self, given: Routes, box: Live, reserved: Iterable[str]) -> None:
        self._box = box
        self._reserved = frozenset(reserved)
        self._apps: dict[str, AsgiApp] = {}
        self._given: tuple[Any, ...] = ()
        if isinstance(given, Mapping):
            by_path = cast("Mapping[str, AsgiApp]", given)
            self._apps = {self._checked(path): app for path, app in by_path.items()}
        else:
            self._given = tuple(given)
        for route in self._given:
            if not callable(getattr(route, "matches", None)):
                msg = f"routes are ASGI apps by path, or routes of Starlette; got {route!r}"
                raise TypeError(msg)
            self._checked(str(getattr(route, "path", "")))
        self._made: tuple[tuple[OwnRoute, ...], list[tuple[Any, bool]]] = ((), [])
        _ = self._routes

    def find(self, scope: Scope, asked: str) -> Found | None:
        """Return what answers a request; None if nothing does."""
        partial: Found | None = None
        for route, is_public in self._routes:
            match, more = route.matches(scope)
            if match.value:
                methods = frozenset(getattr(route, "methods", None) or ())
                entry = Found(route.handle, {**scope, **more}, is_public, methods)
                if match.value == _FULL:
                    return entry
                partial = partial or entry  # the path fits, the method does not: the route says so
        return partial or self._mounted(scope, asked)

    def allowed(self, scope: Scope, asked: str, method: str) -> frozenset[str] | None:
        """Return the methods that a page that asks for one of them may use at a path.

        None if nothing is there, or if a route answers such requests itself.
        """
        route = self.find(scope, asked)
        if route is None or "OPTIONS" in route.methods:
            return None
        if not route.methods:
            return frozenset((method,))
        fitting = self.find({**scope, "method": method}, asked) or route
        return fitting.methods

    def _mounted(self, scope: Scope, asked: str) -> Found | None:
        path = asked
        while path:
            app = self._apps.get(path)
            if app is not None:
                return Found(app, {**scope, "root_path": scope.get("root_path", "") + path}, False)
            path = path.rpartition("/")[0]
        return None

    @property
    def _routes(self) -> list[tuple[Any, bool]]:
        """All routes, those of the toolbox first; it may have more since the last request."""
        own_routes = tuple(self._box.now.routes)
        if own_routes != self._made[0] or (self._given and not self._made[1]):
            self._made = (
                own_routes,
                [*map(self._built, own_routes), *((route, False) for route in self._given)],
            )
        return self._made[1]

    def _built(self, own: OwnRoute) -> tuple[Any, bool]:
        from starlette.routing import Route

        return Route(self._checked(own.path), own.endpoint, methods=[*own.methods]), own.is_public

    def _checked(self, path: str) -> str:
        bare = path.rstrip("/")
        if not path.startswith("/"):
            msg = f"a route begins with `/`; got {path!r}"
            raise ValueError(msg)
        if bare in self._reserved:
            msg = f"{path} is taken: the server itself answers there"
            raise ValueError(msg)
        return bare


_FULL = 2
"""Starlette's value for a match of both path and method."""


def wrapped(app: AsgiApp, middleware: Iterable[Any]) -> AsgiApp:
    """Put middleware around an app, the first one outermost; Starlette's is accepted as well."""
    for layer in reversed(tuple(middleware)):
        if isinstance(getattr(layer, "kwargs", None), dict) and hasattr(layer, "cls"):
            app = layer.cls(app, *layer.args, **layer.kwargs)
        else:
            app = layer(app)
    return app
