"""Bodies are decompressed under a limit and decoded without surprises."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.proxy.body import BODY_MAX, Garbled, TooLarge, collect, to_text


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[place : place + size] for place in range(0, len(data), size))


@given(st.binary(max_size=2000), st.integers(1, 300))
def test_every_coding_gives_the_body_back_however_it_is_cut(data: bytes, size: int) -> None:
    assert collect(pieces(data, size), "") == data
    assert collect(pieces(data, size), "Identity") == data
    assert collect(pieces(gzip.compress(data, mtime=0), size), "GZIP") == data
    assert collect(pieces(zlib.compress(data), size), "deflate") == data
    assert collect(pieces(bare_deflate(data), size), "deflate") == data
    assert (
        collect(pieces(gzip.compress(data, mtime=0) + gzip.compress(b"more", mtime=0), size), "gzip") == data + b"more"
    )


def test_what_follows_the_compressed_body_is_dropped() -> None:
    assert collect([gzip.compress(b"x", mtime=0) + b"\x00\x00junk"], "gzip") == b"x"


def test_no_body_at_all_needs_no_decompression() -> None:
    assert collect([], "gzip") == b""


def test_the_limit_itself_still_passes() -> None:
    assert len(collect([bytes(BODY_MAX)], "")) == BODY_MAX
    assert len(collect([gzip.compress(bytes(BODY_MAX), mtime=0)], "gzip")) == BODY_MAX


def test_one_byte_more_is_too_large() -> None:
    with pytest.raises(TooLarge):
        collect([bytes(BODY_MAX), b"x"], "")
    with pytest.raises(TooLarge):
        collect([gzip.compress(bytes(BODY_MAX + 1), mtime=0)], "gzip")


def test_a_compressed_bomb_is_stopped_before_it_fills_memory() -> None:
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(60)) + packer.flush()
    tracemalloc.start()
    with pytest.raises(TooLarge):
        collect([bomb], "deflate")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * BODY_MAX


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (gzip.compress(b"hello there", mtime=0)[:-4], "gzip"),
        (gzip.compress(b"hello there", mtime=0)[:5], "gzip"),
        (b"not compressed", "gzip"),
        (b"hello", "br"),
        (b"hello", "gzip, gzip"),
        (b"hello", "zstd"),
    ],
)
def test_a_body_that_is_not_what_it_says_is_garbled(body: bytes, coding: str) -> None:
    with pytest.raises(Garbled):
        collect([body], coding)


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("日本語 🎉".encode(), "application/json", "日本語 🎉"),
        ("日本語".encode("shift_jis"), "text/html; charset=Shift_JIS", "日本語"),
        ("é".encode("latin-1"), "text/plain;charset=ISO-8859-1", "é"),
        ("é€".encode("cp1252"), 'text/plain; charset="windows-1252"', "é€"),
        ("ü".encode("utf-16"), "text/plain; charset=utf-16", "ü"),
        (b"\xef\xbb\xbf{}", "application/json", "{}"),
        (b"a\x00b", None, "a\x00b"),
        (b"\xff\xfe\xfd", "application/json", "\ufffd\ufffd\ufffd"),
        ("é".encode(), "text/plain; charset=", "é"),
        ("é".encode(), "text/plain; charset=no-such-codec", "é"),
        ("é".encode(), "text/plain; charset=punycode", "é"),
        ("é".encode(), "text/plain; charset=unicode_escape", "é"),
        ("é".encode(), "text/plain; charset=rot13", "é"),
        ("é".encode(), "text/plain; charset=idna", "é"),
        ("é".encode(), "text/plain; charset=utf-7", "é"),
        ("é".encode(), "text/plain; charset=base64", "é"),
        ("é".encode(), "text/plain; charset=../../x\x00", "é"),
    ],
)
def test_text_follows_the_charset_if_it_is_a_safe_one(body: bytes, content_type: str | None, text: str) -> None:
    assert to_text(body, content_type) == text


@given(st.binary(max_size=200), st.none() | st.text(max_size=40))
def test_any_bytes_become_text_that_can_be_sent_on(body: bytes, content_type: str | None) -> None:
    to_text(body, content_type).encode()
