"""The stages of .chalice/config.json, and what is different from one to the next.

The file lists every function once, at its top level, with its memory and its timeout. Each has a policy in
infra/policies/ under its name, and a log group in infra/template.yaml. A stage adds names only.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, Final

from infra.deploy.problem import Problem

PROJECT: Final = Path(__file__).resolve().parents[2]
CONFIG: Final = PROJECT / ".chalice" / "config.json"
POLICIES: Final = PROJECT / "infra" / "policies"
NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,19}")
WORKER_FUNCTION: Final = "acquire"
API_FUNCTION: Final = "api_handler"
"""What Chalice calls the function behind the API."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One deployment: `graft-<name>` in whatever account and region the credentials lead to."""

    name: str

    @property
    def stack(self) -> str:
        return f"graft-{self.name}"

    @property
    def table(self) -> str:
        return f"graft-{self.name}"

    @property
    def key_alias(self) -> str:
        return f"alias/graft-{self.name}"

    def function_name(self, function: str) -> str:
        """As Chalice names it on AWS."""
        return self.stack if function == API_FUNCTION else f"{self.stack}-{function}"

    def policy_file(self, function: str) -> str:
        """Where Chalice reads a function's policy, below .chalice."""
        return f"policies/{self.name}/{function}.json"

    @property
    def deployed_file(self) -> Path:
        """What Chalice has made for this stage; without it, Chalice would make a second API beside the first."""
        return PROJECT / ".chalice" / "deployed" / f"{self.name}.json"


def read_config() -> dict[str, Any]:
    config: dict[str, Any] = json.loads(CONFIG.read_text())
    return config


def functions(config: dict[str, Any]) -> list[str]:
    """Every function that is deployed, by Chalice's names."""
    return list(config["lambda_functions"])


def named(name: str, config: dict[str, Any]) -> Stage:
    """The stage of this name. Raises `Problem` when there is none."""
    known = ", ".join(config["stages"])
    if not name:
        raise Problem(f"Name the stage, for example STAGE=dev. There are: {known}.")
    if name not in config["stages"]:
        raise Problem(
            f"There is no stage {name!r} in .chalice/config.json (there are: {known}). Add it: {_adding(name)}"
        )
    return Stage(name)


def _adding(name: str) -> str:
    return (
        f"make stage STAGE={name}" if NAME.fullmatch(name) else "make stage STAGE=… with a name such as dev or prod-2."
    )


def section(stage: Stage, config: dict[str, Any]) -> dict[str, Any]:
    """The stage's part of .chalice/config.json."""
    return {
        "environment_variables": {
            "GRAFT_STAGE": stage.name,
            "GRAFT_TABLE": table_name(stage, config),
            "GRAFT_KMS_KEY": stage.key_alias,
        },
        "lambda_functions": {
            function: {"iam_policy_file": stage.policy_file(function)} for function in functions(config)
        },
    }


def table_name(stage: Stage, config: dict[str, Any]) -> str:
    """The table that the stage's functions use: its own, or one restored from a backup that its entry names."""
    told = config["stages"].get(stage.name, {}).get("environment_variables", {})
    return str(told.get("GRAFT_TABLE", stage.table))


def public_address(stage: Stage, config: dict[str, Any]) -> str:
    """The address that the stage's functions are told to give out; empty: the one by which a caller came in."""
    told = config.get("environment_variables", {}) | config["stages"][stage.name].get("environment_variables", {})
    return str(told.get("GRAFT_PUBLIC_BASE_URL", ""))


def add_stage(name: str) -> Stage:
    """Write the stage into .chalice/config.json, whatever it adds of its own kept. Raises `Problem`."""
    if not NAME.fullmatch(name):
        raise Problem("STAGE is a name of lower-case letters, digits and hyphens, up to 20, such as dev or prod-2.")
    config, stage = read_config(), Stage(name)
    config["stages"][name] = _merged(config["stages"].get(name, {}), section(stage, config))
    CONFIG.write_text(json.dumps(config, indent=2) + "\n")
    return stage


def _merged(own: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    merged = dict(own)
    for name, value in wanted.items():
        merged[name] = _merged(own.get(name, {}), value) if isinstance(value, dict) else value
    return merged


def policy(stage: Stage, function: str, *, table_arn: str, key_arn: str) -> dict[str, Any]:
    """The function's policy for this stage: infra/policies/<function>.json with the ARNs filled in."""
    partition, _, region, account = table_arn.split(":")[1:5]
    here = f"{region}:{account}"
    text = (POLICIES / f"{function}.json").read_text()
    filled = Template(text).substitute(
        TableArn=table_arn,
        KeyArn=key_arn,
        LogGroupArn=f"arn:{partition}:logs:{here}:log-group:/aws/lambda/{stage.function_name(function)}",
        AcquireArn=f"arn:{partition}:lambda:{here}:function:{stage.function_name(WORKER_FUNCTION)}",
        FoundationModels=f"arn:{partition}:bedrock:*::foundation-model/*",
        InferenceProfiles=f"arn:{partition}:bedrock:{here}:*inference-profile/*",
    )
    document: dict[str, Any] = json.loads(filled)
    return document


def write_policies(stage: Stage, chalice_folder: Path, *, table_arn: str, key_arn: str) -> None:
    """Put every function's policy where the stage's Chalice configuration names it.

    `table_arn` is that of the stack's table; the policies are for the one that the functions use.
    """
    config = read_config()
    table_arn = f"{table_arn.rpartition('/')[0]}/{table_name(stage, config)}"
    for function in functions(config):
        path = chalice_folder / stage.policy_file(function)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(policy(stage, function, table_arn=table_arn, key_arn=key_arn), indent=2) + "\n")
