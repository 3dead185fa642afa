"""Seed document 000, platools: every schema example in it.

Differences that hold for all of them: arguments are closed (`additionalProperties: false`), no node
has an invented `title`, and nested models are written where they are used, not under `$defs`.
"""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from toolwright import SchemaError, Tool, Toolbox

_USER = {"x-user-providable": True}


class Order(BaseModel):
    order_id: str
    total_cents: int


class Product(BaseModel):
    name: str


class RefundResult(BaseModel):
    refund_id: str
    amount_cents: int


ORDER = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "total_cents": {"type": "integer"}},
    "required": ["order_id", "total_cents"],
}
REFUND_RESULT = {
    "type": "object",
    "properties": {"refund_id": {"type": "string"}, "amount_cents": {"type": "integer"}},
    "required": ["refund_id", "amount_cents"],
}


# -- refusals


@pytest.mark.promise("errors.refused-when-registered")
def test_an_untyped_parameter_is_refused_when_decorated():
    box = Toolbox("platools")
    with pytest.raises(SchemaError) as caught:

        @box.tool()
        def oops(x):
            return x

    error = caught.value
    documented = "oops.x has no type hint - every tool parameter must be typed"
    assert f"{error.message} - {error.hint}" == documented
    # The document's text ends here; ours goes on with file and line.
    assert str(error) == f"{documented} ({__file__}:{error.line})"
    assert (error.tool, error.parameter, error.code) == ("oops", "x", "schema")
    assert list(box) == []


def _any_positionals(*args): ...


def _any_keywords(**kwargs): ...


@pytest.mark.promise("errors.refused-when-registered")
@pytest.mark.parametrize(
    ("target", "parameter"), [(_any_positionals, "args"), (_any_keywords, "kwargs")]
)
def test_an_untyped_variadic_is_refused_when_decorated(target, parameter):
    with pytest.raises(SchemaError, match="has no type hint") as caught:
        Toolbox("platools").tool()(target)
    assert caught.value.parameter == parameter


@pytest.mark.promise("parameters.variadics")
def test_typed_variadics_have_a_schema():
    # The document refuses every variadic; with types they can be described, so they are taken.
    def total(*amounts: int, **labels: str): ...

    assert Tool(total).input_schema == {
        "type": "object",
        "properties": {"amounts": {"type": "array", "items": {"type": "integer"}}},
        "additionalProperties": {"type": "string"},
    }


@pytest.mark.promise("errors.refused-when-compiled")
def test_a_hint_that_cannot_be_resolved_is_refused_when_first_needed():
    # The document resolves hints when decorated; we do when first needed, or with `eager`.
    def later(x: "NotImportedYet"): ...

    lazy = Toolbox("platools")
    lazy.tool()(later)
    with pytest.raises(SchemaError, match="`NotImportedYet`") as caught:
        _ = lazy["later"].input_schema
    assert (caught.value.tool, caught.value.parameter) == ("later", "x")


@pytest.mark.promise("toolbox.eager")
def test_a_hint_that_cannot_be_resolved_is_refused_at_once_by_an_eager_toolbox():
    eager = Toolbox("platools", eager=True)
    with pytest.raises(SchemaError, match="`NotImportedYet`"):

        @eager.tool()
        def later(x: "NotImportedYet"): ...

    assert list(eager) == []


@pytest.mark.promise("errors.tree")
def test_a_schema_error_is_a_value_error():
    assert issubclass(SchemaError, ValueError)


# -- descriptions from docstrings


def _google(customer_id: str, limit: int = 10) -> list[Order]:
    """Return the most recent orders for a customer.

    Args:
        customer_id: Opaque UUID of the customer whose orders to fetch.
        limit: Maximum number of orders to return. Defaults to 10.
    """


def _numpy(customer_id: str, limit: int = 10) -> list[Order]:
    """Return the most recent orders for a customer.

    Parameters
    ----------
    customer_id : str
        Opaque UUID of the customer whose orders to fetch.
    limit : int
        Maximum number of orders to return. Defaults to 10.
    """


def _sphinx(customer_id: str, limit: int = 10) -> list[Order]:
    """Return the most recent orders for a customer.

    :param customer_id: Opaque UUID of the customer whose orders to fetch.
    :param limit: Maximum number of orders to return. Defaults to 10.
    """


@pytest.mark.promise("documentation.styles")
@pytest.mark.parametrize("target", [_google, _numpy, _sphinx])
def test_a_docstring_describes_its_parameters(target):
    list_orders = Tool(target, name="list_orders")
    assert list_orders.input_schema == {
        "type": "object",
        "properties": {
            "customer_id": {
                "type": "string",
                "description": "Opaque UUID of the customer whose orders to fetch.",
            },
            "limit": {
                "type": "integer",
                "description": "Maximum number of orders to return. Defaults to 10.",
                "default": 10,
            },
        },
        "required": ["customer_id"],
        "additionalProperties": False,
    }
    assert list_orders.description == "Return the most recent orders for a customer."
    assert list_orders.problems == ()


