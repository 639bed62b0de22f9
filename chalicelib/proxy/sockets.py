"""A connection on which every read and write ends by the call's deadline, and that reads no more than it may."""

from __future__ import annotations

import io
import select
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from chalicelib.proxy.call import Call
from chalicelib.proxy.deadline import DeadlinePassed, seconds_left

Dial: TypeAlias = Callable[[str, int, float], socket.socket]
"""Address, port and seconds → a connected socket. Raises OSError."""

_BUFFER_BYTES: Final = 16 * 1024


class AllowanceSpent(Exception):
    """The vendor sent more bytes than this part of its answer may have."""


class TimedSocket:
    """What `http.client` needs of a socket. `http.client` closes its sockets early; this one its owner closes."""

    def __init__(self, raw: socket.socket) -> None:
        self._raw = raw
        self._deadline = 0.0
        self._allowance = 0
        self._resting = False
        self._reader = _KeptReader(_Source(self._receive), _BUFFER_BYTES)

    def begin(self, deadline: float, allowance: int) -> None:
        """Start a part of an exchange: until when, and how many bytes may come in."""
        self._deadline = deadline
        self._allowance = allowance

    def sendall(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self._raw.settimeout(seconds_left(self._deadline))
            try:
                view = view[self._raw.send(view) :]
            except TimeoutError as error:
                raise _late(error) from None

    def makefile(self, _mode: str) -> io.BufferedReader:
        return self._reader

    def is_quiet(self) -> bool:
        """Whether the vendor neither closed the connection nor said anything out of turn."""
        self._resting = True
        try:
            if self._reader.peek(1):
                return False
        finally:
            self._resting = False
        if isinstance(self._raw, ssl.SSLSocket) and self._raw.pending():
            return False
        poll = select.poll()
        poll.register(self._raw, select.POLLIN | select.POLLHUP | select.POLLERR)
        return not poll.poll(0)

    def close(self) -> None:
        self._raw.close()

    def _receive(self, buffer: memoryview) -> int | None:
        if self._resting:
            return None
        self._raw.settimeout(seconds_left(self._deadline))
        try:
            count = self._raw.recv_into(buffer)
        except TimeoutError as error:
            raise _late(error) from None
        self._allowance -= count
        if self._allowance < 0:
            raise AllowanceSpent
        return count


def _late(error: TimeoutError) -> Exception:
    """A time-out of ours carries no error number; one with a number is the network's own."""
    return DeadlinePassed() if error.errno is None else error


class _Source(io.RawIOBase):
    def __init__(self, receive: Callable[[memoryview], int | None]) -> None:
        self._receive = receive

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]  # a buffer is always a memoryview here
        return self._receive(buffer)


class _KeptReader(io.BufferedReader):
    """Outlives the response that reads from it: bytes it holds ahead belong to the connection."""

    def close(self) -> None:
        pass


def dial(address: str, port: int, seconds: float) -> socket.socket:
    """Connect to an address given in numbers; nothing is looked up here."""
    raw = socket.create_connection((address, port), timeout=seconds)
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return raw


def connect(
    call: Call, addresses: Sequence[str], *, dial: Dial, tls: Callable[[], ssl.SSLContext], deadline: float
) -> tuple[str, TimedSocket]:
    """Connect to the first of the checked addresses that answers, and prove the host's name over TLS.

    Each address gets an even share of the time that is left. Raises OSError, DeadlinePassed.
    """
    for place, address in enumerate(addresses, start=1):
        share = seconds_left(deadline) / (len(addresses) - place + 1)
        try:
            raw = dial(address, call.host.port, share)
        except OSError:
            if place == len(addresses):
                seconds_left(deadline)
                raise
        else:
            return address, TimedSocket(_secured(raw, call, tls, deadline) if call.scheme == "https" else raw)
    raise ConnectionError("no address")


def _secured(raw: socket.socket, call: Call, tls: Callable[[], ssl.SSLContext], deadline: float) -> ssl.SSLSocket:
    try:
        raw.settimeout(seconds_left(deadline))
        return tls().wrap_socket(raw, server_hostname=call.host.name)
    except TimeoutError as error:
        raw.close()
        raise _late(error) from None
    except BaseException:
        raw.close()
        raise


def client_tls() -> ssl.SSLContext:
    """Certificates and host names verified against the system's authorities; HTTP/1.1 only."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
