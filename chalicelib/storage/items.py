"""Every row of the table: its key and its shape. Nothing else spells either.

One DynamoDB table, keys `pk` and `sk`. Times are whole milliseconds since 1970 (N). What is only ever read
and written whole travels as one JSON text (S): it parses ten times faster than DynamoDB's own nesting.

| row        | pk                   | sk                          | what |
|------------|----------------------|-----------------------------|---------------------------------------------------|
| person     | P#<person>           | person                      | toolbox_revision |
| directory  | P#<person>           | agent#<agent>               | name: where a person's agents are found |
| agent name | P#<person>           | name#<name, case folded>    | agent: one name, one agent |
| connection | P#<person>           | connection#<connection>     | vendor, scheme, hosts, state, sealed secret |
| token      | P#<person>           | token#<connection>          | its sealed access token, who fetches the next |
| head       | T#<person>           | head#<tool>                 | what search reads, and the default connection |
| current    | T#<person>           | current#<tool>              | the newest version whole, with schema and source |
| version    | T#<person>           | version#<tool>#<number>     | every version whole, never changed |
| A, agent   | A#<person>#<agent>   | agent                       | token hash, limits, rev, list_revision, runs, used |
| S, set     | A#<person>#<agent>   | set                         | the promoted tools, at the list_revision they make |
| H, history | A#<person>#<agent>   | history#<list_revision>     | one change set |
| ledger     | A#<person>#<agent>   | ledger#<run>                | how one run ended |
| approval   | A#<person>#<agent>   | approval#<tool>#<conn.>     | the person's standing answer, and passes |
| ask        | Q#<person>           | ask#<ask>                   | one question to the person and its answer (TTL) |
| question   | Q#<person>           | question#<agent>#<digest>   | the one ask of a question that is open (TTL) |
| code       | C#<code>             | code                        | where a link's code points, and about what (TTL) |
| account    | E#<e-mail>           | account                     | person, password hash, wrong passwords in a row |
| link       | L#<hash>             | link                        | a one-time link: person, what it is for (TTL) |
| login      | P#<person>           | login#<login>               | a browser that is signed in; a kept form (TTL) |
| report     | SWEEP                | report                      | what the last tick of the sweep did |
| job        | A#<person>#<agent>   | job#<job>                   | a tool being written: lease, progress (TTL) |
| goal       | A#<person>#<agent>   | goal#<digest>               | job: the open one of a goal on a connection |
| open jobs  | A#<person>#<agent>   | open-jobs                   | which jobs are open, each with its connection |
| presence   | A#<person>#<agent>   | presence                    | the harness: its name, when it was seen and listed |
| answer     | P#<person>           | answer#<connection>         | what the connection's vendor last answered |
| session    | A#<person>#<agent>   | session#<session>           | what an MCP session last listed (expires_at: TTL) |

Index `due` (keys only): due_shard, due_at; only agents that a sweep has to visit carry them, connections whose
revoke has begun and not ended, and open jobs, which are due when their lease ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zlib import crc32

from chalicelib.model import (
    Agent,
    Answer,
    Approval,
    Cause,
    Change,
    ChangeSet,
    Connection,
    ConnectionState,
    Direction,
    Due,
    DueJob,
    LedgerLine,
    Listed,
    Person,
    Promotion,
    Rate,
    Run,
    RunKind,
    StoredToken,
    SweepReport,
    ToolCard,
    ToolHead,
    ToolVersion,
    UnfinishedRevoke,
)

Item = dict[str, Any]
Key = dict[str, Any]

DUE_INDEX: Final = "due"
DUE_SHARDS: Final = 4
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND: Final = timedelta(milliseconds=1)
NO_CONNECTION: Final = "-"


def to_ms(moment: datetime) -> int:
    """Whole milliseconds since 1970."""
    return (moment - EPOCH) // MILLISECOND


def from_ms(milliseconds: int | str) -> datetime:
    return EPOCH + int(milliseconds) * MILLISECOND


def number(value: int) -> dict[str, str]:
    return {"N": str(value)}


def text(value: str) -> dict[str, str]:
    return {"S": value}


def moment(value: datetime) -> dict[str, str]:
    return number(to_ms(value))


def json_text(value: Any) -> dict[str, str]:
    return text(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def key(pk: str, sk: str) -> Key:
    return {"pk": text(pk), "sk": text(sk)}


# --- keys


def person_pk(person_id: str) -> str:
    return f"P#{person_id}"


def toolbox_pk(person_id: str) -> str:
    return f"T#{person_id}"


def agent_pk(person_id: str, agent_id: str) -> str:
    return f"A#{person_id}#{agent_id}"


def person_key(person_id: str) -> Key:
    return key(person_pk(person_id), "person")


def directory_key(person_id: str, agent_id: str) -> Key:
    return key(person_pk(person_id), f"agent#{agent_id}")


def agent_name_key(person_id: str, name: str) -> Key:
    return key(person_pk(person_id), f"name#{name.strip().casefold()}")


def connection_key(person_id: str, connection_id: str) -> Key:
    return key(person_pk(person_id), f"connection#{connection_id}")


def token_key(person_id: str, connection_id: str) -> Key:
    return key(person_pk(person_id), f"token#{connection_id}")


def head_key(person_id: str, tool: str) -> Key:
    return key(toolbox_pk(person_id), f"head#{tool}")


def current_key(person_id: str, tool: str) -> Key:
    return key(toolbox_pk(person_id), f"current#{tool}")


def version_key(person_id: str, tool: str, version: int) -> Key:
    return key(toolbox_pk(person_id), f"version#{tool}#{version:010d}")


def agent_key(person_id: str, agent_id: str) -> Key:
    return key(agent_pk(person_id, agent_id), "agent")


def set_key(person_id: str, agent_id: str) -> Key:
    return key(agent_pk(person_id, agent_id), "set")


def history_key(person_id: str, agent_id: str, list_revision: int) -> Key:
    return key(agent_pk(person_id, agent_id), f"history#{list_revision:012d}")


def ledger_key(person_id: str, agent_id: str, run_id: str) -> Key:
    return key(agent_pk(person_id, agent_id), f"ledger#{run_id}")


def approval_key(person_id: str, agent_id: str, tool: str, connection_id: str | None) -> Key:
    return key(agent_pk(person_id, agent_id), f"approval#{tool}#{connection_id or NO_CONNECTION}")


def asks_pk(person_id: str) -> str:
    return f"Q#{person_id}"


def ask_key(person_id: str, ask_id: str) -> Key:
    return key(asks_pk(person_id), f"ask#{ask_id}")


def question_key(person_id: str, agent_id: str, digest: str) -> Key:
    return key(asks_pk(person_id), f"question#{agent_id}#{digest}")


def code_key(code: str) -> Key:
    return key(f"C#{code}", "code")


def account_key(email: str) -> Key:
    return key(f"E#{email.strip().casefold()}", "account")


def link_key(secret_hash: str) -> Key:
    return key(f"L#{secret_hash}", "link")


def login_key(person_id: str, login_id: str) -> Key:
    return key(person_pk(person_id), f"login#{login_id}")


def presence_key(person_id: str, agent_id: str) -> Key:
    return key(agent_pk(person_id, agent_id), "presence")


def vendor_answer_key(person_id: str, connection_id: str) -> Key:
    return key(person_pk(person_id), f"answer#{connection_id}")


def job_key(person_id: str, agent_id: str, job_id: str) -> Key:
    return key(agent_pk(person_id, agent_id), f"job#{job_id}")


def goal_key(person_id: str, agent_id: str, digest: str) -> Key:
    return key(agent_pk(person_id, agent_id), f"goal#{digest}")


def open_jobs_key(person_id: str, agent_id: str) -> Key:
    return key(agent_pk(person_id, agent_id), "open-jobs")


def session_key(person_id: str, agent_id: str, session_id: str) -> Key:
    return key(agent_pk(person_id, agent_id), f"session#{session_id}")


SWEEP_REPORT_KEY: Final = key("SWEEP", "report")


def due_shard(agent_id: str) -> str:
    """Always the same shard for one agent, so that a visit finds the entry it has to move."""
    return str(crc32(agent_id.encode()) % DUE_SHARDS)


def to_due(row: Item) -> Due | UnfinishedRevoke | DueJob:
    """An entry of the due index: an agent's row, a job's, or a connection's."""
    kind, person_id, *agent_id = row["pk"]["S"].split("#")
    what, _, its_id = row["sk"]["S"].partition("#")
    if what == "job":
        return DueJob(person_id, agent_id[0], its_id, from_ms(row["due_at"]["N"]))
    if kind == "A":
        return Due(person_id, agent_id[0], from_ms(row["due_at"]["N"]))
    return UnfinishedRevoke(person_id, its_id)


