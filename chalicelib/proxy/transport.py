"""One HTTP/1.1 exchange with a checked address, ended by the deadline whatever the vendor does."""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Final, cast

from chalicelib.errors import Reason, Refusal
from chalicelib.model import READING_METHODS
from chalicelib.proxy.addresses import Resolver, checked_addresses, system_resolve
from chalicelib.proxy.body import BODY_MAX, Garbled, TooLarge, collect
from chalicelib.proxy.call import Call
from chalicelib.proxy.deadline import DeadlinePassed, seconds_left
from chalicelib.proxy.headers import Headers
from chalicelib.proxy.idle import IdleConnections, IdleKey
from chalicelib.proxy.sockets import AllowanceSpent, Dial, TimedSocket, client_tls, connect, dial

if TYPE_CHECKING:
    import socket

HEAD_BYTES_MAX: Final = 128 * 1024
"""Of an answer before its body, interim answers included."""
BODY_BYTES_MAX: Final = 2 * BODY_MAX
"""Before decompression, which may make nothing of endless bytes."""
INTERIM_MAX: Final = 10
_LENGTH = re.compile(r"[0-9]{1,18}")
_PIECE_BYTES: Final = 64 * 1024
_PIECE_BYTES_ON_THE_WIRE: Final = 112 * 1024
"""With the framing: millions of tiny chunks, or of trailers, would cost seconds of CPU."""


@dataclass(frozen=True, slots=True)
class WireAnswer:
    status: int
    headers: Headers = field(repr=False)
    """As sent, names in lower case."""
    body: bytes = field(repr=False)
    """Its content coding undone."""

    def header(self, name: str) -> str | None:
        """The first value under the lower-case name."""
        return next((value for key, value in self.headers if key == name), None)


class Transport:
    """Connections to vendors, kept alive between calls. Safe to share between threads."""

    def __init__(
        self, *, resolve: Resolver = system_resolve, dial: Dial = dial, tls: Callable[[], ssl.SSLContext] = client_tls
    ) -> None:
        self._resolve = resolve
        self._dial = dial
        self._tls = cache(tls)
        self._idle = IdleConnections()

    def exchange(self, call: Call, headers: Headers, *, is_local: bool, owner: str, deadline: float) -> WireAnswer:
        """Look the host up, check its addresses, and send the call to one of them with exactly these headers.

        Refuses `host_not_allowed`, `run_timeout`, `response_too_large`, `vendor_unreachable`.
        """
        with _explained(call):
            addresses = checked_addresses(call.host, self._resolve, is_local=is_local, deadline=deadline)
            keys = {address: (owner, call.scheme, call.host.authority, address) for address in addresses}
            request = _request_bytes(call, headers)
            answer = self._ask_again(call, request, keys, deadline) if call.method in READING_METHODS else None
            if answer is None:
                address, fresh = connect(call, addresses, dial=self._dial, tls=self._tls, deadline=deadline)
                answer = self._converse(fresh, call, request, keys[address], deadline)
            return answer

    def _ask_again(self, call: Call, request: bytes, keys: Mapping[str, IdleKey], deadline: float) -> WireAnswer | None:
        """Over a connection that rested; None: there is none, or it was dead. For reading calls only, which can be
        repeated then."""
        for key in keys.values():
            if kept := self._idle.take(key):
                with suppress(ConnectionError):
                    return self._converse(kept, call, request, key, deadline)
        return None

    def close(self) -> None:
        self._idle.close()

    def _converse(
        self, connection: TimedSocket, call: Call, request: bytes, key: IdleKey, deadline: float
    ) -> WireAnswer:
        can_rest = False
        try:
            connection.begin(deadline, HEAD_BYTES_MAX)
            with suppress(BrokenPipeError):  # a vendor may answer and hang up before it has read everything
                connection.sendall(request)
            with _final_response(connection, call.method) as response:
                answer = _answer(connection, response, deadline)
                can_rest = response.isclosed() and not response.will_close
            return answer
        finally:
            if can_rest:
                self._idle.put(key, connection)
            else:
                connection.close()


