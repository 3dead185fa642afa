"""Opens a target: its bare signature, and how it is called.

This is all that registering does: no hints are resolved, no source or documentation is read.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass, replace
from typing import Annotated, Any, NamedTuple, Self, TypeVar, Union, cast, get_args, get_origin

from ..errors import SchemaError
from ..markers import Flatten
from .scope import Scope, arguments_of, needs_scope
from .signature import (
    EMPTY,
    KEYWORD_ONLY,
    POSITIONAL_ONLY,
    POSITIONAL_OR_KEYWORD,
    VAR_KEYWORD,
    VAR_POSITIONAL,
    VARIADIC,
    Location,
)


def attribute(obj: Any, name: str, default: Any = None) -> Any:
    """Return an attribute; the default if there is none, or if looking for it fails."""
    try:
        return getattr(obj, name, default)
    except Exception:  # noqa: BLE001 - the author's own `__getattr__`, which may even call itself
        return default


def shows_signature(obj: Any) -> bool:
    """Return whether an object itself says what its signature is."""
    if isinstance(obj, types.FunctionType):  # it has no `__dict__` until something asks for it
        return attribute(obj, "__signature__") is not None
    return "__signature__" in attribute(obj, "__dict__", ())


def innermost(obj: Any) -> Any:
    """Follow `__wrapped__` while the wrapper passes everything on.

    A wrapper with parameters of its own is the one that will be called, so its signature counts.
    """
    visited = {id(obj)}
    while True:
        if shows_signature(obj):
            return obj
        wrapped = attribute(obj, "__wrapped__")
        if wrapped is None or id(wrapped) in visited:
            return obj
        if isinstance(obj, types.FunctionType) and not passes_all(obj):
            return obj
        visited.add(id(wrapped))
        obj = wrapped


def unwrapped(obj: Any) -> Any:
    """Follow `__wrapped__` to the end."""
    return writers(obj)[0]


def writers(function: Any) -> tuple[Any, ...]:
    """Return a function and what it wraps, innermost first."""
    chain = [function]
    while (wrapped := attribute(chain[-1], "__wrapped__")) is not None:
        if any(wrapped is writer for writer in chain):
            break
        chain.append(wrapped)
    return tuple(reversed(chain))


def passes_all(function: types.FunctionType) -> bool:
    """Return whether a function takes any positional or any keyword arguments."""
    flags = function.__code__.co_flags
    return bool(flags & inspect.CO_VARARGS or flags & inspect.CO_VARKEYWORDS)


_FUNCTOOLS = functools.singledispatch.__code__.co_filename


def is_dispatcher(obj: Any) -> bool:
    """Return whether a target is `functools.singledispatch` or a bound `singledispatchmethod`."""
    code = code_of(obj)
    return (
        attribute(obj, "register") is not None
        and code is not None
        and code.co_filename == _FUNCTOOLS
    )


def name_of(obj: Any) -> str:
    """Return the name of a target, or that of its class."""
    name = attribute(obj, "__name__")
    return name if isinstance(name, str) else type(obj).__name__


def code_of(obj: Any) -> types.CodeType | None:
    """Return the code of a function, if it has any."""
    code = attribute(obj, "__code__")
    return code if isinstance(code, types.CodeType) else None


def is_async(target: Any) -> bool:
    """Return whether calling a target gives a coroutine or an async generator."""
    function = target
    while isinstance(function, functools.partial | types.MethodType):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    if not inspect.isroutine(function) and not isinstance(function, type):
        function = type(function).__call__
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


_CLASSES = {
    ("click", "Command"): "click",
    ("click", "BaseCommand"): "click",
    ("typer", "Typer"): "typer",
    ("typer", "Command"): "typer",
    ("typer", "BaseCommand"): "typer",
    ("typer", "TyperCommand"): "typer",
    ("typer", "TyperGroup"): "typer",
    ("argparse", "ArgumentParser"): "argparse",
    ("optparse", "OptionParser"): "optparse",
    ("cyclopts", "App"): "cyclopts",
}
"""The first part of a class's module, the class's name, and the framework."""


_OTHERS = frozenset((types.FunctionType, types.MethodType, types.ModuleType, type))
"""The types of most targets."""


class ProgramSource:
    """The base of our classes for command-line programs, which most toolboxes never load."""

    __slots__ = ()


def is_program(source: Any) -> bool:
    """Return whether a source is a command-line program."""
    return issubclass(type(source), ProgramSource) or bool(framework_of(source))


def framework_of(target: Any) -> str:
    """Return the framework that an app is built with; empty if it is not an app."""
    cls = cast(
        "Any", type(target)
    )  # not `isinstance`: an object may raise when asked for its class
    if cls in _OTHERS:
        return ""
    for base in cls.__mro__:
        root = str(getattr(base, "__module__", "")).partition(".")[0]
        framework = _CLASSES.get((root, base.__name__))
        if framework is not None:
            return framework
    return ""


def is_record(cls: Any) -> bool:
    """Return whether a class is described by its fields rather than by its constructor."""
    return is_dataclass(cls) or is_typed_dict(cls) or hasattr(cls, "__pydantic_fields__")


def is_made_by_named_tuple(cls: type) -> bool:
    """Return whether `NamedTuple` made the constructor: it is written in no module."""
    constructor: Any = inspect.unwrap(cls.__new__)
    module = getattr(constructor, "__module__", None) or ""
    return tuple in cls.__mro__ and module.startswith("namedtuple_")


def is_typed_dict(hint: Any) -> bool:
    """Return whether a hint is a TypedDict class, from `typing` or `typing_extensions`."""
    return isinstance(hint, type) and dict in hint.__mro__ and hasattr(hint, "__total__")


def type_arguments(owner: Any, method: str = "__init__") -> dict[Any, Any]:
    """Return what type variables stand for in the class where a method was written.

    The owner is a generic alias, an instance or a class.
    """
    # Looked up without running the owner's code: a method may belong to an unfinished instance.
    alias = owner if get_origin(owner) else inspect.getattr_static(owner, "__orig_class__", None)
    cls: Any = get_origin(alias) or (owner if isinstance(owner, type) else type(owner))
    variables = getattr(cls, "__parameters__", ())
    by_class: dict[type, dict[Any, Any]] = {
        cls: dict(zip(variables, get_args(alias), strict=False))
    }
    mro: tuple[type, ...] = cls.__mro__
    for base in mro:
        bases: tuple[Any, ...] = vars(base).get("__orig_bases__", ())
        for alias_of_base in bases:
            origin: Any = get_origin(alias_of_base)
            substituted = [
                with_arguments(argument, by_class.get(base, {}))
                for argument in get_args(alias_of_base)
            ]
            variables = getattr(origin, "__parameters__", ())
            by_class.setdefault(origin, dict(zip(variables, substituted, strict=False)))
    home = next((base for base in mro if method in vars(base)), cls)
    return by_class.get(home, {})


def with_arguments(hint: Any, known: Mapping[Any, Any]) -> Any:
    """Return a hint with its type variables replaced by what they stand for."""
    if isinstance(hint, TypeVar):
        return known.get(hint, hint)
    if isinstance(hint, type):
        return hint
    variables: tuple[Any, ...] = getattr(hint, "__parameters__", ())
    if not any(variable in known for variable in variables):
        return hint
    return hint[tuple(known.get(variable, variable) for variable in variables)]


def with_owner(hint: Any, owner: type | None) -> Any:
    """Return a hint with `Self` in it replaced by the class that it stands for."""
    if hint is Self and owner is not None:
        return owner
    parts = arguments_of(hint)
    new_parts = tuple(with_owner(part, owner) for part in parts)
    if all(new is old for new, old in zip(new_parts, parts, strict=True)):
        return hint
    if isinstance(hint, types.UnionType):
        return Union[new_parts]  # noqa: UP007 - as many arms as there were
    return hint.copy_with(new_parts) if hasattr(hint, "copy_with") else hint.__origin__[new_parts]


class Bare(NamedTuple):
    """A parameter as written: its annotation may still be a string."""

    name: str
    kind: Any
    annotation: Any
    default: Any


NO_NAMES: frozenset[str] = frozenset()
"""The same one for all targets: since Python 3.10 each empty set is an object of its own."""


@dataclass(slots=True, eq=False, repr=False)
class Target:
    """A target, opened."""

    name: str
    call: Callable[..., Any]
    parameters: tuple[Bare, ...]
    returns: Any
    function: Any
    """The innermost function: its module, closure and source explain the annotations."""
    documented: tuple[Any, ...]
    """Objects that may hold the documentation, nearest first."""
    owner: type | None = None
    """The class whose scope and base classes count, for a method or a constructor."""
    reserved: frozenset[str] = NO_NAMES
    unbound: bool = False
    writers: tuple[Any, ...] = ()
    """The function and what it wraps, innermost first, where that is more than one function."""
    type_arguments: Mapping[Any, Any] | None = None
    """What the type variables of a generic class stand for: `int` in `Handler[int]()`."""

    def once_read(self) -> Target:
        """Return the target without its bare parameters: its signature has them."""
        return replace(self, parameters=())

    @property
    def location(self) -> Location:
        """Return where the innermost function, or the class, was written."""
        code = code_of(self.function)
        if code is not None:
            return Location(code.co_filename, code.co_firstlineno)
        module = sys.modules.get(getattr(self.function, "__module__", None) or "")
        return Location(getattr(module, "__file__", None) or "", 0)


def open_target(obj: Any) -> Target:
    """Open anything callable. Raises `SchemaError` for what cannot become a tool."""
    if framework := framework_of(obj):
        hint = "`box.include(...)` makes tools of its commands"
        raise _refuse(obj, f"is a command-line program of {framework}", hint)
    try:
        return _open(obj)
    except SchemaError:
        raise
    except Exception as error:
        what = f"cannot be read: looking at it raises {type(error).__name__}"
        hint = "wrap it in a function with type hints"
        raise SchemaError(what, tool=type(obj).__name__, hint=hint) from error


def _open(obj: Any) -> Target:
    if isinstance(obj, functools.partial):
        return _open_partial(obj)
    if isinstance(obj, staticmethod):
        return open_target(obj.__func__)
    if isinstance(obj, classmethod):
        raise _refuse(
            obj, "is a class method seen from inside its class", "add it as `TheClass.method`"
        )
    if isinstance(obj, type):
        return _open_class(obj)
    if isinstance(obj, types.MethodType):
        return _open_method(obj)
    if isinstance(get_origin(obj), type):
        opened = _open_class(get_origin(obj))
        return replace(opened, call=obj, type_arguments=type_arguments(obj))
    if not callable(obj):
        raise _refuse(obj, f"is {_article(type(obj).__name__)}, which cannot be called", "")
    if isinstance(obj, types.FunctionType | types.BuiltinFunctionType | types.BuiltinMethodType):
        return _open_function(obj)
    wraps = inspect.getattr_static(obj, "__wrapped__", None) is not None
    if wraps or isinstance(obj, _BUILTIN_KINDS):
        return _open_function(obj)
    return _open_object(obj)


_BUILTIN_KINDS = (
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
)


def _open_function(obj: Any) -> Target:
    function = innermost(obj)
    if function is not obj and not isinstance(function, types.FunctionType):
        # A wrapper around something that is not a plain function (a partial, a method, a class).
        opened = open_target(function)
        return replace(opened, call=obj, name=name_of(obj), documented=(obj, *opened.documented))
    parameters, returns = _bare(function)
    chain = writers(function)
    if shows_signature(function) and isinstance(chain[0], types.FunctionType):
        function = chain[0]  # the wrapper shows its signature, so it was written there
    owner = _defining_class(function)
    unbound = _is_unbound(function, owner, parameters)
    reserved = NO_NAMES
    if unbound:
        reserved = _instance_name(parameters)
        parameters = parameters[1:]
    if is_dispatcher(obj) and parameters:
        # It chooses by the first *positional* argument, and holds its instance itself.
        first = parameters[0]
        parameters = (first._replace(kind=POSITIONAL_ONLY), *parameters[1:])
        unbound = False
    return Target(
        name=name_of(obj),
        call=obj,
        parameters=parameters,
        returns=returns,
        function=function,
        documented=(obj,) if function is obj else (obj, function),
        owner=owner,
        reserved=reserved,
        unbound=unbound,
        writers=chain if len(chain) > 1 else (),
    )


def _open_method(obj: types.MethodType) -> Target:
    opened = _open_function(obj.__func__)
    reserved = opened.reserved
    owner = obj.__self__ if isinstance(obj.__self__, type) else type(obj.__self__)
    parameters = opened.parameters
    if not opened.unbound and not _wraps_plain(obj.__func__, opened):
        if not parameters or _is_argument(parameters[0], owner):
            what = "is a method whose first parameter is not its instance"
            raise _refuse(obj, what, "give it `self`, or make it a `@staticmethod`")
        reserved = _instance_name(parameters)
        parameters = _without_positionals(parameters, 1)
    arguments_by_variable = type_arguments(obj.__self__, getattr(obj, "__name__", ""))
    return replace(
        opened,
        call=obj,
        parameters=parameters,
        owner=owner,
        reserved=reserved,
        unbound=False,
        type_arguments=arguments_by_variable,
    )


def _wraps_plain(method: Any, inner: Target) -> bool:
    """Return whether a method only shows a plain function: `@wraps(f) def __call__(self, ...)`."""
    first = inner.parameters[0].name if inner.parameters else ""
    in_class = "." in getattr(inner.function, "__qualname__", "").rpartition("<locals>.")[2]
    return unwrapped(method) is not method and not in_class and first not in ("self", "cls")


def _open_partial(obj: Any) -> Target:
    func = obj.func
    opened = open_constructor(func) if isinstance(func, type) else open_target(func)
    if opened.unbound and obj.args:
        # The instance is the first bound value.
        opened = replace(opened, unbound=False)
        parameters = _without_positionals(opened.parameters, len(obj.args) - 1)
    else:
        parameters = _without_positionals(opened.parameters, len(obj.args))
    remaining: list[Bare] = []
    by_keyword = False
    for parameter in parameters:
        if parameter.name in obj.keywords and parameter.kind not in VARIADIC:
            by_keyword = parameter.kind is POSITIONAL_OR_KEYWORD or by_keyword
        elif parameter.kind is VAR_POSITIONAL and by_keyword:
            continue  # a positional argument would land on a bound parameter
        elif by_keyword and parameter.kind is POSITIONAL_OR_KEYWORD:
            remaining.append(parameter._replace(kind=KEYWORD_ONLY))
        else:
            remaining.append(parameter)
    gone = {p.name for p in opened.parameters} - {p.name for p in remaining}
    return replace(
        opened,
        name=getattr(obj, "__name__", None) or opened.name,
        call=obj,
        parameters=tuple(remaining),
        reserved=opened.reserved | gone | frozenset(obj.keywords),
        documented=(obj, *opened.documented) if "__doc__" in vars(obj) else opened.documented,
    )


def _open_class(cls: type) -> Target:
    if is_record(cls):
        # Its fields are the arguments, and validating them builds it: one flattened value.
        def build(value: Any, /) -> Any:
            return value

        parameter = Bare("value", POSITIONAL_ONLY, Annotated[cls, Flatten()], EMPTY)
        return Target(cls.__name__, build, (parameter,), cls, cls, (cls,), owner=cls)
    return open_constructor(cls)


def open_constructor(cls: type) -> Target:
    """Open the constructor of a class. Raises `SchemaError` if it has none."""
    if (is_record(cls) and not is_typed_dict(cls)) or is_made_by_named_tuple(cls):
        parameters, _ = _bare(cls)
        return Target(cls.__name__, cls, parameters, cls, cls, (cls,), owner=cls)
    function, returns = _constructor(cls)
    if function is None:
        raise _refuse(cls, "has no constructor of its own", "give it an `__init__` with types")
    opened = _open_function(function)
    parameters, reserved = opened.parameters, opened.reserved
    if not opened.unbound:
        reserved = _instance_name(parameters)
        parameters = _without_positionals(parameters, 1)
    if isinstance(vars(cls).get("__signature__"), inspect.Signature):
        parameters, _ = _bare(cls)  # what the class shows: its constructor may take more
        reserved = NO_NAMES
    return replace(
        opened,
        name=cls.__name__,
        call=cls,
        parameters=parameters,
        returns=returns,
        reserved=reserved,
        documented=(cls, function),
        owner=cls,
        unbound=False,
    )


def _constructor(cls: Any) -> tuple[Any, Any]:
    """Find the function that calling a class runs, and what it returns."""
    meta: Any = type(cls).__call__
    if isinstance(meta, types.FunctionType) and not passes_all(meta):
        returned = _bare(meta)[1]
        return meta, cls if returned is EMPTY or _is_own(returned, cls) else returned
    constructor = unwrapped(cls.__new__)
    if isinstance(constructor, types.FunctionType):
        returned = _bare(constructor)[1]
        if returned is not EMPTY and not _is_own(returned, cls):
            return cls.__new__, returned  # `__init__` is not run for another type
    for method in (cls.__init__, cls.__new__):
        if isinstance(unwrapped(method), types.FunctionType):
            return method, cls
    return None, cls


def _is_own(returns: Any, cls: type) -> bool:
    """Return whether a constructor's return annotation means the class itself."""
    if isinstance(returns, str):
        text = returns.strip("'\"").partition("[")[0].rpartition(".")[2]
        return text == "Self" or text in {base.__name__ for base in cls.__mro__}
    origin = get_origin(returns) or returns
    return not isinstance(origin, type) or issubclass(origin, cls) or issubclass(cls, origin)


