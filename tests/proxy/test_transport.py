"""Whatever a vendor does on the wire, the call ends by its deadline with an answer or a clear refusal."""

from __future__ import annotations

import gzip
import socket
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.body import BODY_MAX
from chalicelib.proxy.transport import BODY_BYTES_MAX
from tests.proxy.conftest import Proxies, Vendors
from tests.proxy.examples import a_connection, get, post, soon
from tests.proxy.raw_vendor import RawVendor, Received, ok, says

SHORT = 0.25
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
EMPTY_BLOCKS = zlib.compress(b"")[:2] + b"\x00\x00\x00\xff\xff" * (BODY_BYTES_MAX // 5 + 1)
"""Deflate that never ends and never says anything."""


def fetch(proxy: Proxies, vendor: RawVendor, *, seconds: float = 10.0) -> str:
    connection = a_connection(vendor.host)
    return proxy(vendor.host).send(connection, get("/"), deadline=soon(seconds)).text


def refusal_of(call: Callable[[], object]) -> Refusal:
    with pytest.raises(Refusal) as refused:
        call()
    assert "127.0.0.1:" in refused.value.message  # the host as declared
    return refused.value


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (ok(b"hello"), "hello"),
        (ok(gzip.compress(b"hello", mtime=0), "Content-Encoding: gzip"), "hello"),
        (CHUNKED + b"3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nT: t\r\n\r\n", "hello"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + ok(b"hello"), "hello"),
        (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok(b"hello"), "hello"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", ""),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", ""),
        (b"HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", "ok"),
    ],
)
def test_answers_of_every_framing_are_read(proxy: Proxies, vendor: Vendors, answer: bytes, text: str) -> None:
    assert fetch(proxy, vendor(says(answer))) == text


def test_a_body_in_many_small_chunks_is_read(proxy: Proxies, vendor: Vendors) -> None:
    assert fetch(proxy, vendor(says(CHUNKED + b"1\r\nx\r\n" * 5_000 + b"0\r\n\r\n"))) == "x" * 5_000
    answer = CHUNKED + b"14\r\n01234567890123456789\r\n" * 100_000 + b"0\r\n\r\n"
    assert fetch(proxy, vendor(says(answer))) == "01234567890123456789" * 100_000


def test_a_body_without_a_length_ends_with_the_connection(proxy: Proxies, vendor: Vendors) -> None:
    assert fetch(proxy, vendor(says(b"HTTP/1.0 200 OK\r\n\r\nhello", keeps=False))) == "hello"


IMPROPER = {
    "nothing": b"",
    "blank lines": b"\r\n\r\n",
    "another protocol": b"SSH-2.0-OpenSSH_9.6\r\n",
    "no status": b"HTTP/1.1 OK\r\n\r\n",
    "an odd status": b"HTTP/1.1 99999 Odd\r\n\r\n",
    "a body too short": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
    "a chunk size that is no number": CHUNKED + b"zz\r\nhello",
    "a negative chunk": CHUNKED + b"-5\r\nhello",
    "a chunk too short": CHUNKED + b"5\r\nhel",
    "no last chunk": CHUNKED + b"5\r\nhello\r\n",
    "a giant header": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n",
    "200 headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
    "240 KiB of headers": b"HTTP/1.1 200 OK\r\n" + (b"X: " + b"x" * 60_000 + b"\r\n") * 4 + b"\r\n",
    "100 without end": b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000,
    "102 without end": b"HTTP/1.1 102 Processing\r\n\r\n" * 50,
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "a length that is two": b"HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello!",
    "a negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
    "a length in words": b"HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello",
    "a length with a sign": b"HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
    "an endless length": b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\nhello",
    "a transfer coding": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "two transfer codings": CHUNKED[:-2] + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "an odd transfer coding": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "an endless chunk size": CHUNKED + b"5" * 100_000,
    "an endless chunk extension": CHUNKED + b"5;" + b"x" * 100_000,
    "a million tiny chunks": CHUNKED + b"1\r\nx\r\n" * 1_000_000,
    "trailers without end": CHUNKED + b"0\r\n" + b"X: y\r\n" * 1_000_000,
    "101": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello",
    "no gzip": ok(b"not gzip", "Content-Encoding: gzip"),
    "half a gzip": ok(gzip.compress(b"hello", mtime=0)[:-6], "Content-Encoding: gzip"),
    "brotli": ok(b"hello", "Content-Encoding: br"),
}


@pytest.mark.parametrize("answer", IMPROPER.values(), ids=IMPROPER.keys())
def test_what_is_no_proper_answer_is_an_unreachable_vendor(proxy: Proxies, vendor: Vendors, answer: bytes) -> None:
    refusal = refusal_of(lambda: fetch(proxy, vendor(says(answer, keeps=False))))
    assert refusal.reason is Reason.VENDOR_UNREACHABLE
    assert refusal.message.endswith(".")