# --- person and agents


def to_person(item: Item) -> Person:
    return Person(
        id=item["pk"]["S"].removeprefix("P#"),
        toolbox_revision=int(item["toolbox_revision"]["N"]),
        email=item["email"]["S"] if "email" in item else "",
    )


def run_value(run: Run) -> dict[str, Any]:
    return {
        "M": {
            "tool": text(run.tool),
            "version": number(run.version),
            "kind": text(run.kind),
            "started": moment(run.started_at),
            "deadline": moment(run.deadline),
        }
    }


def _to_run(run_id: str, value: Mapping[str, Any]) -> Run:
    fields = value["M"]
    return Run(
        id=run_id,
        tool=fields["tool"]["S"],
        version=int(fields["version"]["N"]),
        kind=RunKind(fields["kind"]["S"]),
        started_at=from_ms(fields["started"]["N"]),
        deadline=from_ms(fields["deadline"]["N"]),
    )


def used_value(last_used_at: datetime | None) -> dict[str, str]:
    return number(0 if last_used_at is None else to_ms(last_used_at))


def new_agent_item(agent: Agent) -> Item:
    item = agent_key(agent.person_id, agent.id) | {
        "name": text(agent.name),
        "token_hash": text(agent.token_hash),
        "cap": number(agent.cap),
        "idle_window_days": number(agent.idle_window_days),
        "created_at": moment(agent.created_at),
        "rev": number(0),
        "list_revision": number(0),
        "set_size": number(0),
        "runs": {"M": {}},
        "used": {"M": {}},
    }
    if agent.connection_ids is not None:
        item["connection_ids"] = json_text(sorted(agent.connection_ids))
    return item