def _open_object(obj: Any) -> Target:
    cls = cast("Any", type(obj))
    call_attribute = inspect.getattr_static(cls, "__call__", None)
    if isinstance(call_attribute, staticmethod):
        opened = open_target(call_attribute.__func__)
    elif isinstance(call_attribute, functools.partial):
        opened = open_target(
            call_attribute
        )  # not a method before Python 3.14, and 3.13 warns of that
    elif hasattr(call_attribute, "__get__"):
        opened = open_target(cls.__call__.__get__(obj, cls))
    else:
        opened = open_target(call_attribute)  # called as it is, without the object
    signature = inspect.getattr_static(cls, "__signature__", None)
    if shows_signature(obj) or isinstance(signature, inspect.Signature):
        parameters, returns = _bare(obj)
        opened = replace(opened, parameters=parameters, returns=returns)
    # What a call does describes the tool; what the class says of itself, only where that is silent.
    documented = (obj, *opened.documented, cls)
    return replace(opened, name=name_of(obj), call=obj, documented=documented)


def _bare(function: Any) -> tuple[tuple[Bare, ...], Any]:
    try:
        signature = inspect.signature(function, follow_wrapped=False)
    except (ValueError, TypeError):
        raise _refuse(
            function, "has no signature that can be read", "wrap it in a function with type hints"
        ) from None
    parameters = tuple(
        Bare(p.name, p.kind, p.annotation, p.default) for p in signature.parameters.values()
    )
    return parameters, signature.return_annotation


