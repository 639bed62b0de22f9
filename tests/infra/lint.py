"""cfn-lint on a template."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

REGIONS: Final = ("us-east-1", "eu-central-1")


def lint(template: Path, *options: str) -> str:
    """What cfn-lint has to say of a template, warnings included."""
    program = Path(sys.executable).parent / "cfn-lint"
    done = subprocess.run(
        [str(program), *options, "--regions", *REGIONS, "--", str(template)], capture_output=True, text=True
    )
    return done.stdout + done.stderr
