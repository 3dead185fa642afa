"""What another system would inject never becomes an argument: a rule, not a list of names."""

import dataclasses
import datetime as dt
import enum
import functools
import io
import sys
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import (
    IO,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    Protocol,
    TypedDict,
    TypeVar,
    Unpack,
)

import annotated_types
import pytest
import typing_extensions
from pydantic import AfterValidator, BaseModel, Field, PlainSerializer, WithJsonSchema

from toolwright import (
    ArgumentError,
    DefinitionError,
    Fixed,
    Flatten,
    Hidden,
    Inject,
    SchemaError,
    Tool,
    Toolbox,
)


@dataclasses.dataclass
class User:
    name: str = "nobody"
    admin: bool = False


def current_user() -> User:
    return User("ada")


class Depends:
    """As other packages mark what they inject."""

    def __init__(self, dependency: Any) -> None:
        self.dependency = dependency


class SlottedDepends:
    __slots__ = ("_wrapped",)

    def __init__(self, dependency: Any) -> None:
        self._wrapped = {"make": (dependency,)}


class NamedDepends(NamedTuple):
    dependency: Any


class DependsByKey(dict):
    __hash__ = object.__hash__


class Provider:
    def __call__(self) -> User:
        return User("ada")


class Speaks(Protocol):
    def speak(self) -> str: ...


class Missing:
    """A sentinel."""


class Color(enum.Enum):
    RED = "red"


T = TypeVar("T")
MARKS = [
    Depends(current_user),
    SlottedDepends(current_user),
    NamedDepends(current_user),
    DependsByKey(make=current_user),
    Provider(),
    Depends(User),
]
EVIL = {"name": "root", "admin": True}


def refused(target, **options):
    with pytest.raises(SchemaError) as caught:
        Tool(target, **options).compile()
    text = str(caught.value)
    assert caught.value.parameter == "user"
    assert "\n" not in text
    assert "Inject(" in text
    return text


@pytest.mark.promise("parameters.foreign-rule")
@pytest.mark.parametrize("mark", MARKS)
def test_an_object_with_a_callable_in_annotated_is_refused(mark):
    alias = typing_extensions.TypeAliasType("alias", Annotated[User, mark])

    def plain(user: Annotated[User, mark]) -> None: ...
    def optional(user: Annotated[User | None, mark] = None) -> None: ...
    def arm(user: Annotated[User, mark] | None = None) -> None: ...
    def aliased(user: alias) -> None: ...
    def quoted(user: "Annotated[User, mark]") -> None: ...
    def rest(*user: Annotated[User, mark]) -> None: ...
    def keywords(**user: Annotated[User, mark]) -> None: ...

    for target in (plain, optional, arm, aliased, quoted, rest, keywords):
        assert "nothing fills in here" in refused(target)


@pytest.mark.promise("parameters.foreign-rule")
@pytest.mark.parametrize("mark", [*MARKS, Missing(), current_user, User, functools.partial(int)])
@pytest.mark.parametrize("hint", [str, list[str], str | None, Any, object, T, Speaks, Hashable])
def test_a_default_that_its_type_does_not_name_is_refused(mark, hint):
    if hint is Hashable and isinstance(mark, type(current_user) | type):
        return

    def plain(user: hint = mark) -> None: ...
    def quoted(user: "hint" = mark) -> None: ...
    def named(*, user: Annotated[hint, Field(description="Who.")] = mark) -> None: ...

    for target in (plain, quoted, named):
        assert "as its default, which its type does not name" in refused(target)


def test_the_words_say_what_to_write_instead():
    def whoami(user: User = Depends(current_user)) -> None: ...

    assert refused(whoami).startswith(
        "whoami.user has an instance of `Depends` of tests as its default, which its type does not "
        "name - write `Annotated[T, Inject(current_user)]`, or "
        "`Annotated[T, Hidden()]` to keep the default ("
    )


