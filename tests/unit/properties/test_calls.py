"""Whatever is sent to a tool, and whatever it does, the call ends in a true result."""

import json
import logging
import threading

import jsonschema
import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.unit.properties.call_checks import (
    CHECKS,
    NOTICING,
    Calls,
    call_now,
    check_call,
    check_kept,
    check_result,
    make_box,
    within,
)
from tests.unit.properties.call_tools import ERAS, PUPPETS, Point, act, puppet, told
from toolwright import Result, Toolbox
from toolwright.arguments.reader import Reader
from toolwright.outcome.writer import kept
from toolwright.outcome.writer import ResultWriter
from toolwright.results import with_note
from toolwright.run.cache import Cache


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    """What tools raise is logged; thousands of tracebacks would only slow the tests down."""
    monkeypatch.setattr(logging.getLogger("toolwright"), "disabled", True)


@pytest.mark.hypothesis
def test_every_call_ends_in_a_true_result():
    run_state_machine_as_test(Calls, settings=CHECKS)


# -- planted faults: the checks above must notice them


def noticed():
    """Run the machine once more and return whatever it finds."""
    with pytest.raises(BaseException) as caught:
        run_state_machine_as_test(Calls, settings=NOTICING)
    return caught.value


def repaired_first(self, arguments):
    """Read arguments by repairing them before anything else; only `bind` is left alone."""
    if not self.repair:
        return READ(self, arguments)
    data, done = self._repaired(self._object(arguments))
    validated, repairs = READ(self, data)
    return validated, (*done, *repairs)


READ = Reader.read


def test_repair_before_validation_is_noticed(monkeypatch):
    box = make_box()
    check_call(box, "measure", {"length": "12"}, call_now)
    monkeypatch.setattr(Reader, "read", repaired_first)
    box = make_box()
    with pytest.raises(AssertionError, match="Repair"):
        check_call(box, "measure", {"length": "12"}, call_now)


def test_an_argument_changed_without_a_word_is_noticed(monkeypatch):
    def changed(self, arguments):
        validated, repairs = READ(self, arguments)
        return {key: None for key in validated} if self.repair else validated, repairs

    monkeypatch.setattr(Reader, "read", changed)
    box = make_box()
    with pytest.raises(AssertionError, match="False"):
        check_call(box, "say", {"text": "x"}, call_now)


def test_a_null_content_is_noticed(monkeypatch):
    write = Result.to_mcp_json

    def null(self, protocol=ERAS[1]):
        return json.dumps({**json.loads(write(self, protocol)), "content": None}).encode()

    monkeypatch.setattr(Result, "to_mcp_json", null)
    box = make_box()
    with pytest.raises(ValueError, match="not a tool result: None"):
        check_call(box, "add", {"a": 1}, call_now)


def test_an_empty_content_is_noticed(monkeypatch):
    of = ResultWriter.of

    def emptied(self, value, repairs=()):
        made = of(self, value, repairs)
        made._blocks = []
        return made

    monkeypatch.setattr(ResultWriter, "of", emptied)
    box = make_box()
    with pytest.raises(AssertionError):
        check_call(box, "add", {"a": 1}, call_now)


@pytest.mark.parametrize("name", ["gives_int", "gives_line", "gives_floats", "gives_explicit"])
def test_a_value_that_breaks_its_schema_is_noticed(monkeypatch, name):
    def unchecked(self, value, repairs=()):
        return Result(value)

    monkeypatch.setattr(ResultWriter, "of", unchecked)
    told["act"] = "return", {"odd": ["x"]}
    box = Toolbox("one", [next(each for each in PUPPETS if each.name == name).replace(title="t")])
    with pytest.raises(jsonschema.ValidationError):
        check_result(box[name], box.call(name))


def test_structured_content_left_out_is_noticed(monkeypatch):
    monkeypatch.setattr(ResultWriter, "of", lambda self, value, repairs=(): Result(str(value)))
    told["act"] = "return", 1
    box = Toolbox("one", [puppet("gives_int", int)])
    with pytest.raises(AssertionError, match="structuredContent"):
        check_result(box["gives_int"], box.call("gives_int"))


def test_an_error_that_escapes_is_noticed(monkeypatch):
    def escaping(self, value, repairs=()):
        raise SystemExit(3)

    monkeypatch.setattr(ResultWriter, "of", escaping)
    with pytest.raises(AssertionError, match="SystemExit escaped"):
        check_call(make_box(), "add", {"a": 1}, call_now)


def test_a_kept_error_is_noticed(monkeypatch):
    keep = Cache._put

    async def lead(self, place, key, call, repairs, run, flight):
        _, made = await run()
        await keep(self, place, key, json.dumps({"result": made.to_mcp()}).encode())
        flight.landed.set()
        self.flights.clear()
        return with_note(made, "toolwright/cache", {"hit": False})

    monkeypatch.setattr(Cache, "_lead", lead)
    monkeypatch.setattr(
        Cache, "_again", lambda self, stored, _: self.outcome.of(kept(self.outcome, stored))
    )
    with pytest.raises(AssertionError, match="an error was kept"):
        check_kept(make_box(), "kept_gives_int", ("raise", ValueError("x")), call_now)


@pytest.mark.parametrize("value", [(), (Point(1.0),), Result([])])
def test_what_is_kept_of_a_value_that_is_not_exactly_of_its_type(value):
    check_kept(make_box(), "kept_gives_points", ("return", value), call_now)


def test_a_call_that_never_ends_is_noticed(monkeypatch):
    with pytest.raises(AssertionError, match="never ends"):
        within(threading.Event().wait, 0.01)


def test_the_random_calls_find_a_planted_fault_by_themselves(monkeypatch):
    monkeypatch.setattr(Result, "content", property(lambda self: []))
    assert isinstance(noticed(), AssertionError | BaseExceptionGroup)
