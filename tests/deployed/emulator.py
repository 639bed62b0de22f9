"""The AWS emulator of this suite, in a process of its own: `python -m tests.deployed.emulator`.

ministack, whole, on loopback, with the permissions of roles enforced and Lambdas as real processes. What is added:

- `chalice deploy` imports an API as an OpenAPI document and sends an empty `minimumCompressionSize`; AWS takes both.
- Lambdas run on the Python they are deployed for, with nothing but boto3 beside what they bring, and what a layer
  marks as executable can be executed, as on AWS.
- Schedules run fifty times as fast: `rate(5 minutes)` comes round every 6 s.
- Who may use a key is judged by the key also where a request names its alias.
- An alarm on a sum of metrics is taken as one on the first of them: CloudFormation here knows no sums.
- A second port is the gateway as clients see it, `/<stage>/<path>` of the one API that is deployed, and speaks of
  itself in the forwarded headers. Names below `localhost`, which ministack would use, resolve on few machines.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Awaitable, Callable
from typing import Any, Final

SPEED: Final = 50
TICK_SECONDS: Final = 0.5
PARENT_CHECK_SECONDS: Final = 0.2
ROOT_KEY: Final = "test"
REGION: Final = "us-east-1"

Message = dict[str, Any]
Application = Callable[[Message, Any, Any], Awaitable[None]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.deployed.emulator", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--gateway-port", type=int, required=True)
    parser.add_argument("--python", required=True, help="the Python that Lambdas run on")
    parser.add_argument("--parent", type=int, default=os.getppid(), help="end when this process does")
    options = parser.parse_args()
    _settle(options.port)
    _patch(options.python)
    asyncio.run(_serve(options))


def _settle(port: int) -> None:
    """What ministack reads when it is imported, and nothing else of AWS that this process was started with."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "GRAFT_"))]:
        del os.environ[name]
    os.environ |= {
        "AWS_ACCESS_KEY_ID": ROOT_KEY,
        "AWS_SECRET_ACCESS_KEY": ROOT_KEY,
        "MINISTACK_REGION": REGION,
        "MINISTACK_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "AUTH": "true",
        "LAMBDA_EXECUTOR": "local",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "LOG_LEVEL": "INFO",
        "TMPDIR": tempfile.gettempdir(),
    }


def _patch(python: str) -> None:
    from ministack.core import iam_actions, lambda_runtime
    from ministack.services import apigateway_v1, eventbridge, kms
    from ministack.services.cloudformation import provisioners

    iam_actions.extract_resource_arn = _by_key(kms, iam_actions.extract_resource_arn)
    record = provisioners._cw_metric_alarm_record
    provisioners._cw_metric_alarm_record = lambda name, props: record(name, _first_metric(props))
    script = lambda_runtime._PYTHON_WORKER_SCRIPT.replace(
        "def run():", f"{_AS_ON_AWS}\ndef run():\n    _as_on_aws()", 1
    )
    detect = lambda_runtime._detect_runtime_binary
    lambda_runtime._detect_runtime_binary = lambda runtime: (
        (python, script) if runtime.startswith("python") else detect(runtime)
    )
    seconds = eventbridge._parse_rate_seconds
    eventbridge._parse_rate_seconds = lambda expression: None if (real := seconds(expression)) is None else real / SPEED
    eventbridge._SCHEDULER_TICK_INTERVAL = TICK_SECONDS
    apigateway_v1.handle_request = _importing(apigateway_v1, apigateway_v1.handle_request)


def _by_key(kms: Any, arn_of: Callable[..., str]) -> Callable[..., str]:
    def extract_resource_arn(service: str, *request: Any) -> str:
        arn = arn_of(service, *request)
        key = kms._resolve_key(arn) if service == "kms" and ":alias/" in arn else None
        return arn if key is None else str(key["Arn"])

    return extract_resource_arn


