"""Example calls in files: every key, every mistake."""

import pytest

from toolwright.contract.trials.example_files import ExampleFileError, read_examples


def test_aliases_that_grow_without_bound_are_refused(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]" for at in range(1, 9)]
    text = "tests:\n- tool: hello\n  params:\n" + "\n".join(f"    {line}" for line in lines)
    (tmp_path / "bomb.yaml").write_text(text)
    with pytest.raises(ExampleFileError, match="more than 200,000 values"):
        read_examples(tmp_path / "bomb.yaml")
