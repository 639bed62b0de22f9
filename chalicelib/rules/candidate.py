"""What a model's reply holds: one tool, a look at the vendor first, or that it gives up. Read strictly."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.model import JsonObject
from chalicelib.rules.names import find_name_fault

READS_MAX: Final = 3
PATH_MAX: Final = 500
DESCRIPTION_MAX: Final = 2_000
WHY_MAX: Final = 500
_FENCE: Final = re.compile(r"```([A-Za-z]*)[ \t\r]*")
_GAVE_UP: Final = re.compile(r"^\s*GIVE UP:\s*(.*)", re.DOTALL)
_KEYS: Final[Mapping[str, type]] = {
    "name": str,
    "description": str,
    "inputSchema": dict,
    "testInput": dict,
    "reads": list,
}
_OF_A_TOOL: Final = frozenset({"name", "description", "inputSchema", "testInput"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool that is not published yet."""

    name: str
    description: str
    input_schema: JsonObject
    test_input: JsonObject
    source: str
    reads: tuple[str, ...]
    """Paths whose answers show whether the module is right."""


@dataclass(frozen=True, slots=True)
class Look:
    """Paths that the model wants to see answered before it writes anything."""

    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GaveUp:
    why: str


@dataclass(frozen=True, slots=True)
class Misread:
    """What is wrong with the reply, a sentence each."""

    problems: tuple[str, ...]


def whole(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair: no text that is stored or sent may hold one."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def read_reply(text: str, *, vendor: str) -> Candidate | Look | GaveUp | Misread:
    gave_up = _GAVE_UP.match(text)
    if gave_up:
        return GaveUp(" ".join(gave_up[1].split())[:WHY_MAX])
    blocks = _fenced(text)
    modules = [body for language, body in blocks if language in ("python", "py")]
    objects = [body for language, body in blocks if language == "json"]
    if len(objects) != 1 or len(modules) > 1:
        found = f"{len(modules)} python and {len(objects)} json"
        return Misread((f"A reply holds one ```python block and one ```json block; this one holds {found}.",))
    try:
        told = json.loads(objects[0])
        is_text = _is_text(told)
    except (ValueError, RecursionError) as error:
        return Misread((f"The json block is not JSON: {str(error)[:120]}.",))
    if not isinstance(told, dict):
        return Misread(("The json block is not an object.",))
    if not is_text:
        return Misread(("The json block holds half of a surrogate pair, which no text may hold.",))
    if not modules:
        return _look(told)
    return _candidate(told, modules[0], vendor)


def _fenced(text: str) -> list[tuple[str, str]]:
    """(language, body) of each block that is closed."""
    found: list[tuple[str, str]] = []
    language: str | None = None
    body: list[str] = []
    for line in text.split("\n"):
        fence = _FENCE.fullmatch(line)
        if language is None:
            language, body = (fence[1].lower(), []) if fence else (None, body)
        elif fence and not fence[1]:
            found.append((language, "".join(f"{line}\n" for line in body)))
            language = None
        else:
            body.append(line)
    return found


def _is_text(told: object) -> bool:
    text = json.dumps(told, ensure_ascii=False)
    return whole(text) == text


def _look(told: Mapping[str, Any]) -> Look | Misread:
    problems = _problems(told, frozenset())
    if told.keys() != {"reads"} or not told["reads"]:
        problems.append("Without a ```python block, the json block holds reads alone: the paths to look at first.")
    return Misread(tuple(problems)) if problems else Look(tuple(told["reads"]))


def _candidate(told: Mapping[str, Any], source: str, vendor: str) -> Candidate | Misread:
    problems = _problems(told, _OF_A_TOOL)
    if isinstance(told.get("name"), str) and (fault := find_name_fault(vendor, told["name"])):
        problems.append(fault)
    if isinstance(told.get("description"), str) and not 1 <= len(told["description"].strip()) <= DESCRIPTION_MAX:
        problems.append(f"description has 1 to {DESCRIPTION_MAX} characters.")
    if problems:
        return Misread(tuple(problems))
    return Candidate(
        name=told["name"],
        description=told["description"].strip(),
        input_schema=told["inputSchema"],
        test_input=told["testInput"],
        source=source,
        reads=tuple(told.get("reads", ())),
    )


def _problems(told: Mapping[str, Any], required: frozenset[str]) -> list[str]:
    problems = [f"The json block has no {key}." for key in sorted(required - told.keys())]
    problems += [
        f"The json block has {key[:60]!r}, which means nothing here." for key in sorted(told.keys() - _KEYS.keys())
    ]
    problems += [
        f"{key} is not {_KINDS[kind]}."
        for key, kind in _KEYS.items()
        if key in told and not isinstance(told[key], kind)
    ]
    reads = told.get("reads", [])
    if isinstance(reads, list) and not (len(reads) <= READS_MAX and all(map(_is_path, reads))):
        problems.append(f"reads holds at most {READS_MAX} paths on the connection's host, each beginning with one /.")
    return problems


_KINDS: Final[Mapping[type, str]] = {str: "a string", dict: "an object", list: "a list"}


def _is_path(value: object) -> bool:
    return isinstance(value, str) and value.startswith("/") and not value.startswith("//") and len(value) <= PATH_MAX
