"""A program that prints what it received, as JSON: words, standard input, some variables."""

import json
import os
import sys

if __name__ == "__main__":
    said = {
        "words": sys.argv[1:],
        "stdin": sys.stdin.read(),
        "env": {key: value for key, value in os.environ.items() if key.startswith("TEST_")},
        "folder": os.getcwd(),
    }
    print(json.dumps(said))
    if "--fail" in sys.argv:
        print("it failed", file=sys.stderr)
        sys.exit(3)