def to_agent(item: Item) -> Agent:
    _, person_id, agent_id = item["pk"]["S"].split("#")
    scope = item.get("connection_ids")
    return Agent(
        person_id=person_id,
        id=agent_id,
        name=item["name"]["S"],
        token_hash=item["token_hash"]["S"],
        cap=int(item["cap"]["N"]),
        idle_window_days=int(item["idle_window_days"]["N"]),
        connection_ids=None if scope is None else frozenset(json.loads(scope["S"])),
        created_at=from_ms(item["created_at"]["N"]),
        revoked_at=from_ms(item["revoked_at"]["N"]) if "revoked_at" in item else None,
        rev=int(item["rev"]["N"]),
        list_revision=int(item["list_revision"]["N"]),
        set_size=int(item["set_size"]["N"]),
        runs={run_id: _to_run(run_id, value) for run_id, value in item["runs"]["M"].items()},
        used={slot: _to_used(value) for slot, value in item["used"]["M"].items()},
        rate=Rate(int(item["rate_minute"]["N"]), int(item["rate_runs"]["N"])) if "rate_minute" in item else None,
        held_since=from_ms(item["held_since"]["N"]) if "held_since" in item else None,
    )


def _to_used(value: Mapping[str, str]) -> datetime | None:
    return None if value["N"] == "0" else from_ms(value["N"])


# --- the set and its history


def set_item(person_id: str, agent_id: str, list_revision: int, promotions: Iterable[Promotion]) -> Item:
    """The whole set. Last uses are not here: they are stamped on A, by slot."""
    tools = {p.tool: [p.slot, to_ms(p.promoted_at), p.promoted_by] for p in promotions}
    return set_key(person_id, agent_id) | {"list_revision": number(list_revision), "tools": json_text(tools)}


def to_promotions(item: Item | None, used: Mapping[str, datetime | None]) -> tuple[Promotion, ...]:
    """The set in list order: promotion time, then wire name."""
    tools = json.loads(item["tools"]["S"]) if item else {}
    promotions = [
        Promotion(tool, slot, from_ms(promoted_at), Cause(promoted_by), used.get(slot))
        for tool, (slot, promoted_at, promoted_by) in tools.items()
    ]
    return tuple(sorted(promotions, key=lambda p: (p.promoted_at, p.tool)))


def set_revision(item: Item | None) -> int:
    return int(item["list_revision"]["N"]) if item else 0


def history_item(person_id: str, agent_id: str, record: ChangeSet) -> Item:
    changes = [
        [c.tool, c.direction, c.cause, None if c.active_at is None else to_ms(c.active_at)] for c in record.changes
    ]
    moved = {} if record.rule_at is None else {"rule_at": moment(record.rule_at)}
    return (
        history_key(person_id, agent_id, record.list_revision)
        | moved
        | {
            "at": moment(record.at),
            "changes": json_text(changes),
            "idle_window_days": number(record.idle_window_days),
            "cap": number(record.cap),
            "set_size": number(record.set_size),
        }
    )


