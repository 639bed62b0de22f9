"""Which permissions calls to AWS need, recorded at botocore's own door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Final

TABLE: Final = "${TableArn}"
KEY: Final = "${KeyArn}"
OF_TRANSACTIONS: Final = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}
"""A transaction is no permission of its own: each action in it needs that of the same action alone."""

Permission = tuple[str, str]
"""An action, and what it is done to, as a policy's template names it."""


@dataclass
class Recorder:
    """What each function asked of AWS. Nothing is recorded outside of a `function` block.

    No function is invoked: the call that would do so is answered here."""

    table: str
    recorded: dict[str, set[Permission]] = field(default_factory=dict)
    _function: str = ""

    @contextmanager
    def function(self, name: str) -> Iterator[None]:
        """What happens inside is this function's doing."""
        self._function = name
        try:
            yield
        finally:
            self._function = ""

    def listen(self, client: Any) -> Any:
        """Record what a client of botocore sends."""
        client.meta.events.register("before-call", self._heard)
        return client

    def _heard(self, model: Any, params: dict[str, Any], **_: Any) -> Any:
        service = model.service_model.service_name
        if self._function:
            request = json.loads(params["body"]) | {"path": params["url_path"]}
            needed = permissions(service, model.name, request, self.table)
            self.recorded.setdefault(self._function, set()).update(needed)
        return (SimpleNamespace(status_code=202), {"StatusCode": 202}) if service == "lambda" else None


def permissions(service: str, operation: str, request: dict[str, Any], table: str) -> Iterator[Permission]:
    """What IAM asks for before it lets a request through."""
    if service == "lambda":
        assert request["path"].endswith("/functions/graft-dev-acquire/invocations")
        yield "lambda:InvokeFunction", "${AcquireArn}"
        return
    if service == "bedrock-runtime":
        yield from (("bedrock:InvokeModel", models) for models in ("${FoundationModels}", "${InferenceProfiles}"))
        return
    if service == "kms":
        yield f"kms:{operation}", KEY
        return
    assert service == "dynamodb", f"no permissions are known for {service}"
    if operation == "TransactWriteItems":
        for action in request["TransactItems"]:
            [(kind, one)] = action.items()
            assert one["TableName"] == table
            yield f"dynamodb:{OF_TRANSACTIONS[kind]}", TABLE
        return
    tables = list(request["RequestItems"]) if operation == "BatchGetItem" else [request["TableName"]]
    assert tables == [table]
    index = request.get("IndexName")
    yield f"dynamodb:{operation}", f"{TABLE}/index/{index}" if index else TABLE
