"""Our door as Lambda calls it, and the peers that are: each with API Gateway's events."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from benchmarks import fetch
from benchmarks.door_peers import Serve
from benchmarks.gateway import Event, gateway_event
from chalicelib import wiring
from chalicelib.services.deps import Deps

ROOT: Final = Path(__file__).resolve().parents[1]
OLDER: Final = "2025-06-18"

Message = tuple[bytes, dict[str, str]]


def through_chalice(deps: Deps) -> Serve:
    """Ours with Chalice in front, which is our share of what Mangum does for others."""
    import app

    def serve(body: bytes, headers: dict[str, str]) -> bytes:
        with patch.object(wiring, "deps", lambda: deps):
            response = app.app(gateway_event("POST", body, headers), None)
        return str(response["body"]).encode()

    return serve


def outside(
    tools: Sequence[Mapping[str, Any]], messages: Mapping[str, Message], *, repeats: int, warm_up: int
) -> dict[str, dict[str, float]]:
    """CPU in milliseconds by way and by request, of the peers in their own environment. Empty without them."""
    lacking = fetch.why_not(fetch.ensure_peers)
    if lacking:
        print(lacking)
        return {}
    asked = {
        "tools": list(tools),
        "events": {what: [gateway_event("POST", *message), _older(*message)] for what, message in messages.items()},
        "warm_up": warm_up,
        "repeats": repeats,
    }
    command = [str(fetch.PEERS_PYTHON), "-m", "benchmarks.door_outside"]
    ran = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True, cwd=ROOT)
    measured: dict[str, dict[str, float]] = json.loads(ran.stdout)
    return measured


def _older(body: bytes, headers: dict[str, str]) -> Event:
    """The same request in the words of a revision that every peer speaks."""
    message = json.loads(body)
    message["params"].pop("_meta", None)
    kept = {name: value for name, value in headers.items() if not name.startswith("mcp-")}
    return gateway_event("POST", json.dumps(message).encode(), kept | {"mcp-protocol-version": OLDER})
