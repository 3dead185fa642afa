"""Classes that only declare attributes: made empty, then filled."""

from __future__ import annotations

import dis
import inspect
import re
import sys
import types
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from pydantic import Field

from ...read.attributes import class_docs
from ...read.signature import EMPTY, KEYWORD_ONLY, Parameter, Signature
from ..plan import ABSENT, Plan
from .construct import Constructed
from .hints import unqualify

_MISSING: Any = object()


def is_struct(cls: type) -> bool:
    """Return whether a class is made without arguments, and declares attributes without values.

    An attribute that has a value in the class is a setting of a program rather than data, so the
    whole class is not a struct; unless its constructor takes anything, and so says nothing itself.
    """
    if takes_anything(cls):
        return bool(attributes_of(cls)) and is_made_empty(cls)
    if inspect.isabstract(cls) or getattr(cls, "_is_protocol", False):
        return False
    if is_standard(cls):
        return False
    names = list(_declared(cls))
    return bool(names) and takes_nothing(cls) and all(_can_be_set(cls, name) for name in names)


def is_made_empty(cls: type) -> bool:
    """Return whether calling a class without arguments gives an instance and does nothing else."""
    return _empty(cls) is not None


def _empty(cls: Any) -> Any:
    """Return an instance made without arguments, if its constructor surely only sets attributes."""
    if inspect.isabstract(cls) or getattr(cls, "_is_protocol", False) or is_standard(cls):
        return None
    if not (takes_nothing(cls) or takes_anything(cls)) or not _only_sets(cls):
        return None
    try:
        return cls()
    except Exception:  # noqa: BLE001 - the author's code: it refuses to be made
        return None


def attributes_of(cls: type) -> list[str]:
    """Return the attributes that a class declares, and whose values its instances hold."""
    return [name for name in dict.fromkeys(_declared(cls)) if _can_be_set(cls, name)]


def is_standard(cls: type) -> bool:
    """Return whether a class belongs to the standard library."""
    return cls.__module__.partition(".")[0] in sys.stdlib_module_names


def _declared(cls: type) -> Iterator[str]:
    """Yield the public attributes that a class and its bases declare for their instances."""
    for base in reversed(cls.__mro__):
        annotations: dict[str, Any] = vars(base).get("__annotations__") or {}
        for name, hint in annotations.items():
            if not name.startswith("_") and not _of_class(hint):
                yield name


def _of_class(hint: Any) -> bool:
    """Return whether a declaration is for the class itself, or a constant."""
    if isinstance(hint, str):
        return _OF_CLASS.match(hint) is not None
    return any(qualifier in (ClassVar, Final) for qualifier in (hint, *unqualify(hint)[1]))


_OF_CLASS = re.compile(r"\A(?:\w++\.)?(?:ClassVar|Final)\b")


def _can_be_set(cls: Any, name: str) -> bool:
    """Return whether an attribute has no value in its class but a place in its instances."""
    value = inspect.getattr_static(cls, name, _MISSING)
    if value is _MISSING:
        return bool(cls.__dictoffset__)
    return isinstance(value, types.MemberDescriptorType)  # a slot


def takes_nothing(cls: Any) -> bool:
    """Return whether a constructor has no parameters."""
    if not _is_made_plainly(cls):
        return False
    return cls.__init__ is object.__init__ or (
        _takes_no_names(cls) and not cls.__init__.__code__.co_flags & _VARIADIC
    )


def takes_anything(cls: Any) -> bool:
    """Return whether a constructor takes just `*args`, `**kwargs` or both, of any type."""
    if not _is_made_plainly(cls) or not _takes_no_names(cls):
        return False
    hints = {**cls.__init__.__annotations__, "return": Any}
    variadic = cls.__init__.__code__.co_flags & _VARIADIC
    return bool(variadic) and all(_says_nothing(hint) for hint in hints.values())