def _first_metric(alarm: dict[str, Any]) -> dict[str, Any]:
    watched = [each["MetricStat"] for each in alarm.get("Metrics", []) if "MetricStat" in each]
    if not watched:
        return alarm
    first = watched[0]
    flat = {**alarm, **first["Metric"], "Period": first["Period"], "Statistic": first["Stat"]}
    return {name: value for name, value in flat.items() if name != "Metrics"}


_AS_ON_AWS: Final = """
def _as_on_aws():
    import os, zipfile
    for layer in filter(None, os.environ.get("_LAMBDA_LAYERS_DIRS", "").split(os.pathsep)):
        with zipfile.ZipFile(layer + ".zip") as archive:
            for entry in archive.infolist():
                if entry.external_attr >> 16 & 0o100:
                    os.chmod(os.path.join(layer, entry.filename), 0o755)
"""


def _importing(gateway: Any, handle: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """ImportRestApi and PutRestApi, by the reader of OpenAPI documents that ministack has for CloudFormation."""

    async def handle_request(method: str, path: str, headers: Any, body: bytes, query: dict[str, list[str]]) -> Any:
        parts = path.strip("/").split("/")
        if parts[0] != "restapis" or len(parts) > 2:
            return await handle(method, path, headers, body, query)
        if method == "POST" and len(parts) == 1 and query.get("mode") == ["import"]:
            return gateway._get_rest_api(gateway._import_rest_api(json.loads(body), _base(query)))
        if method == "PUT" and len(parts) == 2:
            return _overwrite(gateway, parts[1], json.loads(body))
        if method == "PATCH":
            body = _without_empty_sizes(body)
        return await handle(method, path, headers, body, query)

    return handle_request


def _base(query: dict[str, list[str]]) -> dict[str, Any]:
    types = query.get("endpointConfigurationTypes", ["EDGE"])
    return {"endpointConfiguration": {"types": types}}


def _overwrite(gateway: Any, api_id: str, document: dict[str, Any]) -> Any:
    """Replace every path of an API by those of the document."""
    resources = gateway._resources[api_id]
    for resource_id in [each for each, resource in resources.items() if resource["path"] != "/"]:
        del resources[resource_id]
    for path, item in document["paths"].items():
        gateway._import_path_item(api_id, path, item)
    return gateway._get_rest_api(api_id)


def _without_empty_sizes(body: bytes) -> bytes:
    request = json.loads(body)
    kept = [each for each in request.get("patchOperations", []) if each.get("value") != ""]
    return json.dumps({**request, "patchOperations": kept}).encode()


async def _serve(options: argparse.Namespace) -> None:
    from hypercorn.asyncio import serve
    from hypercorn.config import Config
    from ministack.app import app

    config = Config()
    config.bind = [f"127.0.0.1:{options.port}", f"127.0.0.1:{options.gateway_port}"]
    config.loglevel = "WARNING"
    config.graceful_timeout = 1
    gone = asyncio.create_task(_parent_gone(options.parent))
    await serve(_with_gateway(app, options.gateway_port), config, shutdown_trigger=lambda: asyncio.shield(gone))


async def _parent_gone(parent: int) -> None:
    while os.getppid() == parent:
        await asyncio.sleep(PARENT_CHECK_SECONDS)


def _with_gateway(app: Application, port: int) -> Application:
    async def answer(scope: Message, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["server"][1] == port:
            scope = _through_gateway(scope, port)
        await app(scope, receive, send)

    return answer


def _through_gateway(scope: Message, port: int) -> Message:
    """The request as the gateway of the one deployed API has it."""
    from ministack.services import apigateway_v1

    api_ids = [api["id"] for api in apigateway_v1._rest_apis.all_values()]
    prefix = f"/_aws/execute-api/{api_ids[0] if api_ids else 'none'}"
    forwarded = [(b"x-forwarded-proto", b"http"), (b"x-forwarded-port", str(port).encode())]
    headers = [(name, value) for name, value in scope["headers"] if not name.startswith(b"x-forwarded-")]
    return {
        **scope,
        "path": prefix + scope["path"],
        "raw_path": prefix.encode() + scope["raw_path"],
        "headers": headers + forwarded,
    }


if __name__ == "__main__":
    main()
