"""The stages of .chalice/config.json: one list of functions, and names that differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app import app
from infra.deploy import by_hand, package, stages
from infra.deploy.package import RUNTIME
from infra.deploy.problem import Problem
from infra.deploy.stages import API_FUNCTION, CONFIG, Stage, functions, named, read_config, section


@pytest.fixture
def config_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project's configuration."""
    copy = tmp_path / "config.json"
    copy.write_text(CONFIG.read_text())
    monkeypatch.setattr(stages, "CONFIG", copy)
    return copy


def test_the_list_of_functions_is_what_app_py_registers() -> None:
    registered = {
        API_FUNCTION,
        *(each.name for each in app.event_sources),
        *(each.name for each in app.pure_lambda_functions),
    }
    assert set(functions(read_config())) == registered


def test_every_function_says_its_memory_and_its_timeout() -> None:
    for settings in read_config()["lambda_functions"].values():
        assert settings.keys() == {"lambda_memory_size", "lambda_timeout"}


@pytest.mark.parametrize("name", read_config()["stages"])
def test_a_stage_has_everything_that_make_stage_writes(name: str) -> None:
    """After a function was added, `make stage STAGE=…` brings each stage up to date."""
    config = read_config()
    assert stages._merged(config["stages"][name], section(Stage(name), config)) == config["stages"][name]


def test_a_stage_is_added_beside_the_others(config_file: Path) -> None:
    before = json.loads(config_file.read_text())
    stages.add_stage("staging")
    after = json.loads(config_file.read_text())
    assert after["stages"].pop("staging") == section(Stage("staging"), before)
    assert after == before


def test_adding_a_stage_that_is_there_changes_nothing_and_keeps_what_was_added_to_it(config_file: Path) -> None:
    before = config_file.read_text()
    stages.add_stage("dev")
    assert config_file.read_text() == before
    config = json.loads(before)
    config["stages"]["dev"]["environment_variables"]["GRAFT_PUBLIC_BASE_URL"] = "https://graft.example"
    config_file.write_text(json.dumps(config))
    stages.add_stage("dev")
    assert json.loads(config_file.read_text()) == config


def test_a_stage_can_use_a_table_that_was_restored_and_its_policies_follow(config_file: Path, tmp_path: Path) -> None:
    config = json.loads(config_file.read_text())
    config["stages"]["dev"]["environment_variables"]["GRAFT_TABLE"] = "graft-dev-restored"
    config_file.write_text(json.dumps(config))
    stages.add_stage("dev")
    assert json.loads(config_file.read_text()) == config
    stages.write_policies(
        Stage("dev"), tmp_path, table_arn="arn:aws:dynamodb:eu-central-1:123456789012:table/graft-dev", key_arn="k"
    )
    for function in functions(config):
        written = (tmp_path / Stage("dev").policy_file(function)).read_text()
        assert "table/graft-dev-restored" in written
        assert 'table/graft-dev"' not in written


@pytest.mark.parametrize("name", ["Dev", "1st", "a_b", "x" * 21, "", "../x"])
def test_a_name_that_aws_would_refuse_somewhere_is_refused_first(config_file: Path, name: str) -> None:
    with pytest.raises(Problem, match="lower-case letters"):
        stages.add_stage(name)


def test_a_stage_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(Problem, match=r"no stage 'prdo'.*dev, prod.*make stage STAGE=prdo"):
        named("prdo", read_config())
    with pytest.raises(Problem, match=r"Name the stage.*dev, prod"):
        named("", read_config())


def test_a_policy_is_written_where_chalice_reads_it(tmp_path: Path) -> None:
    arn = "arn:aws-cn:dynamodb:cn-north-1:123456789012:table/graft-dev"
    stages.write_policies(Stage("dev"), tmp_path, table_arn=arn, key_arn="arn:aws-cn:kms:cn-north-1:123456789012:key/k")
    for function, settings in read_config()["stages"]["dev"]["lambda_functions"].items():
        text = (tmp_path / settings["iam_policy_file"]).read_text()
        assert arn in text
        log_group = f"log-group:/aws/lambda/{Stage('dev').function_name(function)}:*"
        assert f"arn:aws-cn:logs:cn-north-1:123456789012:{log_group}" in text


@pytest.mark.parametrize("typed", [["local"], ["logs", "--stage", "nope"], ["delete"]])
def test_other_chalice_commands_are_left_alone(typed: list[str]) -> None:
    by_hand.check_by_hand(typed, "3.9")


@pytest.mark.parametrize("typed", [["deploy", "--stage", "prod"], ["--debug", "deploy", "--stage=prod"]])
def test_a_deploy_by_hand_on_another_python_is_led_to_make(typed: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"is 3\.9,.*make deploy STAGE=prod"):
        by_hand.check_by_hand(typed, "3.9")


def test_a_deploy_by_hand_before_the_stack_is_led_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_hand, "PROJECT", tmp_path)
    with pytest.raises(SystemExit, match="make infra STAGE=dev"):
        by_hand.check_by_hand(["deploy"], RUNTIME)


def test_a_deploy_by_hand_after_the_stack_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vendor" / "bin").mkdir(parents=True)
    (tmp_path / "vendor" / "bin" / "monty").touch()
    arn = "arn:aws:dynamodb:us-east-1:123456789012:table/graft-dev"
    stages.write_policies(Stage("dev"), tmp_path / ".chalice", table_arn=arn, key_arn="k")
    monkeypatch.setattr(by_hand, "PROJECT", tmp_path)
    by_hand.check_by_hand(["deploy"], RUNTIME)


def test_what_a_deploy_by_hand_needs_is_prepared_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[Path] = []

    def fetch(folder: Path, version: str) -> None:
        fetched.append(folder)

    monkeypatch.setattr(package, "PROJECT", tmp_path)
    monkeypatch.setattr(package, "download_worker", fetch)
    (tmp_path / "console_static").mkdir()
    for _ in range(2):
        package.prepare_by_hand()
    assert fetched == [tmp_path / "vendor"]
    assert (tmp_path / "vendor" / "console_static").is_dir()
