"""What a definition loses is a value: no check depends on the words that describe it."""

from pydantic import BaseModel

from toolwright import Toolbox
from toolwright.read import signature

Wide = type(
    "Wide", (BaseModel,), {"__annotations__": {f"field_number_{n}": int for n in range(900)}}
)


class Secret:
    pass


def lossy() -> Toolbox:
    box = Toolbox("lossy")

    @box.tool
    def stray(limit: int = 1) -> int:
        """List things that are there.

        Args:
            limt: How many things to list.
        """
        return limit

    @box.tool
    def unread(first: int, second: int) -> int:
        """Add two numbers to each other.

        Args:
            first or second: The numbers to add.
        """
        return first + second

    @box.tool
    def bare(size: float = float("nan"), *, odd: Secret | None = None) -> int:
        """Return the size of what there is.

        Args:
            size: How large it is at most.
        """
        return int(size)

    @box.tool
    def wide() -> Wide:
        """Return something that has far too many fields."""

    @box.tool
    def opaque() -> Secret:
        """Return something that cannot be sent."""

    return box


def findings():
    report = lossy().check()
    return sorted((each.id, each.tool, each.parameter) for each in report.findings)


def test_other_words_give_the_same_findings(monkeypatch):
    before = findings()
    checks = {check for check, _, _ in before}
    assert {
        "stray_documentation",
        "unserialisable_default",
        "large_output_schema",
        "lost_detail",
    } <= checks
    words = {kind: f"{{name}} {kind} {{text}}" for kind in signature._SENTENCES}
    monkeypatch.setattr(signature, "_SENTENCES", words)
    assert findings() == before


def test_each_problem_is_one_sentence():
    assert [str(each) for each in lossy().problems if each.tool == "stray"] == [
        "stray documents `limt`, which is not a parameter"
    ]
    [default] = [each for each in lossy()["bare"].problems if "default" in each]
    assert default == "`size`: the default `nan` is not JSON"
