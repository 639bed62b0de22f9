"""What a person who deploys can do something about."""

from __future__ import annotations


class Problem(Exception):
    """Something is missing or in the way; the message is one line that says what to do."""