# -- x-user-providable


def test_extra_keys_of_a_field_are_published():
    def list_orders(
        customer_id: Annotated[
            str,
            Field(description="Opaque customer ID.", json_schema_extra=_USER),
        ],
    ) -> list[Order]:
        """Return recent orders for a customer."""

    assert Tool(list_orders).input_schema == {
        "type": "object",
        "properties": {
            "customer_id": {
                "type": "string",
                "description": "Opaque customer ID.",
                "x-user-providable": True,
            }
        },
        "required": ["customer_id"],
        "additionalProperties": False,
    }


@pytest.mark.promise("documentation.no-leaks")
def test_a_field_shared_by_two_tools_never_bleeds():
    # The document warns of this; here a shared one is as good as one written twice.
    shared = Field(json_schema_extra=_USER)
    customer = Annotated[str, shared]
    box = Toolbox("platools")

    @box.tool()
    def first(customer_id: customer, note: Annotated[str, shared]):
        """Do one thing.

        Args:
            customer_id: Who pays.
        """

    @box.tool()
    def second(customer_id: customer):
        """Do another.

        Args:
            customer_id: Who is paid.
        """

    @box.tool()
    def third(customer_id: customer):
        """Say nothing of the parameter."""

    def properties(name):
        return box[name].input_schema["properties"]

    assert properties("first") == {
        "customer_id": {"type": "string", "description": "Who pays.", **_USER},
        "note": {"type": "string", **_USER},
    }
    assert properties("second") == {
        "customer_id": {"type": "string", "description": "Who is paid.", **_USER}
    }
    assert properties("third") == {"customer_id": {"type": "string", **_USER}}
    assert shared.description is None
    assert _USER == {"x-user-providable": True}


# -- Annotated[T, Field(...)]


@pytest.mark.promise("parameters.defaults")
def test_a_field_in_annotated_keeps_the_default():
    def search_products(
        query: Annotated[str, Field(min_length=1, max_length=200, description="Free-text query")],
        max_results: Annotated[int, Field(ge=1, le=100)] = 10,
    ) -> list[Product]:
        """Full-text search across the product catalog."""

    # The document shows no schema here; its own code loses the default and requires both.
    search = Tool(search_products)
    assert search.input_schema == {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": 200,
                "description": "Free-text query",
            },
            "max_results": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
        },
        "required": ["query"],
        "additionalProperties": False,
    }
    assert search.description == "Full-text search across the product catalog."


@pytest.mark.promise("parameters.limits")
@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (Annotated[str, Field(pattern="^[a-z]+$")], {"type": "string", "pattern": "^[a-z]+$"}),
        (
            Annotated[int, Field(ge=1, le=100)],
            {"type": "integer", "minimum": 1, "maximum": 100},
        ),
        (
            Annotated[float, Field(gt=0, lt=1)],
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        ),
        (Annotated[int, Field(multiple_of=5)], {"type": "integer", "multipleOf": 5}),
        (
            Annotated[Literal["new", "paid"], Field(description="Which ones.")],
            {"type": "string", "enum": ["new", "paid"], "description": "Which ones."},
        ),
    ],
)
def test_whatever_a_field_demands_is_published(hint, schema):
    def take(value: hint): ...

    assert Tool(take).input_schema["properties"] == {"value": schema}


@pytest.mark.promise("documentation.precedence")
def test_a_docstring_describes_a_parameter_whose_field_does_not():
    def find(limit: Annotated[int, Field(ge=1)] = 10):
        """Find.

        Args:
            limit: From the docstring.
        """

    assert Tool(find).input_schema["properties"] == {
        "limit": {
            "type": "integer",
            "minimum": 1,
            "default": 10,
            "description": "From the docstring.",
        }
    }


@pytest.mark.promise("documentation.precedence")
def test_a_docstring_never_overwrites_the_description_of_a_field():
    def find(limit: Annotated[int, Field(description="From the field.")] = 10):
        """Find.

        Args:
            limit: From the docstring.
        """

    assert Tool(find).input_schema["properties"] == {
        "limit": {"type": "integer", "default": 10, "description": "From the field."}
    }


# -- output schemas


def refund(order_id: str) -> RefundResult: ...


@pytest.mark.promise("schema.output")
def test_the_return_type_is_the_output_schema():
    tool = Tool(refund)
    assert tool.input_schema == {
        "type": "object",
        "properties": {"order_id": {"type": "string"}},
        "required": ["order_id"],
        "additionalProperties": False,
    }
    assert tool.output_schema == REFUND_RESULT
    assert tool.to_mcp()["outputSchema"] == REFUND_RESULT
    assert tool.to_mcp("2025-11-25")["outputSchema"] == REFUND_RESULT


