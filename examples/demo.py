"""List the tools of the example shop and call two of them."""

from __future__ import annotations

from shop import shop


def main() -> None:
    """Show what a model would see, and what it would get."""
    for name, tool in shop.items():
        required = tool.input_schema.get("required", [])
        arguments = ", ".join(
            key if key in required else f"[{key}]" for key in tool.input_schema["properties"]
        )
        print(f"{name}({arguments})")
        print("    " + tool.description.split("\n", 1)[0])
    for name, sent in (("search", {"query": "bike"}), ("order", {"lines": [{"sku": "P-1"}]})):
        print(f"\n{name} {sent}\n  -> {shop.call(name, sent).text}")


if __name__ == "__main__":
    main()
