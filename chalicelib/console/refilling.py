"""What was typed into a form, put back into the page that holds it.

Every form of every page comes back this way, so none has to know of it. Only what a person types or chooses is put
back: hidden fields, buttons and secrets stay as the page has them.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser
from typing import Final

from .forms import Fields, first

TYPED: Final = frozenset({"text", "email", "number", "search", "url", "tel"})
CHOSEN: Final = frozenset({"radio", "checkbox"})
_VALUE: Final = re.compile(r'\svalue="[^"]*"')
_CHECKED: Final = re.compile(r"\schecked(?=[\s>])")

Attributes = dict[str, str | None]


def refilled(page: str, action: str, fields: Fields) -> str:
    """The page with these fields in its forms that are sent to the path `action`."""
    editor = _Editor(page, action, fields)
    editor.feed(page)
    editor.close()
    for start, (old, new) in sorted(editor.edits.items(), reverse=True):
        page = page[:start] + new + page[start + len(old) :]
    return page


class _Editor(HTMLParser):
    """Finds the tags to change. A page of ours has its attributes in double quotes, and names each once."""

    def __init__(self, page: str, action: str, fields: Fields) -> None:
        super().__init__()
        self.edits: dict[int, tuple[str, str]] = {}
        """Where a tag begins, what it is, and what it becomes."""
        self._action = action
        self._fields = fields
        self._lines = [0, *(end.end() for end in re.finditer("\n", page))]
        self._is_inside = False
        self._around: list[tuple[int, str]] = []
        """Closed disclosures around this place: what came back must be seen."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self._is_inside = (given.get("action") or "").partition("#")[0] == self._action
        elif tag == "details":
            self._around.append((self._place, self._tag))
        elif tag == "input" and self._is_inside and given.get("name"):
            self._fill(given["name"] or "", given.get("type") or "text", given)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_inside = False
        elif tag == "details":
            self._around.pop()

    def _fill(self, name: str, kind: str, given: Attributes) -> None:
        if kind in TYPED and name in self._fields and "hidden" not in given:
            value = first(self._fields, name)
            if value != (given.get("value") or ""):
                self._change(_VALUE.sub("", self._tag), f'value="{escape(value)}"')
        elif kind == "checkbox" or (kind == "radio" and name in self._fields):
            is_chosen = (given.get("value") or "on") in self._fields.get(name, ())
            if is_chosen != ("checked" in given):
                self._change(_CHECKED.sub("", self._tag), "checked" if is_chosen else "")

    def _change(self, tag: str, attribute: str) -> None:
        self.edits[self._place] = (self._tag, f"{tag[:-1]} {attribute}".rstrip() + ">")
        for place, details in self._around:
            if " open" not in details:
                self.edits[place] = (details, f"{details[:-1]} open>")

    @property
    def _place(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    @property
    def _tag(self) -> str:
        return self.get_starttag_text() or ""
