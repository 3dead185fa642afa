"""`python -m toolwright`."""

import sys

from .cli.main import main

sys.exit(main())
