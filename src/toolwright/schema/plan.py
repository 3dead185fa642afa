"""Plans how the arguments of a signature reach its target.

pydantic compiles a stand-in. It has one keyword-only parameter for each argument a caller may send,
whatever kind it is in the target; `bind` turns its validated arguments into those of the target.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from types import FunctionType, MethodType
from typing import Annotated, Any, Never, Protocol, TypeVarTuple, cast, get_args, get_origin

import typing_extensions
from pydantic import AliasChoices, AliasGenerator
from pydantic import Field as PydanticField
from pydantic.fields import FieldInfo

from ..markers import Fixed, Flatten, Hidden, Inject
from ..read.foreign import Foreign
from ..read.signature import (
    EMPTY,
    KEYWORD_ONLY,
    POSITIONAL_ONLY,
    POSITIONAL_OR_KEYWORD,
    SPELLINGS,
    VAR_KEYWORD,
    VAR_POSITIONAL,
    VARIADIC,
    Lost,
    OtherSpelling,
    Parameter,
    Signature,
)
from ..read.target import attribute, is_typed_dict
from .hints import (
    FACTORIES,
    Factory,
    admits_none,
    arms,
    effective_default,
    is_unpack,
    metadata,
    open_alias,
    or_none,
    said_of,
    strip_annotated,
    substitute,
    type_text,
    unqualify,
)
from .injected import HIDDEN, Wanted, foreign, injection, unset_fields
from .unsendable import Unsendable

# Functions whose calls pydantic's `validate_call` checks once more: they take a parameter with an
# alias by position or by that alias only.


def is_checked(call: Any) -> bool:
    """Return whether calling a target goes through `validate_call`."""
    while isinstance(call, partial):
        call = call.func
    return attribute(call, "raw_function") is not None


def aliases_of(parameters: list[Parameter], call: Any) -> dict[str, str]:
    """Return the aliases under which parameters are passed, by their names."""
    generate = _alias_generator(call)
    aliases = {
        p.name: _written_alias(p) or (generate(p.name) if generate else "") for p in parameters
    }
    return {name: alias for name, alias in aliases.items() if alias}


def _written_alias(parameter: Parameter) -> str:
    for item in (parameter.default, *reversed(metadata(parameter.hint))):
        alias: Any = item.validation_alias if isinstance(item, FieldInfo) else None
        if isinstance(alias, AliasChoices):
            alias = alias.choices[0]
        if isinstance(alias, str):
            return alias
    return ""


def _alias_generator(call: Any) -> Callable[[str], str] | None:
    """Return the `alias_generator` of a checked function, if it can be found.

    Nothing public gives it. Without it, parameters that are passed by position still work.
    """
    while isinstance(call, partial):
        call = call.func
    if isinstance(call, MethodType):
        call = call.__func__
    for cell in (call.__closure__ or ()) if isinstance(call, FunctionType) else ():
        checker = attribute(cell.cell_contents, "__self__")
        generator = attribute(attribute(checker, "config_wrapper"), "alias_generator")
        if isinstance(generator, AliasGenerator):
            generator = generator.validation_alias or generator.alias
        if callable(generator):
            return lambda name: str(generator(name))
    return None


def without_bound(
    parameters: list[Parameter], call: Any, aliases: Mapping[str, str]
) -> list[Parameter]:
    """Leave out the parameters that a `functools.partial` has bound by their aliases."""
    bound: set[str] = set()
    while isinstance(call, partial):
        bound |= call.keywords.keys()
        call = call.func
    unbound: list[Parameter] = []
    by_keyword = False
    for parameter in parameters:
        if aliases.get(parameter.name) in bound:
            by_keyword = True
        elif by_keyword and parameter.kind is POSITIONAL_OR_KEYWORD:
            # By position it would land on the one that is bound.
            unbound.append(parameter._replace(kind=KEYWORD_ONLY))
        else:
            unbound.append(parameter)
    return unbound


class Translate(Protocol):
    """Turns the hints that authors write into hints that pydantic takes."""

    def __call__(self, hint: Any) -> Any:
        """Translate one hint."""
        ...

    def optional(self, hint: Any) -> Any:
        """Translate the hint of an argument that need not be sent."""
        ...

    def hints_of(self, cls: type) -> dict[str, Any]:
        """Resolve the annotations of a class."""
        ...

    def typed_dict_fields(self, cls: Any) -> dict[str, tuple[Any, bool]]:
        """Return a TypedDict's translated hints, each with whether its key is required."""
        ...


