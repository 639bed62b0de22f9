"""Tool cards, read once per toolbox revision."""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.model import Person, ToolCard
from chalicelib.services.deps import Deps


def find_cards(deps: Deps, person: Person, tools: Sequence[str]) -> dict[str, ToolCard]:
    """The current cards of those of `tools` that exist, by wire name; a read only for what the cache lacks."""
    cache = deps.caches.cards_at(person.id, person.toolbox_revision)
    found = {tool: card for tool in tools if (card := cache.find(tool)) is not None}
    missing = [tool for tool in tools if tool not in found]
    if missing:
        for card in deps.store.toolbox.cards(person.id, missing):
            cache.keep(card.wire_name, card)
            found[card.wire_name] = card
    return found
