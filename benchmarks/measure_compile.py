"""Time one contestant from functions to `tools/list`: contestant, kind of workload, count."""

import gc
import json
import sys
import time

from contestants import CONTESTANTS
from workload import functions

contestant, kind, count = CONTESTANTS[sys.argv[1]], sys.argv[2], int(sys.argv[3])
contestant(functions(kind, 5))  # imports are measured elsewhere
given = functions(kind, count)
gc.collect()
wall, cpu = time.perf_counter(), time.process_time()
listed = contestant(given)
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
if listed and len(json.loads(listed)["tools"]) != count:
    sys.exit(f"{sys.argv[1]} left tools out")
print(json.dumps({"cpu": cpu, "wall": wall, "bytes": len(listed)}))
