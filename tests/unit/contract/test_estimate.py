"""The estimate of tokens, against counts of a real tokenizer."""

import json
from pathlib import Path

import pytest

from toolwright.contract.tokens import estimate_tokens

COUNTED = json.loads((Path(__file__).parent / "counted.json").read_text(encoding="utf-8"))
"""Texts with the count of o200k_base: docs/decisions/0024-tokens.md says where that is from."""


@pytest.mark.promise("tokens.estimate")
@pytest.mark.parametrize(("count", "text"), COUNTED)
def test_an_estimate_is_near_the_count_of_a_tokenizer(count, text):
    assert abs(estimate_tokens(text) - count) <= max(2, 0.2 * count)


def test_all_of_them_together_are_nearer():
    total = sum(count for count, _ in COUNTED)
    assert abs(sum(estimate_tokens(text) for _, text in COUNTED) / total - 1) < 0.06


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n" * 10**5, "a" * 10**6, "{" * 10**5, "\x00", "\ud800", "\ufdd0", "😀" * 10**4],
    ids=["empty", "blank", "breaks", "one word", "braces", "nul", "surrogate", "none", "emoji"],
)
def test_any_text_has_an_estimate(text):
    assert 0 <= estimate_tokens(text) <= 3 * len(text)


def test_more_text_is_more_tokens():
    assert estimate_tokens("Search the catalogue. " * 1000) > 3500
