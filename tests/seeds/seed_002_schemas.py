"""Schemas as seed document 002 writes them."""

from dataclasses import dataclass
from typing import Any

from toolwright import Tool

OLD = "2025-11-25"


def arguments(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """The root of an input schema."""
    root = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**root, "required": list(required)} if required else root


def box(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema as older clients get it, if it is not an object."""
    return {
        "type": "object",
        "properties": {"result": schema},
        "required": ["result"],
        "x-toolwright-box": {"field": "result"},
    }


def output_of(hint: Any, **options: Any) -> Tool:
    """A tool that returns a type."""

    def give() -> hint: ...

    return Tool(give, **options)


def answer() -> int:
    return 7


@dataclass
class Address:
    street: str
    city: str
    postal_code: int


@dataclass
class Profile:
    name: str
    address: Address
    tags: list[str]


def create_profile(name: str, street: str, city: str) -> Profile:
    return Profile(
        name=name,
        address=Address(street=street, city=city, postal_code=94107),
        tags=["new"],
    )
