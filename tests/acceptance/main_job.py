"""The main job, told with any MCP client. Each agent here begins with an empty set."""

from __future__ import annotations

from typing import Any, Final

from .driver import Driver
from .rpc import Agent

META_TOOLS: Final = [
    "find_tool",
    "promote",
    "demote",
    "run_tool",
    "check_tool",
    "publish_tool",
    "read_tool_source",
    "request_connection",
    "request_credential",
    "acquire",
    "acquire_status",
]
LIST_NOTES: Final = "demo__list-notes"
COUNT_NOTES: Final = 'def run(input, http):\n    return {"notes": len(http.get("/notes").json())}\n'
NO_INPUT: Final = {"type": "object", "properties": {}, "additionalProperties": False}
INVALID_PARAMS: Final = -32602
HEAR_SECONDS: Final = 20.0
LISTEN_ATTEMPTS: Final = 10


def tell_main_job(client: Driver, label: str, *, hears: bool) -> None:
    """Find, promote, call, publish, run, call, demote. `hears`: each change of the list reaches this client.

    `label`, in kebab-case, makes the published tool this telling's own: the toolbox is shared.
    """
    heard = _Hearing(client, hears)
    assert names(client.list()) == META_TOOLS

    found = client.call("find_tool", query="notes")
    assert found["total"] >= 3
    assert {"tool": LIST_NOTES, "promoted": False}.items() <= found["tools"][0].items()

    promoted = client.call("promote", vendor="demo", name="list-notes")
    assert {"promoted": True, "changed": True, "workingSetSize": 1}.items() <= promoted.items()
    heard.a_change("a promotion")
    assert names(client.list()) == [*META_TOOLS, LIST_NOTES]
    notes = client.call(LIST_NOTES)["result"]
    assert all({"id", "text"} <= note.keys() for note in notes)

    counter = f"demo__count-notes-{label}"
    published = client.call("publish_tool", **a_draft(counter))
    assert {"tool": counter, "version": 1, "promoted": True, "changed": True}.items() <= published.items()
    heard.a_change("a publish")
    in_the_same_breath = client.call("run_tool", vendor="demo", name=counter.removeprefix("demo__"))
    assert in_the_same_breath == {"notes": len(notes)}
    listed = client.list()
    assert names(listed) == [*META_TOOLS, LIST_NOTES, counter]
    assert hints(listed[-1]) == {"readOnlyHint": True, "destructiveHint": False}
    assert client.call(counter) == {"notes": len(notes)}

    demoted = client.call("demote", vendor="demo", name=counter.removeprefix("demo__"))
    assert {"promoted": False, "changed": True, "workingSetSize": 1}.items() <= demoted.items()
    heard.a_change("a demotion")
    assert names(client.list()) == [*META_TOOLS, LIST_NOTES]
    refused = client.call_raw(counter, {})["rpcError"]
    assert refused["code"] == INVALID_PARAMS
    assert "run_tool" in refused["message"]
    assert "promote" in refused["message"]
    assert client.call("run_tool", vendor="demo", name=counter.removeprefix("demo__")) == {"notes": len(notes)}


def tell_polling(client: Driver, agent: Agent, label: str) -> None:
    """What another connection of the agent changes is heard while this client calls nothing: its GETs bring it."""
    first = client.heard(beyond=0, seconds=HEAR_SECONDS)
    assert first >= 1, "the first GET of a session brings a change in any case"
    assert names(client.list()) == META_TOOLS
    tool = f"demo__polled-{label}"
    agent.publish(tool, COUNT_NOTES)
    assert client.heard(beyond=first, seconds=HEAR_SECONDS) > first
    assert names(client.list()) == [*META_TOOLS, tool]


def tell_listening(client: Driver, agent: Agent, label: str) -> None:
    """What another connection publishes while a subscription is open is heard on it.

    Whether a publish falls into the short time that one subscription lasts is chance, so there are several.
    """
    tool = f"demo__listened-{label}"
    for _ in range(LISTEN_ATTEMPTS):
        client.begin({"do": "listen"})
        agent.publish(tool, COUNT_NOTES)
        if client.finish():
            assert names(client.list()) == [*META_TOOLS, tool]
            return
    raise AssertionError(f"{LISTEN_ATTEMPTS} subscriptions brought no list change")


def names(tools: list[dict[str, Any]]) -> list[str]:
    return [tool["name"] for tool in tools]


def hints(tool: dict[str, Any]) -> dict[str, bool]:
    return {name: value for name, value in tool["annotations"].items() if name.endswith("Hint")}


def a_draft(wire_name: str, source: str = COUNT_NOTES, **more: Any) -> dict[str, Any]:
    """What `publish_tool` takes."""
    vendor, _, name = wire_name.partition("__")
    described = {"vendor": vendor, "name": name, "description": f"{name} of {vendor}"}
    return {**described, "inputSchema": NO_INPUT, "source": source, **more}


class _Hearing:
    def __init__(self, client: Driver, hears: bool) -> None:
        self._client = client
        self._hears = hears
        self._count = client.heard() if hears else 0

    def a_change(self, what: str) -> None:
        """A change was heard since the last one, or is within the time it may take."""
        if self._hears:
            count = self._client.heard(beyond=self._count, seconds=HEAR_SECONDS)
            assert count > self._count, f"{what} was not heard"
            self._count = count