@pytest.mark.promise("parameters.foreign-rule")
@pytest.mark.parametrize(
    ("hint", "default"),
    [
        (Any, {"a": [1, None, {"b": (2.5, "x")}]}),
        (object, Color.RED),
        (int | Missing, Missing()),
        (Any, None),
        (Any, b"x"),
        (int, object()),
        (float, Fraction(1, 2)),
        (dt.date | None, dt.date(2026, 1, 1)),
        (Annotated[Path, "where"], Path()),
        (Decimal, Decimal(1)),
        (Sequence[int], ()),
        (Mapping[str, int], types.MappingProxyType({})),
        (Callable[[str], int], len),
        (type[User], User),
        (IO[str], sys.stdout),
        (Literal[Color.RED], Color.RED),
        (User, User()),
        (int, Field(3)),
        (User, Field(default_factory=User)),
        (Annotated[User, Field(default_factory=User)], dataclasses.MISSING),
        (Annotated[Any, Hidden()], Missing()),
        (Annotated[Any, Fixed(3)], Depends(current_user)),
        (Annotated[User, Depends(current_user), Inject(current_user)], None),
    ],
)
def test_other_defaults_stay(hint, default):
    def plain(user: hint = default) -> None: ...
    def required(user: hint) -> None: ...

    Tool(required if default is dataclasses.MISSING else plain).compile()


def doubled(value: int) -> int:
    return 2 * value


@pytest.mark.parametrize(
    "said",
    [
        AfterValidator(doubled),
        PlainSerializer(str),
        WithJsonSchema({"type": "integer"}),
        annotated_types.Predicate(bool),
        typing_extensions.Doc("A number."),
        Field(gt=0),
        "a number",
        doubled,
        User,
        Missing(),
        {"unit": "m"},
    ],
)
def test_what_only_says_something_about_a_value_stays(said):
    def plain(number: Annotated[int, said]) -> int:
        return number

    assert list(Tool(plain).input_schema["properties"]) == ["number"]


@pytest.mark.promise("parameters.foreign-add")
def test_add_refuses_at_once_and_include_leaves_out_and_reports():
    def whoami(user: User = Depends(current_user)) -> None: ...
    def noted(user: Annotated["User", Depends(current_user)]) -> None: ...
    def untyped(user=Depends(current_user)) -> None: ...
    def fine(x: int) -> int:
        return x

    box = Toolbox("box")
    for target in (whoami, noted, untyped):
        with pytest.raises(SchemaError, match=r"Annotated\[T, Inject\(current_user\)\]"):
            box.add(target)
        with pytest.raises(SchemaError, match="user has"):
            box.tool(target)
    assert list(box) == []
    module = types.ModuleType("module")
    for target in (whoami, noted, untyped, fine):
        target.__module__ = "module"
        setattr(module, target.__name__, target)
    box.include(module)
    assert [tool["name"] for tool in box.to_mcp()["tools"]] == ["fine"]
    assert {p.tool for p in box.problems if p.fatal} == {"whoami", "noted", "untyped"}
    assert box.call("fine", {"x": 1}).value == 1
    assert box.call("whoami", {"user": EVIL}).is_error


def test_what_a_toolbox_provides_is_injected_whatever_else_marks_it():
    box = Toolbox("box")
    box.provide(User, current_user)

    @box.tool
    def whoami(user: User = Depends(current_user)) -> str:
        return user.name

    assert box.call("whoami", {}).value == "ada"


@pytest.mark.promise("parameters.foreign-permissive")
def test_a_permissive_tool_keeps_such_a_parameter_from_callers():
    def whoami(
        x: int,
        user: User = Depends(current_user),
        anyone: Any = Depends(current_user),
        noted: Annotated[User | None, Depends(current_user)] = None,
        untyped=Depends(current_user),
        *rest: Annotated[User, Depends(current_user)],
    ) -> str:
        return f"{type(user).__name__} {noted} {rest}"

    tool = Tool(whoami, on_unsupported="permissive")
    assert list(tool.input_schema["properties"]) == ["x"]
    for name in ("user", "anyone", "noted", "untyped", "rest"):
        with pytest.raises(ArgumentError, match=f"unknown argument `{name}`"):
            tool.bind({"x": 1, name: [EVIL]})
        assert any(text.startswith(f"leaves `{name}` out: it has") for text in tool.problems)
    assert tool.call({"x": 1}).value == "Depends None ()"


def test_a_schema_of_the_author_cannot_name_it():
    def go(x, user=Depends(current_user)) -> str:
        return type(user).__name__

    schema = {"type": "object", "properties": {"x": {"type": "integer"}}}
    assert Tool(go, input_schema=schema).call({"x": 1}).value == "Depends"
    assert Tool(go, input_schema=schema).call({"x": 1, "user": EVIL}).is_error
    schema["properties"]["user"] = {"type": "object"}
    refused(go, input_schema=schema)


# -- inside types


