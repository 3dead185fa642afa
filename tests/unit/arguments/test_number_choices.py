"""Flags, and enums and literals of numbers: only what their schemas say."""

import enum
import warnings
from typing import Annotated, Literal, Optional

import jsonschema
import pytest
from pydantic import BaseModel, BeforeValidator, Field

from tests.unit.arguments.taking import Rank, read, refused, taking
from tests.unit.ways import label
from toolwright import Tool, Toolbox


class Level(enum.Enum):
    LOW = 1
    HIGH = 3


class Right(enum.Flag):
    READ = 1
    WRITE = 2


class Kept(enum.IntFlag):
    ONE = 1
    TWO = 2


class Conforming(enum.Flag, boundary=enum.CONFORM):
    ONE = 1
    TWO = 2


class Ejecting(enum.IntFlag, boundary=enum.EJECT):
    ONE = 1
    TWO = 2


class Pair(enum.Flag):
    BOTH = 6


class Signed(enum.IntFlag):
    ONE = 1
    ALL = -1


class Nothing(enum.Flag):
    NONE = 0


class Lenient(enum.IntEnum):
    LOW = 1

    @classmethod
    def _missing_(cls, value):
        return cls.LOW if value in ("low", 77) else None


class First(BaseModel):
    kind: Literal[1]


class Second(BaseModel):
    kind: bool


class Tree(BaseModel):
    level: Level
    right: Right = Right.READ
    counts: dict[Level, int] = {}
    inner: list["Tree"] = []


def takes(hint, sent):
    """Return whether the schema of a parameter takes a value."""
    target, _ = taking(hint)
    schema = Tool(target).input_schema
    return jsonschema.Draft202012Validator(schema).is_valid({"x": sent})


@pytest.mark.promise("schema.flags")
@pytest.mark.parametrize("hint", [Right, Kept, Conforming, Ejecting], ids=label)
@pytest.mark.parametrize("sent", [-1, -2, 4, 16, 2**70, True])
def test_a_flag_takes_no_number_that_its_schema_refuses(hint, sent):
    assert not takes(hint, sent)

    said = refused(hint, sent)

    wanted = "an integer" if sent is True else "the sum of any of "
    assert f"`x` must be {wanted}" in said
    assert f"`x[0]` must be {wanted}" in refused(list[hint], [sent])


@pytest.mark.parametrize(
    ("hint", "sent", "reached"),
    [
        (Right, 3, Right.READ | Right.WRITE),
        (Right, 0, Right(0)),
        (Kept, 3, Kept.ONE | Kept.TWO),
        (Pair, 6, Pair.BOTH),
        (Signed, -1, Signed.ALL),
        (Nothing, 0, Nothing.NONE),
    ],
    ids=label,
)
def test_a_flag_takes_every_sum_of_its_members(hint, sent, reached):
    assert takes(hint, sent)

    assert read(hint, sent) == (reached, [])


@pytest.mark.promise("schema.flags")
@pytest.mark.parametrize("hint", [Kept, Ejecting], ids=label)
@pytest.mark.parametrize("way", ["alone", "in a list"])
def test_bits_that_a_flag_keeps_meet_the_schema_of_its_results(hint, way):
    def give(bits: int) -> hint:
        return hint.ONE | bits

    def give_list(bits: int) -> list[hint]:
        return [hint.ONE | bits]

    box = Toolbox("flags")
    box.add(give if way == "alone" else give_list, name="probe")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = box.call("probe", {"bits": 16})

    assert not made.is_error
    wanted = 17 if way == "alone" else [17]
    jsonschema.validate(wanted, box["probe"].output_schema)
    assert made.text == str(wanted)


@pytest.mark.parametrize(
    ("hint", "sent", "reached"),
    [
        (Literal[1, 2] | bool, True, True),
        (bool | Literal[1, 2], 1, 1),
        (Literal[1, 2] | float, 1.0, 1.0),
        (Level | bool, True, True),
        (Rank | bool, 1, Rank.LOW),
        (First | Second, {"kind": True}, Second(kind=True)),
        (list[First | Second], [{"kind": 1}], [First(kind=1)]),
        (Literal[1, True], True, True),
        (Literal[1, True], 1, 1),
    ],
    ids=label,
)
def test_a_boolean_is_no_number_in_a_union_either(hint, sent, reached):
    value, repairs = read(hint, sent)

    assert (value, type(value), repairs) == (reached, type(reached), [])


@pytest.mark.parametrize("hint", [Level, Rank, Literal[1, 2], Optional[Level], Right], ids=label)
def test_a_boolean_is_no_number(hint):
    assert "must be" in refused(hint, True)
    assert "must be" in refused(dict[str, hint], {"a": True})


@pytest.mark.parametrize("hint", [Level, Rank, Literal[1, 2]], ids=label)
def test_keys_of_a_map_are_read_as_the_numbers_they_name(hint):
    value, repairs = read(dict[hint, int], {"1": 5})

    assert (list(value.values()), repairs) == ([5], [])
    assert next(iter(value)) in (1, Level.LOW)
    assert "`x.9` must be 1 or" in refused(dict[hint, int], {"9": 5})


def test_numbers_deep_in_a_model_that_holds_itself():
    sent = {"level": 1, "inner": [{"level": 3, "right": 3, "counts": {"3": 1}}]}

    value, _ = read(Tree, sent)

    assert value.inner[0] == Tree(level=Level.HIGH, right=Right(3), counts={Level.HIGH: 1})
    assert "`x.inner[0].level` must be one of 1, 3; got true" in refused(
        Tree, {"level": 1, "inner": [{"level": True}]}
    )
    assert "`x.inner[0].right`" in refused(Tree, {"level": 1, "inner": [{"level": 1, "right": -1}]})


@pytest.mark.parametrize("sent", ["low", 77, 1])
def test_what_an_enum_reads_itself_still_reaches_it(sent):
    assert read(Lenient, sent)[0] is Lenient.LOW


def test_members_that_a_validator_of_the_author_hands_on():
    def named(value):
        return Level[value]

    hint = Annotated[Level, BeforeValidator(named), Field(description="by name")]

    assert read(hint, "HIGH") == (Level.HIGH, [])
    assert read(list[hint], ["LOW"]) == ([Level.LOW], [])