_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def _is_made_plainly(cls: Any) -> bool:
    return cls.__new__ is object.__new__ and type(cls).__call__ is type.__call__


def _takes_no_names(cls: Any) -> bool:
    code = getattr(cls.__init__, "__code__", None)
    return code is not None and code.co_argcount == 1 and not code.co_kwonlyargcount


def _says_nothing(hint: Any) -> bool:
    text = hint.rpartition(".")[2] if isinstance(hint, str) else ""
    return text in ("Any", "object") or hint is Any or hint is object


def _only_sets(cls: Any) -> bool:
    """Return whether a constructor only looks at values and sets attributes.

    It calls only some of Python's own functions, and so can be run while a tool is compiled: it
    reaches nothing outside its instance.
    """
    if cls.__setattr__ is not object.__setattr__ or cls.__init__ is object.__init__:
        return cls.__init__ is object.__init__
    if hasattr(cls.__init__, "__wrapped__"):
        return False
    outside: dict[str, Any] = cls.__init__.__globals__
    for step in dis.get_instructions(cls.__init__):
        name = step.argval
        if step.opname in _REACHING or inspect.iscode(name):
            return False
        if step.opname == "LOAD_GLOBAL" and (name not in _PURE or name in outside):
            return False
        if step.opname in _READING and name not in _OF_DATA and not _is_data(cls, name):
            return False
    return True


_REACHING = frozenset(("CALL_FUNCTION_EX", "IMPORT_NAME", "LOAD_SUPER_ATTR", "LOAD_NAME"))
_READING = frozenset(("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR"))
_OF_DATA = frozenset(("__class__", "__name__", "__qualname__", "get", "items", "pop", "values"))
_PURE = frozenset(
    (
        *("AttributeError", "TypeError", "ValueError", "bool", "dict", "enumerate", "getattr"),
        *("hasattr", "isinstance", "iter", "len", "list", "next", "range", "set", "setattr"),
        *("tuple", "type", "zip"),
    )
)


def _is_data(cls: type, name: str) -> bool:
    """Return whether reading or setting an attribute of a class runs no code."""
    value = inspect.getattr_static(cls, name, _MISSING)
    return isinstance(value, types.MemberDescriptorType) or not (
        callable(value) or hasattr(value, "__get__") or hasattr(value, "__set__")
    )


def _set_by_constructor(cls: Any) -> frozenset[str]:
    """Return the attributes that a constructor is sure to set itself: outside any branch."""
    code = getattr(cls.__init__, "__code__", None)
    # The attributes of an empty instance were set by its constructor.
    empty = _empty(cls) if takes_anything(cls) else None
    attributes = set(getattr(empty, "__dict__", ()))
    for step in dis.get_instructions(code) if code else ():
        if step.is_jump_target or step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
            break
        if step.opname == "STORE_ATTR":
            attributes.add(step.argval)
    return frozenset(attributes)


class Struct(Constructed):
    """Tells pydantic to make a class without arguments, and to set what was sent."""

    def _signature(self) -> Signature:
        docs = class_docs(self.cls)
        set_names = _set_by_constructor(self.cls)
        parameters: list[Parameter] = []
        hints = self.translate.hints_of(self.cls)
        for name in attributes_of(self.cls):
            default = Field(default_factory=lambda: ABSENT) if name in set_names else EMPTY
            text = docs.attributes.get(name, "")
            parameters.append(Parameter(name, KEYWORD_ONLY, hints[name], default, text))
        return Signature(
            self.cls.__name__, self.cls, tuple(parameters), description=docs.description
        )

    def _builder(self, planned: Plan) -> Any:
        def build(validated: dict[str, Any]) -> Any:
            if self.tag is not None:
                del validated[self.tag.key]
            built = self.cls()
            for name, value in validated.items():
                if value is not ABSENT:
                    try:
                        setattr(built, name, value)
                    except AttributeError as error:
                        raise ValueError(str(error)) from error
            return built

        return build
