"""`make agent`, `make approve`, `make sweep` and `make reconcile` with a STAGE: the same, on what is deployed there."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial

from chalicelib.services.deps import Deps
from infra.deploy import stages
from infra.deploy.chalice_project import deployed_address
from infra.deploy.explain import explain
from infra.deploy.stack import Stack
from infra.local import commands
from infra.local.setup import PERSON


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--stage", default=os.environ.get("STAGE", ""))
    options, rest = parser.parse_known_args(arguments)
    try:
        return commands.main(rest, make_deps=partial(deployed_deps, options.stage))
    except Exception as error:
        explained = explain(error)
        if explained is None:
            raise
        print(explained, file=sys.stderr)
        return 1


def deployed_deps(name: str) -> Deps:
    """The services over the stage's table and key, with the credentials of whoever runs this. Raises `Problem`."""
    import boto3

    from chalicelib import wiring

    config = stages.read_config()
    stage = stages.named(name, config)
    outputs = Stack(boto3.client("cloudformation"), stage).outputs()
    settings = {
        "GRAFT_TABLE": stages.table_name(stage, config),
        "GRAFT_KMS_KEY": outputs["KeyArn"],
        "GRAFT_PUBLIC_BASE_URL": stages.public_address(stage, config) or deployed_address(stage),
    }
    deps = wiring.make_deps({**os.environ, **settings})
    deps.store.people.add(PERSON)
    return deps


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
