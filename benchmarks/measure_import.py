"""Time `pass` and the statements given as arguments, each in a fresh interpreter."""

import json
import resource
import subprocess
import sys
import time


def spent(statement):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", statement], check=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu": cpu, "wall": wall}


spent("pass")  # the first process after another environment's finds cold caches
print(json.dumps({each: spent(each) for each in ("pass", *sys.argv[1:])}))