def test_a_reset_connection_is_an_unreachable_vendor(proxy: Proxies, vendor: Vendors) -> None:
    def reset(connection: socket.socket, _: Received) -> bool:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        connection.close()
        return False

    assert refusal_of(lambda: fetch(proxy, vendor(reset))).reason is Reason.VENDOR_UNREACHABLE


def test_nobody_listening_is_an_unreachable_vendor(proxy: Proxies) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = f"127.0.0.1:{listener.getsockname()[1]}"
    refusal = refusal_of(lambda: proxy(host).send(a_connection(host), get(), deadline=soon()))
    assert (refusal.reason, refusal.message) == (Reason.VENDOR_UNREACHABLE, f"{host} refuses connections.")


SLOW = {
    "never answers": b"",
    "stops in its headers": b"HTTP/1.1 200 OK\r\nX: y\r\n",
    "stops in its body": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhel",
    "stops in a chunk": CHUNKED + b"5\r\nhel",
    "never ends a body without length": b"HTTP/1.1 200 OK\r\n\r\nhello",
}


@pytest.mark.parametrize("answer", SLOW.values(), ids=SLOW.keys())
def test_a_vendor_that_stops_talking_ends_at_the_deadline(proxy: Proxies, vendor: Vendors, answer: bytes) -> None:
    def stop(connection: socket.socket, _: Received) -> bool:
        connection.sendall(answer)
        return not silent.closing.wait(5)

    silent = vendor(stop)
    assert refusal_of(lambda: fetch(proxy, silent, seconds=SHORT)).reason is Reason.RUN_TIMEOUT


DRIPPING = {
    "status line": b"HTTP/1.1 200 " + b"O" * 5000,
    "headers": b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 90,
    "body": ok(bytes(5000)),
    "chunks": CHUNKED + b"1\r\na\r\n" * 5000,
    "interim answers": b"HTTP/1.1 100 Continue\r\n\r\n" * 5000,
}


@pytest.mark.parametrize("answer", DRIPPING.values(), ids=DRIPPING.keys())
def test_a_vendor_that_drips_ends_at_the_deadline(proxy: Proxies, vendor: Vendors, answer: bytes) -> None:
    def drip(connection: socket.socket, _: Received) -> bool:
        dripping.drip(connection, answer, seconds=0.01)
        return False

    dripping = vendor(drip)
    assert refusal_of(lambda: fetch(proxy, dripping, seconds=SHORT)).reason is Reason.RUN_TIMEOUT


def test_a_vendor_that_never_reads_a_large_body_ends_at_the_deadline(proxy: Proxies) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = f"127.0.0.1:{listener.getsockname()[1]}"
        large = post("/", "x" * (4 * 1024 * 1024))
        refusal = refusal_of(lambda: proxy(host).send(a_connection(host), large, deadline=soon(SHORT)))
    assert refusal.reason is Reason.RUN_TIMEOUT


def test_a_deadline_that_has_passed_lets_nothing_out(proxy: Proxies, vendor: Vendors) -> None:
    idle = vendor(says(ok()))
    assert refusal_of(lambda: fetch(proxy, idle, seconds=-1)).reason is Reason.RUN_TIMEOUT
    assert idle.requests == []


def test_an_answer_of_five_mebibytes_passes_and_one_byte_more_does_not(proxy: Proxies, vendor: Vendors) -> None:
    assert len(fetch(proxy, vendor(says(ok(b"x" * BODY_MAX))))) == BODY_MAX
    refusal = refusal_of(lambda: fetch(proxy, vendor(says(ok(b"x" * (BODY_MAX + 1))))))
    assert (refusal.reason, "5 MiB" in refusal.message) == (Reason.RESPONSE_TOO_LARGE, True)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\n\r\n" + bytes(BODY_MAX + 1),
        b"HTTP/1.1 200 OK\r\nContent-Length: 53687091200\r\n\r\n",
        ok(gzip.compress(bytes(50 * 1024 * 1024), mtime=0), "Content-Encoding: gzip"),
        CHUNKED + b"400000\r\n%b\r\n200000\r\n%b" % (bytes(0x400000), bytes(0x200000)),
        ok(EMPTY_BLOCKS, "Content-Encoding: deflate"),
    ],
    ids=["no length", "fifty announced gigabytes", "a compressed bomb", "chunks", "compressed nothing"],
)
def test_a_larger_answer_is_refused_in_every_framing(proxy: Proxies, vendor: Vendors, answer: bytes) -> None:
    refusal = refusal_of(lambda: fetch(proxy, vendor(says(answer, keeps=False))))
    assert refusal.reason is Reason.RESPONSE_TOO_LARGE


def test_the_next_call_is_fine_after_any_of_this(proxy: Proxies, vendor: Vendors) -> None:
    odd = vendor(says(b"nonsense\r\n\r\n", ok(bytes(BODY_MAX + 1)), ok(b"fine"), keeps=False))
    sender, connection = proxy(odd.host), a_connection(odd.host)
    for reason in (Reason.VENDOR_UNREACHABLE, Reason.RESPONSE_TOO_LARGE):
        assert refusal_of(lambda: sender.send(connection, get(), deadline=soon())).reason is reason
    assert sender.send(connection, get(), deadline=soon()).text == "fine"


