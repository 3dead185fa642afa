"""docs/doctor.md: each check finds fault with its first example, and not with its second."""

import pytest

from tests.unit.doctor.doctor_pages import PAGE, diagnose, examples
from toolwright.doctor.checks import BUILT_IN

EXAMPLES = {each.id: each for each in examples()}


@pytest.mark.promise("doctor.examples")
def test_every_check_has_two_examples_and_there_are_no_others():
    assert set(EXAMPLES) == {check.id for check in BUILT_IN}
    for check in BUILT_IN:
        assert EXAMPLES[check.id].severity == check.severity, check.id


def test_every_check_says_what_to_do():
    for check in BUILT_IN:
        assert check.fix and check.text.endswith("."), check.id
        assert len(check.text) < 100


def test_every_group_stands_in_the_page():
    for group in {check.group for check in BUILT_IN}:
        assert f"(group `{group}`)" in PAGE.read_text()


@pytest.mark.promise("doctor.examples")
@pytest.mark.parametrize("id", EXAMPLES)
def test_a_check_finds_what_its_page_says(id, tmp_path):
    example = EXAMPLES[id]
    wrong, right = tmp_path / f"wrong_{id}.py", tmp_path / f"right_{id}.py"
    wrong.write_text(example.failing)
    right.write_text(example.passing)
    found = [each for each in diagnose(wrong, example.config) if each.id == id]
    assert found
    for each in found:
        assert each.message and each.fix
        assert "\n" not in each.text
        if each.tool:
            assert each.file == str(wrong)
            assert each.line > 0
    assert [each for each in diagnose(right, example.config) if each.id == id] == []
