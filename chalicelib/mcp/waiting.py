"""A call that waits for the person: an answer with the link; to a client that can open a page, a request to open it.

URL mode elicitation of MCP 2026-07-28. What such a client brings back says at most that the page was opened: each
call is decided afresh from the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chalicelib.model import JsonObject

from .asking_back import find_missing
from .packing import Answered, InputRequired, ToolAnswer, iso
from .words import ANSWER_THERE, OPEN_THE_PAGE

if TYPE_CHECKING:
    from chalicelib.services.asks import Waiting

    from .tool_call import ToolCall

KEY: Final = "person"
TIMES_MAX: Final = 3
"""How often one call asks for the page. SDKs call again as soon as it is open, and fail after ten rounds; so from
then on the model hears of the link, as everywhere else."""


def waiting_answer(call: ToolCall, waiting: Waiting) -> Answered:
    request = open_the_page(waiting)
    times = _times_asked(call, waiting)
    if find_missing(call.capabilities, request) is None and times < TIMES_MAX and not _turned_down(call):
        return InputRequired({KEY: request}, memory=[waiting.ask_id, times + 1])
    return ToolAnswer(
        {
            "status": waiting.status,
            "askId": waiting.ask_id,
            "url": waiting.url,
            "expiresAt": iso(waiting.expires_at),
            "message": waiting.message,
        }
    )


def open_the_page(waiting: Waiting) -> JsonObject:
    message = OPEN_THE_PAGE[waiting.status].format(about=waiting.about) + ANSWER_THERE
    return {"method": "elicitation/create", "params": {"mode": "url", "message": message, "url": waiting.url}}


def _turned_down(call: ToolCall) -> bool:
    """The client will not show the page, or the person would not open it there: the ask stays, and so does its link."""
    return call.answers.get(KEY, {}).get("action") in ("decline", "cancel")


def _times_asked(call: ToolCall, waiting: Waiting) -> int:
    """How often this call asked for the page of this very ask before."""
    match call.memory:
        case [waiting.ask_id, int(times)]:
            return times
        case _:
            return 0
