"""Whatever goes wrong ends in one line that says what to do."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest
from botocore import exceptions
from botocore.exceptions import ClientError

from infra.deploy import __main__ as deploy
from infra.deploy import explain as explaining
from infra.deploy import stages
from infra.deploy.explain import explain
from infra.deploy.interpreters import find_python
from infra.deploy.problem import Problem


def refused(code: str, message: str = "no") -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, "CreateStack")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Problem("do this"), "do this"),
        (exceptions.NoCredentialsError(), explaining.NO_CREDENTIALS),
        (exceptions.PartialCredentialsError(provider="env", cred_var="x"), explaining.NO_CREDENTIALS),
        (exceptions.NoRegionError(), explaining.NO_REGION),
        (exceptions.ProfileNotFound(profile="x"), "AWS_PROFILE"),
        (exceptions.EndpointConnectionError(endpoint_url="https://x"), "AWS does not answer"),
        (exceptions.ConnectTimeoutError(endpoint_url="https://x"), "AWS does not answer"),
        (exceptions.SSOTokenLoadError(error_msg="x"), explaining.EXPIRED),
        (refused("ExpiredToken"), explaining.EXPIRED),
        (refused("InvalidClientTokenId"), explaining.REFUSED),
        (refused("AccessDenied", "User: x is not\nauthorized"), "may not do this: User: x is not authorized"),
        (refused("LimitExceeded", "too many"), "AWS refused CreateStack: too many"),
    ],
)
def test_an_error_is_told_in_one_line(error: Exception, told: str) -> None:
    line = explain(error)
    assert line is not None
    assert told in line
    assert "\n" not in line


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A person without credentials, a region or a configuration."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))


@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize("command", ["infra", "deploy", "destroy"])
def test_no_region_and_no_credentials_are_told_before_anything_is_done(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert deploy.main([command, "--stage", "dev"]) == 1
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    assert deploy.main([command, "--stage", "dev"]) == 1
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [explaining.NO_REGION, explaining.NO_CREDENTIALS]
    assert printed.out == ""


@pytest.mark.parametrize("command", ["infra", "package", "deploy", "destroy"])
def test_a_stage_that_is_not_there_is_told(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert deploy.main([command, "--stage", "prdo"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "make stage STAGE=prdo" in line


def test_what_nobody_foresaw_is_one_line_and_leads_to_its_trace(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(name: str) -> None:
        raise ZeroDivisionError("of all\nthings")

    monkeypatch.setattr(stages, "add_stage", fail)
    monkeypatch.setattr(deploy, "TRACE", tmp_path / "error.log")
    monkeypatch.setattr(deploy, "PROJECT", tmp_path)
    assert deploy.main(["stage", "--stage", "dev"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "ZeroDivisionError: of all things" in line
    assert "error.log" in line
    assert "Traceback" in (tmp_path / "error.log").read_text()


def test_a_python_is_found_by_its_version_and_a_shim_that_leads_nowhere_is_not_one(tmp_path: Path) -> None:
    shims, pyenv = tmp_path / "shims", tmp_path / ".pyenv" / "versions" / "9.9.1" / "bin"
    for folder, script in ((shims, "#!/bin/sh\nexit 127\n"), (pyenv, "#!/bin/sh\necho 9.9 cpython\n")):
        folder.mkdir(parents=True)
        (folder / "python9.9").write_text(script)
        (folder / "python9.9").chmod(stat.S_IRWXU)
    environment = {"PATH": str(shims), "HOME": str(tmp_path)}
    assert find_python("9.9", environment) == str(pyenv / "python9.9")
    assert find_python("9.8", environment) is None


def test_this_python_is_taken_when_it_fits() -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert find_python(version, {"PATH": "", "HOME": "/nonexistent"}) == sys.executable


def test_a_python_that_is_named_has_to_fit() -> None:
    with pytest.raises(Problem, match=r"which is not a Python 9\.9"):
        find_python("9.9", {"GRAFT_PYTHON": sys.executable})
