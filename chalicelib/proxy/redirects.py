"""Where a redirect leads, judged by the same rules as the call that met it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.call import Call
from chalicelib.proxy.hosts import HTTPS_PORT, HostRules, parse_host
from chalicelib.proxy.params import without
from chalicelib.proxy.paths import build_target

REDIRECTS_MAX: Final = 3
_STATUSES: Final = frozenset({301, 302, 303, 307, 308})
_UNFIT = re.compile(r"[\x00-\x1f\x7f\\]|^([A-Za-z]+:)?///")
"""The last is another host to a browser and a path to urllib."""
_PRINTABLE: Final = "".join(map(chr, range(0x21, 0x7F)))
_DEFAULT_PORTS: Final = {"https": HTTPS_PORT, "http": 80}
_ABOUT_THE_BODY: Final = "content-"


def next_call(call: Call, status: int, location: str | None, rules: HostRules) -> Call | None:
    """The call that follows this answer; None when it is no redirect.

    The method stays or becomes GET (RFC 9110, 15.4), so it never goes beyond what the tool declared.
    Refuses `host_not_allowed` any place outside the declared hosts.
    """
    if status not in _STATUSES or not location:
        return None
    try:
        moved = _moved(call, location, rules)
    except Refusal as refusal:
        message = f"The vendor answered with a redirect that was not followed. {refusal.message}"
        raise Refusal(Reason.HOST_NOT_ALLOWED, message) from None
    return _as_get(moved) if _turns_into_get(call.method, status) else moved


def _moved(call: Call, location: str, rules: HostRules) -> Call:
    parts = _absolute(call, location)
    host = parse_host(parts.netloc, _DEFAULT_PORTS[parts.scheme])
    rules.require(host, parts.scheme)
    target = without(build_target(f"{parts.path}?{parts.query}"), call.own_params)
    return replace(call, scheme=parts.scheme, host=host, target=target)


def _absolute(call: Call, location: str) -> SplitResult:
    """Header bytes arrive as Latin-1; what a vendor meant by those beyond ASCII is UTF-8, percent-encoded."""
    location = location.strip(" \t")
    if _UNFIT.search(location):
        raise _nowhere()
    plain = quote(location.encode("latin-1", "replace"), safe=_PRINTABLE)
    try:
        parts = urlsplit(urljoin(f"{call.scheme}://{call.host.authority}{call.target}", plain))
    except ValueError:
        raise _nowhere() from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise _nowhere()
    return parts


def _nowhere() -> Refusal:
    return Refusal(Reason.HOST_NOT_ALLOWED, "It does not lead to an https address.")


def _turns_into_get(method: str, status: int) -> bool:
    return (status == 303 and method != "HEAD") or (status in {301, 302} and method == "POST")


def _as_get(call: Call) -> Call:
    headers = tuple(header for header in call.headers if not header[0].lower().startswith(_ABOUT_THE_BODY))
    return replace(call, method="GET", headers=headers, body=None)
