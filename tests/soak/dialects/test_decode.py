"""What a model sends back becomes the arguments of the tool, whatever it sends."""

import time

import pytest

from tests.unit.dialects.test_decode import DEEP, NODE, decoded, properties, rendered


@pytest.mark.promise("dialects.deep")
def test_arguments_of_any_depth_are_decoded():
    made = {"v": 0, "kids": None, "pair": None}
    for depth in range(50_000):
        made = {"v": depth, "kids": [{"key": "k", "value": made}], "pair": None}
    schema = {**properties(n={"$ref": "#/$defs/Node"}), "$defs": {"Node": NODE}}
    found = decoded(schema, {"n": made})["n"]
    depth = 0
    while "kids" in found:
        found = found["kids"]["k"]
        depth += 1
    assert depth == 50_000
    assert found == {"v": 0}


def test_decoding_takes_time_in_proportion_to_what_is_sent():
    made = rendered(DEEP)
    leaf = {"item_1": "s", "item_2": [{"key": "n", "value": {"v": 1, "kids": None, "pair": None}}]}

    def cost(count):
        given = {"m": [{"key": f"k{at}", "value": [leaf] * 5} for at in range(count)]}
        rounds = []
        for _ in range(3):
            start = time.process_time()
            made.decode("f", given)
            rounds.append(time.process_time() - start)
        return min(rounds)

    assert cost(4000) < 40 * max(cost(400), 0.001)
