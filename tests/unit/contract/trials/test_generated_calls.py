"""Generated calls: what counts as a failure, how it is shrunk, and what is left alone."""

import sys
import threading
from datetime import datetime, timedelta

import pytest

from toolwright import Call, Toolbox, ToolError, ToolwrightError
from toolwright.contract.trials.generated import NoHypothesis, why_not
from toolwright.contract.trials import try_tools


def tried(function, generate=100, state=None, harm=False, seed=0, timeout=30, **options):
    box = Toolbox("box")
    box.add(function, **options)
    report = try_tools(
        box,
        docstrings=False,
        generate=generate,
        state=state,
        destructive=harm,
        seed=seed,
        timeout=timeout,
    )
    (outcome,) = report.outcomes
    return outcome


@pytest.mark.promise("testing.shrunk")
def test_an_unexpected_failure_is_shrunk_to_the_smallest_arguments():
    def split(text: str, parts: int) -> str:
        if len(text) > 2 and parts > 3:
            raise TypeError("oh")
        return text

    outcome = tried(split)
    assert outcome.status == "failed"
    assert outcome.arguments["parts"] == 4
    assert len(outcome.arguments["text"]) == 3
    assert outcome.detail.startswith(f"failed unexpectedly: TypeError: oh ({__file__}:")


def test_a_value_that_breaks_its_type_fails():
    def size(text: str) -> int:
        return text if len(text) > 5 else 1

    outcome = tried(size)
    assert outcome.status == "failed"
    assert "its value breaks its type" in outcome.detail
    assert len(outcome.arguments["text"]) == 6


def test_a_value_that_cannot_be_sent_fails():
    def give(number: int) -> object:
        return object() if number > 10 else number

    outcome = tried(give)
    assert (outcome.status, outcome.arguments) == ("failed", {"number": 11})


def test_an_explicit_output_schema_is_kept_to():
    def size(number: int) -> dict:
        return {"size": number}

    schema = {"type": "object", "properties": {"size": {"type": "integer", "maximum": 50}}}
    outcome = tried(size, output_schema=schema)
    assert (outcome.status, outcome.arguments) == ("failed", {"number": 51})


def test_explicit_input_schemas_are_drawn_from():
    seen = []

    def take(**given: object) -> int:
        seen.append(given)
        return 1

    schema = {
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b"]}, "n": {"type": "integer", "minimum": 3}},
        "required": ["kind"],
        "additionalProperties": False,
    }
    assert tried(take, input_schema=schema).status == "passed"
    assert {each["kind"] for each in seen} == {"a", "b"}


def test_values_that_the_portable_style_explains_in_words_are_drawn():
    """Dates, durations, bytes and tuples: a random text would never be one."""

    def take(
        day: datetime, span: timedelta, data: bytes, pair: tuple[int, str], kinds: set[int]
    ) -> str:
        return f"{day} {span} {data!r} {pair} {kinds}"

    outcome = tried(take, generate=30)
    assert outcome.status == "passed"
    assert outcome.refused < outcome.calls / 2


def test_values_of_examples_are_drawn():
    box = Toolbox("box")
    seen = set()

    @box.tool
    def stock(sku: str) -> int:
        """
        Examples:
            stock("B-1")
        """
        seen.add(sku)
        return 1

    try_tools(box, generate=20)
    assert "B-1" in seen
    assert len(seen) > 5


@pytest.mark.promise("testing.claims")
def test_a_state_that_changes_by_itself_is_refused():
    ticks = iter(range(1000))

    def look(number: int) -> int:
        return number

    with pytest.raises(ToolwrightError, match="the state changes by itself"):
        tried(look, state=lambda: next(ticks), read_only=True)


def test_a_state_that_cannot_be_told_is_said():
    def look(number: int) -> int:
        return number

    with pytest.raises(ToolwrightError, match="the state cannot be told: ZeroDivisionError"):
        tried(look, state=lambda: 1 / 0, read_only=True)


def test_errors_that_a_tool_means_are_no_failures():
    def buy(count: int) -> int:
        if count < 0:
            raise ToolError("no")
        if count > 500:
            raise ValueError("too many")
        return count

    outcome = tried(buy)
    assert outcome.status == "passed"
    assert outcome.errors > 0
    assert outcome.said in ("no", "ValueError: too many")


def test_arguments_that_only_the_validator_refuses_are_counted():
    from typing import Annotated

    from pydantic import AfterValidator

    def check(value):
        if value % 2:
            raise ValueError("odd")
        return value

    def take(number: Annotated[int, AfterValidator(check)]) -> int:
        return number

    outcome = tried(take)
    assert outcome.status == "passed"
    assert outcome.refused > 0


