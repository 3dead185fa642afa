"""The outline of a module says the same of its names as the whole of it."""

import ast

import pytest

from toolwright.read.module_names import Statements
from toolwright.read.source import module_outline

HEAD = "from typing import TYPE_CHECKING, Any\nfrom shop import order, price\n"
TAIL = "if TYPE_CHECKING:\n    from shop import Cart\n"
MODULES = {
    "a text with code at the margin": 'PATTERN = r"""\nfrom other import price\n"""\n',
    "a text that is formatted": "TEXT = '''\nimport this\n'''.format(\n    price\n)\n",
    "a text without its end on a line": 'TEXT = "a" """\nfrom other import price\n"""\n',
    "a table": "TABLE = {\n    'a': [1, 2],\n}\n",
    "a value that hides an import": "order = dict(\n    a=1,\n)\n",
    "two targets": "TABLE = price = [\n    1,\n]\n",
    "a target in brackets": "TABLE = (order, price) = f(\n    1,\n)\n",
    "two statements on a line": "TABLE = [1]; from other import price\n",
    "a list at the margin": "TABLE = [\n'from',\n]\n",
    "an alias": "from typing import TypeAlias\nOrders: TypeAlias = 'list[Any]'\n",
    "a function": 'def price(\n    a,\n):\n    """Say.\n\n    more"""\n',
    "a function in a block": (
        "try:\n    import fast\nexcept ImportError:\n    def price(\n        a,\n    ):\n"
        '        """Say.\n\nmore"""\n        return 1\n\n    class order:\n        a = 1\n'
    ),
    "a comprehension": "TABLE = {order: 1 for order in range(3)}\n",
}


@pytest.mark.parametrize("body", MODULES.values(), ids=MODULES)
def test_an_outline_says_the_same_as_the_whole_module(body, tmp_path):
    file = tmp_path / "module.py"
    file.write_text(HEAD + body + TAIL)
    outline = Statements(module_outline(str(file)))
    whole = Statements(ast.parse(HEAD + body + TAIL))
    assert outline.imported == whole.imported
    assert outline.aliases == whole.aliases
    assert outline.for_checkers("Cart")
    assert ast.dump(outline.for_checkers("Cart")[0]) == ast.dump(whole.for_checkers("Cart")[0])


def test_the_insides_of_functions_in_blocks_are_not_parsed(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("try:\n    def f():\n" + "        g(1)\n" * 1000 + "finally:\n    import os\n")
    outline = module_outline(str(file))
    assert outline is not None
    assert len(list(ast.walk(outline))) < 12


def test_what_type_checkers_see_is_whole(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("if TYPE_CHECKING:\n    class Cart:\n        a: int\n")
    [statement] = Statements(module_outline(str(file))).for_checkers("Cart")
    assert ast.unparse(statement) == "class Cart:\n    a: int"


def test_the_insides_of_values_are_not_parsed(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("TABLE = {\n" + "    'a': 1,\n" * 1000 + "}\nimport os\n")
    outline = module_outline(str(file))
    assert outline is not None
    assert len(list(ast.walk(outline))) < 12


def test_a_variable_of_a_comprehension_hides_no_import(tmp_path):
    file = tmp_path / "module.py"
    file.write_text(HEAD + "print([order for order in range(3)])\n")
    assert "order" in Statements(module_outline(str(file))).imported