def _instance_name(parameters: tuple[Bare, ...]) -> frozenset[str]:
    """Return the name of a method's instance if it has `**kwargs`: no keyword can have it."""
    takes_any = any(p.kind is VAR_KEYWORD for p in parameters)
    candidates = parameters[:1] if takes_any else ()
    return frozenset(p.name for p in candidates if p.kind is POSITIONAL_OR_KEYWORD)


def _defining_class(function: Any) -> type | None:
    """Find the class in whose body a function was written, if that class can be reached."""
    parts = getattr(function, "__qualname__", "").split(".")
    if len(parts) < 2 or "<locals>" in parts:
        return None
    current: Any = sys.modules.get(getattr(function, "__module__", None) or "")
    for part in parts[:-1]:
        current = getattr(current, part, None)
    return current if isinstance(current, type) else None


def _is_argument(first: Bare, owner: type | None) -> bool:
    """Return whether a method's first parameter is an ordinary one: its type is not the class."""
    hint = first.annotation
    if first.kind not in (POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD) or first.name in ("self", "cls"):
        return first.kind is KEYWORD_ONLY
    if isinstance(hint, str):
        hint = vars(builtins).get(hint)
    return isinstance(hint, type) and hint is not EMPTY and not issubclass(owner or object, hint)


def _is_unbound(function: Any, owner: type | None, parameters: tuple[Bare, ...]) -> bool:
    if not parameters or parameters[0].kind not in (POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD):
        return False
    if owner is not None and _is_argument(parameters[0], owner):
        return False
    if owner is not None:
        attribute_value = inspect.getattr_static(owner, function.__name__, None)
        if isinstance(attribute_value, staticmethod):
            return False
        if unwrapped(attribute_value) is function if callable(attribute_value) else False:
            return True
    parts = getattr(function, "__qualname__", "").split(".")
    in_class_body = len(parts) > 1 and parts[-2] != "<locals>"
    first = parameters[0]
    return in_class_body and first.name in ("self", "cls") and first.annotation is EMPTY


def _without_positionals(parameters: tuple[Bare, ...], count: int) -> tuple[Bare, ...]:
    remaining = list(parameters)
    for _ in range(count):
        if not remaining or remaining[0].kind in (VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD):
            break
        del remaining[0]
    return tuple(remaining)


def _article(word: str) -> str:
    return f"{'an' if word[:1].lower() in 'aeiou' else 'a'} {word}"


def _refuse(obj: Any, what: str, hint: str) -> SchemaError:
    code = code_of(unwrapped(obj) if callable(obj) else obj)
    return SchemaError(
        what,
        tool=name_of(obj),
        hint=hint,
        file=code.co_filename if code else "",
        line=code.co_firstlineno if code else 0,
    )


def scope_of(target: Target) -> Scope | None:
    """Capture the scope that a target's annotations need, while its frames still run."""
    annotations = [target.returns, *(p.annotation for p in target.parameters)]
    if "<locals>" in getattr(target.function, "__qualname__", "") or any(
        needs_scope(annotation) for annotation in annotations
    ):
        return Scope(target.writers or (target.function,), target.owner)
    return None
