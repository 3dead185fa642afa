"""`file.py:name` as TARGET: an instance, a class, a function, an attribute of one of them."""

import json
import re
from pathlib import Path

import pytest

from tests.wire.command_files import here
from tests.wire.processes import Stdio, good, refused

__all__ = ["here"]  # a fixture

SOURCE = """
from toolwright import tool

class Shop:
    def __init__(self, prices):
        self.prices = prices
        self.orders = Orders()

    def price(self, sku: str) -> int:
        "Tell what it costs."
        return self.prices[sku]

    @classmethod
    def names(cls) -> list[str]:
        return [cls.__name__]

    def _hidden(self) -> int:
        return 1

class Orders:
    @tool(read_only=True)
    def find(self, number: int) -> str:
        return f"order {number}"

    def helper(self, number: int) -> str:
        return ""

shop = Shop({"B-1": 499})
number = 3
"""


def listed(target):
    return [tool["name"] for tool in json.loads(good("list", target, "--json"))]


@pytest.mark.promise("targets.instance")
def test_an_instance_its_attribute_and_a_class(here):
    here({"crm.py": SOURCE})
    assert listed("crm.py:shop") == ["price", "names"]
    assert good("call", "crm.py:shop", "price", "sku=B-1") == "499\n"
    assert listed("crm.py:shop.orders") == ["find"]
    assert good("call", "crm.py:shop.orders", "find", "number=7") == "order 7\n"
    assert listed("crm.py:Shop") == ["names"]
    assert "`number` is int" in refused(2, "list", "crm.py:number")
    with Stdio("crm.py:shop") as server:
        assert server.hello["serverInfo"]["name"] == "crm"
        assert server.call("price", sku="B-1")["structuredContent"] == {"result": 499}


def test_the_example_of_the_page(here):
    page = Path(__file__).parents[3] / "docs" / "serving.md"
    source = re.search(r"```python\n# crm.py\n(.*?)```", page.read_text(), re.S)[1]
    here({"crm.py": source, "customers.txt": "Ada\nGrace\n"})
    assert json.loads(good("call", "crm.py:customers", "find", "name=Gr")) == ["Grace\n"]
