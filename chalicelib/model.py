"""The words of CONTEXT.md as frozen values. Times are aware UTC, to the millisecond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = Mapping[str, Json]

CAP_DEFAULT: Final = 20
CAP_RANGE: Final = range(1, 501)
IDLE_WINDOW_DAYS_DEFAULT: Final = 21
IDLE_WINDOW_DAYS_RANGE: Final = range(1, 3651)
RUNS_IN_FLIGHT_MAX: Final = 100
PROMOTED_MAX: Final = 1000

READING_METHODS: Final = frozenset({"GET", "HEAD"})
WRITING_METHODS: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Cause(StrEnum):
    """Why a tool entered or left a working set."""

    AGENT = "agent"
    PUBLISH = "publish"
    IDLE = "idle"
    CAP = "cap"
    REVOKE = "revoke"


BY_THE_RULE: Final = frozenset({Cause.IDLE, Cause.CAP})
"""The causes of a demotion that nobody asked for."""


class Direction(StrEnum):
    PROMOTED = "promoted"
    DEMOTED = "demoted"


class RunKind(StrEnum):
    CALL = "call"
    DRY_RUN = "dry_run"
    TEST_RUN = "test_run"
    ACQUIRE = "acquire"
    """A job: its deadline moves with its heartbeat."""


class ConnectionState(StrEnum):
    LIVE = "live"
    REVOKING = "revoking"
    REVOKED = "revoked"


class Answer(StrEnum):
    """A person's standing answer for (agent, tool, connection)."""

    ALLOWED = "allowed"
    ASK_EVERY_TIME = "ask_every_time"
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    toolbox_revision: int
    """Rises with every publish, and with every revoke of a connection."""
    email: str = ""
    """What the person signs in with; empty: they came by a link and have chosen none yet."""

    def next_revision(self) -> Person:
        return replace(self, toolbox_revision=self.toolbox_revision + 1)


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a tool, in flight until it is released or `deadline` passes."""

    id: str
    tool: str
    version: int
    kind: RunKind
    started_at: datetime
    deadline: datetime


@dataclass(frozen=True, slots=True)
class Rate:
    """How many runs an agent claimed in one minute."""

    minute: int
    """Whole minutes since 1970."""
    runs: int


@dataclass(frozen=True, slots=True)
class Pace:
    """How many runs an agent may begin in this minute."""

    minute: int
    """Whole minutes since 1970."""
    runs_max: int


@dataclass(frozen=True, slots=True)
class Agent:
    """One harness connection. `rev` rises with every write that a sweep's decision depends on."""

    person_id: str
    id: str
    name: str
    token_hash: str
    cap: int
    idle_window_days: int
    connection_ids: frozenset[str] | None
    """The connections in scope; None means every connection of the person."""
    created_at: datetime
    revoked_at: datetime | None = None
    rev: int = 0
    list_revision: int = 0
    set_size: int = 0
    runs: Mapping[str, Run] = field(default_factory=dict)
    used: Mapping[str, datetime | None] = field(default_factory=dict)
    """Slot → last use; None: promoted, not used since."""
    rate: Rate | None = None
    held_since: datetime | None = None
    """Since when it waits for a visit because each one found a run in flight; None: the last one did not."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """One tool in one working set, with the one clock the rule reads."""

    tool: str
    """Wire name."""
    slot: str
    """New at every promotion, so that a late stamp cannot touch a re-promotion."""
    promoted_at: datetime
    promoted_by: Cause
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One tool's move in a history record. The facts are there for a demotion by the rule."""

    tool: str
    direction: Direction
    cause: Cause
    active_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """One history record: what moved together, keyed by the `list_revision` it made."""

    list_revision: int
    at: datetime
    changes: tuple[Change, ...]
    idle_window_days: int
    cap: int
    set_size: int
    """The size the set had when this was decided."""
    rule_at: datetime | None = None
    """Where the rule's clock stood, when a sweep's was moved; None: at `at`."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a tool may do, derived from the methods in its source."""

    read_only: bool
    destructive: bool

    def as_hints(self) -> dict[str, bool]:
        """MCP's two hints, always both."""
        return {"readOnlyHint": self.read_only, "destructiveHint": self.destructive}


def annotations_of(methods: frozenset[str]) -> Annotations:
    """The annotations of a tool that uses these HTTP methods (upper case)."""
    return Annotations(read_only=not methods & WRITING_METHODS, destructive="DELETE" in methods)


