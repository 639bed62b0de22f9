"""The emulator as a process: what it keeps, and when it starts and ends."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config

from infra.local import emulator

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = "things"
BY_OWNER: dict[str, Any] = {
    "TableName": TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "owner")],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-owner",
            "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}
UNTIL_SECONDS = 10.0


@contextmanager
def dynamodb(endpoint_url: str) -> Iterator["DynamoDBClient"]:
    config = Config(retries={"total_max_attempts": 1}, connect_timeout=2, read_timeout=10, max_pool_connections=20)
    client = boto3.client(
        "dynamodb",
        endpoint_url=endpoint_url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=config,
    )
    with closing(client):
        yield client


def test_every_kind_of_write_is_there_after_a_restart(tmp_path: Path) -> None:
    with emulator.start(tmp_path) as first, dynamodb(first.endpoint_url) as client:
        write_in_every_way(client)
        before = everything(client)
    with emulator.start(tmp_path) as second, dynamodb(second.endpoint_url) as client:
        assert everything(client) == before
        assert [item["sk"]["S"] for item in before["owned by ann"]] == ["put", "transacted"]


def test_every_answered_write_survives_kill_9(tmp_path: Path) -> None:
    with emulator.start(tmp_path) as first, dynamodb(first.endpoint_url) as client:
        write_in_every_way(client)
        before = everything(client)
        os.kill(first.pid, signal.SIGKILL)
    with emulator.start(tmp_path) as second, dynamodb(second.endpoint_url) as client:
        assert everything(client) == before


def test_what_was_removed_stays_removed(tmp_path: Path) -> None:
    with emulator.start(tmp_path) as first, dynamodb(first.endpoint_url) as client:
        client.create_table(**BY_OWNER)
        client.put_item(TableName=TABLE, Item=thing("a", "1"))
        client.create_table(**{**BY_OWNER, "TableName": "other"})
        client.delete_table(TableName="other")
        client.delete_table(TableName=TABLE)
        client.create_table(**BY_OWNER)
    with emulator.start(tmp_path) as second, dynamodb(second.endpoint_url) as client:
        assert client.list_tables()["TableNames"] == [TABLE]
        assert client.scan(TableName=TABLE)["Items"] == []


def test_an_ephemeral_emulator_keeps_nothing(tmp_path: Path) -> None:
    with emulator.start(tmp_path, ephemeral=True) as first, dynamodb(first.endpoint_url) as client:
        client.create_table(**BY_OWNER)
    with emulator.start(tmp_path, ephemeral=True) as second, dynamodb(second.endpoint_url) as client:
        assert client.list_tables()["TableNames"] == []


def test_a_torn_last_line_is_dropped_and_the_start_is_clean(tmp_path: Path) -> None:
    with emulator.start(tmp_path) as first, dynamodb(first.endpoint_url) as client:
        client.create_table(**BY_OWNER)
        client.put_item(TableName=TABLE, Item=thing("a", "1"))
        client.put_item(TableName=TABLE, Item=thing("a", "2"))
    journal = tmp_path / "emulator" / "000001.journal"
    journal.write_bytes(journal.read_bytes()[:-7])
    with emulator.start(tmp_path) as second, dynamodb(second.endpoint_url) as client:
        assert sort_keys(client) == ["1"]
        client.put_item(TableName=TABLE, Item=thing("a", "3"))
    with emulator.start(tmp_path) as third, dynamodb(third.endpoint_url) as client:
        assert sort_keys(client) == ["1", "3"]


def test_a_snapshot_replaces_a_large_journal_and_nothing_is_lost(tmp_path: Path) -> None:
    with emulator.start(tmp_path, large_journal_bytes=20_000) as first, dynamodb(first.endpoint_url) as client:
        client.create_table(**BY_OWNER)
        for number in range(200):
            client.put_item(TableName=TABLE, Item=thing("a", f"{number:03}") | {"text": {"S": "é" * 200}})
        eventually(lambda: bool(list((tmp_path / "emulator").glob("*.snapshot"))))
        before = everything(client)
        os.kill(first.pid, signal.SIGKILL)
    with emulator.start(tmp_path) as second, dynamodb(second.endpoint_url) as client:
        assert everything(client) == before


def test_a_journal_that_cannot_be_written_stops_the_emulator(tmp_path: Path) -> None:
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000));"
    ignore = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    code = f"{limit}{ignore}from infra.local.emulator import main; sys.exit(main(['--home', sys.argv[1]]))"
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, cwd=emulator.PROJECT, stderr=subprocess.DEVNULL) as process:
        eventually(lambda: emulator.find_running(tmp_path) is not None)
        with dynamodb(str(emulator.find_running(tmp_path))) as client:
            client.create_table(**BY_OWNER)
            with pytest.raises(client.exceptions.ClientError, match="InternalServerError"):
                client.put_item(TableName=TABLE, Item=thing("a", "1") | {"text": {"S": "x" * 4000}})
        assert process.wait(UNTIL_SECONDS) == 1
    with emulator.start(tmp_path) as second, dynamodb(second.endpoint_url) as client:
        assert sort_keys(client) == []


def test_a_second_emulator_of_one_home_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    with emulator.start(tmp_path) as first:
        with pytest.raises(emulator.EmulatorError, match=f"already running, as process {first.pid}"):
            emulator.start(tmp_path)
        assert emulator.find_running(tmp_path) == first.endpoint_url


def test_a_start_on_a_taken_port_fails_with_the_reason(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        with pytest.raises(emulator.EmulatorError, match="in use"):
            emulator.start(tmp_path, port=taken.getsockname()[1])
        assert emulator.find_running(tmp_path) is None


def test_a_damaged_home_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    snapshot = tmp_path / "emulator" / "000002.snapshot"
    snapshot.parent.mkdir()
    snapshot.write_bytes(b"not a snapshot\n")
    with pytest.raises(emulator.EmulatorError, match="no snapshot is complete"):
        emulator.start(tmp_path)
    assert snapshot.read_bytes() == b"not a snapshot\n"


def test_it_is_found_while_it_runs_and_not_afterwards(tmp_path: Path) -> None:
    assert emulator.find_running(tmp_path) is None
    running = emulator.start(tmp_path)
    assert emulator.find_running(tmp_path) == running.endpoint_url
    running.stop()
    running.stop()
    assert emulator.find_running(tmp_path) is None
    assert not (tmp_path / "emulator.json").exists()


def test_a_note_left_by_a_killed_emulator_is_not_believed(tmp_path: Path) -> None:
    with emulator.start(tmp_path / "other") as other:
        note = json.loads((tmp_path / "other" / "emulator.json").read_text())
        (tmp_path / "emulator.json").write_text(json.dumps({**note, "pid": other.pid + 1}))
        assert emulator.find_running(tmp_path) is None


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(tmp_path: Path, signal_number: signal.Signals) -> None:
    command = [sys.executable, "-m", "infra.local.emulator", "--home", str(tmp_path)]
    with subprocess.Popen(command, cwd=emulator.PROJECT) as process:
        eventually(lambda: emulator.find_running(tmp_path) is not None)
        process.send_signal(signal_number)
        assert process.wait(UNTIL_SECONDS) == 0
    assert not (tmp_path / "emulator.json").exists()


def test_it_ends_when_its_parent_is_killed_and_the_next_start_waits_for_that(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from infra.local import emulator;"
        "e = emulator.start(Path(sys.argv[1])); print(e.endpoint_url, flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, cwd=emulator.PROJECT, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        endpoint_url = parent.stdout.readline().decode().strip()
        with dynamodb(endpoint_url) as client:
            client.create_table(**BY_OWNER)
        parent.kill()
    with emulator.start(tmp_path) as second, dynamodb(second.endpoint_url) as client:
        assert client.list_tables()["TableNames"] == [TABLE]


def test_it_listens_on_loopback_only(tmp_path: Path) -> None:
    with emulator.start(tmp_path, ephemeral=True) as running:
        address = urlsplit(running.endpoint_url)
        listening = addresses_listening_at(cast("int", address.port))
    assert address.hostname == "127.0.0.1"
    assert listening in (["127.0.0.1"], []), "an empty list: this system does not say"


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.test"}, {"Host": "evil.test"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_a_web_page_gets_no_answer(tmp_path: Path, headers: dict[str, str]) -> None:
    with emulator.start(tmp_path, ephemeral=True) as running:
        status, body = ask(running, "ListTables", headers)
    assert (status, "does not answer web pages" in body) == (403, True)


@pytest.mark.parametrize("action", ["ImportTable", "CreateBackup", "Nonsense"])
def test_what_would_not_be_kept_is_not_offered(tmp_path: Path, action: str) -> None:
    with emulator.start(tmp_path, ephemeral=True) as running:
        status, body = ask(running, action, {})
    assert (status, "does not offer" in body) == (400, True)


def ask(running: emulator.Emulator, action: str, headers: dict[str, str]) -> tuple[int, str]:
    address = urlsplit(running.endpoint_url)
    with closing(http.client.HTTPConnection(str(address.hostname), address.port, timeout=5)) as connection:
        connection.request("POST", "/", "{}", {"X-Amz-Target": f"DynamoDB_20120810.{action}", **headers})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def write_in_every_way(client: "DynamoDBClient") -> None:
    client.create_table(**BY_OWNER)
    client.update_time_to_live(
        TableName=TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires_at"}
    )
    client.put_item(TableName=TABLE, Item=thing("a", "put", owner="ann"))
    client.put_item(TableName=TABLE, Item=thing("a", "bytes") | {"data": {"B": b"\x00\xff"}, "set": {"SS": ["x", "y"]}})
    client.put_item(TableName=TABLE, Item=thing("a", "gone", owner="ann"))
    client.delete_item(TableName=TABLE, Key=thing("a", "gone"))
    for _ in range(3):
        add_one(client, "counted")
    batch = [{"PutRequest": {"Item": thing("b", str(n))}} for n in range(5)]
    client.batch_write_item(RequestItems={TABLE: cast("Any", batch)})
    client.batch_write_item(RequestItems={TABLE: [{"DeleteRequest": {"Key": thing("b", "1")}}]})
    client.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": TABLE, "Item": thing("c", "transacted", owner="ann")}},
            {"Delete": {"TableName": TABLE, "Key": thing("b", "2")}},
            {"Update": cast("Any", {"TableName": TABLE, "Key": thing("a", "counted"), **ADD_ONE})},
        ]
    )
    client.execute_statement(Statement=f"INSERT INTO \"{TABLE}\" VALUE {{'pk':'d','sk':'by statement'}}")
    client.execute_statement(Statement=f"UPDATE \"{TABLE}\" SET x='1' WHERE pk='d' AND sk='by statement'")


ADD_ONE: dict[str, Any] = {
    "UpdateExpression": "ADD #count :one",
    "ExpressionAttributeNames": {"#count": "count"},
    "ExpressionAttributeValues": {":one": {"N": "1"}},
}


def add_one(client: "DynamoDBClient", sort: str) -> None:
    client.update_item(TableName=TABLE, Key=thing("a", sort), **ADD_ONE)


def thing(partition: str, sort: str, **others: str) -> dict[str, Any]:
    return {name: {"S": value} for name, value in {"pk": partition, "sk": sort, **others}.items()}


def everything(client: "DynamoDBClient") -> dict[str, Any]:
    owned = client.query(
        TableName=TABLE,
        IndexName="by-owner",
        KeyConditionExpression="#owner = :ann",
        ExpressionAttributeNames={"#owner": "owner"},
        ExpressionAttributeValues={":ann": {"S": "ann"}},
    )
    items = client.scan(TableName=TABLE)["Items"]
    return {
        "table": client.describe_table(TableName=TABLE)["Table"],
        "ttl": client.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"],
        "items": sorted(items, key=lambda item: (item["pk"]["S"], item["sk"]["S"])),
        "owned by ann": sorted(owned["Items"], key=lambda item: item["sk"]["S"]),
    }


def sort_keys(client: "DynamoDBClient") -> list[str]:
    return sorted(item["sk"]["S"] for item in client.scan(TableName=TABLE)["Items"])


def addresses_listening_at(port: int) -> list[str]:
    """From Linux's own table of sockets; empty on other systems."""
    found = []
    for table, form in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        path = Path("/proc/net") / table
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            address, hex_port = line.split()[1].split(":")
            if line.split()[3] == "0A" and int(hex_port, 16) == port:
                raw = bytes.fromhex(address)
                found.append(socket.inet_ntop(form, raw[::-1] if form == socket.AF_INET else raw))
    return found


def eventually(is_so: Callable[[], bool], *, seconds: float = UNTIL_SECONDS) -> None:
    """Waits until it is so, at most `seconds`."""
    until = time.monotonic() + seconds
    pause = threading.Event()
    while not is_so():
        assert time.monotonic() < until, "it did not happen in time"
        pause.wait(0.02)
