"""The three tools that a local set-up starts with, written against the demo vendor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

VENDOR: Final = "demo"


@dataclass(frozen=True, slots=True)
class DemoTool:
    name: str
    description: str
    input_schema: dict[str, Any]
    source: str


LIST_NOTES: Final = DemoTool(
    "list-notes",
    "List the notes kept at the demo service, newest last, each with its id and text.",
    {"type": "object", "properties": {}, "additionalProperties": False},
    """def run(input, http):
    response = http.get("/notes")
    response.raise_for_status()
    return response.json()
""",
)

CREATE_NOTE: Final = DemoTool(
    "create-note",
    "Create a note with a text at the demo service and return it with its id.",
    {
        "type": "object",
        "properties": {"text": {"type": "string", "minLength": 1, "description": "What the note says"}},
        "required": ["text"],
        "additionalProperties": False,
    },
    """def run(input, http):
    response = http.post("/notes", json={"text": input["text"]})
    response.raise_for_status()
    return response.json()
""",
)

DELETE_NOTE: Final = DemoTool(
    "delete-note",
    "Delete one note at the demo service by its id.",
    {
        "type": "object",
        "properties": {
            "id": {"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "description": "As list-notes shows it"}
        },
        "required": ["id"],
        "additionalProperties": False,
    },
    """def run(input, http):
    response = http.delete("/notes/" + input["id"])
    response.raise_for_status()
    return {"deleted": input["id"]}
""",
)

DEMO_TOOLS: Final = (LIST_NOTES, CREATE_NOTE, DELETE_NOTE)
