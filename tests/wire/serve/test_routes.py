"""Routes and middleware beside the path of the tools."""

import subprocess
import sys


def test_starlette_is_not_imported_for_an_app_without_routes():
    code = (
        "import sys\n"
        "from toolwright import Toolbox\n"
        "Toolbox('quick').asgi(routes={'/x': print}, middleware=[lambda app: app])\n"
        "assert 'starlette.routing' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
