"""A response's body: taken in pieces, decompressed under a limit, decoded to text."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

BODY_MAX: Final = 5 * 1024 * 1024
"""Bytes of a response, after decompression."""

_GZIP_OR_ZLIB: Final = zlib.MAX_WBITS | 32
_RAW_DEFLATE: Final = -zlib.MAX_WBITS
_GZIP_MAGIC: Final = b"\x1f\x8b"
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([A-Za-z0-9_.:+-]{1,40})", re.IGNORECASE)
_TEXT_CODECS: Final = frozenset(
    {"ascii", "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"}
    | {"shift_jis", "euc_jp", "iso2022_jp", "gb2312", "gbk", "gb18030", "big5", "big5hkscs", "euc_kr"}
    | {"koi8-r", "koi8-u", "tis-620", "mac-roman", "cp437", "cp850", "cp866", "cp874", "cp932", "cp949"}
)
"""Codecs that are quick on any input; punycode takes minutes for a megabyte."""
_TEXT_CODEC_FAMILIES: Final = ("iso8859-", "cp125")


class TooLarge(Exception):
    """The body is over the limit."""


class Garbled(Exception):
    """The body is not what its headers say. The text says how, in words of ours."""


def collect(pieces: Iterable[bytes], coding: str) -> bytes:
    """The body whole, its content coding undone. Raises TooLarge, Garbled; never holds more than the limit."""
    body = bytearray()
    for piece in _decoded(pieces, coding.strip().lower()):
        body += piece
        if len(body) > BODY_MAX:
            raise TooLarge
    return bytes(body)


def _decoded(pieces: Iterable[bytes], coding: str) -> Iterator[bytes]:
    if coding in {"", "identity"}:
        return iter(pieces)
    if coding in {"gzip", "x-gzip", "deflate"}:
        return _inflated(pieces)
    raise Garbled("its body is in a content coding that was not asked for")


def _inflated(pieces: Iterable[bytes]) -> Iterator[bytes]:
    inflater = None
    for piece in pieces:
        rest = piece
        while rest:
            if inflater is None:
                inflater = zlib.decompressobj(_window_bits(rest))
            elif inflater.eof:
                if not _GZIP_MAGIC.startswith(rest[:2]):
                    return
                inflater = zlib.decompressobj(_GZIP_OR_ZLIB)
            yield _inflate(inflater, rest)
            rest = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
    if inflater is not None and not inflater.eof:
        raise Garbled("its compressed body ends too early")


def _inflate(inflater: zlib._Decompress, rest: bytes) -> bytes:
    try:
        return inflater.decompress(rest, BODY_MAX + 1)
    except zlib.error:
        raise Garbled("its compressed body is damaged") from None


def _window_bits(head: bytes) -> int:
    """Some servers say `deflate` and leave out zlib's two bytes. No bare stream begins with either wrapping's byte."""
    is_wrapped = head[0] == _GZIP_MAGIC[0] or head[0] & 0x0F == zlib.DEFLATED
    return _GZIP_OR_ZLIB if is_wrapped else _RAW_DEFLATE


def to_text(body: bytes, content_type: str | None) -> str:
    """The body in the charset its content type names, else UTF-8; bytes that do not fit become U+FFFD."""
    codec = _codec(content_type or "")
    if codec == "utf-8" and body.startswith(codecs.BOM_UTF8):
        codec = "utf-8-sig"
    return body.decode(codec, "replace")


def _codec(content_type: str) -> str:
    named = _CHARSET.search(content_type)
    try:
        name = codecs.lookup(named[1] if named else "utf-8").name
    except LookupError:
        return "utf-8"
    return name if name in _TEXT_CODECS or name.startswith(_TEXT_CODEC_FAMILIES) else "utf-8"
