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
    """Return whether a class is made with nothing, and declares attributes without values.

    An attribute that has a value in the class is a setting of a program rather than data, and so
    the whole class is none.
    """
    if inspect.isabstract(cls) or getattr(cls, "_is_protocol", False):
        return False
    if is_standard(cls):
        return False
    names = list(_declared(cls))
    return bool(names) and _takes_nothing(cls) and all(_can_be_set(cls, name) for name in names)


def is_standard(cls: type) -> bool:
    """Return whether a class is of the standard library."""
    return cls.__module__.partition(".")[0] in sys.stdlib_module_names


def _declared(cls: type) -> Iterator[str]:
    """Yield the public attributes that a class and its bases declare for their instances."""
    for base in reversed(cls.__mro__):
        written: dict[str, Any] = vars(base).get("__annotations__") or {}
        for name, hint in written.items():
            if not name.startswith("_") and not _of_class(hint):
                yield name


def _of_class(hint: Any) -> bool:
    """Return whether a declaration is of the class itself, or of a constant."""
    if isinstance(hint, str):
        return _OF_CLASS.match(hint) is not None
    return any(each in (ClassVar, Final) for each in (hint, *unqualify(hint)[1]))


_OF_CLASS = re.compile(r"\A(?:\w++\.)?(?:ClassVar|Final)\b")


def _can_be_set(cls: Any, name: str) -> bool:
    """Return whether an attribute has no value in its class, and a place in its instances."""
    value = inspect.getattr_static(cls, name, _MISSING)
    if value is _MISSING:
        return bool(cls.__dictoffset__)
    return isinstance(value, types.MemberDescriptorType)  # of a slot


def _takes_nothing(cls: Any) -> bool:
    if cls.__new__ is not object.__new__ or type(cls).__call__ is not type.__call__:
        return False
    if cls.__init__ is object.__init__:
        return True
    code = getattr(cls.__init__, "__code__", None)
    variadic = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    return (
        code is not None
        and code.co_argcount == 1
        and not code.co_kwonlyargcount
        and not code.co_flags & variadic
    )


def _set_by_constructor(cls: Any) -> frozenset[str]:
    """Return the attributes that a constructor surely sets itself: outside of any branch."""
    code = getattr(cls.__init__, "__code__", None)
    found: set[str] = set()
    for step in dis.get_instructions(code) if code else ():
        if step.is_jump_target or step.opcode in dis.hasjrel or step.opcode in dis.hasjabs:
            break
        if step.opname == "STORE_ATTR":
            found.add(step.argval)
    return frozenset(found)


class Struct(Constructed):
    """Tells pydantic to make a class with nothing, and to set what was sent."""

    def _signature(self) -> Signature:
        docs = class_docs(self.cls)
        given = _set_by_constructor(self.cls)
        parameters: list[Parameter] = []
        hints = self.translate.hints_of(self.cls)
        for name in dict.fromkeys(_declared(self.cls)):
            default = Field(default_factory=lambda: ABSENT) if name in given else EMPTY
            text = docs.attributes.get(name, "")
            parameters.append(Parameter(name, KEYWORD_ONLY, hints[name], default, text))
        return Signature(
            self.cls.__name__, self.cls, tuple(parameters), description=docs.description
        )

    def _builder(self, planned: Plan) -> Any:
        def build(validated: dict[str, Any]) -> Any:
            made = self.cls()
            for name, value in validated.items():
                if value is not ABSENT:
                    try:
                        setattr(made, name, value)
                    except AttributeError as error:
                        raise ValueError(str(error)) from error
            return made

        return build
