"""Publishing: a draft becomes the next version and enters its publisher's set, together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Annotations, Cause, Connection, Json, JsonObject, Problem, ToolVersion
from chalicelib.rules import connections as connection_rule
from chalicelib.rules.names import find_name_fault, wire_name
from chalicelib.rules.trials import publish_advice
from chalicelib.services import cards, runs, working_set
from chalicelib.services.deps import Deps
from chalicelib.services.identity import Caller, refresh
from chalicelib.services.retries import attempts
from chalicelib.services.toolbox import Checked, check, problem_json
from chalicelib.services.working_set import Membership

if TYPE_CHECKING:
    from chalicelib.storage.table import Write

DESCRIPTION_MAX: Final = 2000
NAME_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class Draft:
    """A version as its author sends it."""

    vendor: str
    name: str
    description: str
    input_schema: JsonObject
    source: str
    connection_id: str | None = None
    test_input: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Published:
    tool: ToolVersion
    membership: Membership
    advice: tuple[Problem, ...]
    """What the check found without refusing."""
    dry_run: Json
    """The report of the test run; None: no test input was given."""

    @property
    def annotations(self) -> Annotations:
        return self.tool.annotations

    @property
    def test_run_advice(self) -> str:
        """What to do after a test run that did not pass; empty: it passed, or there was none."""
        return publish_advice(self.dry_run) if isinstance(self.dry_run, Mapping) else ""


class Errand(Protocol):
    """What a publish is a part of: both are written, or neither."""

    def writes(self, version: ToolVersion) -> Sequence[Write]:
        """What is written in the publish's transaction."""

    def require(self) -> None:
        """Raises when there is nothing to publish for any more."""


def publish(deps: Deps, caller: Caller, draft: Draft, *, errand: Errand | None = None) -> Published:
    """Check a draft, write it as the next version, promote it for its publisher, then try it with its test input.

    Version and promotion are one transaction, with the errand's own writes. A failed test run does not undo them.
    Raises `publish_refused` with the problems, `connection_not_found` or `connection_revoked`.
    """
    _check_names(draft)
    advice: tuple[Problem, ...] = ()
    checked_hosts: tuple[str, ...] | None = None
    for _ in attempts(deps, "the toolbox"):
        connection, hosts = _draft_connection(deps, caller, draft)
        if hosts != checked_hosts:
            checked, checked_hosts = _checked(deps, draft, hosts), hosts
            advice = checked.problems
        version = _next_version(deps, caller, draft, checked, connection)
        written = _write(deps, caller, version, errand.writes(version) if errand else ())
        if written is not None:
            cards.keep_published(deps, caller.person, version)
            changed = caller.facts.find(version.wire_name) is None
            membership = working_set.membership(deps, written, version.wire_name, changed=changed)
            report = _try_out(deps, written, version, draft.test_input)
            return Published(version, membership, advice, report)
        if errand is not None:
            errand.require()
        caller = refresh(deps, caller)
    raise AssertionError("unreachable: attempts() ends with a refusal")


def _checked(deps: Deps, draft: Draft, hosts: tuple[str, ...]) -> Checked:
    checked = check(deps, draft.source, draft.input_schema, hosts=hosts)
    if not checked.ok:
        raise _publish_refused(draft, checked)
    return checked


def _try_out(deps: Deps, caller: Caller, version: ToolVersion, test_input: JsonObject | None) -> Json:
    return None if test_input is None else runs.try_out(deps, caller, version, test_input)


def _write(deps: Deps, caller: Caller, version: ToolVersion, also: Sequence[Write]) -> Caller | None:
    """The caller after the publish; None: something moved, nothing was written."""
    if caller.facts.find(version.wire_name) is not None:
        written = deps.store.publish(caller.facts, version, None, (), also=also)
        return caller.after_publish() if written else None
    move = working_set.entry(deps, caller, version.wire_name, Cause.PUBLISH)
    written = deps.store.publish(caller.facts, version, move.record, move.remaining, also=also)
    return caller.after(move).after_publish() if written else None


def _next_version(
    deps: Deps, caller: Caller, draft: Draft, checked: Checked, connection: Connection | None
) -> ToolVersion:
    current = deps.store.toolbox.find_current(caller.person.id, wire_name(draft.vendor, draft.name))
    return ToolVersion(
        vendor=draft.vendor,
        name=draft.name,
        version=current.version + 1 if current else 1,
        description=draft.description,
        input_schema=draft.input_schema,
        source=draft.source,
        methods=checked.methods,
        connection_id=connection.id if connection else None,
        published_by=caller.agent.id,
        published_at=deps.now(),
    )


def _check_names(draft: Draft) -> None:
    fault = find_name_fault(draft.vendor, draft.name)
    if fault is None and not draft.description.strip():
        fault = "description is empty; say what the tool does, since that is how it is found."
    if fault is None and len(draft.description) > DESCRIPTION_MAX:
        fault = f"description has {len(draft.description)} characters; it takes 1 to {DESCRIPTION_MAX}."
    if fault is not None:
        problem = Problem(0, 0, "name", fault, "Correct it and publish again; nothing was published.")
        raise _publish_refused(draft, Checked((problem,), frozenset()))


def _draft_connection(deps: Deps, caller: Caller, draft: Draft) -> tuple[Connection | None, tuple[str, ...]]:
    """The default connection to keep with the version, and the hosts its literals may name."""
    usable = connection_rule.in_scope(caller.agent, deps.store.grants.connections(caller.person.id))
    if draft.connection_id is None:
        chosen = connection_rule.choose_connection(draft.vendor, None, usable)
        connection = chosen if isinstance(chosen, Connection) else None
        return connection, connection.hosts if connection else ()
    named = next((c for c in usable if c.id == draft.connection_id), None)
    if named is None:
        names = (
            ", ".join(f"{c.id} ({c.vendor})" for c in connection_rule.live(usable))
            or "none; request_connection asks for one"
        )
        raise Refusal(
            Reason.CONNECTION_NOT_FOUND,
            f"There is no connection {draft.connection_id[:60]!r}. The live ones are: {names}.",
        )
    if named not in connection_rule.live(usable):
        raise Refusal(
            Reason.CONNECTION_REVOKED, f"The connection {named.id} was revoked. Publish with another, or without one."
        )
    return named, named.hosts


def _publish_refused(draft: Draft, checked: Checked) -> Refusal:
    blocking = [problem for problem in checked.problems if problem.blocking]
    first = blocking[0]
    where = f"line {first.line}: " if first.line else ""
    more = f" ({len(blocking) - 1} more in problems)" if len(blocking) > 1 else ""
    called = wire_name(draft.vendor, draft.name)[:NAME_SHOWN]
    return Refusal(
        Reason.PUBLISH_REFUSED,
        f"{called} was not published. {where}{first.message.rstrip('.')}{more}. Mend it and call publish_tool again.",
        {"problems": [problem_json(problem) for problem in checked.problems]},
    )
