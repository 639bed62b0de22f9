"""Fetches what tests/browser drives into .lab: `python -m tests.browser.fetch`.

    .lab/browser      Playwright's Python package, which drives the Chromium that Debian packages
    .lab/axe          axe-core, which judges whether a page is for everybody

Stamped as tests/clients/fetch.py says: a second run that finds nothing changed fetches nothing.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Final

from tests.clients.fetch import LAB, CannotFetch, ensure, manifests, npm_ci, run

HERE: Final = Path(__file__).resolve().parent
PACKAGES: Final = LAB / "browser"
AXE_PACKAGE: Final = LAB / "axe"
AXE: Final = AXE_PACKAGE / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    try:
        ensure(PACKAGES, [HERE / "requirements.txt"], sys.version, fetch_packages)
        ensure(AXE_PACKAGE, manifests(HERE / "axe"), "npm", lambda: npm_ci(HERE / "axe", AXE_PACKAGE))
        if find_chromium() is None:
            fetch_chromium()
    except CannotFetch as reason:
        print(f"Cannot fetch the browser: {reason}", file=sys.stderr)
        return 1
    return 0


def fetch_packages() -> None:
    install = ("install", "--quiet", "--disable-pip-version-check", "--target", str(PACKAGES))
    run(sys.executable, "-m", "pip", *install, "-r", str(HERE / "requirements.txt"))


def find_chromium() -> str | None:
    return next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)


def fetch_chromium() -> None:
    """Debian's own package, where this may install it."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise CannotFetch("no Chromium is on the PATH. Install Debian's package chromium, or Google Chrome.")
    print("Installing Debian's chromium …", flush=True)
    run("apt-get", "update", "-q")
    run("apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium", "fonts-dejavu-core")


if __name__ == "__main__":
    sys.exit(main())
