"""Stacks in every state that CloudFormation leaves one in; its answers are scripted, its client is real."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import boto3
import pytest
from botocore.stub import ANY, Stubber

from infra.deploy.problem import Problem
from infra.deploy.stack import Stack
from infra.deploy.stages import Stage

STAGE: Final = Stage("dev")
OUTPUTS: Final = [{"OutputKey": "TableArn", "OutputValue": "arn"}]


@pytest.fixture
def client() -> Iterator[Any]:
    keys = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}
    make: Any = boto3.client
    client = make("cloudformation", region_name="us-east-1", **keys)
    yield client
    client.close()


@pytest.fixture
def aws(client: Any) -> Iterator[Stubber]:
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


def is_in(aws: Stubber, status: str) -> None:
    """What is asked next is what the stack is."""
    made = {"StackName": "graft-dev", "CreationTime": 0, "StackStatus": status, "Outputs": OUTPUTS}
    aws.add_response("describe_stacks", {"Stacks": [made]}, {"StackName": "graft-dev"})


def is_not_there(aws: Stubber) -> None:
    aws.add_client_error("describe_stacks", "ValidationError", "Stack with id graft-dev does not exist")


def applied(client: Any, **parameters: str) -> tuple[dict[str, str], list[str]]:
    said: list[str] = []
    return Stack(client, STAGE, poll_seconds=0).apply(parameters, said.append), said


def test_the_first_time_it_is_made(client: Any, aws: Stubber) -> None:
    is_not_there(aws)
    stage = {"ParameterKey": "Stage", "ParameterValue": "dev"}
    email = {"ParameterKey": "AlarmEmail", "ParameterValue": "me@example.com"}
    wanted = {"StackName": "graft-dev", "TemplateBody": ANY, "Parameters": [stage, email], "Tags": ANY}
    aws.add_response("create_stack", {"StackId": "x"}, wanted)
    is_in(aws, "CREATE_IN_PROGRESS")
    is_in(aws, "CREATE_COMPLETE")
    is_in(aws, "CREATE_COMPLETE")
    outputs, _ = applied(client, AlarmEmail="me@example.com")
    assert outputs == {"TableArn": "arn"}


def test_an_update_keeps_what_is_not_given(client: Any, aws: Stubber) -> None:
    is_in(aws, "UPDATE_ROLLBACK_COMPLETE")
    kept = [{"ParameterKey": name, "UsePreviousValue": True} for name in ("Stage", "AlarmEmail")]
    given = {"ParameterKey": "LogDays", "ParameterValue": "7"}
    wanted = {"StackName": "graft-dev", "TemplateBody": ANY, "Parameters": [kept[0], given, kept[1]]}
    aws.add_response("update_stack", {"StackId": "x"}, wanted)
    is_in(aws, "UPDATE_COMPLETE")
    is_in(aws, "UPDATE_COMPLETE")
    applied(client, LogDays="7")


def test_when_nothing_changed_nothing_is_waited_for(client: Any, aws: Stubber) -> None:
    is_in(aws, "CREATE_COMPLETE")
    aws.add_client_error("update_stack", "ValidationError", "No updates are to be performed.")
    is_in(aws, "CREATE_COMPLETE")
    applied(client)


def test_what_a_failed_first_attempt_left_is_deleted_and_made_anew(client: Any, aws: Stubber) -> None:
    is_in(aws, "ROLLBACK_COMPLETE")
    aws.add_response("delete_stack", {}, {"StackName": "graft-dev"})
    is_not_there(aws)
    aws.add_response("create_stack", {"StackId": "x"})
    is_in(aws, "CREATE_COMPLETE")
    is_in(aws, "CREATE_COMPLETE")
    _, said = applied(client)
    assert "made anew" in said[0]


def test_a_failure_is_told_by_the_first_resource_that_failed(client: Any, aws: Stubber) -> None:
    is_not_there(aws)
    aws.add_response("create_stack", {"StackId": "x"})
    is_in(aws, "ROLLBACK_COMPLETE")
    events = [
        event("AWS::KMS::Key", "Key", "CREATE_FAILED", "Resource creation cancelled"),
        event("AWS::SNS::Topic", "AlarmTopic", "CREATE_FAILED", "you may not"),
        event("AWS::CloudFormation::Stack", "graft-dev", "CREATE_IN_PROGRESS", "User Initiated"),
        event("AWS::SNS::Topic", "AlarmTopic", "CREATE_FAILED", "of an earlier attempt"),
    ]
    aws.add_response("describe_stack_events", {"StackEvents": events})
    with pytest.raises(Problem, match=r"^Stack graft-dev failed: AlarmTopic: you may not$"):
        applied(client)


def event(kind: str, name: str, status: str, reason: str) -> dict[str, Any]:
    ids = {"StackId": "x", "StackName": "graft-dev", "EventId": "e", "Timestamp": 0}
    made = {"ResourceType": kind, "LogicalResourceId": name, "ResourceStatus": status, "ResourceStatusReason": reason}
    return ids | made


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("UPDATE_IN_PROGRESS", "something else is changing it"),
        ("UPDATE_ROLLBACK_FAILED", "continue-update-rollback --stack-name graft-dev"),
        ("ROLLBACK_FAILED", "delete-stack --stack-name graft-dev"),
        ("DELETE_FAILED", "delete-stack --stack-name graft-dev"),
        ("REVIEW_IN_PROGRESS", "Wait"),
        ("CREATE_FAILED", "AWS console"),
    ],
)
def test_a_stack_that_cannot_be_changed_is_told_with_what_to_do(
    client: Any, aws: Stubber, status: str, told: str
) -> None:
    is_in(aws, status)
    with pytest.raises(Problem, match=status) as raised:
        applied(client)
    assert told in str(raised.value)


def test_outputs_of_a_stack_that_is_not_there_lead_to_make_infra(client: Any, aws: Stubber) -> None:
    is_not_there(aws)
    with pytest.raises(Problem, match="make infra STAGE=dev"):
        Stack(client, STAGE).outputs()
