"""A small shop: the example toolbox."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from pydantic import BaseModel, Field

from toolwright import Toolbox

shop = Toolbox("shop", version="1.0", instructions="Look up products and place orders.")


class Category(Enum):
    """What kind of product it is."""

    BIKE = "bike"
    PART = "part"
    CLOTHING = "clothing"


class Product(BaseModel):
    """Something we sell."""

    sku: str
    """Stock number."""
    name: str
    category: Category
    price: float = Field(ge=0, description="In euros.")


@dataclass
class Line:
    """One line of an order."""

    sku: str  # Stock number
    count: int = 1  # How many


class Receipt(BaseModel):
    """What was ordered."""

    lines: list[Line]
    total: float


PRODUCTS = [
    Product(sku="B-1", name="City bike", category=Category.BIKE, price=499),
    Product(sku="P-1", name="Chain", category=Category.PART, price=24.5),
    Product(sku="C-1", name="Rain jacket", category=Category.CLOTHING, price=79),
]


@shop.tool(read_only=True)
def search(query: str = "", category: Category | None = None, limit: int = 10) -> list[Product]:
    """Search the catalogue.

    Args:
        query: Words in the product's name; empty finds all.
        category: Only products of this kind.
        limit: Most hits to return.

    Returns:
        The products found, cheapest first.
    """
    found = [p for p in PRODUCTS if query.lower() in p.name.lower()]
    if category is not None:
        found = [p for p in found if p.category is category]
    return sorted(found, key=lambda product: product.price)[:limit]


@shop.tool(destructive=False, idempotent=False)
def order(
    lines: Annotated[list[Line], Field(min_length=1)],
    express: bool = False,  # noqa: FBT001, FBT002
) -> Receipt:
    """Place an order.

    Args:
        lines: What to order.
        express: Deliver tomorrow, for 15 euros more.
    """
    prices = {product.sku: product.price for product in PRODUCTS}
    unknown = [line.sku for line in lines if line.sku not in prices]
    if unknown:
        raise ValueError(f"unknown stock number {unknown[0]}")
    total = sum(prices[line.sku] * line.count for line in lines)
    return Receipt(lines=lines, total=total + (15 if express else 0))


@shop.tool(read_only=True)
def stock(
    sku: str,  # Stock number, as `search` returns it
) -> int:  # How many are in stock
    """Tell how many of a product are in stock."""
    return len(sku) * 3
