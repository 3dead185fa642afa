"""Print which costly modules the statement given as an argument loads."""

import sys

exec(sys.argv[1])
SUSPECTS = ("pydantic", "asyncio", "importlib.metadata", "mcp")
loaded = [name for name in SUSPECTS if name in sys.modules]

import json  # noqa: E402  (only now: the statement must find a bare interpreter)

print(json.dumps(loaded))
