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


@app.route("/static/{name}", methods=["GET", "HEAD"])
def static(name: str) -> Response:
    from chalicelib.console.assets import find_asset

    asset = find_asset(name)
    if asset is None:
        return Response("Not found", status_code=404, headers={"Content-Type": "text/plain"})
    return Response(asset.text, headers={"Content-Type": asset.content_type, "Cache-Control": asset.cache_control})


@app.route("/", methods=MCP_METHODS, content_types=["*/*"])
@app.route("/{proxy+}", methods=MCP_METHODS, content_types=["*/*"])
def console() -> Response:
    """Every page, and what is not there, `/.well-known/…` included: without it the gateway would answer 403."""
    from chalicelib import wiring
    from chalicelib.console.http import PageRequest
    from chalicelib.console.router import handle

    request = app.current_request
    answer = handle(
        wiring.deps_until(API_SECONDS, address=_address()),
        PageRequest(
            request.method,
            f"/{(request.uri_params or {}).get('proxy', '')}",
            request.headers,
            request.query_params or {},
            request.raw_body,
            _root(),
            _origin(),
            request.context.get("identity", {}).get("sourceIp", ""),
            request.context.get("requestId", ""),
        ),
    )
    return Response(answer.body, status_code=answer.status, headers={**answer.headers, "Set-Cookie": [*answer.cookies]})


@app.schedule(Rate(5, unit=Rate.MINUTES))
def sweep(event: Any) -> dict[str, Any]:
    from chalicelib import wiring
    from chalicelib.logs.failing import failing_plainly
    from chalicelib.services.sweep import run_sweep

    with failing_plainly("the sweep"):
        swept = run_sweep(wiring.deps_until(event.context.get_remaining_time_in_millis() / 1000))
    return {"considered": len(swept.visits), "demoted": len(swept.demoted)}


@app.lambda_function(name="acquire")
def acquire(event: dict[str, str], context: Any) -> None:
    """Works on one job. It may be invoked twice for the same one: whoever is second finds nothing to do."""
    from chalicelib import wiring
    from chalicelib.logs.failing import failing_plainly
    from chalicelib.services.writing import work

    with failing_plainly("a job"):
        deps = wiring.deps_until(context.get_remaining_time_in_millis() / 1000)
        work(deps, event["person"], event["agent"], event["job"])


def _address() -> str:
    """Where the caller reached this, without a slash at the end. A gateway fixes domain and scheme, not the caller."""
    return f"{_origin()}{_root()}"


def _origin() -> str:
    """A gateway says by which scheme it was reached; without one this is `make run`, which speaks http."""
    request = app.current_request
    domain = request.context.get("domainName") or request.headers.get("host", "")
    return f"{request.headers.get('x-forwarded-proto', 'http')}://{domain}"


def _root() -> str:
    """What stands before our paths: the stage on a gateway's own domain, the base path on one of yours."""
    request = app.current_request
    ours = (request.uri_params or {}).get("proxy") or request.path
    given, known = ([part for part in path.split("/") if part] for path in (request.context["path"], ours))
    return "".join(f"/{part}" for part in given[: max(0, len(given) - len(known))])
