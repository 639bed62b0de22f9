"""What a `chalice deploy` typed by hand is told when it would deploy something that does not work.

`make deploy` needs none of this: it builds for the right Python and prepares everything.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from infra.deploy.package import RUNTIME
from infra.deploy.problem import Problem
from infra.deploy.stages import PROJECT, Stage, functions, named, read_config

DEFAULT_STAGE = "dev"
"""Chalice's own."""


def check_by_hand(words: Sequence[str] | None = None, version: str | None = None) -> None:
    """End the process with one line when `chalice deploy` or `chalice package` lacks something.

    `words`: what was typed after `chalice`. `version`: that of the Python that runs it, such as "3.13".
    """
    typed = sys.argv[1:] if words is None else words
    if not {"deploy", "package"} & set(typed):
        return
    try:
        stage = named(_stage_in(typed), read_config())
        missing = _missing(stage, version or f"{sys.version_info.major}.{sys.version_info.minor}")
    except Problem as problem:
        missing = str(problem)
    if missing:
        raise SystemExit(missing)


def _stage_in(words: Sequence[str]) -> str:
    for at, word in enumerate(words):
        if word == "--stage":
            return words[at + 1] if at + 1 < len(words) else ""
        if word.startswith("--stage="):
            return word.removeprefix("--stage=")
    return DEFAULT_STAGE


def _missing(stage: Stage, version: str) -> str | None:
    if version != RUNTIME:
        return (
            f"chalice deploy would pack for the Python that runs it, which is {version}, and the sandbox's needs "
            f"{RUNTIME}. This packs for {RUNTIME} from any Python: make deploy STAGE={stage.name}"
        )
    policies = [PROJECT / ".chalice" / stage.policy_file(function) for function in functions(read_config())]
    if not all(path.exists() for path in [*policies, PROJECT / "vendor" / "bin" / "monty"]):
        return f"The policies in .chalice/policies or the worker in vendor/ are missing: make infra STAGE={stage.name}"
    return None
