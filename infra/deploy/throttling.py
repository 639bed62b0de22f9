"""How many requests a second the gateway lets through. Chalice has no setting for it, so it is set after each deploy.

`api_throttling` in .chalice/config.json names the limits by route and method, `*/*` being every one without its own;
a stage may have an entry of its own instead. Each route and method is counted by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from infra.deploy.problem import Problem
from infra.deploy.stages import Stage

SETTING: Final = "api_throttling"


@dataclass(frozen=True, slots=True)
class Limit:
    rate: int
    """Requests a second."""
    burst: int
    """Requests at once."""


def read_limits(stage: Stage, config: dict[str, Any]) -> dict[str, Limit]:
    """The limits by `<route>/<method>`. Raises `Problem`."""
    told = config["stages"][stage.name].get(SETTING, config.get(SETTING, {}))
    try:
        return {method: Limit(int(limit["rate"]), int(limit["burst"])) for method, limit in told.items()}
    except (AttributeError, LookupError, TypeError, ValueError):
        raise Problem(f'{SETTING} in .chalice/config.json takes {{"*/*": {{"rate": 400, "burst": 800}}}}.') from None


def set_limits(gateway: Any, api_id: str, api_stage: str, limits: dict[str, Limit]) -> None:
    """Set them on the API's stage. What else is set there stays."""
    operations = [operation for method, limit in limits.items() for operation in _operations(method, limit)]
    if operations:
        gateway.update_stage(restApiId=api_id, stageName=api_stage, patchOperations=operations)


def _operations(method: str, limit: Limit) -> list[dict[str, str]]:
    route, _, verb = method.rpartition("/")
    at = f"/{route.replace('~', '~0').replace('/', '~1')}/{verb}/throttling"
    values = {"rateLimit": limit.rate, "burstLimit": limit.burst}
    return [{"op": "replace", "path": f"{at}/{name}", "value": str(value)} for name, value in values.items()]
