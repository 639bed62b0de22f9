"""What `make package` builds, unpacked as Lambda unpacks it."""

from __future__ import annotations

import json
import re
import subprocess
from importlib.metadata import distributions
from pathlib import Path
from typing import Final

import pytest

from infra.deploy import dependencies
from infra.deploy.dependencies import REQUIREMENTS, worker_requirement
from infra.deploy.interpreters import find_python
from infra.deploy.package import RUNTIME, Package, build_package, refuse_oversize, runtime
from infra.deploy.problem import Problem
from infra.deploy.stages import PROJECT, Stage

from .conftest import Unpacked

UNPACKED_MAX: Final = 250_000_000
"""Lambda's own, for code and layers together."""
HASHED_UNCHECKED: Final = b"\x01\x00\x00\x00"
"""PEP 552's flags: identified by a hash, which is not compared with the source's."""
RUNS_A_MODULE: Final = """
import sys
sys.path[:0] = sys.argv[1:]
from chalicelib.sandbox.pool import Sandbox
from chalicelib.wiring import _monty_bin
sandbox = Sandbox(workers=1, monty_bin=_monty_bin({"MONTY_BIN": "bin/monty"}))
module = "def run(input, http):\\n    return {'twice': input['number'] * 2}\\n"
print(sandbox.run(module, {"number": 21}, None, seconds=20))
sandbox.close()
"""


def test_the_package_is_small(package: Package, unpacked: Unpacked) -> None:
    refuse_oversize(package)
    files = [path for place in (unpacked.task, unpacked.opt) for path in place.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= UNPACKED_MAX


def test_the_layer_holds_what_requirements_pin_and_the_worker(unpacked: Unpacked) -> None:
    there = {
        f"{each.name}=={each.version}".lower().replace("_", "-")
        for each in distributions(path=[str(unpacked.libraries)])
    }
    pinned = {line for line in REQUIREMENTS.read_text().splitlines() if line and not line.startswith("#")}
    assert there == {*pinned, worker_requirement()}


def test_everything_that_a_pinned_package_needs_is_pinned(unpacked: Unpacked) -> None:
    there = {each.name.lower().replace("_", "-") for each in distributions(path=[str(unpacked.libraries)])}
    for each in distributions(path=[str(unpacked.libraries)]):
        for needed in each.requires or ():
            if "extra ==" not in needed:
                assert re.split(r"[^A-Za-z0-9_-]", needed)[0].lower().replace("_", "-") in there, (
                    f"{each.name} needs {needed}"
                )


def test_the_worker_on_this_machine_is_the_packages(unpacked: Unpacked) -> None:
    assert worker_requirement() in (PROJECT / "requirements-local.txt").read_text().splitlines()


def test_the_code_is_app_chalicelib_and_chalices_router(unpacked: Unpacked) -> None:
    assert {path.name for path in unpacked.task.iterdir()} <= {"app.py", "chalicelib", "chalice", "__pycache__"}
    listed = subprocess.run(
        ["git", "ls-files", "chalicelib"], cwd=PROJECT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert [name for name in listed if (PROJECT / name).exists() and not (unpacked.task / name).exists()] == []


def test_the_console_finds_its_files_in_the_layer(unpacked: Unpacked) -> None:
    for path in (PROJECT / "console_static").iterdir():
        assert (unpacked.libraries / "console_static" / path.name).read_bytes() == path.read_bytes()


def test_the_sandboxs_worker_runs_from_the_layer(unpacked: Unpacked) -> None:
    worker = unpacked.libraries / "bin" / "monty"
    done = subprocess.run([worker, "--version"], capture_output=True, text=True)
    assert done.returncode == 0
    assert worker_requirement().partition("==")[2] in done.stdout


def test_a_tools_module_runs_from_the_package(unpacked: Unpacked) -> None:
    """On a Python of the deployed version if there is one: no other imports the packages."""
    python = find_python(runtime())
    if python is None:
        assert not list(unpacked.libraries.glob("__pycache__"))
        return
    places = [str(unpacked.task), str(unpacked.libraries)]
    done = subprocess.run([python, "-I", "-B", "-c", RUNS_A_MODULE, *places], capture_output=True, text=True)
    assert done.stdout.strip() == "{'twice': 42}", done.stderr


def test_every_module_is_compiled_and_never_checked(package: Package, unpacked: Unpacked) -> None:
    tag = f"cpython-{runtime().replace('.', '')}"
    for place in (unpacked.task, unpacked.libraries):
        for source in place.rglob("*.py"):
            compiled = source.parent / "__pycache__" / f"{source.stem}.{tag}.pyc"
            assert compiled.exists() is package.is_compiled, source
            if package.is_compiled:
                assert compiled.read_bytes()[4:8] == HASHED_UNCHECKED


def test_anybody_may_read_what_is_in_it(unpacked: Unpacked) -> None:
    """Lambda runs as another user than the one that packed."""
    for place in (unpacked.task, unpacked.opt):
        assert [path for path in place.rglob("*") if path.is_file() and not path.stat().st_mode & 0o004] == []


def test_the_same_sources_make_the_same_package(package: Package, tmp_path: Path) -> None:
    again = build_package(Stage("dev"), tmp_path)
    assert (again.code.name, again.layer.name) == (package.code.name, package.layer.name)
    assert again.code.read_bytes() == package.code.read_bytes()


def test_building_again_leaves_no_older_zip_behind(tmp_path: Path) -> None:
    older = build_package(Stage("dev"), tmp_path).code.parent / "appcode-0-python3.13.zip"
    older.touch()
    again = build_package(Stage("dev"), tmp_path)
    assert set(older.parent.iterdir()) == {again.code, again.layer}


def test_a_pin_without_a_package_is_said_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = tmp_path / "requirements.txt"
    wrong.write_text("pydantic-monty-client==0.0.0\n")
    monkeypatch.setattr(dependencies, "REQUIREMENTS", wrong)
    with pytest.raises(Problem, match=r"^pip cannot bring the packages for Python [^\n]+0\.0\.0[^\n]*$"):
        dependencies.download(tmp_path / "there", RUNTIME)


def test_two_builds_at_once_make_the_dependencies_once(tmp_path: Path) -> None:
    first, second, place = (tmp_path / name for name in ("first", "second", "place"))
    for made in (first, second):
        made.mkdir()
        (made / made.name).touch()
        dependencies._put_in_place(made, place)
    assert [path.name for path in place.iterdir()] == ["first"]


def test_the_settings_lead_to_what_the_package_holds() -> None:
    config = json.loads((PROJECT / ".chalice" / "config.json").read_text())
    assert config["environment_variables"]["MONTY_BIN"] == str(dependencies.WORKER)
    assert config["automatic_layer"] is True
