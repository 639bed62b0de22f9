"""infra/template.yaml, held against the code and the list of functions that it belongs to."""

from __future__ import annotations

from typing import Any, Final

import pytest
import yaml

from chalicelib.logs.lines import DIMENSION, NAMESPACE
from chalicelib.services import trail
from chalicelib.storage.store import TABLE_DEFINITION
from infra.deploy.stack import TEMPLATE
from infra.deploy.stages import Stage, functions, read_config
from infra.local import table as local_table

from .lint import lint

STAGE: Final = Stage("dev")
KEPT: Final = ("Table", "Key", "KeyAlias")


class Loader(yaml.SafeLoader):
    """CloudFormation's YAML; `!Sub` and `!Ref` are filled in for the stage, other functions are left as they are."""


def _function(loader: Loader, tag: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        text = str(loader.construct_scalar(node))
        return STAGE.name if (tag, text) == ("Ref", "Stage") else text.replace("${Stage}", STAGE.name)
    if isinstance(node, yaml.SequenceNode):
        return {tag: loader.construct_sequence(node, deep=True)}
    raise AssertionError(f"!{tag} of a mapping")


Loader.add_multi_constructor("!", _function)
RESOURCES: Final[dict[str, Any]] = yaml.load(TEMPLATE.read_text(), Loader)["Resources"]
ALARMS: Final = {
    name: made["Properties"] for name, made in RESOURCES.items() if made["Type"] == "AWS::CloudWatch::Alarm"
}


def test_cfn_lint_has_nothing_to_say() -> None:
    assert lint(TEMPLATE) == ""


def test_the_table_is_the_one_that_the_code_makes() -> None:
    table = RESOURCES["Table"]["Properties"]
    assert {name: table[name] for name in TABLE_DEFINITION} == TABLE_DEFINITION
    assert table["TableName"] == STAGE.table
    assert table["TimeToLiveSpecification"] == {"AttributeName": local_table.TTL_ATTRIBUTE, "Enabled": True}


def test_the_data_can_be_restored_and_is_not_deleted_by_mistake() -> None:
    table = RESOURCES["Table"]["Properties"]
    assert table["DeletionProtectionEnabled"] is True
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert RESOURCES["Key"]["Properties"]["EnableKeyRotation"] is True
    assert RESOURCES["KeyAlias"]["Properties"]["AliasName"] == STAGE.key_alias
    assert [RESOURCES[name]["DeletionPolicy"] for name in KEPT] == ["Retain"] * len(KEPT)
    assert [RESOURCES[name]["UpdateReplacePolicy"] for name in KEPT] == ["Retain"] * len(KEPT)


def test_the_table_comes_last_so_that_a_failed_first_attempt_leaves_none_behind() -> None:
    others = {name for name in RESOURCES if name not in ("Table", "Key", "AlarmTopic")}
    assert set(RESOURCES["Table"]["DependsOn"]) == others


@pytest.mark.parametrize("function", functions(read_config()))
def test_each_function_has_a_log_group_and_is_watched_for_errors_and_throttles(function: str) -> None:
    name = STAGE.function_name(function)
    groups = [each["Properties"] for each in RESOURCES.values() if each["Type"] == "AWS::Logs::LogGroup"]
    assert [group["RetentionInDays"] for group in groups if group["LogGroupName"] == f"/aws/lambda/{name}"] == [
        "LogDays"
    ]
    watched = {(alarm["AlarmName"], *watch) for alarm in ALARMS.values() for watch in metrics_of(alarm)}
    for alarm, metric in (("errors", "Errors"), ("throttles", "Throttles")):
        assert (f"graft-dev-{alarm}", "AWS/Lambda", metric, "FunctionName", name) in watched


def test_each_alarm_watches_a_metric_that_is_there() -> None:
    lambdas = {STAGE.function_name(function) for function in functions(read_config())}
    for alarm in ALARMS.values():
        for namespace, metric, dimension, value in metrics_of(alarm):
            if namespace == NAMESPACE:
                assert (metric in trail.METRICS, dimension, value) == (True, DIMENSION, STAGE.name)
            else:
                assert (namespace, dimension) == ("AWS/Lambda", "FunctionName")
                assert value in lambdas
                assert metric in {"Errors", "Throttles", "Invocations"}


def test_every_alarm_has_a_name_a_meaning_and_tells_the_topic() -> None:
    for alarm in ALARMS.values():
        assert alarm["AlarmName"].startswith("graft-dev-")
        assert alarm["AlarmDescription"]
        assert alarm["AlarmActions"] == {"If": ["HasEmail", ["AlarmTopic"], []]}


def metrics_of(alarm: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """(namespace, metric, dimension, its value) of everything that an alarm looks at."""
    stats = [each["MetricStat"]["Metric"] for each in alarm.get("Metrics", []) if "MetricStat" in each] or [alarm]
    return [
        (stat["Namespace"], stat["MetricName"], dimension["Name"], dimension["Value"])
        for stat in stats
        for dimension in stat["Dimensions"]
    ]
