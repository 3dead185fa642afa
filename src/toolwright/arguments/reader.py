"""Read arguments: validate strictly, else repair, else explain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

from pydantic_core import ValidationError, from_json, to_json

from .._json_values import is_list, is_object, strict_json
from ..errors import ArgumentError, Fault
from ..results import Repair
from ..schema.adapters import arguments_schema
from ..schema.explicit import broken_rules
from ..schema.write import Compiled
from .explain import MOST_EXPLAINED, broken_faults, explain, unknown
from .repair import MOST_REPAIRS, NO_SPELLINGS, Repairer, respelled
from .sample import ArgumentSample, is_large, no_collection
from .shape import Shape, shape_of

Arguments = Mapping[str, Any] | str | bytes | None
Validated = dict[str, Any]
"""Arguments of the declared types; `Plan.bind` makes them the target's own."""


class Reader:
    """Reads the arguments of one tool."""

    def __init__(self, name: str, compiled: Compiled, *, repair: bool) -> None:
        self.name = name
        self.compiled = compiled
        self.repair = repair
        self.validate = compiled.validator.validate_json
        self.unsendable = compiled.plan.unsendable
        self.spellings = compiled.plan.spellings if repair else NO_SPELLINGS
        self.prepared = bool(
            compiled.flat or compiled.guarded or compiled.explicit_input is not None
        )
        alike = not compiled.traits.differs and not self.prepared
        self.validate_dict = compiled.validator.validate_python if alike else None
        self.has_sets = compiled.traits.has_sets
        self._shape: Shape | None = None
        self._explicit_shape: Shape | None = None

    def read_large(self, arguments: Arguments) -> tuple[Validated, tuple[Repair, ...]]:
        """Read large arguments in a thread, with the collector paused. Raises `ArgumentError`."""
        with no_collection():
            return self.read(arguments)

    def read(self, arguments: Arguments) -> tuple[Validated, tuple[Repair, ...]]:
        """Return validated arguments and the repairs made. Raises `ArgumentError`."""
        renamed: tuple[Repair, ...] = ()
        if self.spellings:
            arguments, renamed = self._respelled(arguments)
        repairs: tuple[Repair, ...] = ()
        if self.has_sets and is_large(arguments) and collide(arguments):
            fault = Fault((), "colliding", "too many of the numbers have the same hash")
            raise ArgumentError(self.name, [fault])
        try:
            if self.validate_dict is not None and arguments.__class__ is dict:
                validated = self.validate_dict(arguments, strict=True)
            else:
                validated = self._by_json(arguments)
        except ValueError as error:
            validated, repairs, _ = self._second(arguments, error)
        if self.unsendable:
            self._refuse_names(self.unsendable & validated.keys())
        return validated, (*renamed, *repairs) if renamed else repairs

    def read_with_data(self, arguments: Arguments) -> tuple[Validated, tuple[Repair, ...], Any]:
        """Return what `read` does, and the arguments as repaired JSON. Raises `ArgumentError`."""
        renamed: tuple[Repair, ...] = ()
        if self.spellings:
            arguments, renamed = self._respelled(arguments)
        validated, repairs = self.read(arguments)
        data = self._second(arguments)[2] if repairs else self._object(arguments)
        return validated, (*renamed, *repairs), data

    def _respelled(self, arguments: Arguments) -> tuple[Arguments, tuple[Repair, ...]]:
        """Return arguments under their published names. Raises `ArgumentError`."""
        try:
            data = self._object(arguments)
        except ArgumentError:
            return arguments, ()  # what follows says what is wrong
        data, renamed, faults = respelled(data, self.spellings)
        if faults:
            raise ArgumentError(self.name, faults)
        return (data, tuple(renamed)) if renamed else (arguments, ())

    def _by_json(self, arguments: Arguments) -> dict[str, Any]:
        body: str | bytes
        if isinstance(arguments, bytes | str):
            body = arguments
            if body.lstrip()[:1] not in _OBJECTS:
                raise ValueError  # a list would be taken for positional arguments
        else:
            body = to_json({} if arguments is None else arguments)
            if body[:1] != b"{":
                raise ValueError
        if self.prepared:
            body = to_json(self._prepare(from_json(body)))
        return self.validate(body, strict=True)

    def _prepare(self, data: Any) -> Any:
        """Check an explicit schema and gather flattened fields, before the validator sees them."""
        if not is_object(data):
            return data
        compiled = self.compiled
        if compiled.explicit_input is not None:
            errors, more = self._broken(data)
            if errors:
                faults = broken_faults(errors, data, self.explicit_shape)
                raise ArgumentError(self.name, faults, more=more)
        self._refuse_names(compiled.guarded & data.keys())
        return self._nested(data, whole=False)[0] if compiled.flat else data

    def _broken(self, data: dict[str, Any]) -> tuple[list[Any], bool]:
        """Return the rules of an explicit schema that arguments break, and whether there are more."""
        try:
            return broken_rules(self.compiled.explicit_input, data)
        except RecursionError:
            fault = Fault((), "not_json", "the arguments are nested too deeply")
            raise ArgumentError(self.name, [fault]) from None

    def _nested(self, data: dict[str, Any], *, whole: bool) -> tuple[dict[str, Any], list[str]]:
        alike = [key for key in self.compiled.flat if whole and self._is_whole(key, data.get(key))]
        gathered, came_whole, faults = nest(self.compiled, data, nested=whole, named_alike=alike)
        if faults:
            raise ArgumentError(self.name, faults)
        return gathered, came_whole

    def _is_whole(self, key: str, value: Any) -> bool:
        """Return whether an object is a whole flattened model, not its field of the same name."""
        if not is_object(value) or not value.keys() <= self.compiled.flat[key].fields:
            return False
        kinds = self.shape.kinds(self.shape.child(self.shape.child(self.shape.root, key), key))
        return bool(kinds) and "object" not in kinds

    def _refuse_names(self, names: Collection[str]) -> None:
        if names:
            faults = [
                Fault((key,), "unknown", unknown((key,), self.shape))
                for key in sorted(names)[:MOST_EXPLAINED]
            ]
            raise ArgumentError(self.name, faults, count=len(names))

    # -- what only a failing call needs

    def _second(
        self, arguments: Arguments, first: ValueError | None = None
    ) -> tuple[Validated, tuple[Repair, ...], Any]:
        data = unrepaired = self._object(arguments)
        fitted: list[Repair] = []
        if self.compiled.explicit_input is not None:
            data, fitted = self._fitted(data)
        repairs: list[Repair] = []
        if isinstance(first, ValidationError) and first.error_count() > MOST_REPAIRS:
            # More than can be repaired: do not find them all a second time, which costs the most.
            raise self._explained(first, self._prepare(data)) from None
        if self.repair:
            data, repairs = self._repaired(data)
        elif self.prepared:
            data = self._prepare(data)
        self._refuse_names(self.compiled.guarded & data.keys())
        try:
            body = to_json(data)
        except Exception:  # noqa: BLE001 - nested too deeply, or lone surrogates
            fault = Fault((), "not_json", "the arguments are nested too deeply, or are not UTF-8")
            raise ArgumentError(self.name, [fault]) from None
        try:
            return self.validate(body, strict=True), (*fitted, *repairs), data
        except ValidationError as second:
            raise self._explained(second, data) from None
        except Exception:
            # An author's validator that fails on what was sent raises its own error. If it fails
            # only on the repaired arguments, that does not matter: what was sent was refused.
            if repairs and isinstance(first, ValidationError):
                raise self._explained(first, self._prepare(unrepaired)) from None
            raise

    def _explained(self, error: ValidationError, data: Any) -> ArgumentError:
        """Return an error with the first faults, and the number of all."""
        flat = frozenset(self.compiled.flat)
        count = error.error_count()
        if count <= MOST_EXPLAINED:
            errors: list[Any] = error.errors(include_url=False, include_input=False)
            return ArgumentError(self.name, explain(errors, data, self.shape, flat))
        # Pydantic makes all errors or none, so validate only a small part of the arguments.
        sample = ArgumentSample(data, self.shape)
        errors = []
        try:
            self.validate(to_json(sample.data), strict=True)
        except ValidationError as few:
            errors = few.errors(include_url=False, include_input=False)
        faults = explain(errors, sample.data, self.shape, flat)
        faults = [fault for fault in faults if fault.path not in sample.cut]
        if not faults:
            faults = [Fault((), "many", f"{count} values are not of the declared types")]
            count = 1
        return ArgumentError(self.name, faults, count=count)

    def _fitted(self, data: dict[str, Any]) -> tuple[dict[str, Any], list[Repair]]:
        """Return arguments that an explicit schema allows, and the repairs that this took.

        Raises `ArgumentError`.
        """
        repairs: list[Repair] = []
        if self.repair and self._broken(data)[0]:
            repairer = Repairer(self.explicit_shape)
            data, repairs = repairer.whole(data), repairer.done
        self._prepare(data)
        return data, repairs

    def _repaired(self, data: dict[str, Any]) -> tuple[dict[str, Any], list[Repair]]:
        repairer = Repairer(self.shape)
        data = repairer.without_noise(data)
        flat = self.compiled.flat.values()
        is_closed = self.shape.root.get("additionalProperties") is False
        if is_closed and not any(model.takes_rest for model in flat):
            names = frozenset(self.shape.root.get("properties", ()))
            names = names.union(*(model.fields for model in flat))
            data = repairer.with_plain_names(data, names)
        if self.compiled.flat:
            data, nested_keys = self._nested(data, whole=True)
            text = "`{}` came as one object; its fields belong at the top level"
            repairer.done += [Repair((key,), "nested", text.format(key)) for key in nested_keys]
        return repairer.arguments(data), repairer.done

    def _object(self, arguments: Arguments) -> dict[str, Any]:
        """Return the arguments as an object. Raises `ArgumentError` if they are not one."""
        try:
            payload: Any = {} if arguments is None else arguments
            if isinstance(payload, bytes | str):
                data = strict_json(payload)
            else:
                data = from_json(to_json(payload))
        except Exception:  # noqa: BLE001 - a caller's own mapping may raise anything
            fault = Fault((), "not_json", "the arguments are not JSON; send one JSON object")
            raise ArgumentError(self.name, [fault]) from None
        if isinstance(data, str) and self.repair and data.strip().startswith("{"):
            return self._object(data)
        if data is None:
            return {}
        if not is_object(data):
            fault = Fault((), "not_object", "the arguments must be one JSON object")
            raise ArgumentError(self.name, [fault])
        return data

    @property
    def explicit_shape(self) -> Shape:
        """The shape that the author's own schema declares, worked out when first needed."""
        if self._explicit_shape is None:
            self._explicit_shape = shape_of(self.compiled.explicit_input.schema)
        return self._explicit_shape

    @property
    def shape(self) -> Shape:
        """The declared shape, worked out when first needed."""
        if self._shape is None:
            self._shape = Shape(*arguments_schema(self.compiled.plan))
        return self._shape


