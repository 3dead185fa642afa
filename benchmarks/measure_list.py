"""Time the second `tools/list` of a toolbox with as many tools as the argument says."""

import json
import sys
from timeit import Timer

from workload import functions

from toolwright import Toolbox


def best(call, number):
    """Take the best of many short slots: a long one is never undisturbed on a busy machine."""
    return min(Timer(call).repeat(300, number)) / number


box = Toolbox("bench")
for function in functions("shared", int(sys.argv[1])):
    box.add(function)
listed = box.to_mcp_json()
figures = {
    "ours": best(box.to_mcp_json, 1_000),
    "copy": best(lambda: bytearray(listed), max(1, 1_000_000 // len(listed))),
    "bytes": len(listed),
}
print(json.dumps(figures))
