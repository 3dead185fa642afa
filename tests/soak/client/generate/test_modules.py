"""Generated modules: what is written, what checkers say of it, and that it runs."""

import pytest

from tests.unit.client.generate.test_modules import GET, PING, SEARCH, WRITTEN
from tests.wire.client.generate.generated_modules import mypy, ruff, source_of


@pytest.mark.promise("generate.checked")
def test_ruff_has_nothing_to_say():
    assert ruff(WRITTEN) == ""
    assert ruff(source_of(SEARCH, GET, PING, program=True, formats=True)) == ""
    assert ruff(source_of(SEARCH, GET, PING, asynchronous=True)) == ""
    assert ruff(source_of()) == ""
    long = {"type": "object", "properties": {f"{'a ' * 40}": {"type": "string"}}}
    assert ruff(source_of({"name": "run", "outputSchema": long})) == ""
    collision = {"name": "run", "inputSchema": {"properties": {"a-b": {}, "a_b": {}}}}
    assert ruff(source_of(collision, program=True)) == ""


@pytest.mark.promise("generate.checked")
def test_mypy_has_nothing_to_say_and_knows_the_types(tmp_path):
    user = tmp_path / "user.py"
    user.write_text(
        "from shop_module import get, search_shop\n"
        "names: list[str] = [each.name for each in search_shop('bike', near={'town': 'x'})]\n"
        "price: float | None = get(3).unit_price\n"
    )
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "from shop_module import get, search_shop\n"
        "search_shop(3)\n"
        "search_shop('x', sort_by='size')\n"
        "search_shop('x', near={'km': 3})\n"
        "get(3).price\n"
    )
    for options in ({}, {"program": True, "formats": True}):
        said = mypy(tmp_path, source_of(SEARCH, GET, PING, **options), str(user))
        assert "Success" in said, said
    said = mypy(tmp_path, WRITTEN, str(wrong))
    assert said.count("error:") == 4, said
    said = mypy(tmp_path, source_of(SEARCH, GET, PING, asynchronous=True, program=True))
    assert "Success" in said, said
