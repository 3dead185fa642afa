"""Serve the example shop over stdio, or over HTTP at a port."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

from shop import shop

if __name__ == "__main__":
    if len(sys.argv) > 1:
        shop.serve("http", port=int(sys.argv[1]))
    else:
        shop.serve()