_OBJECTS = ("{", b"{")


# Numbers can be chosen so that Python's sets and dicts become slow: hashes of texts are random,
# those of numbers are not.
_MOST_ALIKE = 1000
"""The most different values with one hash: each is compared with all those before it."""
_LONGEST = 4300
_BITS = 60
_SIGNS = ("{", "-", "+", ".")


def collide(arguments: Any) -> bool:
    """Return whether too many different numbers in the arguments have the same hash.

    Hashes of texts are random; those of numbers, and of what is made of them, can be computed.
    """
    if isinstance(arguments, str | bytes):
        try:
            arguments = from_json(arguments)
        except ValueError:
            return False  # the reader will report it
    counted: set[str] = set()
    alike: Counter[int] = Counter()
    # Containers already walked: a Python program may send one that holds itself.
    entered: set[int] = set()
    todo: list[Any] = [arguments]
    while todo:
        value = todo.pop()
        if isinstance(value, list | Mapping):
            if id(cast("object", value)) not in entered:
                entered.add(id(cast("object", value)))
                todo += _inside(value)
        elif (hashed := _hash(value)) is not None:
            text = value if isinstance(value, str) else hex(value)
            if text not in counted:
                counted.add(text)
                alike[hashed] += 1
    return bool(alike) and max(alike.values()) > _MOST_ALIKE


