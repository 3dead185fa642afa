"""Tell which modules that nobody should have to pay for the statement given as argument loads."""

import sys

exec(sys.argv[1])
SUSPECTS = ("pydantic", "asyncio", "importlib.metadata", "mcp")
loaded = [name for name in SUSPECTS if name in sys.modules]

import json  # noqa: E402  (only now: the statement must find a bare interpreter)

print(json.dumps(loaded))
