"""A and S as one value, and what has to hold for a write about an agent."""

from __future__ import annotations

from typing import Final

from chalicelib.model import Agent, AgentFacts
from chalicelib.storage import items
from chalicelib.storage.table import RETRIES

TORN_READS_MAX: Final = 2 * RETRIES
"""A batch read is not a snapshot: A and S may straddle a commit. They say so, and are read again."""
SAME_AGENT: Final = "#token_hash = :token_hash AND attribute_not_exists(#revoked_at)"


def to_facts(agent_item: items.Item, set_item: items.Item | None) -> AgentFacts | None:
    """None: A and S are of different revisions, a commit came in between."""
    agent = items.to_agent(agent_item)
    if items.set_revision(set_item) != agent.list_revision:
        return None
    return AgentFacts(agent, items.to_promotions(set_item, agent.used))


def readable(row: items.Item) -> Agent | None:
    """None: the row holds something that nobody can read; it must not hide the others."""
    try:
        return items.to_agent(row)
    except (KeyError, TypeError, ValueError):
        return None