def _inside(value: Any) -> list[Any]:
    """Return the items of a list, or the keys and values of a mapping."""
    return value if is_list(value) else [*value, *value.values()]


def _hash(value: Any) -> int | None:
    """Return the hash of what a value may become, if a caller can compute it."""
    if not isinstance(value, str):
        # Small integers are their own hash.
        return hash(value) if isinstance(value, int) and value.bit_length() > _BITS else None
    first = value.strip()[:1]
    if len(value) > _LONGEST or not (first.isalnum() or first in _SIGNS):
        return None
    for make in (Decimal, UUID):
        try:
            return hash(make(value))
        except (ArithmeticError, ValueError, TypeError):  # a NaN may have no hash
            continue
    return None


def nest(
    compiled: Compiled, data: dict[str, Any], *, nested: bool, named_alike: Collection[str] = ()
) -> tuple[dict[str, Any], list[str], list[Fault]]:
    """Gather the fields of flattened parameters under each parameter's own key.

    With `nested`, a parameter may also be sent whole, under that key; where a field has the same
    name, it is whole only if it is in `named_alike`. Return the arguments, the keys that came
    whole, and what is wrong.
    """
    owners = {field: key for key, flat in compiled.flat.items() for field in flat.fields}
    rest_owner = next((key for key, flat in compiled.flat.items() if flat.takes_rest), None)
    nested_keys = [k for k in compiled.flat if k in data and (k not in owners or k in named_alike)]
    if not nested and nested_keys:
        return data, [], [_flat_fault(key) for key in nested_keys]
    gathered: dict[str, dict[str, Any]] = {
        key: {} for key, flat in compiled.flat.items() if flat.required and key not in nested_keys
    }
    top_level: dict[str, Any] = {}
    for key, value in data.items():
        owner = None if key in nested_keys else owners.get(key)
        if owner is None and key not in compiled.keys:
            owner = rest_owner
        if owner is None:
            top_level[key] = value
        else:
            gathered.setdefault(owner, {})[key] = value
    both = sorted(top_level.keys() & gathered.keys())
    return {**top_level, **gathered}, nested_keys, [_flat_fault(key) for key in both]


def _flat_fault(key: str) -> Fault:
    text = f"the fields of `{key}` are at the top level; leave `{key}` itself out"
    return Fault((key,), "flat", text)
