"""What one machine starts with: a person, an agent, the demo vendor's connection and three tools.

Every step can be repeated: a start that was cut short is finished by the next one.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from chalicelib.model import Agent, AgentFacts, Connection, LinkKind, ToolVersion
from chalicelib.rules.connections import live
from chalicelib.services import accounts, agents, connections, identity, toolbox, working_set
from chalicelib.services.connections import NewConnection
from chalicelib.services.deps import Deps
from infra.local.demo_tools import DEMO_TOOLS, LIST_NOTES, VENDOR, DemoTool
from infra.local.home import write_private

PERSON: Final = "local"
AGENT: Final = "demo"
VENDOR_TOKEN_FILE: Final = "vendor.token"


@dataclass(frozen=True, slots=True)
class Prepared:
    agent: Agent
    token: str


def prepare(deps: Deps, *, vendor_host: str, vendor_token: str, known_token: str) -> Prepared:
    """Make whatever is missing. `known_token`: what the last start wrote down, if anything."""
    deps.store.people.add(PERSON)
    connection = _ensure_connection(deps, vendor_host, vendor_token)
    for tool in DEMO_TOOLS:
        _ensure_tool(deps, tool, connection)
    prepared = _ensure_agent(deps, known_token)
    if prepared.agent.list_revision == 0:
        caller = identity.identify(deps, prepared.token, None)
        working_set.promote(deps, caller, VENDOR, LIST_NOTES.name)
    return prepared


def _ensure_agent(deps: Deps, known_token: str) -> Prepared:
    """The demo agent with a token that works: it is stored as a hash, so a lost one is replaced."""
    facts: AgentFacts | None = deps.store.agents.find_by_name(PERSON, AGENT)
    if facts is None:
        return Prepared(*agents.create_agent(deps, PERSON, AGENT))
    if hmac.compare_digest(facts.agent.token_hash, identity.hash_token(known_token)):
        return Prepared(facts.agent, known_token)
    return Prepared(facts.agent, agents.rotate_token(deps, facts.agent))


def _ensure_connection(deps: Deps, vendor_host: str, vendor_token: str) -> Connection:
    wanted = NewConnection(
        vendor=VENDOR,
        display_name="Demo notes",
        primary_host=vendor_host,
        scheme="bearer",
        secret={"token": vendor_token},
    )
    mine = [c for c in live(deps.store.grants.connections(PERSON)) if c.vendor == VENDOR]
    if not mine:
        return connections.create_connection(deps, PERSON, wanted)
    if mine[0].primary_host == vendor_host:
        return mine[0]
    return connections.replace_connection(deps, mine[0], wanted)


def _ensure_tool(deps: Deps, tool: DemoTool, connection: Connection) -> None:
    if deps.store.toolbox.find_current(PERSON, f"{VENDOR}__{tool.name}") is not None:
        return
    checked = toolbox.check(deps, tool.source, tool.input_schema, hosts=connection.hosts)
    if not checked.ok:
        raise RuntimeError(f"the demo tool {tool.name} does not pass the check: {checked.problems}")
    version = ToolVersion(
        vendor=VENDOR,
        name=tool.name,
        version=1,
        description=tool.description,
        input_schema=tool.input_schema,
        source=tool.source,
        methods=checked.methods,
        connection_id=connection.id,
        published_by=PERSON,
        published_at=deps.now(),
    )
    deps.store.toolbox.publish(PERSON, version)


def sign_in_url(deps: Deps) -> str:
    """A link that signs the person in once."""
    return f"{deps.settings.public_base_url}/in/{accounts.new_link(deps, PERSON, LinkKind.SIGN_IN)}"


def vendor_token(home: Path) -> str:
    """The demo vendor's token: made once, kept beside the data."""
    path = home / VENDOR_TOKEN_FILE
    if not path.exists():
        write_private(path, secrets.token_urlsafe(24))
    return path.read_text().strip()