@pytest.mark.parametrize(
    "name", ["Depends", "Dependency", "FromDependencies", "Inject", "InjectedMarker", "_Provide"]
)
def test_a_marker_that_is_called_so_needs_no_callable(name):
    cls = type(name, (), {"__module__": "my.own"})

    def by_hint(user: Annotated[User, cls()]) -> None: ...
    def bare(user: Annotated[User, cls]) -> None: ...
    def optional(user: Annotated[User, cls()] | None = None) -> None: ...

    for target in (by_hint, bare, optional):
        assert "nothing fills in here" in refused(target)


def test_an_argument_may_be_of_a_class_that_is_called_so():
    @dataclasses.dataclass
    class Dependency:
        name: str = "x"

    def add(dependency: Dependency = Dependency(), *, more: Annotated[int, Missing()] = 1) -> str:
        return dependency.name

    assert Tool(add).call({"dependency": {"name": "y"}}).value == "y"


def test_the_mark_of_injector_is_known(monkeypatch):
    injector = types.ModuleType("injector")
    injector._inject_marker = object()
    monkeypatch.setitem(sys.modules, "injector", injector)

    def service(user: Annotated[User, injector._inject_marker]) -> None: ...
    def plain(user: Annotated[User, object()]) -> None: ...

    assert "injector's `Inject`" in refused(service)
    Tool(plain).compile()


@dataclasses.dataclass
class InDataclass:
    x: int = 0
    user: User = Depends(current_user)


class InModel(BaseModel):
    x: int = 0
    user: User = Depends(current_user)


class Around(BaseModel):
    inner: InModel = InModel()
    many: list[InDataclass] = []


class InTypedDict(TypedDict):
    x: NotRequired[int]
    user: NotRequired[Annotated[User, Depends(current_user)]]


class ByConstructor:
    def __init__(self, x: int = 0, user: User = Depends(current_user)) -> None:
        self.x = x
        self.user = user


class Needed(BaseModel):
    user: Annotated[User, Depends(current_user)]


class Named(NamedTuple):
    x: int = 0
    user: User = Depends(current_user)


@pytest.mark.promise("parameters.foreign-fields")
@pytest.mark.parametrize("cls", [InDataclass, InModel, InTypedDict, ByConstructor])
def test_a_field_that_another_system_would_inject_is_left_out(cls):
    def go(body: cls) -> str:
        return str(body)

    tool = Tool(go)
    assert list(tool.input_schema["properties"]["body"]["properties"]) == ["x"]
    assert any("leaves `user` out" in text for text in tool.problems)
    tool.bind({"body": {"x": 1}})
    with pytest.raises(ArgumentError, match="unknown argument `body.user`"):
        tool.bind({"body": {"user": EVIL}})


def test_such_a_field_is_found_however_deep_it_is():
    def go(body: Around) -> str:
        return str(body)

    tool = Tool(go)
    assert "admin" not in str(tool.input_schema)
    assert tool.call({"body": {"inner": {"user": EVIL}}}).is_error
    assert tool.call({"body": {"many": [{"user": EVIL}]}}).is_error


@pytest.mark.parametrize("cls", [Needed, Named])
def test_a_type_that_needs_one_is_refused(cls):
    def go(body: cls) -> None: ...

    with pytest.raises(SchemaError, match="an instance of `Depends`"):
        Tool(go).compile()


@pytest.mark.promise("parameters.foreign-fields")
@pytest.mark.parametrize("cls", [InDataclass, InModel, InTypedDict, ByConstructor, Needed, Named])
def test_a_record_whose_fields_are_arguments_is_refused(cls):
    refused(cls)


def test_a_flattened_record_is_refused():
    def go(body: Annotated[InModel, Flatten()]) -> None: ...

    refused(go)


def test_unpacked_keys_follow_the_same_rule():
    def go(**keys: Unpack[InTypedDict]) -> str:
        return str(keys)

    refused(go)
    tool = Tool(go, on_unsupported="permissive")
    assert tool.call({"x": 1, "user": EVIL}).is_error
    assert tool.call({"x": 1}).value == "{'x': 1}"


# -- our own markers


Injected = typing_extensions.TypeAliasType("Injected", Annotated[str, Inject(lambda: "ada")])
Unseen = typing_extensions.TypeAliasType("Unseen", Annotated[str, Hidden()])


