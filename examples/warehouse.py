"""A small command-line program: its commands become tools as they are."""

from __future__ import annotations

import argparse

SHELVES = {"B-1": "north", "P-1": "south", "C-1": "south"}

parser = argparse.ArgumentParser(prog="warehouse", description="Look after the shelves.")
commands = parser.add_subparsers(dest="command", required=True)
find = commands.add_parser("find", description="Say on which shelf a product is.")
find.add_argument("sku", choices=SHELVES, help="stock number")
move = commands.add_parser("move", description="Move a product.", epilog="warehouse move B-1 east")
move.add_argument("sku", choices=SHELVES, help="stock number")
move.add_argument("shelf", help="name of the shelf to move it to")
move.add_argument("--count", type=int, default=1, help="how many to move")


def main() -> None:
    """Run the command that was given."""
    given = parser.parse_args()
    if given.command == "find":
        print(SHELVES[given.sku])
    else:
        print(f"{given.count} of {given.sku} moved from {SHELVES[given.sku]} to {given.shelf}")


if __name__ == "__main__":
    main()