def to_change_set(item: Item) -> ChangeSet:
    return ChangeSet(
        list_revision=int(item["sk"]["S"].removeprefix("history#")),
        at=from_ms(item["at"]["N"]),
        changes=tuple(
            Change(tool, Direction(direction), Cause(cause), None if active_at is None else from_ms(active_at))
            for tool, direction, cause, active_at in json.loads(item["changes"]["S"])
        ),
        idle_window_days=int(item["idle_window_days"]["N"]),
        cap=int(item["cap"]["N"]),
        set_size=int(item["set_size"]["N"]),
        rule_at=from_ms(item["rule_at"]["N"]) if "rule_at" in item else None,
    )


# --- the ledger


def ledger_item(person_id: str, agent_id: str, line: LedgerLine) -> Item:
    return ledger_key(person_id, agent_id, line.run.id) | {
        "run": run_value(line.run),
        "outcome": text(line.outcome),
        "ended_at": moment(line.ended_at),
        "vendor_calls": number(line.vendor_calls),
    }


def to_ledger_line(item: Item) -> LedgerLine:
    return LedgerLine(
        run=_to_run(item["sk"]["S"].removeprefix("ledger#"), item["run"]),
        outcome=item["outcome"]["S"],
        ended_at=from_ms(item["ended_at"]["N"]),
        vendor_calls=int(item["vendor_calls"]["N"]),
    )


# --- the toolbox


def head_item(person_id: str, tool: ToolHead) -> Item:
    item = head_key(person_id, tool.wire_name) | {
        "description": text(tool.description),
        "version": number(tool.version),
        "methods": json_text(sorted(tool.methods)),
    }
    return item if tool.connection_id is None else item | {"connection_id": text(tool.connection_id)}


def to_head(item: Item) -> ToolHead:
    vendor, _, name = item["sk"]["S"].removeprefix("head#").partition("__")
    return ToolHead(
        vendor=vendor,
        name=name,
        description=item["description"]["S"],
        version=int(item["version"]["N"]),
        methods=frozenset(json.loads(item["methods"]["S"])),
        connection_id=item["connection_id"]["S"] if "connection_id" in item else None,
    )


def current_item(person_id: str, tool: ToolVersion) -> Item:
    return current_key(person_id, tool.wire_name) | _content(tool)


def version_item(person_id: str, tool: ToolVersion) -> Item:
    return version_key(person_id, tool.wire_name, tool.version) | _content(tool)


CARD_ATTRIBUTES: Final = ("vendor", "name", "version", "description", "input_schema", "methods")


def _content(tool: ToolVersion) -> Item:
    item: Item = {
        "vendor": text(tool.vendor),
        "name": text(tool.name),
        "version": number(tool.version),
        "description": text(tool.description),
        "input_schema": json_text(tool.input_schema),
        "source": text(tool.source),
        "methods": json_text(sorted(tool.methods)),
        "published_by": text(tool.published_by),
        "published_at": moment(tool.published_at),
    }
    if tool.connection_id is not None:
        item["connection_id"] = text(tool.connection_id)
    return item


def to_tool_version(item: Item) -> ToolVersion:
    return ToolVersion(
        vendor=item["vendor"]["S"],
        name=item["name"]["S"],
        version=int(item["version"]["N"]),
        description=item["description"]["S"],
        input_schema=json.loads(item["input_schema"]["S"]),
        source=item["source"]["S"],
        methods=frozenset(json.loads(item["methods"]["S"])),
        connection_id=item["connection_id"]["S"] if "connection_id" in item else None,
        published_by=item["published_by"]["S"],
        published_at=from_ms(item["published_at"]["N"]),
    )


def to_card(item: Item) -> ToolCard:
    return ToolCard(
        vendor=item["vendor"]["S"],
        name=item["name"]["S"],
        version=int(item["version"]["N"]),
        description=item["description"]["S"],
        input_schema=json.loads(item["input_schema"]["S"]),
        methods=frozenset(json.loads(item["methods"]["S"])),
    )


# --- connections, approvals, asks, sessions


def connection_item(connection: Connection) -> Item:
    item = connection_key(connection.person_id, connection.id) | {
        "vendor": text(connection.vendor),
        "display_name": text(connection.display_name),
        "scheme": text(connection.scheme),
        "scheme_config": json_text(dict(connection.scheme_config)),
        "primary_host": text(connection.primary_host),
        "hosts": json_text(list(connection.hosts)),
        "state": text(connection.state),
        "created_at": moment(connection.created_at),
        "secret_revision": number(connection.secret_revision),
    }
    if connection.sealed_secret is not None:
        item["sealed_secret"] = {"B": connection.sealed_secret}
    for name, at in (("secret_saved_at", connection.secret_saved_at), ("revoked_at", connection.revoked_at)):
        item |= {} if at is None else {name: moment(at)}
    return item


