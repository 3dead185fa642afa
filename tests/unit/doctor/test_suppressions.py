"""`# toolwright: ignore[id]` in the author's source."""

import pytest

from tests.unit.doctor.doctor_pages import diagnose

HEAD = "from toolwright import Toolbox\nbox = Toolbox('b')\n\n"


def found(tmp_path, text, config=""):
    path = tmp_path / f"tools{len(list(tmp_path.iterdir()))}.py"  # lines of a file are kept
    path.write_text(HEAD + text)
    return [(each.id, each.parameter) for each in diagnose(path, config)]


PLAIN = '''
@box.tool{on_decorator}
def clear({on_def}
    screen: int,{on_parameter}
    line: int = 0,
) -> None:{on_end}
    """Clear a screen, or a line of it."""{on_text}
'''
PLACES = ("on_decorator", "on_def", "on_parameter", "on_end", "on_text")


def written(**comments):
    return PLAIN.format(**{**dict.fromkeys(PLACES, ""), **comments})


ALL = [
    ("undocumented_param", "screen"),
    ("undocumented_param", "line"),
    ("missing_destructive_hint", ""),
    ("unreachable_param", "screen"),
]


def test_without_comments_everything_is_found(tmp_path):
    assert sorted(found(tmp_path, written())) == sorted(ALL)


@pytest.mark.promise("doctor.comments")
@pytest.mark.parametrize("place", ["on_decorator", "on_def", "on_end"])
def test_a_comment_on_the_head_holds_for_the_tool(tmp_path, place):
    comment = "  # toolwright: ignore[missing_destructive_hint, undocumented_param]"
    assert found(tmp_path, written(**{place: comment})) == [("unreachable_param", "screen")]


@pytest.mark.promise("doctor.comments")
def test_a_comment_on_a_parameter_holds_for_that_one(tmp_path):
    ids = {id for id, _ in ALL}
    comment = "  # toolwright: ignore[undocumented_param]"
    kept = found(tmp_path, written(on_parameter=comment))
    assert ("undocumented_param", "screen") not in kept
    assert ("undocumented_param", "line") in kept
    assert {id for id, _ in kept} == ids


@pytest.mark.promise("doctor.comments")
def test_a_comment_without_ids_keeps_everything_out(tmp_path):
    assert found(tmp_path, written(on_def="  # toolwright: ignore")) == []


@pytest.mark.promise("doctor.comments")
def test_a_comment_is_no_description_and_a_text_may_stand_before_it(tmp_path):
    bare = found(tmp_path, written(on_parameter="  # toolwright: ignore[unreachable_param]"))
    assert ("undocumented_param", "screen") in bare
    both = "  # Number of the screen  # toolwright: ignore[unreachable_param]"
    assert sorted(found(tmp_path, written(on_parameter=both))) == [
        ("missing_destructive_hint", ""),
        ("undocumented_param", "line"),
    ]


@pytest.mark.promise("doctor.comments")
def test_a_comment_in_the_body_holds_for_its_line(tmp_path):
    text = """
import time

@box.tool
async def wait() -> None:
    '''Wait for the delivery.'''
    time.sleep(1){comment}
    time.sleep(2)
"""
    assert found(tmp_path, text.format(comment="")) == [("blocking_call", "")] * 2
    comment = "  # toolwright: ignore[blocking_call]"
    assert found(tmp_path, text.format(comment=comment)) == [("blocking_call", "")]


@pytest.mark.promise("doctor.idle-comments")
def test_a_comment_that_keeps_nothing_out_is_found(tmp_path):
    comment = "  # toolwright: ignore[long_enum, missing_destructive_hint]"
    kept = found(tmp_path, written(on_def=comment))
    assert ("unused_suppression", "") in kept
    assert ("missing_destructive_hint", "") not in kept


@pytest.mark.promise("doctor.idle-comments")
def test_a_comment_that_names_no_check_is_found_with_the_nearest(tmp_path):
    path = tmp_path / "tools.py"
    path.write_text(HEAD + written(on_def="  # toolwright: ignore[long_enums]"))
    wrong = next(each for each in diagnose(path) if each.id == "unknown_suppression")
    assert (wrong.file, wrong.line) == (str(path), 6)
    assert wrong.text.endswith("there is no such check - did you mean `long_enum`?")


def test_a_comment_for_a_check_that_is_not_made_is_not_idle(tmp_path):
    comment = "  # toolwright: ignore[long_enum]"
    config = '[tool.toolwright.doctor]\nignore = ["long_enum"]\n'
    assert ("unused_suppression", "") not in found(tmp_path, written(on_def=comment), config)


def test_a_text_in_a_docstring_is_no_comment(tmp_path):
    text = '@box.tool\ndef clear() -> None:\n    """Clear it # toolwright: ignore."""\n'
    assert found(tmp_path, text) == [("missing_destructive_hint", "")]


def test_one_function_may_be_two_tools(tmp_path):
    text = """
def clear() -> None:  # toolwright: ignore[missing_destructive_hint]
    '''Clear the screen.'''

box.add(clear)
box.add(clear, name="wipe", destructive=True)
"""
    assert found(tmp_path, text, '[tool.toolwright.doctor]\nignore = ["similar"]') == []
