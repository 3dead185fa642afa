"""Classes by their names, and classes that only declare attributes.

A class is known if it is imported when a tool is compiled, and has a public name in the package
of the base class or of the tool. No caller can name anything else, and nothing is imported.
"""

from __future__ import annotations

import dis
import inspect
import re
import sys
import types
from abc import ABC, ABCMeta
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Annotated, Any, ClassVar, Final, TypeVar, cast, get_args, get_origin

from pydantic import Field
from pydantic_core import PydanticSerializationUnexpectedValue, core_schema

from ..errors import SchemaError
from ..read.documentation import class_docs
from ..read.evaluate import type_var_bound
from ..read.scope import UnresolvedName
from ..read.signature import EMPTY, KEYWORD_ONLY, Parameter, Signature
from ..read.target import open_target
from .adapters import TAKEN_ONLY
from .constraints import CLASS_KEY
from .construct import Constructed, Tag, has_typed_constructor, is_named_tuple
from .hints import UNIONS, unalias, unqualify
from .plan import ABSENT, Plan, Translate
from .unsendable import TAGGED_KEY, Unsendable, unsendable_schema

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
        # Not from its `vars`: `type`, a base of metaclasses, has a descriptor there.
        for name, hint in inspect.get_annotations(base).items():
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


MOST_CHOICES = 100
"""If there are more classes, none is offered: which ones to offer would be a guess."""
_KEYS = ("type", "kind", "class_name", "implementation")
_DATA = (bool, bytes, complex, dict, float, frozenset, int, list, set, str, tuple)
_ANY_CLASS: tuple[Any, ...] = (Any, object, type)


class Implementations:
    """Tells pydantic to build one of the classes that implement another, by its name in a key.

    Only arguments are chosen: a result may be of a class that nobody knows yet.
    """

    def __init__(self, cls: type, key: str, arms: Mapping[str, tuple[type, Any]]) -> None:
        self.cls = cls
        self.key = key
        self.arms = arms
        self.ref = f"{cls.__module__}.{cls.__qualname__}:{id(self)}"
        self.building = False

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Build the schema; inside itself, a choice is only referred to."""
        instance = core_schema.is_instance_schema(self.cls)
        if not TAKEN_ONLY.get():
            return instance
        reference = core_schema.definition_reference_schema(self.ref)
        if self.building or _is_built(reference, handler):
            return reference
        self.building = True
        try:
            chosen = core_schema.tagged_union_schema(
                {name: _arm(cls, hint, handler) for name, (cls, hint) in self.arms.items()},
                self.key,
                metadata={TAGGED_KEY: True},
            )
        finally:
            self.building = False
        return core_schema.json_or_python_schema(
            json_schema=chosen,
            python_schema=core_schema.union_schema([instance, chosen]),
            ref=self.ref,
            metadata={CLASS_KEY: self.cls},
        )

    def __repr__(self) -> str:
        return f"Implementations({self.cls.__name__})"


def _is_built(reference: Any, handler: Any) -> bool:
    try:
        handler.resolve_ref_schema(reference)
    except LookupError:
        return False
    return True


def _arm(cls: type, hint: Any, handler: Any) -> Any:
    try:
        return handler.generate_schema(hint)
    except UnresolvedName as error:
        return unsendable_schema(cls, f"{error.what}; {error.hint}")


def choice_of(cls: Any, translate: Translate, home: str) -> Any:
    """Return a hint for one of the classes that implement a class; None if none is known.

    `home` is the package of the tool. A caller cannot choose classes of the standard
    library: most of them are about files, threads and connections. Nor does a class that can be
    made itself stand for others.
    """
    if is_standard(cls) or getattr(cls, "_is_protocol", False):
        return None
    if takes_nothing(cls) and not _is_interface(cls):
        return None
    subclasses = [
        subclass for subclass in known_subclasses(cls, home) if not inspect.isabstract(subclass)
    ]
    makers = {subclass: _maker(subclass) for subclass in subclasses}
    if not any(makers.values()):
        return None
    if len(subclasses) > MOST_CHOICES:
        return Annotated[Any, Unsendable(cls, _too_many(subclasses))]
    field_names = {
        name for subclass in subclasses if makers[subclass] for name in _names_in(subclass)
    }
    key = next((key for key in _KEYS if key not in field_names), "")
    if not key:
        return None
    arms: dict[str, tuple[type, Any]] = {}
    for name, subclass in by_name(subclasses).items():
        make = makers[subclass]
        constructed: Any = make(subclass, translate, Tag(key, name)) if make else None
        arms[name] = subclass, Annotated[subclass, constructed or Unsendable(subclass, _UNTYPED)]
    return Annotated[cls, Implementations(cls, key, arms)]


_UNTYPED = "its constructor does not say what it takes, or does more than store it"


def _is_interface(cls: type) -> bool:
    """Return whether a class is abstract, or the topmost of its bases that is meant to be."""
    of_abc = [base for base in cls.__mro__ if isinstance(base, ABCMeta) and base is not ABC]
    return inspect.isabstract(cls) or of_abc == [cls]


def _maker(cls: Any) -> type[Constructed] | None:
    """Return how a class is made from JSON, if anything says so."""
    if hasattr(cls, "__get_pydantic_core_schema__") or is_named_tuple(cls):
        return None
    if is_made_empty(cls):
        return Struct
    return Constructed if has_typed_constructor(cls) and not takes_anything(cls) else None


def _names_in(cls: type) -> list[str]:
    try:
        parameters = [parameter.name for parameter in open_target(cls).parameters]
    except SchemaError:
        parameters = []
    return [*parameters, *attributes_of(cls)]


def known_subclasses(cls: type, home: str) -> list[type]:
    """Return the public subclasses of a class in its package or a tool's, sorted by name."""
    packages = {_package(cls.__module__), home}
    subclasses: dict[type, None] = {}
    todo: list[type] = [cls]
    while todo:
        new = [
            subclass for subclass in type.__subclasses__(todo.pop()) if subclass not in subclasses
        ]
        subclasses.update(dict.fromkeys(new))
        todo += new
    public = [
        subclass
        for subclass in subclasses
        if _package(subclass.__module__) in packages and _is_public(subclass)
    ]
    return sorted(public, key=lambda each: (each.__name__, each.__module__, each.__qualname__))