def to_connection(item: Item) -> Connection:
    return Connection(
        person_id=item["pk"]["S"].removeprefix("P#"),
        id=item["sk"]["S"].removeprefix("connection#"),
        vendor=item["vendor"]["S"],
        display_name=item["display_name"]["S"],
        scheme=item["scheme"]["S"],
        scheme_config=json.loads(item["scheme_config"]["S"]),
        primary_host=item["primary_host"]["S"],
        hosts=tuple(json.loads(item["hosts"]["S"])),
        state=ConnectionState(item["state"]["S"]),
        created_at=from_ms(item["created_at"]["N"]),
        secret_revision=int(item["secret_revision"]["N"]),
        sealed_secret=item["sealed_secret"]["B"] if "sealed_secret" in item else None,
        secret_saved_at=from_ms(item["secret_saved_at"]["N"]) if "secret_saved_at" in item else None,
        revoked_at=from_ms(item["revoked_at"]["N"]) if "revoked_at" in item else None,
    )


def token_values(token: StoredToken, secret_revision: int) -> dict[str, Any]:
    """What is set on the row when a token is kept; TTL may take it once it cannot be used."""
    return {
        "sealed": {"L": [{"B": part} for part in token.sealed]},
        "secret_revision": number(secret_revision),
        "refresh_at": moment(token.refresh_at),
        "usable_until": moment(token.usable_until),
        "style": text(token.style),
        "expires_at": expiry(token.usable_until),
    }


def to_stored_token(item: Item, secret_revision: int) -> StoredToken | None:
    """None: none was fetched yet with this revision of the secret."""
    if "sealed" not in item or item["secret_revision"] != number(secret_revision):
        return None
    return StoredToken(
        refresh_at=from_ms(item["refresh_at"]["N"]),
        usable_until=from_ms(item["usable_until"]["N"]),
        style=item["style"]["S"],
        sealed=tuple(part["B"] for part in item["sealed"]["L"]),
    )


def approval_item(person_id: str, agent_id: str, approval: Approval) -> Item:
    return approval_key(person_id, agent_id, approval.tool, approval.connection_id) | {
        "answer": text(approval.answer),
        "version": number(approval.version),
        "answered_at": moment(approval.answered_at),
        "reason": text(approval.reason),
        "passes": {"M": {digest: moment(until) for digest, until in approval.passes.items()}},
        "rev": number(approval.rev),
    }


def to_approval(item: Item) -> Approval:
    tool, _, connection_id = item["sk"]["S"].removeprefix("approval#").partition("#")
    return Approval(
        tool=tool,
        connection_id=None if connection_id == NO_CONNECTION else connection_id,
        answer=Answer(item["answer"]["S"]),
        version=int(item["version"]["N"]),
        answered_at=from_ms(item["answered_at"]["N"]),
        reason=item["reason"]["S"],
        passes={digest: from_ms(until["N"]) for digest, until in item["passes"]["M"].items()},
        rev=int(item["rev"]["N"]),
    )


def expiry(moment_: datetime) -> dict[str, str]:
    """TTL reads whole seconds."""
    return number(to_ms(moment_) // 1000)


def session_item(person_id: str, agent_id: str, session_id: str, listed: Listed, expires_at: datetime) -> Item:
    return session_key(person_id, agent_id, session_id) | {
        "digest": text(listed.digest),
        "list_revision": number(listed.list_revision),
        "toolbox_revision": number(listed.toolbox_revision),
        "expires_at": expiry(expires_at),
    }


def to_listed(item: Item) -> Listed:
    return Listed(
        digest=item["digest"]["S"],
        list_revision=int(item["list_revision"]["N"]),
        toolbox_revision=int(item["toolbox_revision"]["N"]),
    )


def sweep_report_item(report: SweepReport) -> Item:
    return SWEEP_REPORT_KEY | {
        "at": moment(report.at),
        "report": json_text(asdict(report) | {"at": to_ms(report.at)}),
    }


def to_sweep_report(item: Item) -> SweepReport:
    fields = json.loads(item["report"]["S"])
    return SweepReport(**fields | {"at": from_ms(fields["at"]), "skipped_agents": tuple(fields["skipped_agents"])})
