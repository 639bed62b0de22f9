"""The work on a job: documentation → module → check → proof reads → dry run → publish, until it passes or is over."""

from __future__ import annotations

from chalicelib.errors import Reason, Refusal, Unanswered
from chalicelib.model import JobDraft, Reply
from chalicelib.rules import acquire as rule
from chalicelib.rules import briefing, endings, shortfalls
from chalicelib.rules.candidate import Candidate, GaveUp, Look, Misread, read_reply
from chalicelib.rules.endings import SAID_MAX
from chalicelib.rules.names import wire_name
from chalicelib.services import identity, proving, publishing, scenes, toolbox, workers
from chalicelib.services.deps import Deps, Model, log
from chalicelib.services.publishing import Draft
from chalicelib.services.replies import await_reply
from chalicelib.services.scenes import Over, Scene
from chalicelib.services.workers import JobLost, Worker


def work(deps: Deps, person_id: str, agent_id: str, job_id: str) -> None:
    """Be the job's worker, if it needs one. Safe to call any number of times, by any number of processes.

    A process without a model leaves the job to those that have one.
    """
    caller = identity.on_behalf(deps, person_id, agent_id)
    worker = workers.take_up(deps, caller.agent, job_id) if caller and deps.model else None
    if deps.model is None or worker is None:
        return
    try:
        _work_until_over(deps, deps.model, worker)
    except JobLost:
        log.info("job %s is no longer this worker's", job_id)


def _work_until_over(deps: Deps, model: Model, worker: Worker) -> None:
    try:
        scene = scenes.begin(deps, model, worker)
        while not _attempt(scene):
            continue
        worker.succeeded()
    except Over as over:
        worker.fail(over.ending)
    except JobLost:
        raise
    except Refusal as refusal:
        worker.fail(endings.UNFINISHED.because(refusal.message))
    except Exception:
        log.exception("job %s failed", worker.job.id)
        worker.fail(endings.BROKEN)


def _attempt(scene: Scene) -> bool:
    """One attempt. Whether there is a tool now; else what was wrong with it is in the job's draft."""
    reply = _asked(scene)
    worker = scene.worker
    match read_reply(reply.text, vendor=scene.connection.vendor):
        case GaveUp(why):
            raise Over(endings.GAVE_UP.because(shortfalls.gave_up(why)))
        case Misread(problems):
            return _again(worker, "unreadable", shortfalls.misread(problems), reply, briefing.misread(problems))
        case Look(reads):
            return _looked(scene, reply, reads)
        case Candidate() as candidate:
            return _judged(scene, reply, candidate)


def _asked(scene: Scene) -> Reply:
    job, worker = scene.worker.job, scene.worker
    said = briefing.conversation(scene.first, job.draft)
    failure = rule.decide_attempt(job, prompt_characters=briefing.characters(said), now=scene.deps.now())
    if failure is not None:
        raise Over(endings.NO_FURTHER[failure])
    scene.caller()
    number = job.attempts + 1
    worker.note("model", f"Attempt {number} of {rule.ATTEMPTS_MAX}: the model writes.", attempts=number)
    try:
        reply = await_reply(worker, lambda: scene.model.reply(briefing.SYSTEM, said, rule.REPLY_TOKENS_MAX))
    except Unanswered as unanswered:
        raise Over(endings.UNANSWERED.because(f"{unanswered}.")) from None
    tokens = rule.cost_of(reply, prompt_characters=briefing.characters(said))
    worker.note("reply", f"The model answered ({tokens:,} tokens).", tokens=worker.job.tokens + tokens)
    return reply


def _looked(scene: Scene, reply: Reply, paths: tuple[str, ...]) -> bool:
    proofs = proving.read_paths(scene.deps, scene.caller(), scene.connection, paths)
    _end_if_hopeless(proofs.error)
    answers = _answers(proofs)
    return _again(scene.worker, "reads", f"Read {len(paths)} of the vendor's answers.", reply, briefing.looked(answers))


def _judged(scene: Scene, reply: Reply, candidate: Candidate) -> bool:
    deps, worker = scene.deps, scene.worker
    tool = wire_name(scene.connection.vendor, candidate.name)
    if deps.store.toolbox.find_current(worker.job.person_id, tool) is not None:
        return _again(worker, "check", f"{tool} exists already.", reply, briefing.name_taken(tool))
    checked = toolbox.check(deps, candidate.source, candidate.input_schema, hosts=scene.connection.hosts)
    if not checked.ok:
        told = briefing.failed_check(checked.problems)
        return _again(worker, "check", shortfalls.failed_check(tool, checked.problems), reply, told)
    worker.note("check", f"{tool} passed the check.")
    proofs = proving.read_paths(deps, scene.caller(), scene.connection, candidate.reads)
    _end_if_hopeless(proofs.error)
    if not proofs.passed:
        said = shortfalls.failed_reads(proofs.answers, proofs.error)
        return _again(worker, "reads", said, reply, briefing.failed_reads(_answers(proofs)))
    report = proving.dry_run(deps, scene.caller(), scene.connection, candidate, checked.methods)
    _end_if_hopeless(report.get("error"))
    answers = _answers(proofs)
    if not report["passed"]:
        told = briefing.failed_dry_run(report, answers)
        return _again(worker, "dry run", shortfalls.failed_dry_run(tool, report), reply, told)
    if rule.proves_nothing(report, insists=briefing.insists(worker.job.draft, reply.text)):
        return _again(worker, "dry run", f"{tool} returned nothing.", reply, briefing.nothing_found(answers))
    worker.note("dry run", f"The dry run of {tool} passed.")
    return _published(scene, reply, candidate)


def _published(scene: Scene, reply: Reply, candidate: Candidate) -> bool:
    draft = Draft(
        vendor=scene.connection.vendor,
        name=candidate.name,
        description=candidate.description,
        input_schema=candidate.input_schema,
        source=candidate.source,
        connection_id=scene.connection.id,
    )
    try:
        publishing.publish(scene.deps, scene.caller(), draft, errand=scene.worker)
    except Refusal as refusal:
        if refusal.reason is not Reason.PUBLISH_REFUSED:
            _end_if_hopeless({"reason": refusal.reason, "message": refusal.message})
            raise
        return _again(scene.worker, "publish", refusal.message, reply, briefing.misread([refusal.message]))
    return True


def _again(worker: Worker, step: str, message: str, reply: Reply, told: str) -> bool:
    """Keep what the next attempt needs, whoever makes it; `message` is for those who follow the job."""
    worker.note(step, message, draft=JobDraft(briefing.kept(reply.text), told, message[:SAID_MAX]))
    return False


def _answers(proofs: proving.Proofs) -> str:
    text = briefing.proof_text(proofs.answers)
    if proofs.error is None:
        return text
    told = briefing.quoted("ERROR", f"{proofs.error['reason']}: {proofs.error['message']}"[: briefing.EXCERPT_MAX])
    return f"{text}\n\n{told}".strip()


def _end_if_hopeless(error: object) -> None:
    """Raise `Over` for what no other module would change."""
    ending = endings.find_ending(str(error["reason"])) if isinstance(error, dict) else None
    if ending is not None:
        raise Over(ending)
