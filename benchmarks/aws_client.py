"""What DynamoDB's client costs, by how it is made and set: `python -m benchmarks.aws_client`. Takes half a minute.

boto3 beside botocore, each in new processes of Lambda's Python where that was fetched; then CPU a request, against a
server in another process that answers at once. Every way takes its turn, so that a loaded machine meets all alike.
"""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import boto3
import botocore.session
from botocore.config import Config

from benchmarks import fetch

PROCESSES: Final = 9
REQUESTS: Final = 300
WARM_UP: Final = 20
WHERE: Final = 'region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b"'
WAYS: Final = {
    "nothing": "pass",
    "import boto3": "import boto3",
    "boto3, DynamoDB": f'import boto3; boto3.client("dynamodb", {WHERE})',
    "boto3, DynamoDB and KMS": f'import boto3; boto3.client("dynamodb", {WHERE}); boto3.client("kms", {WHERE})',
    "import botocore.session": "import botocore.session",
    "botocore, DynamoDB": f'import botocore.session as b; b.Session().create_client("dynamodb", {WHERE})',
}
PROBE: Final = """
import time
{way}
print(time.process_time() * 1000, next(line.split()[1] for line in open("/proc/self/status") if "VmHWM" in line))
"""
SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "botocore as it comes": {},
    "user_agent": {"user_agent": "graft"},
    "parameter_validation=False": {"parameter_validation": False},
    "tcp_keepalive": {"tcp_keepalive": True},
    "user_agent, no validation": {"user_agent": "graft", "parameter_validation": False},
}
KEY: Final = {"pk": {"S": "A#p1#a1"}, "sk": {"S": "agent"}}
CLAIM: Final[dict[str, Any]] = {
    "TableName": "graft",
    "Key": KEY,
    "UpdateExpression": "SET #runs.#run = :run, #rev = #rev + :one, #used.#slot = :now",
    "ConditionExpression": "#token_hash = :token_hash AND size(#runs) < :most AND attribute_exists(#used.#slot)",
    "ExpressionAttributeNames": {f"#{name}": name for name in ("runs", "run", "rev", "used", "slot", "token_hash")},
    "ExpressionAttributeValues": {
        ":run": {"M": {"tool": {"S": "shop__list-orders"}, "version": {"N": "1"}, "started": {"N": "1796048283000"}}},
        ":one": {"N": "1"},
        ":now": {"N": "1796048283000"},
        ":most": {"N": "100"},
        ":token_hash": {"S": "f" * 64},
    },
}
FOUR_KEYS: Final = {"graft": {"Keys": [KEY] * 4, "ConsistentRead": True}}
SERVER: Final = """
import socket, sys, threading
def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    got = b""
    while True:
        while b"\\r\\n\\r\\n" not in got:
            more = connection.recv(65536)
            if not more:
                return
            got += more
        head, _, got = got.partition(b"\\r\\n\\r\\n")
        length = next(int(l.split(b":")[1]) for l in head.lower().split(b"\\r\\n") if l.startswith(b"content-length"))
        while len(got) < length:
            got += connection.recv(65536)
        got = got[length:]
        body = b'{"Responses": {}, "UnprocessedKeys": {}}'
        connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
listener = socket.socket(fileno=int(sys.argv[1]))
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""


def main() -> None:
    python = sys.executable if fetch.why_not(fetch.ensure_lambda) else str(fetch.RIC_PYTHON)
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"A new process of {version}, median of {PROCESSES}")
    for way, (cpu_ms, memory_mib) in starts(python).items():
        print(f"  {way:32} CPU {cpu_ms:6.0f} ms   memory {memory_mib:4.0f} MiB")
    print(f"CPU ms a request, median of {REQUESTS}")
    for setting, taken in requests().items():
        print(f"  {setting:32}" + "".join(f"  {what} {cpu_ms:6.3f}" for what, cpu_ms in taken.items()))


def starts(python: str) -> dict[str, tuple[float, float]]:
    """(CPU in milliseconds, memory in MiB) by way."""
    taken: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for _ in range(PROCESSES):
        for way, code in WAYS.items():
            ran = subprocess.run([python, "-c", PROBE.format(way=code)], capture_output=True, text=True, check=True)
            cpu_ms, memory_kib = map(float, ran.stdout.split())
            taken[way].append((cpu_ms, memory_kib / 1024))
    return {
        way: (statistics.median(c for c, _ in of), statistics.median(m for _, m in of)) for way, of in taken.items()
    }


def requests() -> dict[str, dict[str, float]]:
    """CPU in milliseconds by setting and by request."""
    with _answering_at_once() as endpoint:
        asked = {setting: _requests_of(_client(endpoint, options)) for setting, options in SETTINGS.items()}
        taken: dict[str, dict[str, list[float]]] = {s: {what: [] for what in of} for s, of in asked.items()}
        for _ in range(WARM_UP + REQUESTS):
            for setting, of in asked.items():
                for what, ask in of.items():
                    start = time.process_time_ns()
                    ask()
                    taken[setting][what].append((time.process_time_ns() - start) / 1e6)
    return {s: {what: statistics.median(t[WARM_UP:]) for what, t in of.items()} for s, of in taken.items()}


def _client(endpoint: str, options: Mapping[str, Any]) -> Any:
    local: dict[str, Any] = {"region_name": "us-east-1", "aws_access_key_id": "a", "aws_secret_access_key": "b"}
    config = Config(retries={"mode": "standard"}, **options)
    return botocore.session.Session().create_client("dynamodb", endpoint_url=endpoint, config=config, **local)


def _requests_of(client: Any) -> dict[str, Callable[[], Any]]:
    return {
        "GetItem": lambda: client.get_item(TableName="graft", Key=KEY, ConsistentRead=True),
        "BatchGetItem": lambda: client.batch_get_item(RequestItems=FOUR_KEYS),
        "UpdateItem": lambda: client.update_item(**CLAIM),
    }


@contextmanager
def _answering_at_once() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        descriptor = listener.fileno()
        server = subprocess.Popen([sys.executable, "-c", SERVER, str(descriptor)], pass_fds=[descriptor])
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    print(f"boto3 {boto3.__version__}")
    main()
