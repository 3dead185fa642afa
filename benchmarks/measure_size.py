"""Count the bytes of one contestant's `tools/list`, newest protocol."""

import json
import sys

from contestants import CONTESTANTS
from workload import functions, shop_functions

contestant = CONTESTANTS[sys.argv[1]]
sizes = {
    "shared": len(contestant(functions("shared", 500))),
    "shop": len(contestant(shop_functions())),
}
print(json.dumps(sizes))
