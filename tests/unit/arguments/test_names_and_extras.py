"""Unknown arguments, other forms of all arguments, aliases, and records of repairs."""

import base64
import json
from typing import Annotated, Any, Optional

import pytest
from pydantic import BaseModel, ConfigDict, Field

from tests.unit.arguments.taking import (
    ABSENT,
    Color,
    Item,
    Order,
    closed,
    flattened,
    read,
    refused,
    taking,
)
from tests.unit.ways import assert_plain, label, result_of
from toolwright import ArgumentError, Fixed, Hidden

# -- unknown arguments


def test_unknown_arguments_are_refused_with_a_suggestion():
    result = result_of(closed, {"limt": 2})
    assert "unknown argument `limt`; did you mean `limit`?" in result.text
    assert result.error.faults[0].code == "unknown"
    assert result.error.faults[0].path == ("limt",)
    assert "did you mean" not in result_of(closed, {"zzz": 2}).text


@pytest.mark.parametrize("key", ["toolCallId", "sessionId", "_meta"])
def test_noise_of_clients_is_left_out_and_recorded(key):
    result = result_of(closed, {"limit": 3, key: {"a": 1}})
    assert result.value == 3
    assert [(repair.path, repair.code) for repair in result.repairs] == [((key,), "noise")]


def test_noise_that_is_an_argument_is_an_argument():
    def probe(toolCallId: str, sessionId: int = 0) -> str:
        return f"{toolCallId} {sessionId}"

    result = result_of(probe, {"toolCallId": "x", "sessionId": "2"})
    assert result.value == "x 2"
    assert [repair.code for repair in result.repairs] == ["json"]


def test_noise_goes_to_keywords_where_there_are_some():
    def probe(**kwargs: Any) -> dict[str, Any]:
        return kwargs

    assert result_of(probe, {"sessionId": "s", "a": 1}).value == {"sessionId": "s", "a": 1}


def test_extra_ignore_drops_unknown_arguments():
    assert result_of(closed, {"limit": 2, "zz": 1}, extra="ignore").value == 2
    result = result_of(closed, {"limit": "2", "zz": 1, "toolCallId": 1}, extra="ignore")
    assert result.value == 2


def test_extra_pass_hands_unknown_arguments_over():
    def probe(a: int, **rest: Any) -> dict[str, Any]:
        return {"a": a, **rest}

    sent = {"a": 1, "b": "5", "c": [1]}
    assert result_of(probe, sent).value == sent
    assert result_of(probe, sent, extra="pass").value == sent
    assert result_of(probe, sent, extra="forbid").is_error
    assert result_of(probe, sent, extra="ignore").value == {"a": 1}


def test_typed_keywords_are_repaired_and_explained():
    def probe(**rest: int) -> dict[str, int]:
        return rest

    assert result_of(probe, {"a": "1"}).value == {"a": 1}
    assert "`a`" in result_of(probe, {"a": "x"}).text


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    n: int


class Shut(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: int


def test_nested_objects_keep_their_own_rule_for_extras():
    value, _ = read(Open, {"n": "1", "more": "5"})
    assert value.model_extra == {"more": "5"}
    assert "`x.nmae`" in refused(Shut, {"name": 1, "nmae": 2})
    assert "did you mean `name`" in refused(Shut, {"name": 1, "nmae": 2})
    assert read(Item, {"n": 1, "unknown": 2}) == (Item(n=1), [])
    assert read(Item, {"n": "1", "unknown": 2}) == (Item(n=1), ["json"])


def test_hidden_and_fixed_arguments_cannot_be_sent():
    def probe(
        a: int, h: Annotated[int, Hidden()] = 1, f: Annotated[int, Fixed(2)] = 2
    ) -> list[int]:
        return [a, h, f]

    assert result_of(probe, {"a": "1"}).value == [1, 1, 2]
    for key in ("h", "f"):
        for extra in ("forbid", "ignore", "pass"):
            result = result_of(probe, {"a": 1, key: 9}, extra=extra)
            assert result.is_error or result.value == [1, 1, 2]


# -- repair=False


@pytest.mark.parametrize(
    ("hint", "sent", "default"),
    [
        (int, "5", ABSENT),
        (int, 5.0, ABSENT),
        (bool, "true", ABSENT),
        (list[int], "[1]", ABSENT),
        (list[int], 1, ABSENT),
        (Color, "RED", ABSENT),
        (int, None, 3),
        (int, "", 3),
        (dict[str, int], "{}", ABSENT),
    ],
    ids=label,
)
@pytest.mark.promise("call.strict-first")
def test_nothing_is_repaired_with_repair_off(hint, sent, default):
    assert "`x`" in refused(hint, sent, default, repair=False)


@pytest.mark.promise("call.repair-off")
def test_noise_and_nested_forms_are_refused_with_repair_off():
    assert "`toolCallId`" in result_of(closed, {"toolCallId": 1}, repair=False).text
    assert result_of(flattened, {"filter": {"word": "a"}}, repair=False).is_error
    assert result_of(flattened, {"word": "a"}, repair=False).value == ["a", 10, 1]


# -- the whole object


@pytest.mark.parametrize("sent", [None, {}, "{}", b"{}", " {} ", "null", b"null"])
def test_no_arguments_may_be_said_in_many_ways(sent):
    assert result_of(closed, sent).value == 1


@pytest.mark.parametrize(
    "sent", ['{"limit": 2}', b'{"limit": 2}', '{"limit": "2"}', '"{\\"limit\\": 2}"']
)
def test_arguments_may_be_json_text(sent):
    assert result_of(closed, sent).value == 2


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "x",
        "[1]",
        b"[]",
        "5",
        "{",
        '{"limit": 1',
        b"\xff",
        '{"limit": NaN}',
        '{"limit": 1} x',
        [1],
        5,
        "\udc80",
        '"abc"',
    ],
    ids=label,
)
def test_arguments_that_are_no_object_are_refused(sent):
    result = result_of(closed, sent)
    assert result.is_error
    assert isinstance(result.error, ArgumentError)
    assert_plain(result.text)


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, float("nan"), "\udc80", {"\udc80": 1}, b"\xff", {1: 2}],
    ids=label,
)
def test_python_values_that_are_no_json_end_in_a_result(value):
    for hint in (int, Any, str, dict):
        target, _ = taking(hint)
        result = result_of(target, {"x": value})
        result.to_mcp_json()
        assert_plain(result.text)