@pytest.mark.promise("schema.boxed")
def test_a_list_is_a_bare_output_schema_and_boxed_for_older_clients():
    # The document only has the bare form, which clients before 2026-07-28 refuse.
    bare = {"type": "array", "items": ORDER}
    tool = Tool(_google)
    assert tool.output_schema == bare
    assert tool.to_mcp()["outputSchema"] == bare
    assert tool.to_mcp("2025-11-25")["outputSchema"] == {
        "type": "object",
        "properties": {"result": bare},
        "required": ["result"],
        "x-toolwright-box": {"field": "result"},
    }


@pytest.mark.promise("schema.full")
def test_the_full_style_keeps_definitions_of_nested_models():
    class Receipt(BaseModel):
        order: Order
        refund: RefundResult

    def settle(order: Order) -> Receipt: ...

    tool = Tool(settle, style="full")
    assert tool.input_schema == {
        "type": "object",
        "properties": {"order": {"$ref": "#/$defs/Order"}},
        "required": ["order"],
        "additionalProperties": False,
        "$defs": {"Order": ORDER},
    }
    receipt = {
        "type": "object",
        "properties": {
            "order": {"$ref": "#/$defs/Order"},
            "refund": {"$ref": "#/$defs/RefundResult"},
        },
        "required": ["order", "refund"],
    }
    assert tool.output_schema == {
        **receipt,
        "$defs": {"Order": ORDER, "RefundResult": REFUND_RESULT},
    }
    # The portable style writes each model where it is used.
    assert Tool(settle).output_schema == {
        **receipt,
        "properties": {"order": ORDER, "refund": REFUND_RESULT},
    }


def _returns_none(order_id: str) -> None: ...


def _returns_unsaid(order_id: str): ...


@pytest.mark.promise("schema.output")
@pytest.mark.parametrize("target", [_returns_none, _returns_unsaid])
def test_without_a_return_value_there_is_no_output_schema(target):
    tool = Tool(target)
    assert tool.output_schema is None
    assert "outputSchema" not in tool.to_mcp()
    assert "outputSchema" not in tool.to_mcp("2025-11-25")


# -- inspecting


def _shop():
    box = Toolbox("platools")
    box.tool("list_orders")(_google)
    box.tool()(refund)
    return box


def test_every_tool_of_a_toolbox_can_be_inspected():
    box = _shop()
    seen = {
        tool.name: (list(tool.input_schema["properties"]), tool.output_schema)
        for tool in box.values()
    }
    assert seen == {
        "list_orders": (["customer_id", "limit"], {"type": "array", "items": ORDER}),
        "refund": (["order_id"], REFUND_RESULT),
    }
    listed = box.to_mcp()["tools"]
    assert [each["name"] for each in listed] == ["list_orders", "refund"]
    assert [each["inputSchema"] for each in listed] == [t.input_schema for t in box.values()]
    assert [each["outputSchema"] for each in listed] == [t.output_schema for t in box.values()]


@pytest.mark.promise("tool.frozen", "tool.fresh-copies")
def test_a_tool_is_frozen_and_so_are_its_schemas():
    tool = _shop()["refund"]
    with pytest.raises(AttributeError):
        tool.name = "other"
    # Frozen only on the surface in the document's library: there, this changes the tool.
    tool.input_schema["properties"].clear()
    tool.output_schema["properties"].clear()
    assert list(tool.input_schema["properties"]) == ["order_id"]
    assert tool.output_schema == REFUND_RESULT


@pytest.mark.promise("tool.decorator-keeps-the-function")
def test_the_decorator_returns_the_function_itself():
    def plain(order_id: str) -> str:
        return order_id

    assert Toolbox("platools").tool()(plain) is plain


# -- the doctor (docs/coming-from/platools.md says what differs, and why)


def doctor_box():
    box = Toolbox("shop")

    @box.tool(roles=["clerk"])
    def list_orders(customer_id: str, limit: int = 10) -> list[dict[str, str]]:
        """List orders for a customer."""
        return []

    @box.tool
    def search(query: Annotated[str, Field(json_schema_extra={"x-user-providable": True})]) -> str:
        """Search for customers by name."""
        return query

    return box


def test_doctor_reports_a_required_parameter_without_a_source():
    report = doctor_box().check(select="unreachable_param")
    assert report.has_errors
    assert [(each.tool, each.parameter) for each in report.errors] == [
        ("list_orders", "customer_id")
    ]


def test_doctor_takes_a_field_of_another_tools_output_for_a_source():
    class Customer(BaseModel):
        customer_id: str

    box = doctor_box()

    @box.tool
    def find_customer() -> Customer:
        """Find the customer of this conversation."""
        return Customer(customer_id="c1")

    assert not box.check(select="unreachable_param")


def test_doctor_knows_agents_and_roles():
    config = {"agents": {"support": ["search"]}, "roles": ["admin"]}
    report = doctor_box().check(config=config, select=["orphan_tool", "permission_gap"])
    assert [(each.id, each.tool, str(each.severity)) for each in report] == [
        ("permission_gap", "list_orders", "warning"),
        ("orphan_tool", "list_orders", "info"),
    ]
