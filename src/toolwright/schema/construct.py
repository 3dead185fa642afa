"""Classes that are built by calling their constructor.

These are plain classes, and records whose fields pydantic would not take as they are written.
"""

from __future__ import annotations

import dataclasses
import dis
import functools
import inspect
import sys
from contextlib import suppress
from typing import Annotated, Any, Literal, NamedTuple, cast, get_args, get_origin

from pydantic import Field
from pydantic_core import core_schema

from .._json_values import is_list
from ..errors import SchemaError
from ..read.documentation import class_docs
from ..read.reader import read
from ..read.scope import Scope, UnresolvedName
from ..read.signature import EMPTY, KEYWORD_ONLY, VARIADIC, Parameter, Signature
from ..read.target import is_record, open_target
from .adapters import TAKEN_ONLY, call_schema
from .constraints import CLASS_KEY
from .generate import DOCS
from .hints import unqualify
from .plan import Plan, Slot, Translate, plan
from .unsendable import Unsendable, unsendable_schema


def is_named_tuple(cls: Any) -> bool:
    """Return whether a class is a `typing.NamedTuple`."""
    return tuple in cls.__mro__ and hasattr(cls, "_fields") and hasattr(cls, "__annotations__")


def has_typed_constructor(cls: type) -> bool:
    """Return whether a class has a constructor of its own, with a type for every parameter."""
    if inspect.isabstract(cls) or getattr(cls, "_is_protocol", False):
        return False
    try:
        parameters = open_target(cls).parameters
    except SchemaError:
        return False
    return bool(parameters) and all(p.annotation is not EMPTY for p in parameters)


def kept_parameters(cls: type) -> set[str]:
    """Return the parameters that a constructor keeps, as they are, in attributes of their names."""
    code = getattr(cls.__init__, "__code__", None)
    return set() if code is None else _kept_by(code)


@functools.lru_cache(maxsize=256)
def _kept_by(code: Any) -> set[str]:
    stored: set[str] = set()
    changed: set[str] = set()
    loaded: list[str] = []
    for step in dis.get_instructions(code):
        names: Any = step.argval
        if step.opname.startswith("LOAD_FAST"):  # one name, or two
            loaded += [names] if isinstance(names, str) else names
            continue
        if step.opname == "STORE_ATTR":
            as_given = loaded[-2:] == [names, code.co_varnames[0]]
            (stored if as_given else changed).add(names)
        elif step.opname.startswith("STORE_FAST"):
            changed |= {names} if isinstance(names, str) else set(names)
        if step.opname != "CACHE":
            loaded = []
    return stored - changed


def built_classes(signature: Signature) -> frozenset[type]:
    """Return the plain classes that a tool builds: its target, and those of the arguments.

    Empty if the target is not a class.
    """
    call: Any = signature.call
    while isinstance(call, functools.partial):
        call = call.func
    cls: Any = get_origin(call) or call
    if not isinstance(cls, type) or signature.returns is not cls:
        return frozenset()
    classes: set[type] = {cls}
    todo = [parameter.hint for parameter in signature.parameters]
    while todo:
        hint: Any = todo.pop()
        todo += [part for part in get_args(hint) if not is_list(part)]
        plain: Any = get_origin(hint) or hint
        if isinstance(plain, type) and plain not in classes and _is_plain(plain):
            classes.add(plain)
            with suppress(SchemaError):
                todo += [parameter.hint for parameter in _constructor(hint).parameters]
    return frozenset(classes)


def _is_plain(cls: type) -> bool:
    is_own = cls.__module__.partition(".")[0] not in sys.stdlib_module_names
    return is_own and not is_record(cls) and has_typed_constructor(cls)


_ANYTHING: tuple[Any, ...] = (Any, object)


def _given(docs: tuple[str, str]) -> Any:
    """Return a function that hands on the validated arguments of a constructor."""

    def given(**validated: Any) -> dict[str, Any]:
        return validated

    vars(given)[DOCS] = docs
    return given


def _unknown(error: UnresolvedName) -> Any:
    """Return a hint for a type that nobody knows."""
    return Annotated[Any, Unsendable(error.name, f"it is not known; {error.hint}")]


def _is_known(reference: Any, handler: Any) -> bool:
    """Return whether the definition has already been built for the same tool."""
    try:
        handler.resolve_ref_schema(reference)
    except LookupError:
        return False
    return True


_MOST_CONSTRUCTORS = 256
_constructors: dict[Any, Signature] = {}
"""By class and code, since a constructor may be replaced: many tools take the same few classes."""


def _constructor(cls: Any) -> Signature:
    """Read the constructor of a class, only once if all names in it are known.

    The class may be generic, with arguments for its type variables.
    """
    origin = get_origin(cls) or cls
    key = (cls, origin.__init__, origin.__new__)
    cached = _constructors.get(key)
    if cached is not None:
        return cached
    unknown: list[UnresolvedName] = []

    def note(error: UnresolvedName) -> Any:
        unknown.append(error)
        return _unknown(error)

    target = open_target(cls)
    scope = Scope(target.writers or (target.function,), origin)
    signature = read(target, scope, unknown=note)
    if not unknown:
        if len(_constructors) >= _MOST_CONSTRUCTORS:
            _constructors.clear()
        _constructors[key] = signature
    return signature


class Tag(NamedTuple):
    """What tells a class from the others of a choice: the key, and the class's name in it."""

    key: str
    name: str


