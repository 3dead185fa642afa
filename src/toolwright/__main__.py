"""`python -m toolwright`."""

import sys

if sys.path and sys.path[0] in ("", __import__("os").getcwd()):
    sys.path.append(sys.path.pop(0))  # a file here must not shadow a module that we import

try:
    from .cli.main import main

    code = main()
except KeyboardInterrupt:  # Ctrl-C while the command itself was being imported
    code = 130
sys.exit(code)
