"""What a reader reads of a page."""

from __future__ import annotations

import re
from html import unescape


def words_of(html: str) -> str:
    """One element's words apart from the next one's, with single spaces; a wire name is one word."""
    apart = re.sub(r"<[^>]+>", " ", html.replace("__<span>", "__"))
    return re.sub(r"\s+(?=[,.:;](?:\s|$))", "", " ".join(unescape(apart).split()))
