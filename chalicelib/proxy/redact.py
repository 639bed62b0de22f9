"""Secrets that a vendor sends back, taken out of what a module sees.

The limit: this is for echoes, as error pages, debug end points and headers make them. A vendor that wants to tell a
module the secret it was given can: reversed, in pieces, encrypted. It has the secret anyway.
"""

from __future__ import annotations

import json
import re
from array import array
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from html import escape as html_escape
from html import unescape
from typing import Final
from urllib.parse import quote, quote_plus, unquote

REDACTED: Final = "[redacted]"
SHORTEST_ENCODED: Final = 8
"""Characters: shorter ones would hit what only looks like them."""
_SPELLED: Final = (
    r"""\\+(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|%s)|(?:%%[0-9a-fA-F]{2})+|&(?:\#[xX]?[0-9a-fA-F]{1,8}|[a-zA-Z]{2,8});"""
)
_ESCAPE: Final = re.compile(_SPELLED % "/")
"""One character that JSON, a URL or HTML spells otherwise, through however many layers of backslashes; or a run of
bytes, which only together are characters."""
_ESCAPE_OR_QUOTE: Final = re.compile(_SPELLED % """["'/]""")
"""For secrets with quotes: answers are full of escaped ones."""
_MARKS: Final = ("\\", "%", "&")
_URL_SAFE: Final = str.maketrans("+/", "-_")
_JSON_IN_HTML: Final = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&'"})


def echoes_of(secrets: Iterable[str]) -> tuple[str, ...]:
    """Every form in which a vendor may echo these secrets, longest first: as they are, in base64 (also in the middle
    of something longer), hexadecimal, percent-encoding, JSON and HTML, in lower and upper case. `redact` finds each of
    them through further escapes, too."""
    return longest_first({form for secret in secrets if secret for form in _forms(secret)})


def longest_first(echoes: Iterable[str]) -> tuple[str, ...]:
    """The order to replace them in: what holds another goes before it."""
    return tuple(sorted(echoes, key=lambda echo: (-len(echo), echo)))


def _forms(secret: str) -> Iterable[str]:
    raw = secret.encode("utf-8", "surrogatepass")
    yield secret
    if len(secret) >= SHORTEST_ENCODED:
        yield secret.lower()
        yield secret.upper()
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
    yield html_escape(secret)


def _inside_base64(raw: bytes) -> Iterator[str]:
    """What is the same in base64 whatever stands before and after, at each of the three places it can begin."""
    for before in range(3):
        bits = 8 * (before + len(raw))
        yield b64encode(bytes(before) + raw).decode("ascii")[-(-8 * before // 6) : bits // 6]


def _lower_hex(quoted: str) -> str:
    head, *rest = quoted.split("%")
    return "%".join([head, *(part[:2].lower() + part[2:] for part in rest)])


def redact(text: str, echoes: Iterable[str]) -> str:
    """The text with every echo replaced by `[redacted]`, however its characters are escaped. `echoes` come longest
    first."""
    echoes = tuple(echoes)
    for echo in echoes:
        if echo in text:
            text = text.replace(echo, REDACTED)
    if echoes and any(mark in text for mark in _MARKS):
        escape = _ESCAPE_OR_QUOTE if any(mark in echo for echo in echoes for mark in "\"'") else _ESCAPE
        meant = escape.sub(lambda escaped: _meaning(escaped[0]), text)
        if any(echo in meant for echo in echoes):
            return _redact_escaped(text, echoes, escape)
    return text


def _meaning(escaped: str) -> str:
    """The characters that an escape stands for."""
    if escaped[0] == "%":
        return unquote(escaped, errors="replace")
    if escaped[0] == "&":
        return unescape(escaped)
    plain = escaped.lstrip("\\")
    return chr(int(plain[1:], 16)) if plain[0] in "ux" else plain


def _redact_escaped(text: str, echoes: Iterable[str], escape: re.Pattern[str]) -> str:
    """`[redacted]` in place of all that means an echo; an escape that does so in part goes whole."""
    meant, starts, ends = _spelled_out(text, escape)
    kept, at = [], 0
    for begin, end in _spans(meant, echoes):
        kept += [text[at : max(at, starts[begin])], REDACTED]
        at = max(at, ends[end - 1])
    return "".join([*kept, text[at:]])


def _spelled_out(text: str, escape: re.Pattern[str]) -> tuple[str, array[int], array[int]]:
    """What the text means, and for each character of that where its spelling begins and ends in the text."""
    pieces, starts, ends, at = [], array("I"), array("I"), 0
    for escaped in escape.finditer(text):
        begin, end = escaped.span()
        meaning = _meaning(escaped[0])
        pieces += [text[at:begin], meaning]
        starts.extend(range(at, begin))
        ends.extend(range(at + 1, begin + 1))
        starts.extend([begin] * len(meaning))
        ends.extend([end] * len(meaning))
        at = end
    starts.extend(range(at, len(text)))
    ends.extend(range(at + 1, len(text) + 1))
    return "".join([*pieces, text[at:]]), starts, ends


def _spans(meant: str, echoes: Iterable[str]) -> list[tuple[int, int]]:
    """Where echoes stand, in order, none within another."""
    found = sorted(match.span() for echo in echoes for match in re.finditer(re.escape(echo), meant))
    merged: list[tuple[int, int]] = []
    for begin, end in found:
        if merged and begin < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged
