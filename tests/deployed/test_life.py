"""A deployment's life beside its use: deployed again, refused when something is wrong, and taken away."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from typing import Any, Final

from tests.acceptance.rpc import Agent

from .site import ROOT, STAGE, Site

OTHER: Final = "other"


def test_a_second_deploy_brings_the_code_and_keeps_address_and_data(site: Site, agent: Agent) -> None:
    address = api_address(site)
    page = site.folder / "chalicelib" / "console" / "templates" / "home.html"
    page.write_text(page.read_text().replace("share one toolbox", "share one tested toolbox"))
    printed = site.made("deploy", STAGE=STAGE)
    assert "Reusing existing shared layer" in printed, "dependencies are not packed again"
    assert api_address(site) == address
    assert agent.tools()
    with urllib.request.urlopen(f"{site.url}/", timeout=30) as answer:
        assert "share one tested toolbox" in answer.read().decode()


def api_address(site: Site) -> str:
    noted = json.loads((site.folder / ".chalice" / "deployed" / f"{STAGE}.json").read_text())
    address: str = next(each["rest_api_url"] for each in noted["resources"] if each["name"] == "rest_api")
    return address


def test_what_is_wrong_is_said_in_one_line(project: Site) -> None:
    assert "There is no stage 'nope'" in project.refused("deploy", STAGE="nope")
    assert "Name the stage" in project.refused("infra")
    assert "make infra STAGE=prod" in project.refused("agent", STAGE="prod", NAME="laptop")
    assert "lower-case letters" in project.refused("stage", STAGE="No Such")
    assert "No functions were removed" in project.made("destroy", STAGE="prod")
    assert "DELETE_DATA=yes" in project.refused("destroy", STAGE="dev", DELETE_DATA="1")


def test_a_first_stack_that_failed_says_why_and_is_made_anew(project: Site) -> None:
    project.made("stage", STAGE=OTHER)
    template = project.folder / "infra" / "template.yaml"
    right = template.read_text()
    template.write_text(right.replace("\n      Namespace: Graft\n", "\n", 1))
    assert f"Stack graft-{OTHER} failed: RateLimitedAlarm" in project.refused("infra", STAGE=OTHER)
    template.write_text(right)
    assert "made anew" in project.made("infra", STAGE=OTHER)
    assert "up to date" in project.made("infra", STAGE=OTHER), "applying it again changes nothing"


def test_a_chalice_deploy_by_hand_says_what_is_missing(project: Site) -> None:
    typed = [str(ROOT / ".venv" / "bin" / "chalice"), "deploy", "--stage", "dev"]
    done = subprocess.run(
        typed, cwd=project.folder, env=project.account.environment, capture_output=True, text=True, timeout=60
    )
    [line] = done.stderr.splitlines()
    assert done.returncode == 1
    assert "STAGE=dev" in line


def test_destroy_keeps_the_data_unless_told(site: Site, agent: Agent) -> None:
    """The last of all: nothing is deployed afterwards."""
    functions, dynamodb = site.account.client("lambda"), site.account.client("dynamodb")
    assert "Kept" in site.made("destroy", STAGE=STAGE)
    assert functions.list_functions()["Functions"] == []
    assert site.account.client("apigateway").get_rest_apis()["items"] == []
    assert dynamodb.scan(TableName=f"graft-{STAGE}", Select="COUNT")["Count"] > 0

    assert "WARNING" in site.made("destroy", STAGE=STAGE, DELETE_DATA="yes")
    assert f"graft-{STAGE}" not in dynamodb.list_tables()["TableNames"]
    states = [key["KeyState"] for key in keys(site) if key.get("Description", "").endswith("its connections")]
    assert "PendingDeletion" in states
    assert "gone already" in site.made("destroy", STAGE=STAGE, DELETE_DATA="yes"), "a second time finds nothing"


def keys(site: Site) -> list[dict[str, Any]]:
    kms = site.account.client("kms")
    return [kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"] for key in kms.list_keys()["Keys"]]
