"""`tools/list`: the meta-tools in their order, then the promoted tools. Same facts, same bytes."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from chalicelib.services import presence, working_set
from chalicelib.services.caches import Recent

from .catalogue import GRAFT, Catalogue
from .jsonrpc import INVALID_PARAMS, RpcError, encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chalicelib.model import Annotations, ToolCard
    from chalicelib.services.deps import Deps
    from chalicelib.services.identity import Caller
    from chalicelib.services.working_set import Listing

ENCODED_MAX: Final = 4_000
LISTS_MAX: Final = 64

log = logging.getLogger("graft.mcp")
_encoded: Recent[tuple[str, str, int], tuple[ToolCard, bytes]] = Recent(ENCODED_MAX)
"""By person, wire name and version. Used only while the card is the one it was made from."""
_lists: Recent[tuple[str, str], tuple[Listing, list[bytes]]] = Recent(LISTS_MAX)
"""By person and agent. Used only while the listing is the very one that it was made from."""


def list_tools(
    deps: Deps,
    caller: Caller,
    params: Mapping[str, Any],
    closing: bytes = b"",
    *,
    catalogue: Catalogue = GRAFT,
    harness: tuple[str, str] | None = None,
) -> bytes:
    """The result of `tools/list`, in one page. `closing` as in `packing.pack`; `harness` as it announced itself."""
    if params.get("cursor") not in (None, ""):
        raise RpcError(INVALID_PARAMS, "There is one page: tools/list takes no cursor here.")
    tools = [meta_tool_entries(catalogue), *promoted_entries(deps, caller, harness)]
    return b'{"tools":[%b]%b}' % (b",".join(tools), closing)


def promoted_entries(deps: Deps, caller: Caller, harness: tuple[str, str] | None = None) -> list[bytes]:
    """Each promoted tool as it is listed. One that cannot be encoded is left out and logged."""
    listing = presence.beside(deps, caller, lambda: working_set.listing(deps, caller), harness=harness, lists=True)
    kept = _lists.find((caller.person.id, caller.agent.id))
    if kept is not None and kept[0] is listing:
        return kept[1]
    found = [_find_entry(caller.person.id, card) for card in listing.tools]
    entries = [entry for entry in found if entry is not None]
    _lists.keep((caller.person.id, caller.agent.id), (listing, entries))
    return entries


def _find_entry(person_id: str, card: ToolCard) -> bytes | None:
    key = (person_id, card.wire_name, card.version)
    kept = _encoded.find(key)
    if kept is not None and (kept[0] is card or kept[0] == card):
        return kept[1]
    try:
        entry = _entry(card.wire_name, card.description, card.input_schema, card.annotations)
    except (TypeError, ValueError, RecursionError):
        log.exception("left %s version %d out of the list: it is no JSON", card.wire_name, card.version)
        return None
    _encoded.keep(key, (card, entry))
    return entry


@cache
def meta_tool_entries(catalogue: Catalogue = GRAFT) -> bytes:
    """The fixed tools as they are listed, between commas."""
    tools = catalogue.tools
    return b",".join(_entry(tool.name, tool.description, tool.input_schema, tool.annotations) for tool in tools)


def _entry(name: str, description: str, input_schema: Mapping[str, Any], annotations: Annotations) -> bytes:
    schema = {"type": "object", "properties": {}} | dict(input_schema)
    return encode(
        {
            "name": name,
            "description": description,
            "inputSchema": without_header_marks(schema),
            "annotations": annotations.as_hints(),
        }
    )


def without_header_marks(node: Any) -> Any:
    """The schema without `x-mcp-header`: a marked argument would travel in an HTTP header, where proxies log it.

    Only the annotation goes (its value is a string); a property of that name keeps its schema.
    """
    if isinstance(node, dict):
        kept = {k: v for k, v in node.items() if not (k == "x-mcp-header" and not isinstance(v, (dict, bool)))}
        return {key: without_header_marks(value) for key, value in kept.items()}
    if isinstance(node, list):
        return [without_header_marks(item) for item in node]
    return node
