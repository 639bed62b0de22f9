"""What a vendor, a model or a thief may write wherever a page shows what others wrote."""

from __future__ import annotations

from typing import Final

from chalicelib.rules.names import WIRE_NAME_MAX

MARKUP: Final = "<img src=x onerror=alert(1)>"
HOSTILE: Final = f"{MARKUP}<script>alert(2)</script>\u202e\u200b{{{{ 7 * 7 }}}} & \"'"
"""Markup, a template's expression, and characters that turn the text around or hide in it."""
LONG: Final = "unbroken" * 625
"""A word of 5,000 characters."""
AGENT_NAME: Final = f"<b onclick=alert(3)>{'unbroken' * 4}</b> \u05e9\u05dc\u05d5\u05dd"
LONGEST: Final = "x" * (WIRE_NAME_MAX - len("demo__"))
"""A tool's name."""
