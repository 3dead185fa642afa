"""Call two tools of the example shop, and say what to do while it is served."""

from __future__ import annotations

from shop import shop

NEXT = """
The shop is served now. In another terminal, try

    .venv/bin/toolwright list examples/shop.py
    .venv/bin/toolwright call examples/shop.py search query=bike

or connect a client to http://127.0.0.1:8000/mcp
"""


def main() -> None:
    """Show what a model would get, and how to go on."""
    for name, sent in (("search", {"query": "bike"}), ("order", {"lines": [{"sku": "P-1"}]})):
        print(f"{name} {sent}\n  -> {shop.call(name, sent).text}\n")
    print(NEXT.strip(), flush=True)


if __name__ == "__main__":
    main()
