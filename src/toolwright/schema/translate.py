"""Translates the hints of authors into hints that pydantic takes.

Most pass through unchanged. The rest: iterators and abstract collections are made of lists,
`typing.TypedDict` before Python 3.12 gets a twin, a plain class with a typed constructor is
built by calling it, and one that only declares its attributes by setting them.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
import typing
from collections import abc
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, get_args, get_origin

import typing_extensions
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    EncodedBytes,
    PydanticUndefinedAnnotation,
)
from pydantic.dataclasses import rebuild_dataclass
from pydantic_core import PydanticSerializationUnexpectedValue, core_schema

from .._json_values import is_list
from ..markers import FromText
from ..read.evaluate import LazyAlias, class_hints, type_var_bound
from ..read.module_names import names_around
from ..read.scope import UnresolvedName, needs_scope
from ..read.target import is_typed_dict
from .carried import AWAITABLES, ITERATORS, LISTS, Carried, Ready, carrier_of
from .choices import (
    Implementations,
    Named,
    Struct,
    choice_of,
    class_named,
    is_standard,
    is_struct,
    members_of,
    takes_anything,
)
from .construct import Constructed, has_typed_constructor, is_named_tuple
from .core_schemas import Encoded
from .hints import (
    ALIAS_TYPES,
    PLAIN,
    UNIONS,
    is_not_required,
    is_required,
    metadata,
    or_none,
    strip_annotated,
    substitute,
    unqualify,
)
from .unsendable import Unsendable

_UNCHANGED: frozenset[Any] = frozenset((abc.Callable, typing.Literal))
_SIMPLE: Mapping[Any, Any] = {
    typing.LiteralString: str,
    typing_extensions.LiteralString: str,
    bytearray: Annotated[bytes, AfterValidator(bytearray)],
}
_MANY_ARMS = 16
_NEVER = (typing.Never, typing.NoReturn, typing_extensions.Never)


class Translator:
    """Translates hints; `names` are local to where they were written, `twins` are what classes have
    become so far (shared by all tools compiled together)."""

    def __init__(
        self, names: Mapping[str, Any] | None, twins: dict[Any, Any], home: str, *, choosing: bool
    ) -> None:
        self.names = names
        self.home = home
        self.choosing = choosing
        """Whether a caller may choose a class by its name."""
        self.twins = twins
        self.survey: _Survey | None = None
        self.class_hints: dict[Any, tuple[dict[str, Any], bool]] = {}
        """The annotations of classes, and whether their modules alone were not enough for them."""
        self.opened: set[int] = set()
        self.used_names = False
        """Whether a class was read with the local names: elsewhere it may mean something else."""

    def __call__(self, hint: Any) -> Any:
        """Translate a hint; the very same object comes back if nothing has to change."""
        if isinstance(hint, type) and not isinstance(hint, types.GenericAlias):
            return hint if hint in PLAIN else self._class(hint)
        origin: Any = get_origin(hint)
        if origin is None:
            return self._atom(hint)
        if origin in _UNCHANGED:
            return hint
        if origin is Annotated:
            if any(isinstance(item, FromText) for item in metadata(hint)):
                return hint  # the marker reads and writes it
            translated, annotations = self(strip_annotated(hint)), metadata(hint)
            if any(isinstance(item, EncodedBytes) for item in annotations):
                annotations = tuple(own_encoding(item) for item in annotations)
            same = translated is strip_annotated(hint) and annotations == metadata(hint)
            return hint if same else Annotated[(translated, *annotations)]
        opened = isinstance(origin, ALIAS_TYPES)
        return (self._generic_alias if opened else self._generic)(hint, origin)

    def optional(self, hint: Any) -> Any:
        """Translate the hint of an argument that need not be sent: nothing in it is chosen by name.

        An argument with a default is usually the program's own affair, and a choice is large.
        """
        choosing, self.choosing = self.choosing, False
        try:
            return self(hint)
        finally:
            self.choosing = choosing

    def hints_of(self, cls: type) -> dict[str, Any]:
        """Resolve the annotations of a class, with the local names."""
        return self._hints_of(cls)[0]

    def _hints_of(self, cls: Any) -> tuple[dict[str, Any], bool]:
        cached = self.class_hints.get(cls)
        if cached is None:
            cached = self.class_hints[cls] = class_hints(cls, self.names or {})
        return cached

    def typed_dict_fields(self, cls: Any) -> dict[str, tuple[Any, bool]]:
        """Return a TypedDict's translated hints, each with whether its key is required."""
        fields: dict[str, tuple[Any, bool]] = {}
        for name, hint in self.hints_of(cls).items():
            bare, qualifiers = unqualify(hint)
            required = name in cls.__required_keys__
            for qualifier in qualifiers:
                # The class itself does not know of qualifiers inside strings.
                required = (required or is_required(qualifier)) and not is_not_required(qualifier)
            fields[name] = (self(bare), required)
        return fields

    def _atom(self, hint: Any) -> Any:
        if isinstance(hint, ALIAS_TYPES):
            return self._alias(hint)
        if isinstance(hint, typing.TypeVar):
            return self._type_variable(hint)
        if isinstance(hint, typing.NewType):
            supertype = self(hint.__supertype__)
            return hint if supertype is hint.__supertype__ else supertype
        if any(hint is nothing for nothing in _NEVER):
            return Annotated[Any, Unsendable(hint, "no value is of this type")]
        if not is_type(hint):
            return Annotated[Any, Unsendable(hint, "it is not a type")]
        try:
            return _SIMPLE.get(hint, hint)
        except TypeError:  # unhashable: nothing of ours
            return hint

    def _type_variable(self, hint: Any) -> Any:
        """Replace a type variable by its bound or its constraints, only if these must change."""
        if id(hint) in self.opened:
            return Any
        self.opened.add(id(hint))
        try:
            bound = type_var_bound(hint)
            if bound is not None:
                return self(bound)
            bounds = hint.__constraints__ or (hint.__bound__,)
            changed = [bound if bound is None else self(bound) for bound in bounds]
        except UnresolvedName as error:
            return Annotated[Any, Unknown(error)]
        finally:
            self.opened.discard(id(hint))
        if all(new is old for new, old in zip(changed, bounds, strict=True)):
            return hint
        return typing.Union[tuple(changed)]  # noqa: UP007 - as many arms as there were

    def _alias(self, hint: Any) -> Any:
        """Open an alias only if what it stands for must change; a recursive one stays."""
        if id(hint) in self.opened:
            return hint
        self.opened.add(id(hint))
        try:
            target = self(hint.__value__)
        finally:
            self.opened.discard(id(hint))
        return hint if target is hint.__value__ else target

    def _generic_alias(self, hint: Any, origin: Any) -> Any:
        """Open a generic alias (`type X[T] = ...`), as `_alias` does a plain one."""
        if id(origin) in self.opened:
            return hint
        self.opened.add(id(origin))
        try:
            by_parameter = dict(zip(origin.__type_params__, get_args(hint), strict=False))
            target = substitute(origin.__value__, by_parameter)
            translated = self(target)
        finally:
            self.opened.discard(id(origin))
        return hint if translated is target else translated

    def _generic(self, hint: Any, origin: Any) -> Any:
        arguments = get_args(hint)
        if is_protocol(origin):
            return Annotated[Any, Unsendable(hint)]
        if origin is type:
            unsendable = Annotated[Any, Unsendable(hint)]
            return class_named(hint, self.home) if self.choosing else unsendable
        if origin in ITERATORS:
            return Annotated[list[self(arguments[0])], AfterValidator(ITERATORS[origin])]
        if origin in LISTS:
            return list[self(arguments[0])]
        if origin in AWAITABLES:
            return Annotated[self(arguments[-1]), AfterValidator(Ready)]
        if any(origin is union for union in UNIONS):
            return self._union(hint, with_class_names(arguments))
        if is_typed_dict(origin) and is_refused(origin):
            by_parameter = dict(zip(origin.__parameters__, arguments, strict=False))
            return self._typed_dict_twin(origin, by_parameter)
        generic = self._plain_generic(hint, origin)
        if generic is not None:
            return generic
        changed = self._each(arguments)
        if all(new is old for new, old in zip(changed, arguments, strict=True)):
            return hint
        return origin[changed if len(changed) != 1 else changed[0]]

    def _each(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(a if a is Ellipsis or is_list(a) else self(a) for a in arguments)

    def _union(self, hint: Any, arguments: tuple[Any, ...]) -> Any:
        if len(arguments) >= _MANY_ARMS:
            return self._large_union(arguments)
        changed = self._each(arguments)
        if all(new is old for new, old in zip(changed, get_args(hint), strict=False)):
            return hint
        return typing.Union[changed]  # noqa: UP007 - as many arms as there were

    def _large_union(self, arguments: tuple[Any, ...]) -> Any:
        """Give a union of many types a name, under which it is compiled and written once.

        Otherwise it would be written out in each of its places: the core schemas of pydantic are a
        union of 52 records, 40 of which hold that union; a tool that took one had 690 kB of schema.
        """
        arms = [arm for arm in arguments if arm is not type(None)]
        key = (self.choosing, *(id(arm) for arm in arms))
        entry = self.twins.get(key)
        if entry is None:
            name = f"{identifier(arms[0])}_or_{len(arms) - 1}_others"
            alias = LazyAlias(name, __name__)
            self.twins[key] = entry = (alias.used(), arms)
            changed: tuple[Any, ...] = tuple(self(arm) for arm in arms)
            alias.resolved_as(typing.Union[changed])  # noqa: UP007 - as many arms as there were
        if len(arms) == len(arguments):
            return entry[0]
        return or_none(entry[0])

    def _plain_generic(self, hint: Any, origin: Any) -> Any:
        """Translate a generic class that pydantic does not know; None if it is not one."""
        if not isinstance(origin, type) or origin in PLAIN or is_known(origin):
            return None
        carrier = carrier_of(origin, get_args(hint))
        if carrier is not None:
            return Annotated[origin, Carried(origin, carrier)]
        try:
            if hint in self.twins:
                return self.twins[hint]
        except TypeError:  # unhashable
            return None
        if is_standard(origin) or not has_typed_constructor(origin):
            return None
        twin = self.twins[hint] = Annotated[origin, Constructed(hint, self)]
        return twin

    def _class(self, cls: Any) -> Any:
        if cls in LISTS:
            return list
        if cls in ITERATORS:
            return Annotated[list[Any], AfterValidator(ITERATORS[cls])]
        if cls in _SIMPLE:
            return _SIMPLE[cls]
        if is_protocol(cls):
            return Annotated[Any, Unsendable(cls)]
        if cls in self.twins:
            return self.twins[cls]
        if hasattr(cls, "__pydantic_complete__"):
            return self._pydantic_class(cls)
        if issubclass(cls, Enum) or has_core_schema(cls):
            return cls
        if is_typed_dict(cls) and is_refused(cls):
            return self._typed_dict_twin(cls, {})
        if is_typed_dict(cls) or dataclasses.is_dataclass(cls) or is_named_tuple(cls):
            return self._record(cls)
        return self._plain_class(cls)

    def _plain_class(self, cls: Any) -> Any:
        carrier = carrier_of(cls)
        if carrier is not None:
            return Annotated[cls, Carried(cls, carrier)]
        if is_struct(cls):
            return self._struct(cls)
        typed = has_typed_constructor(cls)
        if typed and not takes_anything(cls):
            return self._constructed(cls)
        members = members_of(cls)
        if members:
            return Annotated[cls, Named(members)]
        return self._chosen(cls) or (self._constructed(cls) if typed else cls)

    def _chosen(self, cls: Any) -> Any:
        """Translate a class that cannot be made itself; None if no other can be chosen for it."""
        if not self.choosing:
            return None
        if (cls, Implementations) not in self.twins:
            self.twins[cls, Implementations] = choice_of(cls, self, self.home)
        return self.twins[cls, Implementations]

    def _struct(self, cls: Any) -> Any:
        try:
            class_hints(cls, self.names or {})
        except UnresolvedName:
            return cls
        twin = self.twins[cls] = Annotated[cls, Struct(cls, self)]
        return twin

    def _pydantic_class(self, cls: Any) -> Any:
        if cls is BaseModel:
            return Annotated[cls, AnyModel()]
        if cls.__pydantic_complete__:
            return cls
        try:
            complete(cls, self.names or {})
        except UnresolvedName as error:
            twin = self.twins[cls] = Annotated[cls, Unknown(error)]
            return twin
        return cls

    def _record(self, cls: Any) -> Any:
        """Keep a record as it is, unless a field in it, or in the records it holds, must change."""
        try:
            self._hints_of(cls)
        except UnresolvedName as error:
            twin = self.twins[cls] = Annotated[cls, Unknown(error)]
            return twin
        self.twins[cls] = cls
        if has_local_strings(cls):
            self.used_names = True
        else:
            self.survey = self.survey or _Survey(self)
            if not self.survey.must_change(cls):
                return cls
        if is_typed_dict(cls):
            return self._typed_dict_twin(cls, {})
        return self._named_tuple_twin(cls) if is_named_tuple(cls) else self._constructed(cls)

    def _constructed(self, cls: type) -> Any:
        twin = self.twins[cls] = Annotated[cls, Constructed(cls, self)]
        return twin

    def _named_tuple_twin(self, cls: Any) -> Any:
        hints = self.hints_of(cls)
        twin = named_tuple_twin(cls, {name: self(hints[name]) for name in cls._fields})
        self.twins[cls] = twin
        return twin

    def _typed_dict_twin(self, cls: Any, known: Mapping[Any, Any]) -> Any:
        twin = empty_typed_dict(cls)
        if not known:
            self.twins[cls] = twin  # before its fields: one of them may be the class itself
        fill_typed_dict(twin, self.typed_dict_fields(cls), known)
        return twin


class _Survey(Translator):
    """Finds records that must change: they may hold each other, so all are looked at first."""

    def __init__(self, translate: Translator) -> None:
        super().__init__(translate.names, {}, translate.home, choosing=True)
        self.class_hints = translate.class_hints
        self.inside: set[Any] = set()
        """The records that the hints of one record name."""
        self.known: dict[Any, tuple[set[Any], bool]] = {}
        """For each record: the records in it, and whether it must change in any case."""

    def must_change(self, cls: Any) -> bool:
        """Return whether a record, or one that it reaches, has a field that must change."""
        visited = {cls}
        todo = [cls]
        while todo:
            inside, changes = self._look_at(todo.pop())
            if changes:
                return True
            todo += inside - visited
            visited |= inside
        return False

    def _look_at(self, cls: Any) -> tuple[set[Any], bool]:
        outcome = self.known.get(cls)
        if outcome is None:
            self.inside = set()
            try:
                hints, found_elsewhere = self._hints_of(cls)
            except UnresolvedName:
                hints, found_elsewhere = {}, True
            bare = [unqualify(hint)[0] for hint in hints.values()]
            same = [self(hint) is hint for hint in bare]  # all of them, for the records inside
            changes = found_elsewhere or has_local_strings(cls) or not all(same)
            outcome = self.known[cls] = self.inside, changes
        return outcome

    def _record(self, cls: Any) -> Any:
        self.inside.add(cls)
        return cls


_MOST_NAMES = 1000


class Unknown:
    """Refuses a class, with the unknown name in it, once it is really needed."""

    def __init__(self, error: UnresolvedName) -> None:
        self.error = error

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Raise the error that was found before."""
        raise self.error


def complete(cls: Any, names: Mapping[str, Any]) -> None:
    """Let pydantic finish a class, with the names that only we still know.

    Raises `UnresolvedName` for a name that nobody knows.
    """
    namespace = dict(names)
    for _ in range(_MOST_NAMES):
        try:
            if hasattr(cls, "model_rebuild"):
                cls.model_rebuild(_types_namespace=namespace)
            else:
                rebuild_dataclass(cls, _types_namespace=namespace)
        except PydanticUndefinedAnnotation as error:
            name = str(error.name)
            if name in namespace:
                return  # it is known, but not where pydantic looks: it will say so itself
            namespace[name] = _meaning(cls, name, names)
        else:
            return


def _meaning(cls: type, name: str, names: Mapping[str, Any]) -> Any:
    """Find what a name means to a class, or to one that it is made of. Raises `UnresolvedName`."""
    first: UnresolvedName | None = None
    for part in _parts(cls):
        for base in part.__mro__:
            try:
                return names_around(base).for_checkers(name)
            except KeyError:
                continue
            except UnresolvedName as error:
                first = first or error
        try:
            class_hints(part, names)
        except UnresolvedName as error:  # it knows the field
            first = error if error.name == name and error.place else first
    raise first or UnresolvedName(name, f"define or import `{name}` in `{cls.__module__}`")


def _parts(cls: type) -> list[type]:
    """Return a class and the unfinished classes in its fields."""
    unfinished_classes = [cls]
    for part in unfinished_classes:
        hints = [field.annotation for field in getattr(part, "__pydantic_fields__", {}).values()]
        while hints:
            hint = hints.pop()
            hints.extend(get_args(hint))
            unfinished = isinstance(hint, type) and not getattr(hint, "__pydantic_complete__", True)
            if unfinished and hint not in unfinished_classes:
                unfinished_classes.append(hint)
    return unfinished_classes


_TYPING = frozenset(("typing", "typing_extensions", "annotationlib"))
_PARAMETERS = (typing.ParamSpec, typing_extensions.ParamSpec)


def identifier(hint: Any) -> str:
    """Return the name of a type, or a word that may stand for one."""
    name = getattr(hint, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else "Value"


def is_known(cls: Any) -> bool:
    """Return whether pydantic handles a class in its own way."""
    return (
        hasattr(cls, "__pydantic_complete__")
        or has_core_schema(cls)
        or is_typed_dict(cls)
        or dataclasses.is_dataclass(cls)
        or is_named_tuple(cls)
    )


def has_core_schema(cls: Any) -> bool:
    """Return whether a class describes its own values to pydantic; a marker describes others."""
    hook = inspect.getattr_static(cls, "__get_pydantic_core_schema__", None)
    if inspect.isfunction(hook):
        return hook.__code__.co_argcount < _OF_INSTANCE
    return hasattr(cls, "__get_pydantic_core_schema__")


_OF_INSTANCE = 3
"""How many parameters the hook of an object inside `Annotated` has; `self` is the first."""


def with_class_names(union: tuple[Any, ...]) -> tuple[Any, ...]:
    """Replace several classes, as in `type[A] | type[B]`, with one choice by name."""
    class_arms = {
        arm: get_args(arm)[0]
        for arm in union
        if get_origin(arm) is type and isinstance(get_args(arm)[0], type)
    }
    by_class_name = {
        cls.__name__: cls
        for cls in class_arms.values()
        if not is_protocol(cls) and not inspect.isabstract(cls)
    }
    if len(by_class_name) < 2 or len(by_class_name) < len(class_arms):
        return union
    choice = Annotated[Any, Named(by_class_name)]
    return (choice, *(arm for arm in union if arm not in class_arms))


def own_encoding(item: Any) -> Any:
    """Return our form of pydantic's encoder of bytes, within our bounds; else the item itself."""
    return Encoded(item.encoder) if isinstance(item, EncodedBytes) else item


def is_protocol(cls: Any) -> bool:
    """Return whether a class is a protocol that nothing is known to be an instance of."""
    return getattr(cls, "_is_protocol", False) and not getattr(cls, "_is_runtime_protocol", False)


def is_type(hint: Any) -> bool:
    """Return whether a hint that is not a class denotes a type at all."""
    if hint is None or isinstance(hint, str | dataclasses.InitVar):
        return True
    made_by = type(hint).__module__
    is_form = made_by in _TYPING and not isinstance(hint, _PARAMETERS)
    return is_form or hasattr(hint, "__get_pydantic_core_schema__")


def is_refused(typed_dict: Any) -> bool:
    """Return whether pydantic refuses it: before 3.12 it takes only that of `typing_extensions`."""
    return sys.version_info < (3, 12) and type(typed_dict).__module__ == "typing"


def has_local_strings(cls: type) -> bool:
    """Return whether a class defined inside a function has annotations that are still strings:
    pydantic would look for their names in the module only."""
    annotations = inspect.get_annotations(cls)
    return "<locals>" in cls.__qualname__ and any(needs_scope(a) for a in annotations.values())


def named_tuple_twin(cls: Any, fields: Mapping[str, Any]) -> Any:
    """Return a hint that makes a named tuple of fields with other types."""
    make: Any = typing.NamedTuple
    twin = make(cls.__name__, list(fields.items()))
    twin.__new__.__defaults__ = cls.__new__.__defaults__
    _take_identity(twin, cls)

    def convert(value: Any) -> Any:
        return cls(*value)

    return Annotated[twin, AfterValidator(convert)]


def empty_typed_dict(cls: Any) -> Any:
    """Return a TypedDict that stands for another, without fields yet."""
    make: Any = typing_extensions.TypedDict
    twin = make(cls.__name__, {})
    _take_identity(twin, cls)
    if hasattr(cls, "__pydantic_config__"):
        twin.__pydantic_config__ = cls.__pydantic_config__
    return twin


def fill_typed_dict(
    twin: Any, fields: Mapping[str, tuple[Any, bool]], known: Mapping[Any, Any]
) -> None:
    """Give a TypedDict its fields, each with whether it is required."""
    twin.__annotations__ = {key: substitute(hint, known) for key, (hint, _) in fields.items()}
    twin.__required_keys__ = frozenset(key for key, (_, required) in fields.items() if required)
    twin.__optional_keys__ = frozenset(fields) - twin.__required_keys__


def _take_identity(twin: Any, cls: Any) -> None:
    """Let a twin be known, and documented, as the class it stands for."""
    twin.__module__, twin.__qualname__ = cls.__module__, cls.__qualname__
    twin.__doc__ = cls.__doc__


class AnyModel:
    """Stands for `BaseModel` itself: a model that keeps whatever fields are sent."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Make a model of any object; write a model as its own class does."""
        sent = core_schema.no_info_after_validator_function(
            OpenModel.model_validate, handler.generate_schema(dict[str, Any])
        )
        as_name = core_schema.plain_serializer_function_ser_schema(
            _fields_of, info_arg=True, return_schema=core_schema.dict_schema()
        )
        return core_schema.json_or_python_schema(
            json_schema=sent,
            python_schema=core_schema.is_instance_schema(BaseModel),
            serialization=as_name,
        )


class OpenModel(BaseModel):
    """A model with any fields."""

    model_config = ConfigDict(extra="allow")


def _fields_of(value: Any, info: Any) -> dict[str, Any]:
    if not isinstance(value, BaseModel):  # from another arm of a union
        msg = "not a model"
        raise PydanticSerializationUnexpectedValue(msg)
    return value.model_dump(mode=info.mode)