class Constructed:
    """Tells pydantic to build a class by calling it, and to write it by its attributes."""

    def __init__(self, hint: Any, translate: Translate, tag: Tag | None = None) -> None:
        self.hint = hint
        self.tag = tag
        self.cls: Any = get_origin(hint) or hint
        self.translate = translate
        cls = self.cls
        self.ref = f"{cls.__module__}.{cls.__qualname__}:{id(hint)}"
        if tag is not None:
            self.ref += f":{tag.key}:{tag.name}"
        self.building = False
        self.is_record = dataclasses.is_dataclass(cls)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Build the schema; inside itself, a class is only referred to."""
        reference = core_schema.definition_reference_schema(self.ref)
        if self.building or _is_known(reference, handler):
            return reference
        self.building = True
        try:
            return self._schema(handler)
        except SchemaError as error:
            where = f"its parameter `{error.parameter}` " if error.parameter else "it "
            advice = f"; {error.hint}" if error.hint else ""
            return unsendable_schema(self.cls, f"{where}{error.what}{advice}")
        finally:
            self.building = False

    def __repr__(self) -> str:
        return f"Constructed({self.cls.__name__})"

    def _schema(self, handler: Any) -> Any:
        signature = self._signature()
        parameters = signature.parameters
        if parameters and all(p.kind in VARIADIC and p.hint in _ANYTHING for p in parameters):
            raise signature.refusal("takes anything: its parameters have no names and no types")
        # A record drops unknown keys, as pydantic does for a record that it takes as it is.
        extra = "ignore" if self.is_record else None
        planned = plan(signature, self.translate, extra=extra, skip=False, inside=True)
        if planned.injected:
            raise signature.refusal(
                "is injected, but only parameters of tools and providers can be",
                parameter=next(iter(planned.injected)),
            )
        if self.tag is not None:
            planned.slots.insert(0, Slot(self.tag.key, Literal[self.tag.name], EMPTY, ""))
        for slot in planned.slots:
            if slot.description:
                slot.hint = Annotated[slot.hint, Field(description=slot.description)]
        docs = (self.cls.__name__, signature.description)
        call = core_schema.no_info_after_validator_function(
            self._builder(planned), call_schema(planned, _given(docs), handler)
        )
        instance_or_call = core_schema.union_schema(
            [core_schema.is_instance_schema(self.cls), call]
        )
        return core_schema.json_or_python_schema(
            json_schema=call,
            python_schema=instance_or_call,
            ref=self.ref,
            metadata={CLASS_KEY: self.cls},
            serialization=None if TAKEN_ONLY.get() else self._serialization(handler, planned, docs),
        )

    def _builder(self, planned: Plan) -> Any:
        def build(validated: dict[str, Any]) -> Any:
            if self.tag is not None:
                del validated[self.tag.key]
            for name in planned.unsendable.intersection(validated):
                raise ValueError(f"unknown argument `{name}`")
            positional, keywords = planned.bind(validated)
            return self.cls(*positional, **keywords)

        return build

    def _serialization(self, handler: Any, planned: Plan, docs: tuple[str, str]) -> Any:
        """Write the attributes that the constructor is known to set; else nothing is known."""
        hints = {slot.name: slot.hint for slot in planned.slots}
        if not self.is_record:
            declared = self._declared()
            readable = kept_parameters(self.cls) | declared.keys()
            hints = {
                name: declared.get(name, hint) for name, hint in hints.items() if name in readable
            }
        # It is not known where a constructor keeps arguments that have no names of their own.
        unnamed = planned.rest or (planned.extra is not EMPTY and not planned.drop_extra)
        if unnamed or len(hints) < len(planned.slots):

            def unknown(value: Any) -> Any:
                return value

            return core_schema.plain_serializer_function_ser_schema(
                unknown, return_schema=core_schema.is_instance_schema(self.cls)
            )
        fields = {
            slot.name: core_schema.typed_dict_field(
                handler.generate_schema(hints[slot.name]),
                required=not self.is_record or slot.required,
            )
            for slot in planned.slots
        }

        def attributes(value: Any) -> dict[str, Any]:
            return {name: getattr(value, name) for name in fields}

        vars(attributes)[DOCS] = docs
        return core_schema.plain_serializer_function_ser_schema(
            attributes, return_schema=core_schema.typed_dict_schema(fields)
        )

    def _declared(self) -> dict[str, Any]:
        """Return the types of the attributes that the class itself declares."""
        try:
            hints = self.translate.hints_of(self.cls)
        except Exception:  # noqa: BLE001 - for unknown names
            return {}
        return {name: self.translate(unqualify(hint)[0]) for name, hint in hints.items()}

    def _signature(self) -> Signature:
        if self.is_record:
            return self._record_signature()
        return _constructor(self.hint)

    def _record_signature(self) -> Signature:
        """Read a dataclass by its fields."""
        docs = class_docs(self.cls)
        hints = self.translate.hints_of(self.cls)
        parameters: list[Parameter] = []
        for name, parameter in inspect.signature(self.cls).parameters.items():
            hint = hints[name]
            if isinstance(hint, dataclasses.InitVar):
                hint = cast("Any", hint).type
            text = docs.attributes.get(name, "")
            parameters.append(Parameter(name, KEYWORD_ONLY, hint, parameter.default, text))
        return Signature(
            self.cls.__name__, self.cls, tuple(parameters), description=docs.description
        )