class _Tool:
    """What every form of a tool tells of itself."""

    __slots__ = ()
    vendor: str
    name: str
    methods: frozenset[str]

    @property
    def wire_name(self) -> str:
        return f"{self.vendor}__{self.name}"

    @property
    def annotations(self) -> Annotations:
        return annotations_of(self.methods)


@dataclass(frozen=True, slots=True)
class ToolHead(_Tool):
    """What search needs of a tool: its current version, without source and schema."""

    vendor: str
    name: str
    description: str
    version: int
    methods: frozenset[str]
    connection_id: str | None = None
    """Its default connection."""


@dataclass(frozen=True, slots=True)
class ToolVersion(_Tool):
    """One published version of a tool, whole. Never changed once written."""

    vendor: str
    name: str
    version: int
    description: str
    input_schema: JsonObject
    source: str
    methods: frozenset[str]
    connection_id: str | None
    """The default connection of a run; None: the vendor's single live one."""
    published_by: str
    """Agent id, or the person's id for a tool that set-up brought."""
    published_at: datetime

    @property
    def head(self) -> ToolHead:
        return ToolHead(self.vendor, self.name, self.description, self.version, self.methods, self.connection_id)

    @property
    def card(self) -> ToolCard:
        return ToolCard(self.vendor, self.name, self.version, self.description, self.input_schema, self.methods)


@dataclass(frozen=True, slots=True)
class Connection:
    """One account at a vendor. The credential is sealed; only the proxy opens it."""

    person_id: str
    id: str
    vendor: str
    display_name: str
    scheme: str
    scheme_config: Mapping[str, str]
    primary_host: str
    """`host` or `host:port`, lower case."""
    hosts: tuple[str, ...]
    """Every declared host, the primary one first."""
    state: ConnectionState
    created_at: datetime
    secret_revision: int = 0
    sealed_secret: bytes | None = field(default=None, repr=False)
    secret_saved_at: datetime | None = None
    """When the person last gave it a secret; None: as it was made."""
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StoredToken:
    """A connection's access token, sealed; good for one revision of its secret."""

    refresh_at: datetime
    """From then on the first to come fetches the next one."""
    usable_until: datetime
    style: str
    """How the token URL wants the client proved: `basic` or `body`."""
    sealed: tuple[bytes, ...] = field(repr=False)
    """In parts, because the vault seals no more than 4,096 bytes at a time."""


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's standing answer. `rev` rises with every write, so that two answers never mix."""

    tool: str
    connection_id: str | None
    answer: Answer
    version: int
    answered_at: datetime
    reason: str = ""
    passes: Mapping[str, datetime] = field(default_factory=dict)
    """Under `ask_every_time`: digest of an allowed input → until when it may run, once."""
    rev: int = 0


@dataclass(frozen=True, slots=True)
class ToolQuestion:
    """May this agent run this tool?"""

    tool: str
    version: int
    connection_id: str | None
    hosts: tuple[str, ...]
    """Where its calls may go, as they were when it was asked; the primary host first."""
    input: JsonObject
    """Of the call that waits, whole."""
    every_time: bool
    """The standing answer is to ask for each call: then the input is part of the question."""


@dataclass(frozen=True, slots=True)
class ConnectionQuestion:
    """May Graft connect this account? The agent's words, all of them untrusted."""

    vendor: str
    primary_host: str
    scheme: str
    scheme_config: Mapping[str, str]
    hosts: tuple[str, ...]
    """Every host that will receive the secret, the primary one first."""
    display_name: str
    docs_url: str


@dataclass(frozen=True, slots=True)
class CredentialQuestion:
    """Will the person enter this connection's credential again?"""

    connection_id: str
    reason: str
    """The agent's words."""


@dataclass(frozen=True, slots=True)
class AcquireQuestion:
    """May Graft have tools written for this connection? Vendor answers then go to the model's provider."""

    connection_id: str
    vendor: str
    display_name: str
    hosts: tuple[str, ...]
    """Which are read from, as they were when it was asked; the primary host first."""
    provider: str
    """Who runs the model and is sent what the vendor answers, by name."""
    goal: str
    """The agent's words."""

    @property
    def approval(self) -> str:
        """What its answer is kept under, where a tool's wire name would be."""
        return acquire_approval(self.provider)


ACQUIRE_APPROVAL: Final = "acquire:"
"""No wire name begins like this."""


def acquire_approval(provider: str) -> str:
    """The name under which the answer about this provider is kept: another provider is another question."""
    return f"{ACQUIRE_APPROVAL}{provider}"


