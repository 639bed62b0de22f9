"""Secrets that a vendor sends back, taken out of what a module sees."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable
from html import escape
from typing import Final
from urllib.parse import quote, quote_plus

REDACTED: Final = "[redacted]"


def echoes_of(secrets: Iterable[str]) -> tuple[str, ...]:
    """Every form in which a vendor may echo these secrets, longest first: as they are, and in base64,
    percent-encoding, JSON and HTML."""
    return longest_first({form for secret in secrets if secret for form in _forms(secret)})


def longest_first(echoes: Iterable[str]) -> tuple[str, ...]:
    """The order to replace them in: what holds another goes before it."""
    return tuple(sorted(echoes, key=lambda echo: (-len(echo), echo)))


def _forms(secret: str) -> Iterable[str]:
    raw = secret.encode("utf-8", "surrogatepass")
    yield secret
    for encoded in (b64encode(raw).decode("ascii"), urlsafe_b64encode(raw).decode("ascii")):
        yield encoded
        yield encoded.rstrip("=")
        yield quote(encoded, safe="")
    for quoted in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield quoted
        yield _lower_hex(quoted)
    for ascii_only in (True, False):
        text = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield text
        yield text.replace("/", "\\/")
    yield escape(secret)


def _lower_hex(quoted: str) -> str:
    head, *rest = quoted.split("%")
    return "%".join([head, *(part[:2].lower() + part[2:] for part in rest)])


def redact(text: str, echoes: Iterable[str]) -> str:
    """The text with every echo replaced by `[redacted]`. `echoes` come longest first."""
    for echo in echoes:
        if echo in text:
            text = text.replace(echo, REDACTED)
    return text
