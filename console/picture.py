"""Take the picture of the console in the README: `make picture`."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.wire.processes import Http

ROOT = Path(__file__).parents[1]
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
PICTURE = ROOT / "docs" / "pictures" / "console.png"


def main() -> None:
    """Show the showroom, call a tool, and write the picture."""
    with (
        Http(ROOT / "examples" / "showroom.py", "--console") as server,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1120, "height": 760})
        page.goto(f"http://127.0.0.1:{server.port}/console/#/tools/sales")
        page.get_by_label("months").fill("4")
        page.get_by_role("button", name="Run").click()
        page.get_by_role("region", name="Table of the result").wait_for()
        page.screenshot(path=PICTURE)
        browser.close()
    sys.stdout.write(f"{PICTURE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
