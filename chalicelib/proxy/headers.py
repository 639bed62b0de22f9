"""Which of a module's headers travel to the vendor, and what a header may hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

from chalicelib.errors import Reason, Refusal

Headers: TypeAlias = tuple[tuple[str, str], ...]

USER_AGENT: Final = "graft"
ACCEPT_ENCODING: Final = "gzip, deflate"
HEADER_COUNT_MAX: Final = 64
HEADER_CHARACTERS_MAX: Final = 16 * 1024

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}")
_VALUE = re.compile(r"(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?")
_BREAKS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+[ \t]*")
_NAMES_A_METHOD = re.compile(r"method|(?:^|-)(?:http)?verb(?:-|$)|(?:^|-)http-?override")
"""X-HTTP-Method-Override, X-RestLi-Method, X-HTTP-Verb and their like, written down somewhere or not: by its name alone
such a header may turn one method into another. Harmless ones with such a name go with them."""
_NOT_LETTER_OR_DIGIT = re.compile(r"[^a-z0-9]")

FRAMING: Final = frozenset(
    {
        "connection",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "http2-settings",
        "expect",
        "content-length",
        "accept-encoding",
        "host",
    }
)
"""The proxy alone decides how a message is framed, decoded and addressed."""
PROVENANCE: Final = frozenset(
    {"forwarded", "via", "x-host", "x-original-url", "x-rewrite-url", "x-original-host", "x-real-ip", "client-ip"}
    | {"x-client-ip", "true-client-ip", "cf-connecting-ip", "fastly-client-ip", "x-cluster-client-ip"}
    | {"x-remote-ip", "x-remote-addr", "x-originating-ip", "x-envoy-external-address"}
)
"""Where a request is said to come from, or to go to."""
CREDENTIALS: Final = frozenset({"authorization", "cookie", "cookie2"})
_KEPT_BACK: Final = FRAMING | {"set-cookie", "set-cookie2", "content-encoding"}
"""Of an answer: how it travelled, and cookies, which no later call would send."""
_RESERVED_PREFIXES: Final = ("proxy-", "x-forwarded", "x-original-forwarded")


def comparable(name: str) -> str:
    """A header name as lax servers read it: `X_Forwarded_For` and `x-forwarded-for` are one."""
    return _NOT_LETTER_OR_DIGIT.sub("-", name.lower())


def is_reserved(name: str) -> bool:
    """Whether the header is the proxy's own business, whoever asks: framing, provenance, another method."""
    plain = comparable(name)
    is_known = plain in FRAMING | PROVENANCE or plain.startswith(_RESERVED_PREFIXES)
    return is_known or _NAMES_A_METHOD.search(plain) is not None


def is_header_name(name: str) -> bool:
    """RFC 9110 token, to 256 characters."""
    return _TOKEN.fullmatch(name) is not None


def is_header_value(value: str) -> bool:
    """What HTTP carries unchanged: Latin-1, no control characters, no space at either end."""
    return _VALUE.fullmatch(value) is not None


def carried(headers: Iterable[tuple[str, str]], own: frozenset[str]) -> Headers:
    """The module's headers that travel. `own` are the connection's own, in their comparable form.

    Refuses `tool_failed` what HTTP cannot carry: names, values, more than 64 headers or 16 KiB.
    """
    given = tuple(headers)
    if len(given) > HEADER_COUNT_MAX:
        raise Refusal(Reason.TOOL_FAILED, f"A request carries at most {HEADER_COUNT_MAX} headers.")
    if sum(len(name) + len(value) for name, value in given) > HEADER_CHARACTERS_MAX:
        raise Refusal(Reason.TOOL_FAILED, f"A request's headers have at most {HEADER_CHARACTERS_MAX} characters.")
    kept = []
    for name, value in given:
        if not is_header_name(name):
            raise Refusal(Reason.TOOL_FAILED, f"{name[:80]!a} is not a header name.")
        if is_reserved(name) or comparable(name) in CREDENTIALS | own:
            continue
        if not is_header_value(value):
            raise Refusal(Reason.TOOL_FAILED, _unfit(name))
        kept.append((name, value))
    return tuple(kept)


def with_ours(headers: Headers) -> Headers:
    """The headers with the two that every request has: who asks, unless they say so themselves, and the codings."""
    is_named = any(name.lower() == "user-agent" for name, _ in headers)
    return (*(() if is_named else (("User-Agent", USER_AGENT),)), ("Accept-Encoding", ACCEPT_ENCODING), *headers)


def answered(headers: Iterable[tuple[str, str]], *, has_body: bool) -> Headers:
    """An answer's headers as a module sees them: without framing and cookies, a folded value on one line.
    `content-length` stays where there is no body: to HEAD it is the answer, elsewhere decoding made it untrue."""
    dropped = _KEPT_BACK if has_body else _KEPT_BACK - {"content-length"}
    return tuple((name, _BREAKS.sub(" ", value)) for name, value in headers if name not in dropped)


def _unfit(name: str) -> str:
    return (
        f"The value of the header {name} cannot be sent: a header holds Latin-1 characters, "
        "no line breaks or other control characters, and no space at its ends."
    )
