"""What each meta-tool does: one use case, and its answer as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from chalicelib.services import acquire as acquiring
from chalicelib.services import publishing, requests, runs, toolbox, working_set

from . import catalogue, notes, requesting, words
from .jobs import job_answer
from .packing import Answered, ToolAnswer, iso, without_none
from .waiting import waiting_answer

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps
    from chalicelib.services.identity import Caller
    from chalicelib.services.working_set import Membership

    from .catalogue import Action
    from .tool_call import ToolCall


def find_tool(deps: Deps, caller: Caller, call: ToolCall) -> ToolAnswer:
    arguments = call.arguments
    limit, offset = int(arguments.get("limit", 10)), int(arguments.get("offset", 0))
    found = toolbox.find(deps, caller, arguments["query"], limit=limit, offset=offset)
    return ToolAnswer(
        {
            "tools": [_found_tool(tool) for tool in found.tools],
            "total": found.total,
            "connections": [
                {"connectionId": c.id, "vendor": c.vendor, "displayName": c.display_name} for c in found.connections
            ],
            "note": found.note,
        }
    )


def _found_tool(found: toolbox.FoundTool) -> dict[str, Any]:
    card = found.card
    return {
        "vendor": card.vendor,
        "name": card.name,
        "tool": card.wire_name,
        "description": card.description,
        "promoted": found.promoted,
        **card.annotations.as_hints(),
        "inputSchema": card.input_schema,
        "version": card.version,
    }


def promote(deps: Deps, caller: Caller, call: ToolCall) -> ToolAnswer:
    return _membership_answer(working_set.promote(deps, caller, call.arguments["vendor"], call.arguments["name"]))


def demote(deps: Deps, caller: Caller, call: ToolCall) -> ToolAnswer:
    return _membership_answer(working_set.demote(deps, caller, call.arguments["vendor"], call.arguments["name"]))


def _membership_answer(membership: Membership) -> ToolAnswer:
    value = without_none(
        tool=membership.tool,
        promoted=membership.promoted,
        changed=membership.changed,
        workingSetSize=membership.working_set_size,
        cap=membership.cap,
        note=membership.note,
    )
    return ToolAnswer(value, moved_list=membership.changed)


def run_tool(deps: Deps, caller: Caller, call: ToolCall) -> Answered:
    arguments = call.arguments
    vendor, name, tool_input = arguments["vendor"], arguments["name"], arguments.get("input", {})
    outcome = runs.call(deps, caller, vendor, name, tool_input, dry_run=arguments.get("dryRun", False))
    return outcome_answer(call, outcome)


def outcome_answer(call: ToolCall, outcome: runs.Outcome) -> Answered:
    """A run's own answer; or what the person has to be told, which is no error."""
    return ToolAnswer(outcome.value) if isinstance(outcome, runs.Done) else waiting_answer(call, outcome)


def check_tool(deps: Deps, _caller: Caller, call: ToolCall) -> ToolAnswer:
    checked = toolbox.check(deps, call.arguments["source"], call.arguments.get("inputSchema"))
    return ToolAnswer(
        {
            "ok": checked.ok,
            "problems": [toolbox.problem_json(problem) for problem in checked.problems],
            "annotations": checked.annotations.as_hints(),
        }
    )


def publish_tool(deps: Deps, caller: Caller, call: ToolCall) -> ToolAnswer:
    arguments = call.arguments
    draft = publishing.Draft(
        vendor=arguments["vendor"],
        name=arguments["name"],
        description=arguments["description"],
        input_schema=arguments["inputSchema"],
        source=arguments["source"],
        connection_id=arguments.get("connectionId"),
        test_input=arguments.get("testInput"),
    )
    published = publishing.publish(deps, caller, draft)
    membership = published.membership
    value = without_none(
        tool=membership.tool,
        version=published.tool.version,
        annotations=published.annotations.as_hints(),
        promoted=membership.promoted,
        changed=membership.changed,
        workingSetSize=membership.working_set_size,
        cap=membership.cap,
        dryRun=published.dry_run,
        note=notes.publish_note(published),
    )
    return ToolAnswer(value, moved_list=True)


def read_tool_source(deps: Deps, caller: Caller, call: ToolCall) -> ToolAnswer:
    arguments = call.arguments
    number = arguments.get("version")
    version = int(number) if number is not None else None
    read = toolbox.read_source(deps, caller, arguments["vendor"], arguments["name"], version)
    return ToolAnswer(
        {
            "tool": read.version.wire_name,
            "version": read.version.version,
            "versions": [{"version": v, "publishedAt": iso(published_at)} for v, published_at in read.versions],
            "source": read.version.source,
            "inputSchema": read.version.input_schema,
            "annotations": read.version.annotations.as_hints(),
        }
    )


def request_connection(deps: Deps, caller: Caller, call: ToolCall) -> Answered:
    arguments = call.arguments
    wanted = requests.WantedConnection(
        vendor=arguments["vendor"],
        primary_host=arguments["primaryHost"],
        scheme=arguments["scheme"],
        scheme_config=arguments.get("schemeConfig", {}),
        hosts=arguments.get("hosts", ()),
        display_name=arguments.get("displayName", ""),
        docs_url=arguments.get("docsUrl", ""),
    )
    return _request_answer(call, requests.request_connection(deps, caller, wanted))


def request_credential(deps: Deps, caller: Caller, call: ToolCall) -> Answered:
    connection_id, reason = call.arguments["connectionId"], call.arguments.get("reason", "")
    return _request_answer(call, requests.request_credential(deps, caller, connection_id, reason))


def _request_answer(call: ToolCall, answer: requests.Answer) -> Answered:
    if isinstance(answer, requests.Connected):
        return ToolAnswer({"status": "connected", "connectionId": answer.connection_id})
    return waiting_answer(call, answer)


def acquire(deps: Deps, caller: Caller, call: ToolCall) -> Answered:
    arguments = call.arguments
    wanted = acquiring.Wanted(
        connection_id=arguments["connectionId"],
        goal=arguments["goal"],
        hints=arguments.get("hints", ""),
        ignore_existing=arguments.get("ignoreExisting", False),
    )
    answer = acquiring.acquire(deps, caller, wanted)
    if isinstance(answer, acquiring.News):
        return job_answer(answer)
    if isinstance(answer, acquiring.Similar):
        promoted = {p.tool for p in caller.promotions}
        found = [toolbox.FoundTool(card, card.wire_name in promoted) for card in answer.tools]
        return ToolAnswer(
            {"status": "existing", "tools": [_found_tool(tool) for tool in found], "note": words.ACQUIRE_EXISTING}
        )
    return waiting_answer(call, answer)


def acquire_status(deps: Deps, caller: Caller, call: ToolCall) -> ToolAnswer:
    after = int(call.arguments.get("after", 0))
    return job_answer(acquiring.status(deps, caller, call.arguments["jobId"], after))


ACTIONS: Final[dict[str, Action]] = {
    catalogue.FIND_TOOL.name: find_tool,
    catalogue.PROMOTE.name: promote,
    catalogue.DEMOTE.name: demote,
    catalogue.RUN_TOOL.name: run_tool,
    catalogue.CHECK_TOOL.name: check_tool,
    catalogue.PUBLISH_TOOL.name: publish_tool,
    catalogue.READ_TOOL_SOURCE.name: read_tool_source,
    requesting.REQUEST_CONNECTION.name: request_connection,
    requesting.REQUEST_CREDENTIAL.name: request_credential,
    catalogue.ACQUIRE.name: acquire,
    catalogue.ACQUIRE_STATUS.name: acquire_status,
}
