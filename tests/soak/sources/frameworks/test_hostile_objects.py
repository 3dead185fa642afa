"""Objects that are wrong or hostile end in one clear refusal, never in a crash."""

import click
import pytest

from toolwright.errors import SchemaError
from toolwright.sources.frameworks.recognise import program_of


def test_ten_thousand_options_are_read():
    params = [click.Option([f"--option-{number}"]) for number in range(10_000)]
    assert len(program_of(click.Command("app", params=params)).root.parameters) == 10_000


def test_too_many_options_are_refused():
    params = [click.Option([f"--option-{number}"]) for number in range(20_001)]
    with pytest.raises(SchemaError, match="has more than 20000 parameters"):
        program_of(click.Command("app", params=params))