@pytest.mark.promise("parameters.markers-in-aliases")
def test_our_markers_count_inside_aliases_and_unions():
    def go(
        a: Injected,
        b: Injected | None = None,
        c: Unseen = "c",
        d: Annotated[str, Fixed("d")] | None = None,
        e: Annotated[str, Hidden()] | None = "e",
    ) -> list[Any]:
        return [a, b, c, d, e]

    tool = Tool(go)
    assert tool.input_schema["properties"] == {}
    assert tool.call({}).value == ["ada", "ada", "c", "d", "e"]
    for name in "abcde":
        assert tool.call({name: "evil"}).is_error


class Marked(BaseModel):
    x: int = 0
    a: Annotated[str, Hidden()] = "a"


class MarkedKeys(TypedDict, total=False):
    x: int
    a: Annotated[str, Hidden()]
    b: Annotated[str, Inject(lambda: "ada")]


@dataclasses.dataclass
class Filled:
    x: int = 0
    a: Annotated[str, Fixed("b")] = "a"


@pytest.mark.promise("parameters.hidden-fields")
def test_a_hidden_field_is_not_in_the_schema_and_no_caller_can_set_it():
    def go(body: Marked) -> str:
        return body.a

    for tool, sent in ((Tool(go), {"body": {"a": "evil"}}), (Tool(Marked), {"a": "evil"})):
        assert "'a'" not in str(tool.input_schema)
        assert tool.problems == ()
        assert tool.call(sent).is_error
    assert Tool(go).call({"body": {}}).value == "a"


def test_a_field_with_a_marker_for_parameters_is_never_an_argument():
    def go(body: Filled) -> str:
        return body.a

    tool = Tool(go)
    assert tool.problems == (
        "`Filled`: leaves `a` out: it has `Fixed`, which only the parameters of a tool can have",
    )
    assert tool.call({"body": {"a": "evil"}}).is_error
    with pytest.raises(SchemaError, match=r"Filled\.a has `Fixed`"):
        Tool(Filled).compile()


def test_markers_of_unpacked_keys_hold():
    def go(**keys: Unpack[MarkedKeys]) -> str:
        return str(keys)

    tool = Tool(go)
    assert list(tool.input_schema["properties"]) == ["x"]
    assert tool.call({}).value == "{'b': 'ada'}"
    assert tool.call({"a": "evil"}).is_error
    assert tool.call({"b": "evil"}).is_error


def test_a_provider_may_have_any_default():
    def connect(pool: Any = io, name: str = "main") -> str:
        return name

    def go(db: Annotated[str, Inject(connect)]) -> str:
        return db

    assert Tool(go).call({}).value == "main"


def test_a_provider_is_refused_for_what_another_system_would_inject():
    def connect(user: User = Depends(current_user)) -> str:
        return user.name

    def go(db: Annotated[str, Inject(connect)]) -> str:
        return db

    with pytest.raises(SchemaError, match="connect, whose `user` has an instance of `Depends`"):
        Tool(go).compile()


@pytest.mark.promise("parameters.default-is-no-type")
@pytest.mark.parametrize("default", [0, "", 1.5, True, [], {}])
def test_nothing_is_guessed_from_a_default(default):
    def go(x: int, limit=default) -> None: ...

    with pytest.raises(SchemaError, match=r"go\.limit has no type hint"):
        Toolbox("box").add(go)
    limit = Tool(go, on_unsupported="permissive").input_schema["properties"]["limit"]
    assert len(limit["anyOf"]) > 3


class NeededKeys(TypedDict):
    user: Annotated[User, Depends(current_user)]


@dataclasses.dataclass
class NeededField:
    user: Annotated[User, Depends(current_user)]


class NeededByConstructor:
    def __init__(self, user: Annotated[User, Depends(current_user)]) -> None:
        self.user = user


class OnlyOne(BaseModel):
    user: Annotated[User, Depends(current_user)] = User()


@pytest.mark.parametrize(
    "cls", [Needed, Named, NeededKeys, NeededField, NeededByConstructor, OnlyOne]
)
def test_a_part_of_a_union_that_is_left_out_cannot_be_sent_either(cls):
    def go(body: list[cls | int] | None = None) -> str:
        return str(body)

    tool = Tool(go)
    assert tool.input_schema["properties"]["body"]["items"] == {"type": "integer"}
    for sent in ({"user": EVIL}, [1, EVIL], EVIL, {"x": 1, "user": EVIL}):
        result = tool.call({"body": [sent]})
        assert result.is_error or "root" not in result.value
    assert tool.call({"body": [1]}).value == "[1]"