Question: TypeAlias = ToolQuestion | ConnectionQuestion | CredentialQuestion | AcquireQuestion


@dataclass(frozen=True, slots=True)
class AskPointer:
    """Where a link's code points, and what that ask is about: whoever follows it reads everything at once."""

    person_id: str
    ask_id: str
    agent_id: str = ""
    """Empty: the code was made before it told what it is about."""
    tool: str = ""
    """Wire name; empty: it is about none."""
    connection_id: str = ""


class AskState(StrEnum):
    OPEN = "open"
    ANSWERED = "answered"
    CLOSED = "closed"
    """Ended without an answer: its connection was revoked, or its agent."""


class AskAnswer(StrEnum):
    """What a person said to one ask."""

    ALLOWED = "allowed"
    ASK_EVERY_TIME = "ask_every_time"
    DENIED = "denied"
    CONNECTED = "connected"
    DECLINED = "declined"


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the person; open for a day, answered once, kept for a while afterwards."""

    person_id: str
    id: str
    """Sorts by time."""
    code: str
    """At most 12 letters and digits: the pointer in the link."""
    agent_id: str
    question: Question
    opened_at: datetime
    expires_at: datetime
    state: AskState = AskState.OPEN
    answer: AskAnswer | None = None
    answered_at: datetime | None = None
    note: str = ""
    """The person's reason for a denial, or why it was closed."""
    connection_id: str | None = None
    """The connection that the answer made or gave a credential."""

    def is_open(self, now: datetime) -> bool:
        return self.state is AskState.OPEN and now < self.expires_at

    @property
    def pointer(self) -> AskPointer:
        question = self.question
        tool = question.tool if isinstance(question, ToolQuestion) else ""
        bound = None if isinstance(question, ConnectionQuestion) else question.connection_id
        return AskPointer(self.person_id, self.id, self.agent_id, tool, bound or "")


@dataclass(frozen=True, slots=True)
class AskPlace:
    """What a repeated call needs of its ask, kept under the question itself."""

    ask_id: str
    code: str
    opened_at: datetime
    expires_at: datetime
    answer: AskAnswer | None = None
    """`connected` and `declined` are remembered here for the agent that asks again."""
    answered_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """How a person signs in."""

    email: str
    person_id: str
    password_hash: str = field(repr=False)
    failures: int = 0
    """Wrong passwords since the last right one."""
    locked_until: datetime | None = None


class LinkKind(StrEnum):
    """What a one-time link is for."""

    SIGN_IN = "sign_in"
    """Signs its person in."""
    SET_UP = "set_up"
    """Lets its person choose an e-mail address and a password."""


@dataclass(frozen=True, slots=True)
class Link:
    """A one-time link. Only the hash of its secret is kept."""

    secret_hash: str
    person_id: str
    kind: LinkKind
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Login:
    """One browser in which a person is signed in."""

    person_id: str
    id: str
    secret_hash: str
    opened_at: datetime
    expires_at: datetime
    browser: str
    """What the browser calls itself, cut short."""
    kept_form: str = ""
    """A form that was sent after the login before this one had ended, without its secrets; empty: none waits."""


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """How one run ended."""

    run: Run
    outcome: str
    """`ok`, `died`, or the reason of the refusal that ended it."""
    ended_at: datetime
    vendor_calls: int = 0


@dataclass(frozen=True, slots=True)
class Listed:
    """What one MCP session last saw of the list."""

    digest: str
    list_revision: int
    toolbox_revision: int


@dataclass(frozen=True, slots=True)
class Presence:
    """What a harness last showed of itself. Written now and then, so times may be some minutes early."""

    harness: str
    """What it calls itself; empty: it never said."""
    harness_version: str
    seen_at: datetime
    listed_at: datetime | None = None
    listed_revision: int = 0
    """The `list_revision` that its last list showed."""


@dataclass(frozen=True, slots=True)
class VendorAnswer:
    """What a connection's vendor last answered, or why nothing came back."""

    connection_id: str
    status: int
    """0: nothing came back."""
    reason: str
    """The refusal that ended the call; empty: it was answered."""
    at: datetime


@dataclass(frozen=True, slots=True)
class VendorRequest:
    """A call as the module made it, before the proxy has judged it."""

    method: str
    """Upper case."""
    path: str
    params: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    host: str | None = None
    """One of the connection's declared hosts; None: the primary one."""


