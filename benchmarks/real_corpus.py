"""Find the public callables of a package, and the tools of an MCP server.

Only the standard library is used here, because it runs in every system's environment.

    python benchmarks/real_corpus.py package NAME FOLDER
    python benchmarks/real_corpus.py server NAME FOLDER

prints what was found, as JSON. FOLDER has the package and what it needs; it comes last on the
path, so that a system's own dependencies are the same for every package.
"""

import contextlib
import hashlib
import importlib
import importlib.machinery
import importlib.metadata
import inspect
import io
import json
import os
import pkgutil
import sys
import types
import warnings
from functools import reduce
from typing import NamedTuple

PER_PACKAGE = 100
PER_SERVER = 60
# Not the library itself, or code that runs a program when it is imported.
SKIPPED = ("test", "tests", "conftest", "__main__", "setup", "benchmarks", "examples", "docs")


class Found(NamedTuple):
    """A callable, and the name and description that its author registered it with."""

    name: str
    call: object
    options: dict


@contextlib.contextmanager
def quiet():
    """Keep what a package prints, asks or warns out of our output."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        before, sys.argv = sys.argv, ["program"]
        try:
            yield
        finally:
            sys.argv = before


def tops(distribution, folder):
    """Return the names of the modules that a distribution in a folder installs."""
    at = importlib.metadata.Distribution.discover(name=distribution, path=[folder])
    files = next(iter(at)).files or ()
    names = {file.parts[0].removesuffix(".py") for file in files if is_top(file.parts)}
    return sorted(name for name in names if name.isidentifier() and not name.startswith("_"))


def is_top(parts):
    """A module, or a package of its own: a namespace has modules of other distributions."""
    return parts[0].endswith(".py") if len(parts) == 1 else parts[1:] == ("__init__.py",)


def modules(distribution, folder, *, private=False):
    """Import the public modules of a distribution, in order; those that fail are left out."""
    for top in tops(distribution, folder):
        try:
            module = importlib.import_module(top)
        except BaseException:  # a package may raise anything, SystemExit too  # noqa: BLE001
            continue
        yield module
        yield from below(module, private)


def below(package, private):
    for each in sorted(
        pkgutil.iter_modules(getattr(package, "__path__", ())), key=lambda m: m.name
    ):
        if each.name in SKIPPED or each.name.startswith("test_"):
            continue
        if each.name.startswith("_") and not private:
            continue
        try:
            module = importlib.import_module(f"{package.__name__}.{each.name}")
        except BaseException:  # noqa: BLE001
            continue
        yield module
        if each.ispkg:
            yield from below(module, private)


def public(module):
    """Return the names that a module offers: `__all__`, or those without an underscore."""
    names = getattr(module, "__all__", None)
    if not isinstance(names, list | tuple):
        names = [name for name in vars(module) if not name.startswith("_")]
    return sorted({name for name in names if isinstance(name, str) and not name.startswith("_")})


def callables(distribution, folder):
    """Return the names of a package's public functions and methods, `module:qualified.name`.

    Functions that are in a public module under a public name, and the public methods that its
    public classes define themselves; each object once, under the first of its names. A class is
    not a callable here: it gives an instance, which nobody can send. What another distribution
    defines is left out.
    """
    own = set(tops(distribution, folder))
    found, seen = {}, set()
    for module in modules(distribution, folder):
        for name in public(module):
            value = inspect.getattr_static(module, name, None)
            if getattr(value, "__module__", None) is None:
                continue
            if str(value.__module__).split(".")[0] not in own:
                continue
            if isinstance(value, type):
                for method in methods(value):
                    add(found, seen, f"{module.__name__}:{name}.{method}")
            elif inspect.isroutine(value):
                add(found, seen, f"{module.__name__}:{name}")
    return sorted(found, key=lambda name: hashlib.sha256(name.encode()).hexdigest())


def methods(owner):
    return [
        name
        for name, value in vars(owner).items()
        if not name.startswith("_")
        and (isinstance(value, staticmethod | classmethod) or inspect.isroutine(value))
    ]


def add(found, seen, name):
    try:
        value = resolve(name)
    except BaseException:  # noqa: BLE001
        return
    key = id(getattr(value, "__func__", value)), id(getattr(value, "__self__", None).__class__)
    if callable(value) and key not in seen:
        seen.add(key)
        found[name] = value  # kept, so that its address is not given to another


def resolve(name):
    """Return a callable by its name; a method is bound to an instance without a constructor.

    Schemas are made from it, and it is never called.
    """
    module, _, path = name.partition(":")
    holder = importlib.import_module(module)
    *owners, last = path.split(".")
    holder = reduce(getattr, owners, holder)
    if isinstance(holder, type) and not isinstance(
        inspect.getattr_static(holder, last), staticmethod | classmethod
    ):
        return bound(holder, last)
    return getattr(holder, last)


class Instance:
    """What a method is bound to where its own class has no repr without its constructor."""


def bound(owner, name):
    instance = object.__new__(owner)
    function = inspect.getattr_static(owner, name)
    try:
        repr(instance)  # messages show it, and would fail for a reason of this benchmark
    except Exception:  # noqa: BLE001
        if inspect.isfunction(function):
            return types.MethodType(function, Instance())
    return getattr(instance, name)


def typed(call):
    """Return whether it has parameters and each of them has a hint."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return False
    return bool(parameters) and all(each.annotation is not each.empty for each in parameters)


# -- servers


