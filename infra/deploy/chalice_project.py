"""Running Chalice's deployer on a built package.

It is Chalice's own, with one thing changed: the runtime is the package's, not that of whatever Python runs this.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from botocore.session import Session
from chalice.awsclient import TypedAWSClient
from chalice.config import Config
from chalice.deploy.deployer import (
    ChaliceDeploymentError,
    DeploymentReporter,
    create_default_deployer,
    create_deletion_deployer,
)
from chalice.utils import UI

from infra.deploy.problem import Problem
from infra.deploy.stages import PROJECT, Stage


def read_project(project: Path, stage: Stage, version: str) -> Config:
    """The configuration of a stage as Chalice reads it from `project`."""
    from app import app

    config = type("PackagesConfig", (Config,), {"lambda_python_version": f"python{version}"})
    on_disk = json.loads((project / ".chalice" / "config.json").read_text())
    return config(
        chalice_stage=stage.name,
        user_provided_params={"chalice_app": app},
        config_from_disk=on_disk,
        default_params={"project_dir": str(project)},
    )


def deploy(project: Path, stage: Stage, version: str) -> str:
    """Deploy a built package; the API's address. Raises `Problem` and botocore's errors."""
    config = read_project(project, stage, version)
    deployed = _plainly(create_default_deployer(Session(), config, UI()), config, stage)
    DeploymentReporter(ui=UI()).display_report(deployed)
    return address_of(deployed["resources"])


def delete(stage: Stage, version: str) -> None:
    """Delete every function, role, layer, rule and API that Chalice has made for the stage."""
    config = read_project(PROJECT, stage, version)
    _plainly(create_deletion_deployer(TypedAWSClient(Session()), UI()), config, stage)


def _plainly(deployer: Any, config: Config, stage: Stage) -> dict[str, Any]:
    warnings.filterwarnings("ignore", message="You are currently running python", category=UserWarning)
    try:
        deployed: dict[str, Any] = deployer.deploy(config, chalice_stage_name=stage.name)
    except ChaliceDeploymentError as error:
        raise Problem(f"Chalice could not deploy: {' '.join(str(error.original_error).split())}") from None
    return deployed


def deployed_address(stage: Stage) -> str:
    """The API's address, without a slash at the end. Raises `Problem` when nothing is deployed from here."""
    try:
        return address_of(json.loads(stage.deployed_file.read_text())["resources"])
    except (OSError, LookupError):
        message = f"Nothing is deployed to {stage.name} from this folder yet. Deploy: make deploy STAGE={stage.name}"
        raise Problem(message) from None


def deployed_api(stage: Stage) -> tuple[str, str]:
    """The id of the stage's API, and the gateway's own stage that Chalice has put it on."""
    address = deployed_address(stage)
    resources = json.loads(stage.deployed_file.read_text())["resources"]
    api_id = next(each["rest_api_id"] for each in resources if each["resource_type"] == "rest_api")
    return api_id, address.rpartition("/")[2]


def address_of(resources: list[dict[str, Any]]) -> str:
    address: str = next(each["rest_api_url"] for each in resources if each["resource_type"] == "rest_api")
    return address.rstrip("/")
