"""`call.lifespan`: what the lifespan of the toolbox gave, wherever a tool sees its call."""

from tests.unit.run.test_call_lifespan import box_with, sees
from toolwright import Call, Tool, Toolbox


def test_it_is_none_without_a_lifespan_outside_of_the_box_and_in_another_process():
    box = Toolbox("plain", [sees])
    assert box.call("sees").value == "None"
    assert Tool(sees).call().value == "None"
    assert Call().lifespan is None
    far = box_with("db")
    far.add(sees, run_on="process")
    assert far.call("sees").value == "None"
    far.close()
