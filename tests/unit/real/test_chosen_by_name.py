"""Callables of other packages that take an implementation, a node or a class, called for real."""

import importlib

import pytest

from toolwright import Tool


def module(name):
    return importlib.import_module(name)


def test_cryptography_takes_algorithms_and_curves():
    backend = module("cryptography.hazmat.backends.openssl.backend").backend
    ec = module("cryptography.hazmat.primitives.asymmetric.ec")

    supported = Tool(backend.hash_supported)
    assert supported.call({"algorithm": {"type": "SHA256"}}).value is True
    assert supported.call({"algorithm": {"type": "BLAKE2b", "digest_size": 64}}).value is True
    assert supported.call({"algorithm": {"type": "BLAKE2b", "digest_size": 1}}).is_error
    _, given = Tool(ec.derive_private_key).bind(
        {"private_value": 5, "curve": {"type": "SECP256R1"}}
    )
    assert ec.derive_private_key(**given).key_size == 256


def test_jinja2_takes_trees():
    # Not among what tests need; `tests/schema/test_choices.py` has a tree of the same kind.
    pytest.importorskip("jinja2")
    nodes, meta = module("jinja2.nodes"), module("jinja2.meta")

    def shown(node: nodes.Expr) -> object:
        return node.as_const(nodes.EvalContext(module("jinja2").Environment()))

    number = {"type": "Const", "value": 3}
    tree = {"type": "Add", "left": number, "right": {"type": "Neg", "node": number}}
    assert Tool(shown).call({"node": tree}).value == 0

    wanted = {"type": "Extends", "template": {"type": "Const", "value": "a.html"}}
    positional, named = Tool(meta.find_referenced_templates).bind(
        {"ast": {"body": [wanted], "lineno": 1}}
    )
    assert list(meta.find_referenced_templates(*positional, **named)) == ["a.html"]


def test_click_takes_parameters():
    click = module("click")
    kind = click.Choice(["a", "b"])

    tool = Tool(kind.get_metavar)
    sent = {"kind": "Option", "param_decls": ["--x"]}
    context = {"command": {"name": "c"}}
    assert tool.call({"param": sent, "ctx": context}).value == "[a|b]"


def test_pydantic_takes_classes():
    types = module("pydantic.types")
    positional, named = Tool(types.conset).bind({"item_type": "int", "max_length": 2})
    assert "int" in str(types.conset(*positional, **named))
