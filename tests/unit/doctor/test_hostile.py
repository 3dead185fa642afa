"""Whatever a tool or a check does, the doctor goes on, and says so."""

import itertools
import threading

import pytest

from toolwright import Toolbox
from toolwright.doctor import check, examine
from toolwright.doctor.checks import BUILT_IN


class Raises:
    def __repr__(self):
        raise RuntimeError("no repr")

    def __str__(self):
        raise RuntimeError("no text")

    def __eq__(self, other):
        raise RuntimeError("no comparison")

    __hash__ = object.__hash__


class Unsayable(Exception):
    def __str__(self):
        raise ValueError("cannot be said")


def plain(a: int) -> int:
    "Return it as it is."
    return a


def other(b: int) -> int:
    "Return something else."
    return b


def box_of(*tools, **options):
    box = Toolbox("b")
    for each in tools:
        box.add(each, **options)
    return box


@pytest.mark.promise("doctor.failed")
@pytest.mark.parametrize(
    "raised",
    [RuntimeError("bad\nthing"), Unsayable(), RecursionError(), SystemExit(3), MemoryError()],
)
def test_a_check_that_raises_is_a_finding(raised):
    @check("bad_one")
    def bad_one(tool):
        yield "is seen before"
        raise raised

    report = box_of(plain).check(checks=[bad_one])
    failed = [each for each in report if each.id == "failed_check"]
    assert len(failed) == 1
    assert failed[0].message.startswith("plain cannot be checked for `bad_one`: ")
    assert type(raised).__name__ in failed[0].message
    assert failed[0].line == plain.__code__.co_firstlineno
    assert {"bad_one", "undocumented_param"} <= {each.id for each in report}


def test_a_check_may_be_interrupted():
    @check("pressed")
    def pressed(tool):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        box_of(plain).check(checks=[pressed])


@pytest.mark.parametrize(
    "given", [None, "one text", ["a", "b"], 5, Raises(), [Raises()], {"a": 1}, b"x"]
)
def test_a_check_may_give_anything(given):
    @check("odd")
    def odd(tool):
        return given

    report = box_of(plain).check(checks=[odd], select=["odd", "failed_check"])
    for each in report:
        assert each.id in ("odd", "failed_check")
    assert str(report)


def test_a_check_that_never_ends_its_findings_is_cut():
    @check("endless")
    def endless(tool):
        return (f"has number {number}" for number in itertools.count())

    assert len(box_of(plain).check(checks=[endless], select="endless")) == 1000


def test_a_check_that_spoils_what_it_gets_does_not_end_it():
    @check("spoils")
    def spoils(tool):
        tool.input_schema.clear()
        tool.finding = None

    report = box_of(plain).check(checks=[spoils])
    assert "undocumented_param" in {each.id for each in report}


def test_odd_objects_as_tools_and_defaults():
    class Odd:
        "An odd one."

        def __getattr__(self, name):
            raise RuntimeError(name)

        def __call__(self, a: int = 1) -> int:
            return a

    def default(a: int | Raises = Raises(), b: int = 1) -> int:
        "Take anything at all."
        return b

    box = box_of(default)
    box.add(Odd(), name="odd")
    report = box.check()
    assert [each.message for each in report if each.id == "failed_check"] == []
    assert str(report)


@pytest.mark.promise("doctor.own-check-ends")
def test_a_check_that_never_ends_is_named_and_made_once(monkeypatch):
    monkeypatch.setattr(examine, "SECONDS", 0.1)
    released, begun = threading.Event(), []

    @check("never_ends")
    def never_ends(tool):
        begun.append(tool.name)
        yield "found before"
        released.wait()

    try:
        report = box_of(plain, other).check(checks=[never_ends])
    finally:
        released.set()
    assert begun == ["plain"]
    assert [each.message for each in report if each.id == "never_ends"] == ["plain found before"]
    (failed,) = [each for each in report if each.id == "failed_check"]
    said = "it did not end within 0.1 s, and is not run again"
    assert failed.message == f"plain cannot be checked for `never_ends`: {said}"


@pytest.mark.parametrize("kind", [GeneratorExit, BaseException])
def test_a_check_cannot_end_the_doctor(kind):
    @check("raises")
    def raises(tool):
        raise kind("no")

    (failed,) = [each for each in box_of(plain).check(checks=[raises]) if each.id == "failed_check"]
    assert failed.message == f"plain cannot be checked for `raises`: {kind.__name__}: no"


def test_every_check_of_ours_looks_at_an_empty_toolbox():
    report = Toolbox("empty").check()
    assert not report
    assert len(report.checks) == len(BUILT_IN)


def test_a_hundred_tools_of_one_description_are_one_finding():
    box = Toolbox("b")
    for number in range(300):
        box.add(plain, name=f"plain{number}", description="Look up what is on a shelf.")
    found = [each for each in box.check() if each.id == "similar_tools"]
    assert len(found) == 1
    assert found[0].message.endswith("and 294 more")


def test_source_that_is_gone_or_is_no_source(tmp_path):
    code = compile(
        "def made(a: int) -> int:\n    'Return it as it is.'\n    return a\n", "<made>", "exec"
    )
    space = {}
    exec(code, space)
    report = box_of(space["made"]).check()
    assert {each.id for each in report} == {"undocumented_param", "unreachable_param"}
    assert all(each.file in ("<made>", "") for each in report)
