"""`chalice package`: the same functions as a CloudFormation template, alone and merged with the stack's."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from botocore.session import Session
from chalice.awsclient import TypedAWSClient
from chalice.package import PackageOptions, create_app_packager

from infra.deploy.chalice_project import read_project
from infra.deploy.package import Package, runtime
from infra.deploy.stack import TEMPLATE
from infra.deploy.stages import Stage, functions, read_config, write_policies

from .lint import lint

STAGE = Stage("dev")
TABLE_ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/graft-dev"
KEY_ARN = "arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555"


@pytest.fixture
def project(package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The built project with its policies; chalice writes into it."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "none")
    folder = tmp_path / "project"
    shutil.copytree(package.project, folder, symlinks=True)
    write_policies(STAGE, folder / ".chalice", table_arn=TABLE_ARN, key_arn=KEY_ARN)
    return folder


def packaged(project: Path, out: Path, merged: Path | None) -> Path:
    """The template that chalice writes."""
    out.mkdir()
    config = read_project(project, STAGE, runtime())
    options = PackageOptions(TypedAWSClient(session=Session()))
    given: dict[str, Any] = {"package_format": "cloudformation", "template_format": "json"}
    packager = create_app_packager(config, options, merge_template=str(merged) if merged else None, **given)
    packager.package_app(config, str(out), STAGE.name)
    [template] = [path for path in out.iterdir() if path.suffix in (".json", ".yaml")]
    return template


@pytest.mark.filterwarnings("ignore:You are currently running python:UserWarning")
@pytest.mark.parametrize("merged", [None, TEMPLATE], ids=["plain", "merged with infra/template.yaml"])
def test_cfn_lint_has_nothing_to_say(project: Path, tmp_path: Path, merged: Path | None) -> None:
    template = packaged(project, tmp_path / "out", merged)
    assert lint(template) == ""
    written = template.read_text()
    assert written.count("AWS::Serverless::Function") == len(functions(read_config()))
    assert ("AWS::DynamoDB::Table" in written) is (merged is not None)