@dataclass(frozen=True, slots=True)
class VendorResponse:
    status: int
    headers: tuple[tuple[str, str], ...]
    """Names in lower case."""
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding of the check. A blocking one refuses the publish, the others advise."""

    line: int
    """1-based; 0 when it is about the module as a whole."""
    column: int
    rule: str
    message: str
    hint: str
    blocking: bool = True


@dataclass(frozen=True, slots=True)
class ToolCard(_Tool):
    """What a list shows of a tool: its current version without the source."""

    vendor: str
    name: str
    version: int
    description: str
    input_schema: JsonObject
    methods: frozenset[str]


@dataclass(frozen=True, slots=True)
class AgentFacts:
    """An agent and its set, read at one revision."""

    agent: Agent
    promotions: tuple[Promotion, ...]
    """In list order: promotion time, then wire name."""

    def find(self, tool: str) -> Promotion | None:
        return next((promotion for promotion in self.promotions if promotion.tool == tool), None)


@dataclass(frozen=True, slots=True)
class Due:
    """An agent that a sweep has to visit, since `at`."""

    person_id: str
    agent_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class UnfinishedRevoke:
    """A connection whose revoke has begun; whoever meets it goes on with it."""

    person_id: str
    connection_id: str


@dataclass(frozen=True, slots=True)
class DueJob:
    """A job whose worker has not been heard of in time; whoever meets it has it taken up again."""

    person_id: str
    agent_id: str
    job_id: str
    at: datetime


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        return self in (JobStatus.QUEUED, JobStatus.RUNNING)


@dataclass(frozen=True, slots=True)
class JobEntry:
    """One line of a job's progress. `seq` counts from 1 without a gap."""

    seq: int
    at: datetime
    step: str
    message: str


@dataclass(frozen=True, slots=True)
class JobDraft:
    """What a worker hands to whoever has to go on: the model's last reply, and what was wrong with it."""

    reply: str
    problems: str
    said: str = ""
    """The same in a line, for those who follow the job."""


@dataclass(frozen=True, slots=True)
class Job:
    """One tool being written for an agent. Open until `deadline`, whatever becomes of its workers."""

    person_id: str
    agent_id: str
    id: str
    """Sorts by time; the run that holds the sweep off has the same id."""
    connection_id: str
    goal: str
    hints: str
    digest: str
    """One open job for each of an agent's digests."""
    created_at: datetime
    deadline: datetime
    lease_until: datetime
    """A worker that was not heard of by then is gone."""
    status: JobStatus = JobStatus.QUEUED
    owner: str = ""
    """The worker that has taken it up; empty: none has."""
    attempts: int = 0
    tokens: int = 0
    progress: tuple[JobEntry, ...] = ()
    draft: JobDraft | None = None
    result: JsonObject | None = None
    """Of an ended job: the tool it made, or its failure."""

    @property
    def last_seq(self) -> int:
        return self.progress[-1].seq if self.progress else 0


@dataclass(frozen=True, slots=True)
class OpenJob:
    """A job that has not ended, as the row that counts an agent's open jobs knows it."""

    id: str
    connection_id: str


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a conversation with a language model."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a language model answered, and what it cost."""

    text: str
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class Page:
    """A page of documentation as text."""

    url: str
    text: str
    links: tuple[tuple[str, str], ...] = ()
    """(absolute address, its words), in the order of the page; only within the page's own site."""


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What one tick of the sweep did."""

    at: datetime
    considered: int
    skipped_in_flight: int
    demoted_idle: int
    demoted_cap: int
    lost_races: int
    failed: int
    not_reached: int
    """Left to the next tick, because this one's time ran out."""
    seconds: float
    oldest_due_seconds: float
    """How long the agent that waits longest has been due; 0: none was left waiting."""
    longest_in_flight_seconds: float
    """The same among agents that were skipped because a run was in flight."""
    skipped_agents: tuple[str, ...]
    """Ids, at most 100."""

    def as_json(self) -> dict[str, Json]:
        return {
            "at": self.at.isoformat(),
            "considered": self.considered,
            "skippedInFlight": self.skipped_in_flight,
            "demoted": {"idle": self.demoted_idle, "cap": self.demoted_cap},
            "lostRaces": self.lost_races,
            "failed": self.failed,
            "notReached": self.not_reached,
            "seconds": self.seconds,
            "oldestDueSeconds": self.oldest_due_seconds,
            "longestInFlightSeconds": self.longest_in_flight_seconds,
            "skippedAgents": list(self.skipped_agents),
        }
