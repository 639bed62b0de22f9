"""What the gateway lets through is set by `make deploy`, by routes that there are."""

from __future__ import annotations

from typing import Any

import pytest

from app import app
from infra.deploy.problem import Problem
from infra.deploy.stages import Stage, read_config
from infra.deploy.throttling import SETTING, Limit, read_limits, set_limits

DEV = Stage("dev")


def test_each_limit_is_of_a_route_that_there_is_and_every_other_route_has_the_common_one() -> None:
    limits = read_limits(DEV, read_config())
    common = limits.pop("*/*")
    assert limits
    for name, limit in limits.items():
        route, _, method = name.rpartition("/")
        assert method in app.routes[route]
        assert limit.rate < common.rate


def test_a_stage_may_have_limits_of_its_own() -> None:
    config = read_config()
    config["stages"]["dev"][SETTING] = {"*/*": {"rate": 5, "burst": 7}}
    assert read_limits(DEV, config) == {"*/*": Limit(5, 7)}
    assert read_limits(Stage("prod"), config) != {"*/*": Limit(5, 7)}


@pytest.mark.parametrize("wrong", [{"*/*": {"rate": 5}}, {"*/*": {"rate": "many", "burst": 1}}, {"*/*": 5}, [5]])
def test_limits_that_cannot_be_read_are_said_before_anything_is_deployed(wrong: Any) -> None:
    with pytest.raises(Problem, match=SETTING):
        read_limits(DEV, {"stages": {"dev": {SETTING: wrong}}})


class Noting:
    """Stands for the gateway: what it was asked to change."""

    def __init__(self) -> None:
        self.patches: list[dict[str, str]] = []

    def update_stage(self, *, restApiId: str, stageName: str, patchOperations: list[dict[str, str]]) -> None:  # noqa: N803  # as boto3 names them
        assert (restApiId, stageName) == ("abc", "api")
        self.patches += patchOperations


def test_a_route_is_spelled_as_the_gateway_wants_it() -> None:
    noting = Noting()
    set_limits(noting, "abc", "api", {"*/*": Limit(400, 800), "/{proxy+}/POST": Limit(20, 40)})
    assert {patch["path"]: patch["value"] for patch in noting.patches} == {
        "/*/*/throttling/rateLimit": "400",
        "/*/*/throttling/burstLimit": "800",
        "/~1{proxy+}/POST/throttling/rateLimit": "20",
        "/~1{proxy+}/POST/throttling/burstLimit": "40",
    }
    set_limits(noting, "abc", "api", {})
    assert len(noting.patches) == 4