class _Absent:
    """Stands for an optional keyword that was not sent and has no default."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()


@dataclass(slots=True, eq=False, repr=False)
class Slot:
    """One argument a caller may send."""

    name: str
    hint: Any
    default: Any
    description: str
    flat: bool = False
    written: Any = EMPTY
    """The type as its author wrote it."""

    @property
    def required(self) -> bool:
        """Return whether a caller must send it."""
        return effective_default(self.hint, self.default) is EMPTY


@dataclass(slots=True, eq=False, repr=False)
class Plan:
    """Which arguments there are, and how they reach the target."""

    slots: list[Slot] = field(default_factory=list[Slot])
    extra: Any = EMPTY
    """The type of unknown arguments that are handed over, if the target takes any."""
    extra_description: str = ""
    drop_extra: bool = False
    """Take unknown arguments only to drop them."""
    positional: list[str] = field(default_factory=list[str])
    """Names to pass by position, in order."""
    rest: str = ""
    """The name whose list is spread as `*args`."""
    fixed: dict[str, Any] = field(default_factory=dict[str, Any])
    factories: dict[str, Callable[[], Any]] = field(default_factory=dict[str, Callable[[], Any]])
    injected: dict[str, Wanted] = field(default_factory=dict[str, Wanted])
    """What providers supply when the target is run."""
    unsendable: frozenset[str] = frozenset()
    absent: list[str] = field(default_factory=list[str])
    """Names that may be missing altogether."""
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    """Keys that cannot be the name of a parameter, by the name they have in the stand-in."""
    spellings: Mapping[str, Mapping[str, OtherSpelling]] = field(
        default_factory=dict[str, Mapping[str, OtherSpelling]]
    )
    """Other names of arguments, by the argument whose fields they are; "" for arguments."""
    problems: list[Lost] = field(default_factory=list[Lost])

    @property
    def by_name_only(self) -> bool:
        """Return whether validated arguments are the target's keyword arguments as they are."""
        return not (
            self.positional
            or self.rest
            or self.fixed
            or self.factories
            or self.injected
            or self.absent
            or self.renamed
            or self.drop_extra
        )

    def leave_out(self, slot: Slot) -> None:
        """Let no caller send an argument that has a default; the target gets that default."""
        name = slot.name
        self.slots.remove(slot)
        self.unsendable |= {name}
        self.renamed.pop(name, None)
        if name in self.absent:
            self.absent.remove(name)
        elif name == self.rest:
            self.rest = ""
        else:
            self.set_default(name, effective_default(slot.hint, slot.default), slot.default)

    def set_default(self, name: str, default: Any, own: Any) -> None:
        """Give the target a default that it would not use itself: `own` is the one it has."""
        if isinstance(default, Factory):
            self.factories[name] = default.make
        elif name in self.positional or default is not own:
            self.fixed[name] = default

    def bind(self, validated: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Turn validated arguments into positional and keyword arguments of the target."""
        if self.drop_extra:
            order = (*(slot.name for slot in self.slots), *self.injected)
            validated = {name: validated[name] for name in order if name in validated}
        for name in self.absent:
            if validated.get(name) is ABSENT:
                del validated[name]
        for name, key in self.renamed.items():
            if name in validated:
                validated[key] = validated.pop(name)
        validated.update(self.fixed)
        for name, make in self.factories.items():
            validated[name] = make()
        positional = [validated.pop(name) for name in self.positional if name in validated]
        if self.rest:
            positional.extend(validated.pop(self.rest))
        return positional, validated


def _never(_: str) -> bool:
    return False


def plan(
    signature: Signature,
    translate: Translate,
    *,
    extra: str | None,
    skip: bool,
    tolerant: Callable[[str], bool] = _never,
    inside: bool = False,
    provided: Collection[Any] = (),
) -> Plan:
    """Plan the arguments of a signature; `translate` makes hints that pydantic takes.

    Parameters of a type in `provided` are injected. What another system would inject is refused; if
    `tolerant` of its name, it is left out where it has a default. The constructor of a class `inside` a type
    has parameters that cannot be sent instead.
    """
    planned = Plan(unsendable=signature.reserved)
    parameters = [p for p in signature.parameters if not (skip and p.kind in VARIADIC)]
    left_out = [p.name for p in signature.parameters if p not in parameters]
    planned.problems.extend(Lost("left_out", name, "no caller can send it") for name in left_out)
    checked = is_checked(signature.call)
    aliases: dict[str, str] = {}
    if checked:
        aliases = aliases_of(parameters, signature.call)
        parameters = without_bound(parameters, signature.call, aliases)
    spread = checked or any(p.kind is VAR_POSITIONAL for p in parameters)
    for parameter in parameters:
        if parameter.kind not in VARIADIC:
            by_position = spread or parameter.kind is POSITIONAL_ONLY
            if by_position and parameter.kind is not KEYWORD_ONLY:
                planned.positional.append(parameter.name)
            if _is_filled_in(planned, signature, parameter, provided):
                continue
        wrong = foreign(parameter.hint, parameter.default)
        if wrong is not None and inside:
            hint = Unsendable(parameter.hint, f"it {wrong.what}")
            parameter = parameter._replace(hint=Annotated[Any, hint])  # noqa: PLW2901
        elif wrong is not None:
            _leave_foreign_out(planned, signature, parameter, wrong, tolerant=tolerant)
            continue
        _plan_sent(planned, signature, parameter, translate, tolerant=tolerant)
    for name in [p.name for p in parameters if p.kind is KEYWORD_ONLY]:
        if name in aliases and name not in planned.unsendable:
            planned.renamed[name] = aliases[name]
    planned.spellings = _spellings_of(signature.call)
    _plan_extra(planned, signature, extra)
    return planned


def _spellings_of(target: Any) -> Mapping[str, Mapping[str, OtherSpelling]]:
    """Return how else the arguments of a target may be called."""
    spellings: Any = getattr(cast("type[object]", type(target)), SPELLINGS, None)
    return {} if spellings is None else spellings(target)


def _plan_sent(
    planned: Plan,
    signature: Signature,
    parameter: Parameter,
    translate: Translate,
    *,
    tolerant: Callable[[str], bool],
) -> None:
    """Plan a parameter that a caller may send."""
    if parameter.kind is VAR_KEYWORD:
        _plan_keywords(planned, signature, parameter, translate, tolerant=tolerant)
    elif _is_unpacked_wrongly(parameter):
        raise signature.refusal(
            f"unpacks `{type_text(parameter.hint)}`, which no caller can send",
            parameter=parameter.name,
            hint="`Unpack[T]` with a TypedDict is for `**kwargs`; write a type of its own",
        )
    elif parameter.kind is VAR_POSITIONAL:
        items = PydanticField(default_factory=list)
        # The types of a TypeVarTuple are known only to type checkers.
        item: Any = Any if is_unpack(strip_annotated(parameter.hint)) else parameter.hint
        hint = translate.optional(list[item])
        text = parameter.description
        planned.slots.append(Slot(parameter.name, hint, items, text, written=parameter.hint))
        planned.rest = parameter.name
    else:
        slot = _slot(parameter, translate)
        if slot.flat and not tolerant(parameter.name):
            _check_fields(signature, parameter.hint)
        planned.slots.append(slot)


def _check_fields(signature: Signature, hint: Any) -> None:
    """Refuse a record whose fields are arguments if something would have to be injected there."""
    for cls in arms(hint):
        for name, wrong in unset_fields(cls).items() if isinstance(cls, type) else ():
            if wrong is not HIDDEN:
                raise signature.refusal(wrong.what, parameter=name, hint=wrong.hint)


def _leave_foreign_out(
    planned: Plan,
    signature: Signature,
    parameter: Parameter,
    wrong: Foreign,
    *,
    tolerant: Callable[[str], bool],
) -> None:
    """Let no caller set what another system would inject. Raises `SchemaError` if it is needed, or
    if that was not asked for."""
    default = parameter.default
    if default is EMPTY:
        default = effective_default(parameter.hint, EMPTY)
    if not tolerant(parameter.name) or (default is EMPTY and parameter.kind not in VARIADIC):
        raise signature.refusal(wrong.what, parameter=parameter.name, hint=wrong.hint)
    planned.unsendable |= {parameter.name}
    planned.problems.append(Lost("left_out", parameter.name, f"it {wrong.what}"))
    if parameter.kind not in VARIADIC:
        planned.set_default(parameter.name, default, parameter.default)


def _plan_extra(planned: Plan, signature: Signature, extra: str | None) -> None:
    if extra == "pass" and planned.extra is EMPTY:
        raise signature.refusal(
            'has extra="pass" but takes no unknown arguments', hint="give it `**kwargs: Any`"
        )
    if extra == "forbid":
        planned.extra = EMPTY
    elif extra == "ignore":
        planned.extra, planned.drop_extra = Any, True


def _slot(parameter: Parameter, translate: Translate) -> Slot:
    hint, _ = unqualify(parameter.hint)
    if effective_default(hint, parameter.default) is None:
        hint = open_alias(hint) if admits_none(hint) else or_none(hint)
    default = parameter.default
    if type(default).__name__ in FACTORIES:
        default = PydanticField(default_factory=lambda: parameter.default)
    needed = effective_default(hint, parameter.default) is EMPTY
    bare, description = _described((translate if needed else translate.optional)(hint))
    return Slot(
        parameter.name,
        bare,
        default,
        description or parameter.description,
        flat=any(item is Flatten or isinstance(item, Flatten) for item in metadata(hint)),
        written=parameter.hint,
    )


def _described(hint: Any) -> tuple[Any, str]:
    """Remove a `Field` that only describes from a hint: this halves the work of pydantic."""
    annotations = metadata(hint)
    if len(annotations) == 1 and type(annotations[0]) is FieldInfo and not annotations[0].metadata:
        info: Any = annotations[0]
        if info.description and all(getattr(info, name) == value for name, value in _UNSET.items()):
            return hint.__origin__, info.description
    return hint, ""


_SAYS_NOTHING: Any = PydanticField()
_UNSET = {
    name: getattr(_SAYS_NOTHING, name)
    for name in FieldInfo.__slots__
    if name[0] != "_" and name != "description"
}


def _is_filled_in(
    planned: Plan, signature: Signature, parameter: Parameter, provided: Collection[Any]
) -> bool:
    """Return whether the author fills in a parameter, and plan how. Raises `SchemaError`."""
    injected = _inject(planned, signature, parameter, provided)
    return injected or _hide(planned, signature, parameter)


def _inject(
    planned: Plan, signature: Signature, parameter: Parameter, provided: Collection[Any]
) -> bool:
    """Take a parameter that a provider supplies out of the plan; return whether it was one."""
    if isinstance(parameter.default, Inject) or parameter.default is Inject:
        raise signature.refusal(
            "has an `Inject` as its default",
            parameter=parameter.name,
            hint="write `Annotated[T, Inject(provider)]`, so that direct calls stay plain Python",
        )
    try:
        injected = injection(parameter.hint, provided)
    except ValueError as error:
        hint = "write `Annotated[T, Inject(provider)]`"
        raise signature.refusal(str(error), parameter=parameter.name, hint=hint) from None
    if injected is None:
        return False
    planned.unsendable |= {parameter.name}
    planned.injected[parameter.name] = injected
    return True


def _hide(planned: Plan, signature: Signature, parameter: Parameter) -> bool:
    """Take a parameter that no caller may see out of the plan; return whether it was one."""
    for item in said_of(parameter.hint):
        if isinstance(item, Fixed):
            planned.unsendable |= {parameter.name}
            planned.fixed[parameter.name] = item.value
            return True
        if item is Hidden or isinstance(item, Hidden):
            planned.unsendable |= {parameter.name}
            default = effective_default(parameter.hint, parameter.default)
            if default is EMPTY:
                raise signature.refusal(
                    "is hidden but has no default",
                    parameter=parameter.name,
                    hint="give it a default, or use `Fixed(value)`",
                )
            planned.set_default(parameter.name, default, parameter.default)
            return True
    return False


def _is_unpacked_wrongly(parameter: Parameter) -> bool:
    """Return whether a type is unpacked where it means nothing, or a tuple into `*args`."""
    hint = strip_annotated(parameter.hint)
    if getattr(hint, "__unpacked__", False):  # `*args: *tuple[int, str]`
        return True
    if not is_unpack(hint):
        return False
    is_variadic = isinstance(get_args(hint)[0], TypeVarTuple)
    return not (is_variadic and parameter.kind is VAR_POSITIONAL)


def _plan_keywords(
    planned: Plan,
    signature: Signature,
    parameter: Parameter,
    translate: Translate,
    *,
    tolerant: Callable[[str], bool],
) -> None:
    if not is_unpack(parameter.hint):
        planned.extra = translate.optional(parameter.hint)
        planned.extra_description = parameter.description
        return
    hint = strip_annotated(get_args(parameter.hint)[0])
    typed_dict: Any = get_origin(hint) or hint
    if hint is dict:  # what some libraries have for a TypedDict where no checker looks
        planned.extra = translate.optional(Any)
        return
    if not is_typed_dict(typed_dict):
        raise signature.refusal(
            f"unpacks `{type_text(hint)}`, which is no TypedDict",
            parameter=parameter.name,
            hint="write `**kwargs: Unpack[T]` with a TypedDict, or `**kwargs: T`",
        )
    variables = getattr(typed_dict, "__parameters__", ())
    by_variable = dict(zip(variables, get_args(hint), strict=False))
    extra_items = getattr(typed_dict, "__extra_items__", None)
    if extra_items is not None and extra_items not in _NO_ITEMS:
        planned.extra = translate.optional(substitute(unqualify(extra_items)[0], by_variable))
        planned.extra_description = parameter.description
    from ..read.documentation import class_docs

    texts = class_docs(typed_dict).attributes
    fields = translate.typed_dict_fields(typed_dict)
    used = {*fields, *(slot.name for slot in planned.slots)}
    for name, (field_hint, required) in fields.items():
        key_hint = substitute(field_hint, by_variable)
        key = Parameter(name, KEYWORD_ONLY, key_hint, EMPTY, texts.get(name, ""))
        if _is_key_sent(planned, signature, key, required=required, tolerant=tolerant):
            _plan_key(planned, key, used, required=required)


def _is_key_sent(
    planned: Plan,
    signature: Signature,
    key: Parameter,
    *,
    required: bool,
    tolerant: Callable[[str], bool],
) -> bool:
    """Return whether a caller may send a key of an unpacked TypedDict. Raises `SchemaError`."""
    if key.name in planned.unsendable:
        return False
    own_kind = {p.name: p.kind for p in signature.parameters}.get(key.name)
    if own_kind is POSITIONAL_ONLY:
        _leave_out(planned, signature, key.name, required=required)
        return False
    if own_kind is not None:
        raise signature.refusal(
            "is a parameter and a key of the unpacked TypedDict",
            parameter=key.name,
            hint="rename one of them",
        )
    if not required:
        key = key._replace(default=ABSENT)
    if _is_filled_in(planned, signature, key, ()):
        return False
    wrong = foreign(key.hint, EMPTY)
    if wrong is not None:
        _leave_foreign_out(planned, signature, key, wrong, tolerant=tolerant)
    return wrong is None


def _plan_key(planned: Plan, key: Parameter, used: set[str], *, required: bool) -> None:
    name = key.name
    slot = Slot(name, key.hint, EMPTY, key.description, written=key.hint)
    if not name.isidentifier() or keyword.iskeyword(name):
        slot.name = next(n for n in (f"key_{i}" for i in count()) if n not in used)
        used.add(slot.name)
        slot.hint = Annotated[slot.hint, PydanticField(alias=name)]
        planned.renamed[slot.name] = name
    if not required:
        slot.default = PydanticField(default_factory=lambda: ABSENT)
        planned.absent.append(slot.name)
    planned.slots.append(slot)


_NO_ITEMS = (typing_extensions.NoExtraItems, typing_extensions.Never, Never)


def _leave_out(planned: Plan, signature: Signature, name: str, *, required: bool) -> None:
    """Leave out a keyword named like a positional-only parameter: arguments cannot share a name."""
    if required:
        raise signature.refusal(
            "has the name of a required keyword, and a caller can send only one",
            parameter=name,
            hint="rename the parameter, or the key of the TypedDict",
        )
    planned.problems.append(Lost("keyword", name))