class Recorder:
    """Stands in for a server of FastMCP or the SDK, and remembers what is registered."""

    found: list = []  # noqa: RUF012

    def __init__(self, *_args, **_kwargs):
        self.settings = Anything()
        self.name = "server"

    def tool(self, given=None, **options):
        """Take every form of the decorator."""
        if isinstance(given, str):
            options["name"] = given
        elif given is not None:
            return self._record(given, options)
        return lambda function: self._record(function, options)

    def add_tool(self, function, **options):
        return self._record(function, options)

    def _record(self, function, options):
        kept = {key: options[key] for key in ("name", "description") if options.get(key)}
        if inspect.isroutine(function):
            Recorder.found.append(Found(kept.get("name") or function.__name__, function, kept))
        return function

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __class_getitem__(cls, _item):
        return cls


def accept(*args, **kwargs):
    """Decorate with nothing: whatever else a server offers."""
    if len(args) == 1 and not kwargs and inspect.isroutine(args[0]):
        return args[0]
    return lambda function=None, *_args, **_kwargs: function


class Anything:
    """Any other object of FastMCP or the SDK."""

    def __init__(self, *_args, **_kwargs):
        pass

    def __init_subclass__(cls, **_kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *args, **kwargs):
        return accept(*args, **kwargs)

    def __class_getitem__(cls, _item):
        return cls


SERVERS = ("FastMCP", "MCPServer")
STOOD_IN = ("fastmcp", "mcp.server.fastmcp", "mcp.server.mcpserver")


class StandIn(types.ModuleType):
    """A module of FastMCP or the SDK, for a server that was written for one of them.

    The server class records; a name that the system at hand also has is that system's own (so
    that its context is injected); any other name is an empty class or a decorator.
    """

    __path__: list = []  # noqa: RUF012
    own: dict = {}  # noqa: RUF012

    def __getattr__(self, name):
        made = stand_in(name)
        setattr(self, name, made)
        return made


def stand_in(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name in SERVERS:
        return Recorder
    if name in StandIn.own:
        return StandIn.own[name]
    if not name[0].isupper():
        return Anything()
    return type(name, (Exception if name.endswith("Error") else Anything,), {})


class StandInFinder:
    """Answers every import below some packages."""

    def __init__(self, *packages):
        self.packages = packages

    def find_spec(self, name, _path=None, _target=None):
        if is_below(name, self.packages):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


def is_below(name, packages):
    return any(name == each or name.startswith(f"{each}.") for each in packages)


REGISTERING = ("register", "configure", "setup", "add_", "init", "load")


def register(module):
    """Call the functions of a module that only register tools, each with a server."""
    for name, function in list(vars(module).items()):
        if not inspect.isfunction(function) or function.__module__ != module.__name__:
            continue
        needed = [
            each
            for each in inspect.signature(function).parameters.values()
            if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD
        ]
        if len(needed) == 1 and name.lstrip("_").startswith(REGISTERING) and takes(needed[0]):
            with contextlib.suppress(BaseException):
                function(Recorder())


def takes(parameter):
    """Return whether a parameter is for the server."""
    hint = getattr(parameter.annotation, "__name__", str(parameter.annotation))
    return hint.strip("\"'").split(".")[-1] in (*SERVERS, "Recorder") or (
        parameter.annotation is parameter.empty and parameter.name in ("mcp", "server", "app")
    )


# What servers import from the SDK; a name that its second version no longer has is stood in for.
SDK = [
    "mcp",
    "mcp.types",
    "mcp.server",
    "mcp.server.lowlevel",
    "mcp.server.session",
    "mcp.server.models",
    "mcp.server.stdio",
    "mcp.shared",
    "mcp.shared.exceptions",
    "mcp.shared.context",
    "mcp.client.session",
    "mcp.client.stdio",
    "mcp.server.auth.provider",
    "mcp.server.auth.settings",
]


@contextlib.contextmanager
def standing_in():
    """Answer imports of FastMCP and the SDK's server class; restore everything afterwards."""
    missing = StandInFinder("mcp")
    sys.meta_path.append(missing)
    patched = [importlib.import_module(name) for name in SDK]
    patched = [module for module in patched if "__getattr__" not in vars(module)]
    for module in patched:
        module.__getattr__ = stand_in
    aside = {name: sys.modules.pop(name) for name in list(sys.modules) if is_below(name, STOOD_IN)}
    finder = StandInFinder(*STOOD_IN)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        sys.meta_path.remove(missing)
        for name, module in list(sys.modules.items()):
            if isinstance(module, StandIn):
                del sys.modules[name]
        sys.modules.update(aside)
        for module in patched:
            vars(module).pop("__getattr__", None)


def tools(distribution, folder, own):
    """Import a server as if it were written for the system at hand; return its tools.

    `own` has the system's names for what servers import. The tools are those registered while the
    modules are imported, and by functions that take nothing but the server.
    """
    StandIn.own = own
    Recorder.found = []
    with standing_in():
        for module in list(modules(distribution, folder, private=True)):
            register(module)
    found, seen = [], set()
    for each in Recorder.found:
        if each.name not in seen:
            seen.add(each.name)
            found.append(each)
    return sorted(found, key=lambda each: each.name)[:PER_SERVER]


def main():
    kind, name, folder = sys.argv[1:4]
    out = os.fdopen(os.dup(1), "w")
    sys.path.append(folder)
    sys.setrecursionlimit(5000)
    with quiet():
        if kind == "package":
            names = callables(name, folder)
            found = {"names": names, "typed": sum(typed(resolve(each)) for each in names)}
        else:
            found = {"names": [each.name for each in tools(name, folder, {})]}
    json.dump(found, out)
    out.flush()
    os._exit(0)  # some packages leave threads behind


if __name__ == "__main__":
    main()
