"""The CloudFormation stack of a stage: applied, read and, on demand, deleted with all that it keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from botocore.exceptions import ClientError, WaiterError

from infra.deploy.problem import Problem
from infra.deploy.stages import PROJECT, Stage

TEMPLATE: Final = PROJECT / "infra" / "template.yaml"
CHANGEABLE: Final = frozenset(
    {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE", "IMPORT_ROLLBACK_COMPLETE"}
)
POLL_SECONDS: Final = 5
POLLS_MAX: Final = 240
KEY_WAITING_DAYS: Final = 30
"""How long AWS keeps a key that is to be deleted; until then, that can be taken back."""

Say = Callable[[str], None]


class Stack:
    """One stage's stack. `poll_seconds`: how often its state is looked at."""

    def __init__(self, client: Any, stage: Stage, *, poll_seconds: int = POLL_SECONDS) -> None:
        self._client = client
        self._stage = stage
        self._waiting = {"Delay": poll_seconds, "MaxAttempts": POLLS_MAX}

    def status(self) -> str | None:
        """None: there is no such stack."""
        found = self._find()
        return None if found is None else str(found["StackStatus"])

    def outputs(self) -> dict[str, str]:
        """Raises `Problem` when the stack is not there."""
        found = self._find()
        if found is None or "Outputs" not in found:
            raise Problem(
                f"There is no stack {self._stage.stack} here yet. Make it: make infra STAGE={self._stage.name}"
            )
        return {output["OutputKey"]: output["OutputValue"] for output in found["Outputs"]}

    def apply(self, parameters: Mapping[str, str], say: Say) -> dict[str, str]:
        """Make the stack, or bring it to what the template says; its outputs. Raises `Problem`.

        A parameter that is not given keeps the value it has.
        """
        status = self.status()
        if status == "ROLLBACK_COMPLETE":
            say(f"Stack {self._stage.stack} is what a failed first attempt left; it is deleted and made anew.")
            self._delete_stack()
            status = None
        if status is None:
            say(f"Making stack {self._stage.stack} …")
            self._create(parameters)
        elif status in CHANGEABLE:
            say(f"Updating stack {self._stage.stack} …")
            self._update(parameters)
        else:
            raise Problem(self._stuck(status))
        return self.outputs()

    def delete(self) -> None:
        """Delete the stack; what it retains stays behind."""
        if self.status() is not None:
            self._delete_stack()

    def _find(self) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = self._client.describe_stacks(StackName=self._stage.stack)["Stacks"][0]
        except ClientError as error:
            if "does not exist" in str(error):
                return None
            raise
        return found

    def _create(self, parameters: Mapping[str, str]) -> None:
        given = {"Stage": self._stage.name, **parameters}
        self._client.create_stack(
            StackName=self._stage.stack,
            TemplateBody=TEMPLATE.read_text(),
            Parameters=[{"ParameterKey": name, "ParameterValue": value} for name, value in given.items()],
            Tags=[{"Key": "graft:stage", "Value": self._stage.name}],
        )
        self._wait("stack_create_complete")

    def _update(self, parameters: Mapping[str, str]) -> None:
        try:
            self._client.update_stack(
                StackName=self._stage.stack,
                TemplateBody=TEMPLATE.read_text(),
                Parameters=[_kept_or_given(name, parameters) for name in ("Stage", "LogDays", "AlarmEmail")],
            )
        except ClientError as error:
            if "No updates are to be performed" in str(error):
                return
            raise
        self._wait("stack_update_complete")

    def _delete_stack(self) -> None:
        self._client.delete_stack(StackName=self._stage.stack)
        self._wait("stack_delete_complete")

    def _wait(self, state: str) -> None:
        try:
            self._client.get_waiter(state).wait(StackName=self._stage.stack, WaiterConfig=self._waiting)
        except WaiterError:
            raise Problem(f"Stack {self._stage.stack} failed: {self._first_failure()}") from None

    def _first_failure(self) -> str:
        """What CloudFormation said of the first resource that failed; the later ones fail because of it."""
        events = self._client.describe_stack_events(StackName=self._stage.stack)["StackEvents"]
        for event in reversed(events[: _latest_start(events) + 1]):
            if event["ResourceStatus"].endswith("_FAILED"):
                return f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', 'no reason given')}"
        return f"it is {self.status()}; its events in the AWS console say why."

    def _stuck(self, status: str) -> str:
        stack = self._stage.stack
        if status.endswith("_IN_PROGRESS"):
            return f"Stack {stack} is {status}: something else is changing it. Wait until that has ended, then repeat."
        advice = {
            "UPDATE_ROLLBACK_FAILED": f"aws cloudformation continue-update-rollback --stack-name {stack}",
            "ROLLBACK_FAILED": f"aws cloudformation delete-stack --stack-name {stack}",
            "DELETE_FAILED": f"aws cloudformation delete-stack --stack-name {stack}",
        }
        do = advice.get(status, "look at its events in the AWS console")
        return f"Stack {stack} is {status} and cannot be changed. Do this, then repeat: {do}"


def _latest_start(events: list[dict[str, Any]]) -> int:
    """Where, newest first, the events of the latest operation begin."""
    for at, event in enumerate(events):
        is_stack = event["ResourceType"] == "AWS::CloudFormation::Stack"
        if is_stack and event["ResourceStatus"] in ("CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS"):
            return at
    return len(events) - 1


def _kept_or_given(name: str, given: Mapping[str, str]) -> dict[str, Any]:
    if name in given:
        return {"ParameterKey": name, "ParameterValue": given[name]}
    return {"ParameterKey": name, "UsePreviousValue": True}