def test_the_callers_own_arguments_are_never_changed():
    sent = {"order": {"items": ['{"n": "1"}'], "color": "RED"}, "toolCallId": 1}
    before = json.dumps(sent)

    def probe(order: Order) -> int:
        return len(order.items)

    assert result_of(probe, sent).value == 1
    assert json.dumps(sent) == before


def test_a_duplicate_key_is_taken_once():
    assert result_of(closed, '{"limit": 1, "limit": 2}').value == 2


# -- names and kinds


def test_aliases_are_the_names_to_send():
    def probe(
        x: Annotated[int, Field(alias="theX")], y: Annotated[int, Field(alias="theY")] = 2
    ) -> int:
        return x * y

    assert result_of(probe, {"theX": 3}).value == 6
    assert result_of(probe, {"theX": "3", "theY": None}).value == 6
    assert "`theX`" in result_of(probe, {"theX": "a"}).text
    assert "`theX`" in result_of(probe, {}).text
    assert "did you mean `theX`" in result_of(probe, {"thex": 1}).text


def test_aliases_of_fields_are_repaired_and_named():
    class User(BaseModel):
        user_id: int = Field(alias="userId")

    assert read(User, {"userId": "5"})[0].user_id == 5
    assert "`x.userId`" in refused(User, {"userId": "a"})
    assert "`x.userId`" in refused(User, {})


def test_args_are_repaired_and_named_by_position():
    def probe(a: int, *rest: int) -> list[int]:
        return [a, *rest]

    assert result_of(probe, {"a": "1", "rest": ["2", 3.0]}).value == [1, 2, 3]
    assert result_of(probe, {"a": 1, "rest": "[2]"}).value == [1, 2]
    assert result_of(probe, {"a": 1, "rest": 2}).value == [1, 2]
    assert result_of(probe, {"a": 1, "rest": None}).value == [1]
    assert "`rest[1]`" in result_of(probe, {"a": 1, "rest": [1, "x"]}).text


def test_positional_only_arguments_go_by_name():
    def probe(a: int, b: int = 2, /, c: int = 3) -> list[int]:
        return [a, b, c]

    assert result_of(probe, {"a": "1", "c": 9}).value == [1, 2, 9]
    assert result_of(probe, {"a": 1, "b": None}).value == [1, 2, 3]
    result = result_of(probe, {})
    assert "missing argument `a`" in result.text


def test_bytes_come_as_base64_of_either_alphabet():
    data = bytes(range(256))
    for encoded in (base64.b64encode(data), base64.urlsafe_b64encode(data)):
        assert read(bytes, encoded.decode())[0] == data
    assert "base64" in refused(bytes, "not base64!")
    assert read(Optional[bytes], None, default=None)[0] is None
    assert read(list[bytes], ["aGk="])[0] == [b"hi"]


# -- what repairs say


@pytest.mark.promise("call.repairs-are-recorded")
def test_repairs_say_where_what_and_how():
    def probe(limit: int, on: bool = False) -> int:
        return limit

    result = result_of(probe, {"limit": "5", "on": "yes"})
    assert [repair.path for repair in result.repairs] == [("limit",), ("on",)]
    for repair in result.repairs:
        assert repair.path[0] in repair.text
        assert repair.code
        assert "\n" not in repair.text
        assert len(repair.text) < 200
    assert result_of(probe, {"limit": 5}).repairs == ()


def test_repairs_are_kept_on_failures_of_the_tool():
    def probe(n: int) -> int:
        raise ValueError("no")

    result = result_of(probe, {"n": "5"})
    assert result.is_error
    assert [repair.code for repair in result.repairs] == ["json"]


def test_a_repair_that_does_not_help_is_not_half_applied():
    result = result_of(closed, {"limit": "5", "item": {"n": "x"}})
    assert result.is_error
    assert "`item.n`" in result.text
    assert "`limit`" not in result.text


def test_repairs_of_many_items_stay_readable():
    def probe(xs: list[int]) -> int:
        return len(xs)

    result = result_of(probe, {"xs": [str(n) for n in range(1000)]})
    assert result.value == 1000
    assert len(result.repairs) == 1000
