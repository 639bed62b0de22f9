"""`make stage`, `make infra`, `make package`, `make deploy`, `make destroy`, and what `make agent` is with a STAGE."""

from __future__ import annotations

import argparse
import sys
import traceback
from typing import Any, Final

from infra.deploy import chalice_project, stages, throttling
from infra.deploy.explain import explain
from infra.deploy.kept import delete_kept
from infra.deploy.package import Package, build_package, prepare_by_hand, refuse_oversize, runtime
from infra.deploy.problem import Problem
from infra.deploy.stack import Stack
from infra.deploy.stages import PROJECT, Stage

TRACE: Final = PROJECT / "build" / "error.log"
DELETE_WORD: Final = "yes"


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except Exception as error:
        print(explain(error) or _unexpected(error), file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.deploy", description=__doc__)
    commands = parser.add_subparsers(required=True)
    of_stage = argparse.ArgumentParser(add_help=False)
    of_stage.add_argument("--stage", default="")
    of_stack = argparse.ArgumentParser(add_help=False, parents=[of_stage])
    of_stack.add_argument("--email", default="", help="where alarms go")
    of_stack.add_argument("--log-days", default="", help="how long log lines are kept")
    commands.add_parser("stage", parents=[of_stage]).set_defaults(run=add_stage)
    commands.add_parser("package", parents=[of_stage]).set_defaults(run=package)
    commands.add_parser("infra", parents=[of_stack]).set_defaults(run=apply)
    commands.add_parser("deploy", parents=[of_stack]).set_defaults(run=deploy)
    remove = commands.add_parser("destroy", parents=[of_stage])
    remove.add_argument("--delete-data", default="", help=f"{DELETE_WORD}: the table and the key, too")
    remove.set_defaults(run=destroy)
    return parser


def add_stage(options: argparse.Namespace) -> None:
    stage = stages.add_stage(options.stage)
    print(f"Stage {stage.name} is in .chalice/config.json. Deploy it: make deploy STAGE={stage.name}")


def apply(options: argparse.Namespace) -> None:
    _apply(_stage(options), options)


def package(options: argparse.Namespace) -> None:
    _build(_stage(options))


def deploy(options: argparse.Namespace) -> None:
    """The stack, the package, then Chalice. The package comes first: what cannot be built changes nothing on AWS."""
    stage, session = _stage(options), _session()
    limits = throttling.read_limits(stage, stages.read_config())
    built = _build(stage)
    outputs = _apply(stage, options)
    _write_policies(stage, built.project / ".chalice", outputs)
    address = chalice_project.deploy(built.project, stage, runtime())
    throttling.set_limits(session.client("apigateway"), *chalice_project.deployed_api(stage), limits)
    print(f"\nGraft answers at {address}/mcp")
    print(f"An agent of your own, with its token: make agent STAGE={stage.name} NAME=laptop")


def destroy(options: argparse.Namespace) -> None:
    """Functions and API go; the table and the key stay, unless --delete-data is `yes`."""
    stage, session = _stage(options), _session()
    if options.delete_data not in ("", DELETE_WORD):
        raise Problem(f"DELETE_DATA is {options.delete_data!r}. Only DELETE_DATA=yes deletes the table and the key.")
    _remove_functions(stage)
    if options.delete_data != DELETE_WORD:
        print(f"Kept: table {stage.table}, key {stage.key_alias}, logs and alarms (stack {stage.stack}).")
        print(f"make destroy STAGE={stage.name} DELETE_DATA=yes deletes them with every agent, tool and credential.")
        return
    print(f"WARNING: deleting the data of {stage.name}: every agent, tool, approval and credential.")
    Stack(session.client("cloudformation"), stage).delete()
    delete_kept(stage, {name: session.client(name) for name in ("dynamodb", "kms")}, print)


def _remove_functions(stage: Stage) -> None:
    if not stage.deployed_file.exists():
        where = stage.deployed_file.relative_to(PROJECT)
        print(
            f"No functions were removed: {where} notes none. If {stage.name} has some, bring the file back and repeat."
        )
        return
    chalice_project.delete(stage, runtime())
    print(f"The functions and the API of {stage.name} are gone.")


def _apply(stage: Stage, options: argparse.Namespace) -> dict[str, str]:
    given = {"AlarmEmail": options.email, "LogDays": options.log_days}
    stack = Stack(_session().client("cloudformation"), stage)
    outputs = stack.apply({name: value for name, value in given.items() if value}, print)
    _write_policies(stage, PROJECT / ".chalice", outputs)
    prepare_by_hand()
    print(f"Stack {stage.stack} is up to date: table {outputs['TableName']}, key {stage.key_alias}.")
    return outputs


def _build(stage: Stage) -> Package:
    print("Building the package …")
    built = build_package(stage)
    print(f"The package is in {built.project.relative_to(PROJECT)}: {built.zipped_bytes / 1e6:.1f} MB zipped.")
    refuse_oversize(built)
    if not built.is_compiled:
        print(
            f"It carries no bytecode, so cold starts are slower: there is no Python {runtime()} here to make it. "
            f"If there is one, name it: GRAFT_PYTHON=/path/to/python{runtime()}"
        )
    return built


def _write_policies(stage: Stage, chalice_folder: Any, outputs: dict[str, str]) -> None:
    stages.write_policies(stage, chalice_folder, table_arn=outputs["TableArn"], key_arn=outputs["KeyArn"])


def _stage(options: argparse.Namespace) -> Stage:
    return stages.named(options.stage, stages.read_config())


def _session() -> Any:
    """AWS, once it is known that there are credentials and a region, and whose they are."""
    import boto3

    session: Any = boto3.Session()
    if session.region_name is None:
        from botocore.exceptions import NoRegionError

        raise NoRegionError
    session.client("sts").get_caller_identity()
    return session


def _unexpected(error: Exception) -> str:
    TRACE.parent.mkdir(exist_ok=True)
    TRACE.write_text("".join(traceback.format_exception(error)))
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return f"Something unexpected went wrong: {said[:300]} (the trace is in {TRACE.relative_to(PROJECT)})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