def _package(module: str) -> str:
    return module.partition(".")[0]


def _is_public(cls: type) -> bool:
    """Return whether a class is found under a public name in an imported module."""
    names = cls.__qualname__.split(".")
    if any(name.startswith(("_", "<")) for name in names):
        return False
    enclosing: Any = sys.modules.get(cls.__module__)
    try:
        return reduce(getattr, names, enclosing) is cls
    except AttributeError:
        return False


def by_name(classes: Sequence[type]) -> dict[str, type]:
    """Return classes by their names, with their modules where two have the same."""
    names = [cls.__name__ for cls in classes]
    return {
        name if names.count(name) == 1 else f"{cls.__module__}.{cls.__qualname__}": cls
        for name, cls in zip(names, classes, strict=True)
    }


def _too_many(classes: Sequence[type]) -> str:
    return f"{len(classes)} classes are of its kind, and at most {MOST_CHOICES} can be offered"


# -- objects chosen by name


class Named:
    """Takes one of several objects by its name: the classes in `type[A] | type[B]`, or the members
    that an extension's class has instead of an enum."""

    def __init__(self, objects: Mapping[str, Any]) -> None:
        self.objects = objects

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Read a name; one of the objects stays as it is."""
        by_label = core_schema.no_info_after_validator_function(
            self._find, core_schema.literal_schema(list(self.objects))
        )
        return core_schema.json_or_python_schema(
            json_schema=by_label,
            python_schema=core_schema.no_info_wrap_validator_function(self._keep, by_label),
            serialization=core_schema.plain_serializer_function_ser_schema(
                self._name, return_schema=core_schema.literal_schema(list(self.objects))
            ),
        )

    def _find(self, name: str) -> Any:
        return self.objects[name]

    def _keep(self, value: Any, handler: Any) -> Any:
        return (
            value
            if any(value is candidate for candidate in self.objects.values())
            else handler(value)
        )

    def _name(self, value: Any) -> str:
        for name, candidate in self.objects.items():
            if value is candidate:
                return name
        msg = "not one of them"
        raise PydanticSerializationUnexpectedValue(msg)


def members_of(cls: Any) -> dict[str, Any]:
    """Return the members of an extension's class that is an enum in all but its type."""
    if not cls.__flags__ & _NOT_MADE:
        return {}
    attributes = cast("Mapping[str, Any]", vars(cls))
    members = {
        name: value
        for name, value in attributes.items()
        if type(value) is cls and not name.startswith("_")
    }
    return members if len(members) > 1 else {}


_NOT_MADE = 1 << 7
"""`Py_TPFLAGS_DISALLOW_INSTANTIATION`: there are no values except those that the extension made."""


class ClassNamed(Named):
    """Takes a class by its name; a class that is a result cannot be sent."""

    def __init__(self, hint: Any, objects: Mapping[str, Any]) -> None:
        super().__init__(objects)
        self.hint = hint

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Read a name, if it is an argument."""
        if TAKEN_ONLY.get():
            return super().__get_pydantic_core_schema__(source, handler)
        return Unsendable(self.hint).__get_pydantic_core_schema__(source, handler)


def class_named(hint: Any, home: str) -> Any:
    """Return a hint for what `type[X]` takes: X and its subclasses, by name."""
    classes: dict[type, None] = {}
    for bound in _classes_in(get_args(hint)[0]):
        if bound in _ANY_CLASS or not isinstance(bound, type):
            return Annotated[Any, Unsendable(hint)]
        classes.update(dict.fromkeys(_kinds_of(bound, home)))
    if not classes:
        return Annotated[Any, Unsendable(hint)]
    if len(classes) > MOST_CHOICES:
        return Annotated[Any, Unsendable(hint, _too_many(list(classes)))]
    return Annotated[Any, ClassNamed(hint, by_name(list(classes)))]


def _classes_in(hint: Any) -> list[Any]:
    bare = unalias(hint)
    if isinstance(bare, TypeVar):
        return [cls for bound in _bounds(bare) for cls in _classes_in(bound)]
    if get_origin(bare) in UNIONS:
        return [cls for arm in get_args(bare) for cls in _classes_in(arm)]
    return [bare]


def _bounds(variable: TypeVar) -> tuple[Any, ...]:
    try:
        bound = type_var_bound(variable)
    except UnresolvedName:
        return ()
    if bound is not None:
        return (bound,)
    return variable.__constraints__ or tuple(filter(None, (variable.__bound__,)))


def _kinds_of(cls: type, home: str) -> list[type]:
    """Return a class, its subclasses, and Python's own data types if they are of its kind."""
    kinds = [cls, *known_subclasses(cls, home)]
    if getattr(cls, "_is_protocol", False):
        return []
    if inspect.isabstract(cls) and is_standard(cls):
        kinds += [kind for kind in _DATA if issubclass(kind, cls)]
    return [kind for kind in dict.fromkeys(kinds) if not inspect.isabstract(kind)]
