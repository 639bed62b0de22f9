"""`make agent`, `make approve`, `make sign-in`, `make person` and `make sweep`, beside a running `make run`."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from chalicelib.errors import Conflict, Refusal
from chalicelib.model import CAP_DEFAULT, IDLE_WINDOW_DAYS_DEFAULT, LinkKind
from chalicelib.rules.sweep import Leaver
from chalicelib.services import accounts, agents, approvals
from chalicelib.services.deps import Deps
from chalicelib.services.reconcile import Unreadable, reconcile
from chalicelib.services.sweep import Outcome, Sweep, Visit, plan_sweep, run_sweep
from chalicelib.wiring import start_logging
from infra.local import emulator
from infra.local.home import Home
from infra.local.process import environment_of_running
from infra.local.setup import PERSON, sign_in_url

_AHEAD: Final = re.compile(r"\+(\d{1,5})d")


class Unusable(Exception):
    """What was typed cannot be used; the message says what to type."""


def main(arguments: list[str], *, make_deps: Callable[[], Deps] | None = None) -> int:
    """`make_deps` makes what the commands work with; when it is not given, what `make run` started."""
    start_logging(os.environ)
    options = _parser().parse_args(arguments)
    try:
        for line in options.run((make_deps or _deps)(), options):
            print(line)
    except (Unusable, Conflict) as error:
        print(error, file=sys.stderr)
        return 1
    except Refusal as refusal:
        print(refusal.message, file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="graft", description=__doc__)
    commands = parser.add_subparsers(required=True)
    agent = commands.add_parser("agent", help="add an agent and print its token")
    agent.add_argument("--name", required=True)
    agent.add_argument("--cap", default="")
    agent.add_argument("--window", default="")
    agent.set_defaults(run=add_agent)
    approve = commands.add_parser("approve", help="allow a tool that writes for an agent")
    approve.add_argument("--agent", required=True)
    approve.add_argument("--tool", required=True)
    approve.set_defaults(run=approve_tool)
    sign_in = commands.add_parser("sign-in", help="print a link that signs the person in once")
    sign_in.set_defaults(run=print_sign_in_link)
    person = commands.add_parser("person", help="print the link with which the first person makes their account")
    person.set_defaults(run=print_set_up_link)
    sweep = commands.add_parser("sweep", help="apply the rule now")
    sweep.add_argument("--at", default="", help="the rule's clock, ISO 8601; deadlines and records keep theirs")
    sweep.add_argument("--plan", default="", help="1: only print what would leave")
    sweep.set_defaults(run=sweep_now)
    check = commands.add_parser("reconcile", help="recompute the due index for every agent")
    check.set_defaults(run=reconcile_now)
    return parser


def _deps() -> Deps:
    from chalicelib import wiring

    home = Home.find(os.environ)
    endpoint = emulator.find_running(home.path) if home else None
    if home is None or endpoint is None:
        where = home.path if home else "the folder that GRAFT_HOME names"
        raise Unusable(f"Graft is not running with its data in {where}. Start it with: make run")
    os.environ.update(environment_of_running(home, endpoint))
    return wiring.deps()


def add_agent(deps: Deps, options: argparse.Namespace) -> Iterator[str]:
    if not options.name.strip():
        raise Unusable("Give it a name: make agent NAME=laptop")
    agent, token = agents.create_agent(
        deps,
        PERSON,
        options.name,
        cap=_whole(options.cap, "CAP", CAP_DEFAULT),
        idle_window_days=_whole(options.window, "WINDOW", IDLE_WINDOW_DAYS_DEFAULT),
    )
    yield f"agent     {agent.name} ({agent.id}), cap {agent.cap}, idle window {agent.idle_window_days} days"
    yield f"endpoint  {deps.settings.public_base_url}/mcp"
    yield f"token     {token}"
    yield "The token is shown this once; only its hash is kept."


def _whole(value: str, name: str, default: int) -> int:
    if not value:
        return default
    if not value.isdecimal() or len(value) > 9:
        raise Unusable(f"{name} is a whole number, not {value[:40]!r}.")
    return int(value)


def approve_tool(deps: Deps, options: argparse.Namespace) -> Iterator[str]:
    if not options.agent or not options.tool:
        raise Unusable("Name both: make approve AGENT=demo TOOL=demo__create-note")
    agent, tool = approvals.allow(deps, PERSON, options.agent, options.tool)
    if tool.annotations.read_only:
        yield f"{tool.wire_name} only reads, so it needs no approval."
        return
    yield (
        f"{agent.name} may run {tool.wire_name} (version {tool.version}), with any input, without asking, "
        "until its code changes."
    )


def print_sign_in_link(deps: Deps, _: argparse.Namespace) -> Iterator[str]:
    yield sign_in_url(deps)
    yield "It signs you in once, within a day. Open it in your own browser, and give it to nobody."


def print_set_up_link(deps: Deps, _: argparse.Namespace) -> Iterator[str]:
    person = deps.store.people.find(PERSON)
    if person is not None and person.email:
        raise Unusable("The first person has an account already. A link that signs them in: make sign-in")
    yield f"{deps.settings.public_base_url}/in/{accounts.new_link(deps, PERSON, LinkKind.SET_UP)}"
    yield "It makes the first person's account once, within seven days. Whoever opens it chooses address and password."


def sweep_now(deps: Deps, options: argparse.Namespace) -> Iterator[str]:
    rule_now = _moment(options.at)
    if options.plan not in ("", "0"):
        return _plan_lines(list(plan_sweep(deps, rule_now=rule_now)))
    return _sweep_lines(run_sweep(deps, rule_now=rule_now))


def reconcile_now(deps: Deps, _: argparse.Namespace) -> Iterator[str]:
    seen, drifts = 0, 0
    unreadable = 0
    for drift in reconcile(deps):
        seen += 1
        if isinstance(drift, Unreadable):
            unreadable += 1
            yield f"unread   {drift.agent_id}: its row cannot be read, so nothing was mended"
            continue
        if drift is not None:
            drifts += 1
            stored = _iso(drift.stored) if drift.stored else "none"
            yield f"drift    {drift.agent.name} ({drift.agent.id}) stored={stored} true={_iso(drift.true)}: mended"
    rest = f", {unreadable} unreadable" if unreadable else ""
    yield f"reconcile: {seen} agents, {drifts} drifted{rest}."


def _moment(value: str) -> datetime | None:
    """An instant, without an offset in UTC; or so many days from now, as in +30d."""
    if not value:
        return None
    ahead = _AHEAD.fullmatch(value)
    if ahead:
        return datetime.now(UTC) + timedelta(days=int(ahead[1]))
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise Unusable(f"AT is an instant such as 2027-01-15T00:00:00.5Z, or +30d, not {value[:60]!r}.") from None


def _plan_lines(visits: list[Visit]) -> Iterator[str]:
    yield from _visit_lines(visits, leaving="leaves ")
    leaving = sum(len(visit.leavers) for visit in visits)
    skipped = sum(visit.outcome is Outcome.SKIPPED for visit in visits)
    failed = sum(visit.outcome is Outcome.FAILED for visit in visits)
    rest = f", {failed} failed" if failed else ""
    yield f"plan: {len(visits)} due, {leaving} would leave, {skipped} skipped{rest}. Nothing was changed."


def _sweep_lines(swept: Sweep) -> Iterator[str]:
    yield from _visit_lines(swept.visits, leaving="demoted")
    counts = {outcome: len(swept.having(outcome)) for outcome in Outcome}
    yield (
        f"sweep: {len(swept.visits)} due, {len(swept.demoted)} demoted, {counts[Outcome.SKIPPED]} skipped, "
        f"{counts[Outcome.LOST_RACE]} lost races, {counts[Outcome.FAILED]} failed."
    )


def _visit_lines(visits: Iterable[Visit], *, leaving: str) -> Iterator[str]:
    """By the agents' names: a plan and the sweep after it read alike, whichever was visited first."""
    for visit in sorted(visits, key=lambda visit: (visit.agent.name if visit.agent else "", visit.due.agent_id)):
        if visit.agent is None:
            if visit.outcome is Outcome.FAILED:
                yield f"failed   {visit.due.agent_id}: it cannot be read or written now; the log of Graft says why"
            continue
        who = f"{visit.agent.name} ({visit.agent.id})"
        if visit.outcome is Outcome.SKIPPED:
            yield f"skipped  {who}: a run is in flight, nothing is demoted"
        elif visit.outcome is Outcome.LOST_RACE:
            yield f"lost     {who}: it moved meanwhile, the next sweep decides afresh"
        elif not visit.leavers:
            yield f"stays    {who}: nothing leaves"
        else:
            yield from (f"{leaving}  {who} {_leaver(leaver)}" for leaver in visit.leavers)


def _leaver(leaver: Leaver) -> str:
    used = "last used" if leaver.promotion.last_used_at else "never used, promoted"
    return f"{leaver.tool} cause={leaver.cause} active_at={_iso(leaver.active_at)} ({used})"


def _iso(moment: datetime) -> str:
    """UTC to the millisecond, which is all the table holds."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
