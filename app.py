"""Lambda handlers: unpack, one call, pack. Everything heavy is imported inside them: all functions share this file."""

from __future__ import annotations

import os
from typing import Any

from chalice import Chalice, Rate, Response

if "AWS_CHALICE_CLI_MODE" in os.environ:
    from infra.deploy.by_hand import check_by_hand

    check_by_hand()

app = Chalice(app_name="graft", configure_logs=False)
"""chalicelib/logs sets the log up. Chalice's own would swallow all but errors, and print those as they come."""

MCP_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
"""All of them: a method that is not registered would be answered by the gateway, not by the door."""
API_SECONDS = 29.0
PAGE_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"


@app.route("/mcp", methods=MCP_METHODS, content_types=["*/*"])
def mcp() -> Response:
    from chalicelib import wiring
    from chalicelib.mcp.door import handle
    from chalicelib.mcp.http import HttpRequest

    request = app.current_request
    answer = handle(
        wiring.deps_until(API_SECONDS, address=_address()),
        HttpRequest(
            request.method,
            request.path,
            request.headers,
            request.query_params or {},
            request.raw_body,
            request.context.get("requestId", ""),
        ),
    )
    return Response(answer.body.decode(), status_code=answer.status, headers=dict(answer.headers))


@app.route("/", methods=["GET", "HEAD"])
def home() -> Response:
    from chalicelib.console import pages

    return _page(pages.home(_root()))


@app.route("/a/{code}", methods=["GET", "HEAD"])
def ask(code: str) -> Response:
    """The page behind an ask's link. The link is only a pointer: reading it changes nothing and shows nothing."""
    from chalicelib.console import pages

    return _page(pages.ask(_root()))


@app.route("/static/{name}", methods=["GET", "HEAD"])
def static(name: str) -> Response:
    from chalicelib.console.assets import find_asset

    asset = find_asset(name)
    if asset is None:
        return Response("Not found", status_code=404, headers={"Content-Type": "text/plain"})
    return Response(asset.text, headers={"Content-Type": asset.content_type, "Cache-Control": asset.cache_control})


@app.route("/{proxy+}", methods=MCP_METHODS, content_types=["*/*"])
def nothing_here() -> Response:
    """Anything else, `/.well-known/…` included. Without this route the gateway would answer 403."""
    return Response({"message": "Not found"}, status_code=404)


@app.schedule(Rate(5, unit=Rate.MINUTES))
def sweep(event: Any) -> dict[str, Any]:
    from chalicelib import wiring
    from chalicelib.logs.failing import failing_plainly
    from chalicelib.services.sweep import run_sweep

    with failing_plainly("the sweep"):
        swept = run_sweep(wiring.deps_until(event.context.get_remaining_time_in_millis() / 1000))
    return {"considered": len(swept.visits), "demoted": len(swept.demoted)}


def _address() -> str:
    """Where the caller reached this, without a slash at the end. A gateway fixes domain and scheme, not the caller."""
    request = app.current_request
    domain = request.context.get("domainName") or request.headers.get("host", "")
    return f"{request.headers.get('x-forwarded-proto', 'https')}://{domain}{_root()}"


def _root() -> str:
    """What stands before our paths: the stage on a gateway's own domain, the base path on one of yours."""
    request = app.current_request
    parts, ours = ([part for part in path.split("/") if part] for path in (request.context["path"], request.path))
    return "".join(f"/{part}" for part in parts[: max(0, len(parts) - len(ours))])


def _page(html: str) -> Response:
    return Response(
        html,
        headers={
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": PAGE_POLICY,
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        },
    )