def test_reads_share_one_connection(proxy: Proxies, vendor: Vendors) -> None:
    steady = vendor(says(ok(b"hello")))
    sender, connection = proxy(steady.host), a_connection(steady.host)
    for _ in range(5):
        assert sender.send(connection, get(), deadline=soon()).text == "hello"
    assert steady.connections == 1


def test_the_address_is_checked_again_for_a_connection_that_is_kept(proxy: Proxies, vendor: Vendors) -> None:
    steady = vendor(says(ok(b"hello")))
    addresses = [["127.0.0.1"], ["169.254.169.254"]]
    host = steady.named("flips.test")
    sender, connection = proxy(host, resolve=lambda *_: addresses.pop(0)), a_connection(host)
    assert sender.send(connection, get(), deadline=soon()).text == "hello"
    with pytest.raises(Refusal) as refused:
        sender.send(connection, get(), deadline=soon())
    assert refused.value.reason is Reason.HOST_NOT_ALLOWED
    assert len(steady.requests) == 1


def test_an_answer_with_length_and_chunks_is_read_by_its_chunks_and_ends_the_connection(
    proxy: Proxies, vendor: Vendors
) -> None:
    both = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    odd = vendor(says(both))
    sender, connection = proxy(odd.host), a_connection(odd.host)
    assert [sender.send(connection, get(), deadline=soon()).text for _ in range(2)] == ["hello", "hello"]
    assert odd.connections == 2


def test_two_connections_never_share_a_socket(proxy: Proxies, vendor: Vendors) -> None:
    steady = vendor(says(ok(b"hello")))
    sender = proxy(steady.host)
    for name in ("c1", "c2"):
        sender.send(a_connection(steady.host, connection_id=name), get(), deadline=soon())
    assert steady.connections == 2


def test_a_write_takes_a_fresh_connection_and_is_sent_once(proxy: Proxies, vendor: Vendors) -> None:
    def hang_up_on_writes(connection: socket.socket, received: Received) -> bool:
        if received.method == "POST":
            return False
        connection.sendall(ok(b"hello"))
        return True

    steady = vendor(hang_up_on_writes)
    sender, connection = proxy(steady.host), a_connection(steady.host)
    sender.send(connection, get(), deadline=soon())
    with pytest.raises(Refusal, match="closed the connection"):
        sender.send(connection, post("/", "x"), deadline=soon())
    assert [received.method for received in steady.requests] == ["GET", "POST"]


def test_a_read_over_a_connection_that_died_is_repeated(proxy: Proxies, vendor: Vendors) -> None:
    answers = [True, False, True]

    def second_time_deaf(connection: socket.socket, _: Received) -> bool:
        if answers.pop(0):
            connection.sendall(ok(b"hello"))
            return True
        return False

    flaky = vendor(second_time_deaf)
    sender, connection = proxy(flaky.host), a_connection(flaky.host)
    assert [sender.send(connection, get(), deadline=soon()).text for _ in range(2)] == ["hello", "hello"]
    assert (flaky.connections, len(flaky.requests)) == (2, 3)


def test_a_vendor_that_talks_out_of_turn_loses_the_connection(proxy: Proxies, vendor: Vendors) -> None:
    chatty = vendor(says(ok(b"mine") + ok(b"meant for the next one")))
    sender, connection = proxy(chatty.host), a_connection(chatty.host)
    assert [sender.send(connection, get(), deadline=soon()).text for _ in range(2)] == ["mine", "mine"]
    assert chatty.connections == 2


def test_a_vendor_may_answer_before_it_has_read_everything(proxy: Proxies) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:
        host = f"127.0.0.1:{listener.getsockname()[1]}"

        def answer_early() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1024)
                connection.sendall(ok(b"too much", "Connection: close", status="413 Content Too Large"))
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 20):
                    pass

        answered = pool.submit(answer_early)
        response = proxy(host).send(a_connection(host), post("/", "x" * (4 << 20)), deadline=soon())
        answered.result()
    assert (response.status, response.text) == (413, "too much")


def test_many_threads_get_their_own_answers(proxy: Proxies, vendor: Vendors) -> None:
    def echo(connection: socket.socket, received: Received) -> bool:
        connection.sendall(ok(received.target.encode()))
        return True

    echoing = vendor(echo)
    sender, connection = proxy(echoing.host), a_connection(echoing.host)
    paths = [f"/{number}" for number in range(100)]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda path: sender.send(connection, get(path), deadline=soon()).text, paths))
    assert found == paths


def test_a_second_address_is_tried_when_the_first_refuses(proxy: Proxies, vendor: Vendors) -> None:
    steady = vendor(says(ok(b"hello")))
    host = steady.named("two.test")
    sender = proxy(host, resolve=lambda *_: ["127.0.0.2", "127.0.0.1"])
    assert sender.send(a_connection(host), get(), deadline=soon()).text == "hello"
