"""Tool cards: the current ones by name, read once per toolbox revision, and any by version, read once."""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.model import Person, ToolCard, ToolHead, ToolVersion
from chalicelib.services.deps import Deps


def find_cards(deps: Deps, person: Person, tools: Sequence[str]) -> dict[str, ToolCard]:
    """The current cards of those of `tools` that exist, by wire name; a read only for what the cache lacks."""
    cache = deps.caches.cards_at(person.id, person.toolbox_revision)
    found = {tool: card for tool in tools if (card := cache.find(tool)) is not None}
    missing = [tool for tool in tools if tool not in found]
    if missing:
        for card in deps.store.toolbox.cards(person.id, missing):
            cache.keep(card.wire_name, card)
            keep_version(deps, person, card)
            found[card.wire_name] = card
    return found


def find_cards_of(deps: Deps, person: Person, heads: Sequence[ToolHead]) -> dict[str, ToolCard]:
    """The cards of those of `heads` that still exist, by wire name; one that has a newer version comes in that."""
    known = {head.wire_name: deps.caches.versions.find((person.id, head.wire_name, head.version)) for head in heads}
    found = {tool: card for tool, card in known.items() if card is not None}
    return found | find_cards(deps, person, [tool for tool, card in known.items() if card is None])


def keep_published(deps: Deps, person: Person, tool: ToolVersion) -> None:
    """Whoever publishes a tool is the first to look for it."""
    keep_version(
        deps,
        person,
        ToolCard(tool.vendor, tool.name, tool.version, tool.description, tool.input_schema, tool.methods),
    )


def keep_version(deps: Deps, person: Person, card: ToolCard) -> None:
    deps.caches.versions.keep((person.id, card.wire_name, card.version), card)