def test_a_tool_that_accepts_nothing_is_reported():
    from typing import Annotated

    from pydantic import AfterValidator

    def check(value):
        raise ValueError("never")

    def take(number: Annotated[int, AfterValidator(check)]) -> int:
        return number

    outcome = tried(take, generate=10)
    assert outcome.status == "skipped"
    assert outcome.detail.startswith("no generated arguments were accepted: ")


@pytest.mark.promise("testing.seed")
def test_the_same_seed_draws_the_same_arguments():
    def trace(seed):
        seen = []

        def take(text: str, number: int = 0) -> int:
            seen.append((text, number))
            return 1

        tried(take, seed=seed, generate=30)
        return seen

    assert trace(1) == trace(1)
    assert trace(1) != trace(2)


def test_a_hanging_tool_is_tried_once():
    calls, over = [], threading.Event()

    def hang(number: int) -> int:
        calls.append(number)
        over.wait(60)
        return number

    outcome = tried(hang, timeout=0.2)
    over.set()
    assert outcome.status == "failed"
    assert "no answer in time" in outcome.detail
    assert len(calls) == 1


@pytest.mark.promise("testing.claims")
def test_a_read_only_tool_that_changes_something_fails():
    kept = []

    def look(number: int) -> int:
        if number > 20:
            kept.append(number)
        return number

    outcome = tried(look, state=lambda: list(kept), read_only=True)
    assert outcome.status == "failed"
    assert outcome.arguments == {"number": 21}
    assert "says that it is read-only" in outcome.detail


def test_an_idempotent_tool_that_changes_more_each_time_fails():
    kept = []

    def put(number: int) -> int:
        kept.append(number)
        return number

    outcome = tried(put, state=lambda: list(kept), idempotent=True, harm=True)
    assert outcome.detail.startswith("says that it is idempotent, but a second call changed")


def test_claims_that_hold_pass():
    kept = {}

    def put(number: int) -> int:
        kept[number] = 1
        return number

    def look(number: int) -> int:
        return number

    state = lambda: len(kept)  # noqa: E731
    assert tried(put, state=state, idempotent=True).status == "passed"
    assert tried(look, state=state, read_only=True).status == "passed"


def test_the_state_may_be_a_tool():
    box = Toolbox("box")
    kept = []

    @box.tool(read_only=True)
    def count() -> int:
        return len(kept)

    @box.tool(read_only=True)
    def look(number: int) -> int:
        kept.append(number)
        return number

    report = try_tools(box, generate=10, state="count")
    assert [each.tool for each in report.failed] == ["look"]


@pytest.mark.parametrize(
    ("name", "options", "skipped"),
    [
        ("delete_user", {}, True),
        ("user.remove", {}, True),
        ("dropTable", {}, True),
        ("send", {"destructive": True}, True),
        ("send", {"confirm": True}, True),
        ("delete_user", {"destructive": False}, False),
        ("clear_sky", {"read_only": True}, False),
        ("raindrops", {}, False),
        ("nuclear", {}, False),
        ("send", {}, False),
    ],
)
@pytest.mark.promise("testing.destructive")
def test_tools_that_may_destroy_are_not_called(name, options, skipped):
    called = []

    def f(x: int) -> int:
        called.append(x)
        return x

    outcome = tried(f, generate=5, name=name, **options)
    assert (outcome.status == "skipped", not called) == (skipped, skipped)
    if skipped:
        assert "--destructive calls it" in outcome.detail
        if "confirm" not in options:
            assert tried(f, generate=5, harm=True, name=name, **options).calls


def test_a_tool_that_asks_its_user_is_skipped():
    def ask(number: int, call: Call) -> int:
        call.ask({"type": "object", "properties": {"ok": {"type": "boolean"}}}, "sure?")
        return number

    outcome = tried(ask)
    assert (outcome.status, outcome.calls) == ("skipped", 1)


def test_a_rate_limit_is_waited_for():
    def f(x: int) -> int:
        return x

    outcome = tried(f, generate=8, rate_limit="20/s")
    assert (outcome.status, outcome.refused) == ("passed", 0)


def test_roles_do_not_stand_in_the_way():
    def f(x: int) -> int:
        return x

    assert tried(f, generate=5, roles=["admin"]).status == "passed"


def test_without_hypothesis_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(NoHypothesis, match=r"pip install toolwright\[test\]"):
        tried(lambda: 1, name="one")


def test_what_tools_print_and_log_stays_out(capsys, caplog):
    def f(x: int) -> int:
        print("noise")
        if x > 3:
            raise TypeError("oh")
        return x

    assert tried(f).status == "failed"
    assert "noise" not in capsys.readouterr().out
    assert caplog.text == ""


def test_why_not_needs_no_more_than_a_tool():
    from toolwright import Tool

    assert why_not("wipe", Tool(lambda: 1, name="wipe")).startswith("its name says `wipe`")
    assert sys.modules  # nothing was called
