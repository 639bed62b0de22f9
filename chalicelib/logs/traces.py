"""An exception as the log may hold it: where it happened and of which kind, and of its text what cannot quote a value.

Python's traceback shows no variables, but texts do: botocore prints the parameters that it finds invalid, `KeyError`
the key, URL errors the query, and a tool's error whatever its module raised.
"""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Iterator
from typing import Final

from chalicelib.errors import Conflict, Misconfigured, Refusal

FRAMES_MAX: Final = 30
"""The innermost; repeated ones count once."""
CHAIN_MAX: Final = 5
REDACTED: Final = "[redacted]"
_SECRETS: Final = re.compile(
    r"grft_[\w-]+"
    r"|(?<=://)[^/\s@]+(?=@)"
    r"|(?<=\?)[^\s'\"]+"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{12,}"
    r"|(?<=bearer )\S+|(?<=basic )\S+|(?<=authorization: )[^\r\n]+",
    re.IGNORECASE,
)
_CODES_THAT_QUOTE_NO_VALUE: Final = re.compile(
    "AccessDenied|ResourceNotFound|NotFound|Disabled|KMSInvalidState|UnrecognizedClient|ExpiredToken|Throttl|Limit"
)
_SAFE_BOTOCORE: Final = frozenset(
    {
        "ConnectTimeoutError",
        "ConnectionClosedError",
        "EndpointConnectionError",
        "NoCredentialsError",
        "NoRegionError",
        "ReadTimeoutError",
        "SSLError",
    }
)


def redacted(text: str) -> str:
    """The text without what looks like a token, a credential in a URL or a header, or a query string."""
    return _SECRETS.sub(REDACTED, text)


def trace_of(error: BaseException) -> str:
    """The exception and what caused it, the cause first, as Python prints them; texts as `text_of` has them."""
    return "\n".join(reversed([_one(link) for link in _chain(error)]))


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    for _ in range(CHAIN_MAX):
        if link is None:
            return
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _one(error: BaseException) -> str:
    frames = "".join(traceback.format_tb(error.__traceback__, limit=-FRAMES_MAX))
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    return f"{frames}{kind}: {text_of(error)}"


def text_of(error: BaseException) -> str:
    """What may be told of an exception's text."""
    match error:
        case Conflict() | Misconfigured():
            return str(error)
        case Refusal():
            return str(error.reason)
        case ImportError() | NameError() | AttributeError():
            return f"about the name {error.name}"
        case OSError() if error.errno and type(error).__module__ != "ssl":
            return f"{os.strerror(error.errno)} ({error.errno})"
    return _of_botocore(error) or "(its text is left out: it may quote values)"


def _of_botocore(error: BaseException) -> str | None:
    """Told by shape and name, so that the log needs no botocore."""
    response = getattr(error, "response", None)
    if isinstance(response, dict) and hasattr(error, "operation_name"):
        stated = response.get("Error", {})
        code = str(stated.get("Code", ""))
        message = str(stated.get("Message", "")) if _CODES_THAT_QUOTE_NO_VALUE.search(code) else ""
        return redacted(f"{code} from {error.operation_name}. {message}".rstrip())
    if type(error).__module__ == "botocore.exceptions" and type(error).__name__ in _SAFE_BOTOCORE:
        return redacted(str(error))
    return None
