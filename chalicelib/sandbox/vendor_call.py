"""One vendor call on its way through the wall: text in from the module, text out to it.

The module can call the host by hand, with anything; so everything is looked at here, and what does not fit becomes a
TypeError in the module.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final
from urllib.parse import urlencode

from chalicelib.model import VendorRequest, VendorResponse
from chalicelib.sandbox.encode import repeated_key, whole_text

_JSON_TYPE: Final = "application/json"
_SURROGATES: Final = re.compile(
    r"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
"""In a JSON text: an escaped backslash or a whole pair (the group), or else half a pair."""
_FORM_TYPE: Final = "application/x-www-form-urlencoded"


def request_of(args: tuple[object, ...], kwargs: dict[str, object]) -> VendorRequest:
    """The call as the module made it: method, path, options, body. Raises TypeError for what does not fit.

    Options are the JSON text of [params, headers, form, host, whether the body is JSON].
    """
    match args:
        case (str(method), path, str(options), (str() | None) as body) if not kwargs:
            params, headers, form, host, is_json = _options(options)
            return VendorRequest(
                method=method.upper(),
                path=_text("path", path),
                params=_pairs("params", params),
                body=body if form is None else urlencode(_pairs("data", form)),
                headers=_headers(headers, _JSON_TYPE if is_json else None if form is None else _FORM_TYPE),
                host=None if host is None else _text("host", host),
            )
    raise TypeError("call the vendor with http.get, head, post, put, patch or delete")


def answer_of(response: VendorResponse) -> tuple[int, str, str, str | None]:
    """Status, headers as the JSON text of an object with lower-case names, the body's text.

    Last, what to read as JSON in place of that text: None unless the text escapes half a surrogate pair.
    """
    headers: dict[str, str] = {}
    for name, value in response.headers:
        known = headers.get(name.lower())
        headers[name.lower()] = value if known is None else f"{known}, {value}"
    text = whole_text(response.text)
    return response.status, json.dumps(_whole(headers)), text, _readable(text)


def _readable(text: str) -> str | None:
    """`text` with U+FFFD for every escape of half a surrogate pair, which Monty refuses to read; None without one."""
    if "\\ud" not in text and "\\uD" not in text:
        return None
    readable = _SURROGATES.sub(lambda found: found[1] or "\ufffd", text)
    return None if readable == text else readable


def _whole(headers: dict[str, str]) -> dict[str, str]:
    return {whole_text(name): whole_text(value) for name, value in headers.items()}


def _options(text: str) -> list[Any]:
    try:
        options = json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        raise TypeError("the options of a vendor call must be JSON") from None
    if not isinstance(options, list) or len(options) != 5:
        raise TypeError("the options of a vendor call are params, headers, form, host and whether the body is JSON")
    return options


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if (key := repeated_key(pairs)) is not None:
        raise TypeError(f"params, data or headers hold two entries with the key {key!r}, written as text")
    return dict(pairs)


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, not {type(value).__name__}")
    return value


def _mapping(what: str, value: object) -> dict[str, object]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError(f"{what} must be a dict, not {type(value).__name__}")
    return value


def _pairs(what: str, values: object) -> tuple[tuple[str, str], ...]:
    """One pair per value; a list gives several, None gives none."""
    pairs = []
    for name, value in _mapping(what, values).items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                pairs.append((name, _scalar(f"{what}[{name!r}]", one)))
    return tuple(pairs)


def _scalar(what: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise TypeError(f"{what} must be a str, a number, a bool or a list of them, not {type(value).__name__}")


def _headers(values: object, content_type: str | None) -> tuple[tuple[str, str], ...]:
    pairs = [(name, _text(f"headers[{name!r}]", value)) for name, value in _mapping("headers", values).items()]
    if content_type is not None and all(name.lower() != "content-type" for name, _ in pairs):
        pairs.append(("content-type", content_type))
    return tuple(pairs)