def _request_bytes(call: Call, headers: Headers) -> bytes:
    length = () if call.body is None else (("Content-Length", str(len(call.body))),)
    lines = (f"{name}: {value}" for name, value in (("Host", str(call.host)), *headers, *length))
    head = "\r\n".join((f"{call.method} {call.target} HTTP/1.1", *lines, "", ""))
    return head.encode("latin-1") + (call.body or b"")


def _final_response(connection: TimedSocket, method: str) -> HTTPResponse:
    """The answer behind any interim ones (103 and the like; http.client itself passes over 100)."""
    for _ in range(INTERIM_MAX):
        with ExitStack() as unless_final:
            response = unless_final.enter_context(HTTPResponse(cast("socket.socket", connection), method=method))
            try:
                response.begin()
            except AllowanceSpent:
                raise Garbled("its headers are too large") from None
            if response.status >= 200:
                _require_plain_framing(response)
                unless_final.pop_all()
                return response
    raise Garbled("it sent interim answers without end")


def _require_plain_framing(response: HTTPResponse) -> None:
    """One length or chunks (RFC 9112, 6.3). An answer that names both is read by its chunks and ends the connection."""
    codings = [value.strip().lower() for value in response.headers.get_all("transfer-encoding", [])]
    lengths = {value.strip() for value in response.headers.get_all("content-length", [])}
    if codings not in ([], ["chunked"]):
        raise Garbled("its body is framed in a way that was not asked for")
    if len(lengths) > 1 or not all(_LENGTH.fullmatch(length) for length in lengths):
        raise Garbled("it does not say plainly how long its body is")
    if codings and lengths:
        response.will_close = True


def _answer(connection: TimedSocket, response: HTTPResponse, deadline: float) -> WireAnswer:
    headers = tuple((name.lower(), value) for name, value in response.headers.items())
    if response.length is not None and response.length > BODY_MAX:
        raise TooLarge
    codings = response.headers.get("content-encoding", "")
    return WireAnswer(response.status, headers, collect(_pieces(connection, response, deadline), codings))


def _pieces(connection: TimedSocket, response: HTTPResponse, deadline: float) -> Iterator[bytes]:
    count = 0
    while piece := _piece(connection, response, deadline):
        count += len(piece)
        if count > BODY_BYTES_MAX:
            raise TooLarge
        yield piece
    if response.length:
        raise Garbled("its body ends too early")


def _piece(connection: TimedSocket, response: HTTPResponse, deadline: float) -> bytes:
    seconds_left(deadline)
    connection.begin(deadline, _PIECE_BYTES_ON_THE_WIRE)
    try:
        return response.read(_PIECE_BYTES)
    except AllowanceSpent:
        raise Garbled("its body comes in too many tiny pieces") from None


@contextmanager
def _explained(call: Call) -> Iterator[None]:
    """Failures as refusals in words of ours. The causes are cut off: they may quote what the vendor sent."""
    host = call.host
    try:
        yield
    except DeadlinePassed:
        message = f"The run's time was used up before {host} had answered. Ask for less, or call again later."
        raise Refusal(Reason.RUN_TIMEOUT, message) from None
    except TooLarge:
        raise Refusal(Reason.RESPONSE_TOO_LARGE, _too_large(call)) from None
    except Garbled as error:
        raise _unreachable(f"{host} gave an answer that cannot be read: {error}.") from None
    except ssl.SSLCertVerificationError as error:
        raise _unreachable(f"{host} did not prove its name: {error.verify_message}.") from None
    except ssl.SSLError:
        raise _unreachable(f"{host} could not agree on a secure connection.") from None
    except ConnectionRefusedError:
        raise _unreachable(f"{host} refuses connections.") from None
    except ConnectionError:
        raise _unreachable(f"{host} closed the connection before it had answered.") from None
    except OSError:
        raise _unreachable(f"{host} could not be reached.") from None
    except (HTTPException, ValueError, OverflowError):
        raise _unreachable(f"{host} gave an answer that is not HTTP, or has too many headers.") from None


def _too_large(call: Call) -> str:
    size = BODY_MAX // (1024 * 1024)
    return f"The answer of {call.host} is larger than {size} MiB. Ask for less: a page, a filter, fewer fields."


def _unreachable(message: str) -> Refusal:
    return Refusal(Reason.VENDOR_UNREACHABLE, message)
