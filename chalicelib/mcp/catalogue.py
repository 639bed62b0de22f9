"""The meta-tools as they are listed: their order, input schemas and annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from . import words
from .meta_tool import DESTROYS, READS, WRITES, MetaTool, takes
from .requesting import REQUEST_CONNECTION, REQUEST_CREDENTIAL

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps
    from chalicelib.services.identity import Caller

    from .packing import Answered
    from .tool_call import ToolCall

    Action: TypeAlias = Callable[[Deps, Caller, ToolCall], Answered]

VENDOR: Final = {"type": "string", "description": "As find_tool answers it."}
NAME: Final = {"type": "string", "description": "As find_tool answers it."}


FIND_TOOL: Final = MetaTool(
    "find_tool",
    words.FIND_TOOL,
    takes(
        {
            "query": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
            "offset": {"type": "integer", "minimum": 0, "default": 0},
        },
        required=("query",),
    ),
    READS,
)
PROMOTE: Final = MetaTool(
    "promote", words.PROMOTE, takes({"vendor": VENDOR, "name": NAME}, required=("vendor", "name")), WRITES
)
DEMOTE: Final = MetaTool(
    "demote", words.DEMOTE, takes({"vendor": VENDOR, "name": NAME}, required=("vendor", "name")), WRITES
)
RUN_TOOL: Final = MetaTool(
    "run_tool",
    words.RUN_TOOL,
    takes(
        {
            "vendor": VENDOR,
            "name": NAME,
            "input": {"type": "object", "description": "Fits the tool's inputSchema.", "default": {}},
            "dryRun": {"type": "boolean", "default": False},
        },
        required=("vendor", "name"),
    ),
    DESTROYS,
)
CHECK_TOOL: Final = MetaTool(
    "check_tool",
    words.CHECK_TOOL,
    takes({"source": {"type": "string"}, "inputSchema": {"type": "object"}}, required=("source",)),
    READS,
)
PUBLISH_TOOL: Final = MetaTool(
    "publish_tool",
    words.PUBLISH_TOOL,
    takes(
        {
            "vendor": {
                "type": "string",
                "description": "The service it talks to, as connections name it. Lower-case words joined by hyphens.",
            },
            "name": {
                "type": "string",
                "description": "What it does, such as list-orders. Lower-case words joined by hyphens; "
                "vendor__name has at most 52 characters.",
            },
            "description": {
                "type": "string",
                "minLength": 1,
                "maxLength": 2000,
                "description": "What it does and when to use it: this is what find_tool searches.",
            },
            "inputSchema": {"type": "object", "description": words.PUBLISH_INPUT_SCHEMA},
            "source": {"type": "string", "description": words.PUBLISH_SOURCE},
            "connectionId": {"type": "string", "description": "Needed only if the vendor has several connections."},
            "testInput": {"type": "object", "description": words.PUBLISH_TEST_INPUT},
        },
        required=("vendor", "name", "description", "inputSchema", "source"),
    ),
    WRITES,
)
READ_TOOL_SOURCE: Final = MetaTool(
    "read_tool_source",
    words.READ_TOOL_SOURCE,
    takes(
        {
            "vendor": VENDOR,
            "name": NAME,
            "version": {"type": "integer", "minimum": 1, "description": "Without it, the current one."},
        },
        required=("vendor", "name"),
    ),
    READS,
)
ACQUIRE: Final = MetaTool(
    "acquire",
    words.ACQUIRE,
    takes(
        {
            "connectionId": {"type": "string"},
            "goal": {
                "type": "string",
                "minLength": 1,
                "maxLength": 4000,
                "description": "What the tool must do, take and answer.",
            },
            "hints": {"type": "string", "maxLength": 4000, "description": "Such as a documentation URL."},
            "ignoreExisting": {"type": "boolean", "default": False},
        },
        required=("connectionId", "goal"),
    ),
    WRITES,
)
ACQUIRE_STATUS: Final = MetaTool(
    "acquire_status",
    words.ACQUIRE_STATUS,
    takes({"jobId": {"type": "string"}, "after": {"type": "integer", "minimum": 0}}, required=("jobId",)),
    READS,
)

META_TOOLS: Final = (
    FIND_TOOL,
    PROMOTE,
    DEMOTE,
    RUN_TOOL,
    CHECK_TOOL,
    PUBLISH_TOOL,
    READ_TOOL_SOURCE,
    REQUEST_CONNECTION,
    REQUEST_CREDENTIAL,
    ACQUIRE,
    ACQUIRE_STATUS,
)
"""In list order."""


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """The fixed tools of a door, in list order. The conformance suite is run with one of its own."""

    tools: tuple[MetaTool, ...]
    actions: Callable[[], Mapping[str, Action]]
    """What each tool does, by name; asked at the first call, so that the first list waits for none of it."""

    def find(self, called: str) -> MetaTool | None:
        """The tool of this name, whatever the case and the spaces around it."""
        wanted = called.strip().lower()
        return next((tool for tool in self.tools if tool.name == wanted), None)


def _meta_tool_actions() -> Mapping[str, Action]:
    from .meta_tools import ACTIONS

    return ACTIONS


GRAFT: Final = Catalogue(META_TOOLS, _meta_tool_actions)
