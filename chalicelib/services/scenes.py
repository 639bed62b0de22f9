"""What the attempts of a job work with, for as long as the agent may use the connection and the person agrees."""

from __future__ import annotations

from dataclasses import dataclass

from chalicelib.errors import Refusal
from chalicelib.model import Connection
from chalicelib.rules import briefing, endings
from chalicelib.rules.endings import Ending
from chalicelib.services import acquire_asks, identity, requests
from chalicelib.services.deps import Deps, Model
from chalicelib.services.documentation import read_documentation
from chalicelib.services.identity import Caller
from chalicelib.services.workers import JobLost, Worker


class Over(Exception):
    """The job is over without a tool."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.failure)
        self.ending = ending


@dataclass(frozen=True, slots=True)
class Scene:
    """What every attempt works with."""

    deps: Deps
    model: Model
    worker: Worker
    connection: Connection
    first: str
    """The first message to the model."""

    def caller(self) -> Caller:
        """The agent as it is now: its token may be another one since the job began.

        Raises `Over` once it may not use the connection any more, or the person has withdrawn.
        """
        caller = _caller(self.deps, self.worker)
        _find_usable(self.deps, self.model, caller, self.connection.id)
        return caller


def begin(deps: Deps, model: Model, worker: Worker) -> Scene:
    """The scene of a job that was taken up, its documentation read. Raises `Over`."""
    job = worker.job
    connection = _find_usable(deps, model, _caller(deps, worker), job.connection_id)
    pages, unread = read_documentation(deps, job, connection, alive=worker.beat)
    read = ", ".join(page.url for page in pages) or "none"
    worker.note("documentation", f"Read: {read}." + (f" Not read: {'; '.join(unread)}" if unread else ""))
    return Scene(deps, model, worker, connection, briefing.brief(job, connection, pages))


def _caller(deps: Deps, worker: Worker) -> Caller:
    caller = identity.on_behalf(deps, worker.job.person_id, worker.job.agent_id)
    if caller is None:
        worker.beat()
        raise JobLost
    return caller


def _find_usable(deps: Deps, model: Model, caller: Caller, connection_id: str) -> Connection:
    try:
        connection = requests.mine(deps, caller, connection_id)
    except Refusal as refusal:
        raise Over(endings.find_ending(refusal.reason) or endings.CONNECTION_GONE) from None
    if not acquire_asks.is_allowed(deps, caller.agent, connection.id, model):
        raise Over(endings.WITHDRAWN)
    return connection
