"""Secrets that a vendor sends back, taken out of what a module sees.

The limit: this is for echoes, as error pages, debug end points and headers make them. A vendor that wants to tell a
module the secret it was given can: reversed, in pieces, encrypted. It has the secret anyway.
"""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from html import escape
from typing import Final
from urllib.parse import quote, quote_plus

REDACTED: Final = "[redacted]"
SHORTEST_ENCODED: Final = 8
"""Characters: shorter ones would hit what only looks like them."""
_URL_SAFE: Final = str.maketrans("+/", "-_")
_JSON_IN_HTML: Final = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&'"})


def echoes_of(secrets: Iterable[str]) -> tuple[str, ...]:
    """Every form in which a vendor may echo these secrets, longest first: as they are, in base64 (also in the middle
    of something longer), hexadecimal, percent-encoding, JSON and HTML."""
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
    for inner in (*_inside_base64(raw), raw.hex()):
        if len(inner) >= SHORTEST_ENCODED:
            yield inner
            yield inner.upper() if inner == raw.hex() else inner.translate(_URL_SAFE)
    for quoted in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield quoted
        yield _lower_hex(quoted)
    for ascii_only in (True, False):
        text = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield text
        yield text.replace("/", "\\/")
        yield text.translate(_JSON_IN_HTML)
        yield json.dumps(text)[1:-1]
    yield escape(secret)


def _inside_base64(raw: bytes) -> Iterator[str]:
    """What is the same in base64 whatever stands before and after, at each of the three places it can begin."""
    for before in range(3):
        bits = 8 * (before + len(raw))
        yield b64encode(bytes(before) + raw).decode("ascii")[-(-8 * before // 6) : bits // 6]


def _lower_hex(quoted: str) -> str:
    head, *rest = quoted.split("%")
    return "%".join([head, *(part[:2].lower() + part[2:] for part in rest)])


def redact(text: str, echoes: Iterable[str]) -> str:
    """The text with every echo replaced by `[redacted]`. `echoes` come longest first."""
    for echo in echoes:
        if echo in text:
            text = text.replace(echo, REDACTED)
    return text
