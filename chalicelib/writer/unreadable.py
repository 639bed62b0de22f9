"""What reading an answer raises that is not what the format promises."""

from __future__ import annotations

from typing import Final

UNREADABLE: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
"""A part is not there, is another type, or a number of it is none (JSON's Infinity), or it is nested without end."""
