"""`speak`: which exceptions a model may read, tool by tool."""

from tests.unit.outcome.test_speak import Refused
from toolwright import Tool, tool


def test_it_holds_in_another_process():
    assert Tool(refuse, run_on="process", speak=[Refused]).call().text == "Refused: no entry"
    assert "failed unexpectedly" in Tool(refuse, run_on="process").call().text


@tool
def refuse() -> str:
    raise Refused("no entry")
