"""How well tools are written: `python -m benchmarks.acquire`.

Ten goals against a stand-in vendor, each judged by calling the tool that was published. Without GRAFT_MODEL a scripted
model replies, mistakes included: what is measured then is the loop, which has to bring each mistake back in words that
the next reply could have been made from. With GRAFT_MODEL (and its URL and key) the model that they name writes.
Ends with 1 when the scripted model did not solve all ten.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.acquire_goals import GOALS, Goal
from benchmarks.acquire_vendor import TOKEN, Vendor
from chalicelib import wiring
from chalicelib.model import AskAnswer, Job, JobStatus, Reply, Said
from chalicelib.rules.acquire import estimate_tokens
from chalicelib.services import acquire, acquire_asks, agents, approvals, connections, identity, runs, writing
from chalicelib.services.acquire import News, Wanted
from chalicelib.services.asks import Waiting
from chalicelib.services.connections import NewConnection
from chalicelib.services.deps import Deps
from infra.local import emulator
from infra.local.table import ensure_table

PERSON: Final = "bench"
TABLE: Final = "graft"
HANDED: Final = ("GRAFT_MODEL", "GRAFT_MODEL_URL", "GRAFT_MODEL_KEY")


class Scripted:
    """Replies as the goals say, each goal's in order; the last one again and again."""

    provider = "a script"
    model_id = "scripted"

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def reply(self, system: str, messages: Sequence[Said], max_tokens: int) -> Reply:
        goal = next(goal for goal in GOALS if messages[0].text.startswith(f"Goal: {goal.goal}\n"))
        text = goal.replies[min(self._asked[goal.topic], len(goal.replies) - 1)]
        self._asked[goal.topic] += 1
        read = len(system) + sum(len(said.text) for said in messages)
        return Reply(text[: max_tokens * 4], estimate_tokens(read), estimate_tokens(len(text)))


@dataclass(frozen=True, slots=True)
class Solved:
    goal: Goal
    is_solved: bool
    attempts: int
    tokens: int
    seconds: float
    why: str


@contextmanager
def scene(vendor: Vendor) -> Iterator[tuple[Deps, str]]:
    """(deps, an agent's token) over an emulator of its own."""
    with TemporaryDirectory() as folder:
        aws = emulator.start(Path(folder), ephemeral=True)
        try:
            environment = {
                "GRAFT_TABLE": TABLE,
                "GRAFT_HOME": folder,
                "GRAFT_AWS_ENDPOINT": aws.endpoint_url,
                "GRAFT_PUBLIC_BASE_URL": "http://127.0.0.1",
                "GRAFT_LOCAL_HOSTS": vendor.host,
                **{name: os.environ[name] for name in HANDED if name in os.environ},
            }
            made = wiring.make_deps(environment)
            deps = replace(made, model=made.model or Scripted(), start_job=lambda *_: None)
            ensure_table(deps.store.table.client, TABLE)
            deps.store.people.add(PERSON)
            yield deps, agents.create_agent(deps, PERSON, "bench")[1]
            deps.sandbox.close()
            deps.store.close()
        finally:
            aws.stop()


def solve(deps: Deps, token: str, vendor: Vendor, goal: Goal) -> Solved:
    """Have the tool written, then call it with an input that the model has not seen."""
    began = time.monotonic()
    wanted = NewConnection(goal.topic, vendor.host, "bearer", secret={"token": TOKEN})
    connection = connections.create_connection(deps, PERSON, wanted)
    job = _worked(deps, token, Wanted(connection.id, goal.goal, f"http://{vendor.host}/docs/{goal.topic}"))
    seconds = time.monotonic() - began
    if job.status is not JobStatus.SUCCEEDED:
        return Solved(goal, False, job.attempts, job.tokens, seconds, str((job.result or {}).get("failure")))
    assert job.result is not None
    answer = _called(deps, token, str(job.result["tool"]), goal.input)
    is_solved = _judged(goal, answer, vendor)
    return Solved(goal, is_solved, job.attempts, job.tokens, seconds, "" if is_solved else f"answered {answer!r}"[:60])


def _worked(deps: Deps, token: str, wanted: Wanted) -> Job:
    caller = identity.identify(deps, token, None)
    waiting = acquire.acquire(deps, caller, wanted)
    assert isinstance(waiting, Waiting)
    ask = deps.store.asks.find(PERSON, waiting.ask_id)
    assert ask is not None
    acquire_asks.answer_acquire(deps, ask, AskAnswer.ALLOWED)
    news = acquire.acquire(deps, caller, wanted)
    assert isinstance(news, News)
    writing.work(deps, PERSON, news.job.agent_id, news.job.id)
    job = deps.store.jobs.find(PERSON, news.job.agent_id, news.job.id)
    assert job is not None
    return job


def _called(deps: Deps, token: str, tool: str, input: dict[str, Any]) -> Any:
    """What the tool answers, or how it was refused."""
    approvals.allow(deps, PERSON, "bench", tool)
    vendor, _, name = tool.partition("__")
    try:
        outcome = runs.call(deps, identity.identify(deps, token, None), vendor, name, input)
    except Exception as error:
        return repr(error)
    return outcome.value if isinstance(outcome, runs.Done) else outcome


def _judged(goal: Goal, answer: Any, vendor: Vendor) -> bool:
    try:
        return goal.is_solved(answer, vendor.state)
    except (TypeError, KeyError, IndexError):
        return False


def main() -> int:
    with Vendor() as vendor, scene(vendor) as (deps, token):
        assert deps.model is not None
        print(f"model: {deps.model.model_id} at {deps.model.provider}")
        print(f"{'goal':<24}{'solved':>8}{'attempts':>10}{'tokens':>10}{'s':>7}")
        solved = [_told(solve(deps, token, vendor, goal)) for goal in GOALS]
        is_scripted = isinstance(deps.model, Scripted)
    good = sum(each.is_solved for each in solved)
    attempts, tokens = sum(each.attempts for each in solved), sum(each.tokens for each in solved)
    print(f"{'all':<24}{f'{good}/{len(GOALS)}':>8}{attempts:>10}{tokens:>10,}")
    return 1 if is_scripted and good < len(GOALS) else 0


def _told(each: Solved) -> Solved:
    mark = "yes" if each.is_solved else "no"
    print(
        f"{each.goal.kind:<24}{mark:>8}{each.attempts:>10}{each.tokens:>10,}{each.seconds:>7.1f}  {each.why}",
        flush=True,
    )
    return each


if __name__ == "__main__":
    sys.exit(main())
