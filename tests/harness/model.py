"""A language model that says what it is told: an OpenAI-compatible endpoint on loopback.

Each request of a turn is answered with the next line of its script and kept, so a test sees exactly what the harness
offered the model and showed it. Harnesses ask for more on their own, such as a title or a review of the conversation:
those requests offer no tools, or ask for something else than the turn.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeAlias

from .serving import Handler, Serving

NAME: Final = "scripted"
CONTEXT_TOKENS: Final = 200_000
ASIDE: Final = "Notes"
"""What it says to whatever is not the turn it has a script for."""
USAGE: Final = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@dataclass(frozen=True)
class Call:
    """A tool call, by the name the harness offers the tool under."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Seen:
    """One request: what the model was offered and shown."""

    offered: Mapping[str, Mapping[str, Any]]
    """Name → the tool as the harness describes it."""
    results: Sequence[str]
    """What came back from the calls of the line before, in order."""
    asked: str
    """All that was said to it since its last final answer, the harness' own additions among it."""
    system: str


Words: TypeAlias = str | Call | list[Call]
"""A final text, which ends the turn, or calls."""
Line: TypeAlias = Words | Callable[[Seen], Words]
"""Words, or what finds them in what the model was shown."""


class Model(Serving):
    def __init__(self) -> None:
        super().__init__(_Handler)
        self.seen: list[Seen] = []
        self.mistakes: list[str] = []
        self._cue = ""
        self._lines: list[Line] = []
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"{self.origin}/v1"

    def learn(self, cue: str, lines: Sequence[Line]) -> None:
        """The script for the turn that begins with the person saying `cue`. What was seen so far is forgotten."""
        with self._lock:
            self._cue, self._lines = cue, list(lines)
            self.seen, self.mistakes = [], []

    @property
    def unsaid(self) -> int:
        """How many lines of the script nobody asked for."""
        return len(self._lines)

    def speak(self, seen: Seen) -> Words:
        """The next line. What goes wrong is told after the turn: an HTTP error would only be tried again."""
        with self._lock:
            if not seen.offered or self._cue not in seen.asked:
                return ASIDE
            self.seen.append(seen)
            if not self._lines:
                return self._mistake("the script is over")
            line = self._lines.pop(0)
            try:
                words = line(seen) if callable(line) else line
            except (LookupError, ValueError, AssertionError) as error:
                return self._mistake(f"a line found nothing in {seen.results}: {error!r}")
            for call in calls_of(words):
                if call.name not in seen.offered:
                    self.mistakes.append(f"{call.name} is not offered, but {sorted(seen.offered)}")
            return words

    def _mistake(self, what: str) -> str:
        self.mistakes.append(what)
        return what


def calls_of(words: Words) -> list[Call]:
    if isinstance(words, str):
        return []
    return [words] if isinstance(words, Call) else words


class _Handler(Handler):
    owner: ClassVar[Model]

    def do_GET(self) -> None:
        described = {"id": NAME, "object": "model", "owned_by": "tests", "context_length": CONTEXT_TOKENS}
        self._answer({"object": "list", "data": [described]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        words = self.owner.speak(read_seen(body))
        if body.get("stream"):
            self._stream(chunks(words))
        else:
            self._answer(completion(words))

    def _answer(self, value: Mapping[str, Any]) -> None:
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, events: Iterator[Mapping[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def read_seen(body: Mapping[str, Any]) -> Seen:
    messages = body["messages"]
    spoke, ended = _last(messages, _speaks), _last(messages, _ends_a_turn)
    return Seen(
        offered={tool["function"]["name"]: tool["function"] for tool in body.get("tools") or []},
        results=[_text(message) for message in messages[spoke + 1 :] if message["role"] == "tool"],
        asked="\n".join(_text(message) for message in messages[ended + 1 :] if message["role"] == "user"),
        system="\n".join(_text(message) for message in messages if message["role"] in ("system", "developer")),
    )


def _speaks(message: Mapping[str, Any]) -> bool:
    return bool(message["role"] == "assistant")


def _ends_a_turn(message: Mapping[str, Any]) -> bool:
    return _speaks(message) and not message.get("tool_calls")


def _last(messages: Sequence[Mapping[str, Any]], wanted: Callable[[Mapping[str, Any]], bool]) -> int:
    """Where the last such message is; -1 if there is none."""
    return max((place for place, message in enumerate(messages) if wanted(message)), default=-1)


def _text(message: Mapping[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or [])


def completion(words: Words) -> dict[str, Any]:
    """https://platform.openai.com/docs/api-reference/chat/object"""
    message: dict[str, Any] = {"role": "assistant", "content": words if isinstance(words, str) else None}
    called = [_tool_call(call) for call in calls_of(words)]
    if called:
        message["tool_calls"] = called
    choice = {"index": 0, "message": message, "finish_reason": _finish(words)}
    return {**_head("chat.completion"), "choices": [choice], "usage": USAGE}


def chunks(words: Words) -> Iterator[dict[str, Any]]:
    """https://platform.openai.com/docs/api-reference/chat/streaming"""
    head = _head("chat.completion.chunk")
    delta: dict[str, Any] = {"role": "assistant", "content": words if isinstance(words, str) else ""}
    called = [{"index": index, **_tool_call(call)} for index, call in enumerate(calls_of(words))]
    if called:
        delta["tool_calls"] = called
    yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(words)}]}
    yield {**head, "choices": [], "usage": USAGE}


def _head(kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{uuid.uuid4().hex[:12]}", "object": kind, "created": 0, "model": NAME}


def _tool_call(call: Call) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"id": f"call_{uuid.uuid4().hex[:12]}", "type": "function", "function": function}


def _finish(words: Words) -> str:
    return "tool_calls" if calls_of(words) else "stop"
