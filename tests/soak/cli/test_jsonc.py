"""Documents that people wrote: what is ours is put in and dropped, all else stays byte for byte."""

import pytest

from tests.unit.cli.jsonc_documents import SHOP
from tests.unit.cli.test_jsonc import shop
from toolwright.cli.jsonc import drop, put


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "{" + '"k": {\n"x": 1},\n' * n + "}",
        lambda n: "/" + "*" * 5 * n + '/{"a": [' + "1," * n + "]}",
        lambda n: '{"a":{}' + ',"k":{"x":1}' * n + "}",
        lambda n: '{"a": 1 ' + "/* c */ " * n + "}",
        lambda n: "{" + "// c\n" * n + "}",
        lambda n: '{"a": "' + "\\u0041x" * n + '"}',
        lambda n: '{"a": 1' + " " * 5 * n + "}",
        lambda n: '{"a": 1' + ', "shop": 1' * n + "}",
    ],
)
def test_a_large_document_is_edited(make):
    text = make(10_000)
    added = put(text, ("mine",), SHOP)
    drop(text, ("shop",))
    assert drop(added, ("mine",)) == text
