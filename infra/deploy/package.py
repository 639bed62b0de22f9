"""The package: exactly what is deployed, as a Chalice project of its own below build/.

build/<stage>/app.py, chalicelib/     the sources, compiled
build/<stage>/vendor/                 what the layer holds: packages, bin/monty, console_static
build/<stage>/.chalice/deployments/   the two zips, under the names by which Chalice finds them
"""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from chalice.deploy.packager import AppOnlyDeploymentPackager, DependencyBuilder, LayerDeploymentPackager
from chalice.utils import UI, OSUtils

from infra.deploy.bytecode import compile_tree
from infra.deploy.dependencies import BUILD, download_worker, ensure_dependencies, settle, worker_requirement
from infra.deploy.interpreters import find_python
from infra.deploy.problem import Problem
from infra.deploy.stages import PROJECT, Stage

RUNTIME: Final = "3.13"
"""The Python that Lambda runs. The sandbox's wheels need the glibc that came with 3.12."""
RUNTIME_SETTING: Final = "GRAFT_LAMBDA_PYTHON"
"""Another version, for tests/deployed on a machine that has no Python of that one."""
TASK: Final = "/var/task"
"""Where Lambda unpacks the functions' code."""
CONSOLE_STATIC: Final = "console_static"
ZIPPED_BYTES_MAX: Final = 40_000_000
"""Of code and layer together. A larger one starts slower, and an upload that is too large fails without a reason."""
LARGEST_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Package:
    """`code` goes to every function, `layer` to all of them together."""

    project: Path
    code: Path
    layer: Path
    is_compiled: bool

    @property
    def zipped_bytes(self) -> int:
        return self.code.stat().st_size + self.layer.stat().st_size


def refuse_oversize(package: Package) -> None:
    """Raise `Problem`, which names what takes the room, for a package over the limit."""
    if package.zipped_bytes <= ZIPPED_BYTES_MAX:
        return
    largest = ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in largest_parts(package)[:LARGEST_SHOWN])
    raise Problem(
        f"The package is {package.zipped_bytes / 1e6:.1f} MB zipped; at most {ZIPPED_BYTES_MAX / 1e6:.0f} MB are "
        f"deployed. The largest parts: {largest}. Take a package out of requirements.txt."
    )


def largest_parts(package: Package) -> list[tuple[str, int]]:
    """(folder or file, its zipped bytes), the largest first; packages are told apart within the layer."""
    sizes: Counter[str] = Counter()
    for archive in (package.code, package.layer):
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist():
                sizes[_part_of(entry.filename)] += entry.compress_size
    return sizes.most_common()


def _part_of(path: str) -> str:
    """What a layer's path belongs to, without the folders that Lambda wants: python/, lib/…/site-packages/."""
    inside = path.rpartition("site-packages/")[2].removeprefix("python/")
    return inside.partition("/")[0]


def runtime(environment: Mapping[str, str] = os.environ) -> str:
    return environment.get(RUNTIME_SETTING, RUNTIME)


def build_package(stage: Stage, folder: Path | None = None) -> Package:
    """Build what is deployed to the stage, in build/<stage> unless a folder is given.

    Needs PyPI the first time, and no AWS. Raises `Problem`.
    """
    version = runtime()
    python = find_python(version)
    project = folder or BUILD / stage.name
    _empty(project)
    _lay_out(project, ensure_dependencies(version, python))
    if python is not None:
        compile_tree(python, project / "chalicelib", seen_as=f"{TASK}/chalicelib")
    settle(project)
    code, layer = _zip(project, version)
    _finish(code, python)
    for path in code.parent.iterdir():
        if path not in (code, layer):
            path.unlink()
    return Package(project, code, layer, is_compiled=python is not None)


def prepare_by_hand(version: str = RUNTIME) -> None:
    """Fill vendor/ for a `chalice deploy` that is typed by hand, unless it is filled with what belongs there."""
    vendor, wanted = PROJECT / "vendor", worker_requirement()
    vendor.mkdir(exist_ok=True)
    filled_with = vendor / "filled-with.txt"
    if not filled_with.exists() or filled_with.read_text() != wanted:
        download_worker(vendor, version)
        filled_with.write_text(wanted)
    if not (vendor / CONSOLE_STATIC).exists():
        (vendor / CONSOLE_STATIC).symlink_to(Path("..") / CONSOLE_STATIC)


def _empty(project: Path) -> None:
    """All but the zips, which are named after what is in them: a layer is made and uploaded again when it changed."""
    project.mkdir(parents=True, exist_ok=True)
    for path in project.iterdir():
        if path.name != ".chalice":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    (project / ".chalice" / "deployments").mkdir(parents=True, exist_ok=True)


def _lay_out(project: Path, dependencies: Path) -> None:
    shutil.copy(PROJECT / "app.py", project)
    shutil.copytree(PROJECT / "chalicelib", project / "chalicelib", ignore=shutil.ignore_patterns("__pycache__"))
    (project / "requirements.txt").write_text("# Everything is in vendor/.\n")
    vendor = project / "vendor"
    vendor.mkdir()
    for path in sorted(dependencies.iterdir()):
        (vendor / path.name).symlink_to(path)
    shutil.copytree(PROJECT / CONSOLE_STATIC, vendor / CONSOLE_STATIC)
    shutil.copy(PROJECT / ".chalice" / "config.json", project / ".chalice")
    _share_deployed(project / ".chalice" / "deployed")


def _share_deployed(link: Path) -> None:
    """What Chalice notes about a deployment is kept with the project, where a `chalice` typed by hand finds it."""
    kept = PROJECT / ".chalice" / "deployed"
    kept.mkdir(exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(os.path.relpath(kept, link.parent))


def _zip(project: Path, version: str) -> tuple[Path, Path]:
    """The two zips, made by Chalice's packagers under Chalice's names: a deploy finds them and makes none."""
    osutils, quiet = OSUtils(), UI(out=io.StringIO(), err=io.StringIO())
    parts: Any = (osutils, DependencyBuilder(osutils), quiet)
    code = AppOnlyDeploymentPackager(*parts).create_deployment_package(str(project), f"python{version}")
    layer = LayerDeploymentPackager(*parts).create_deployment_package(str(project), f"python{version}")
    return Path(code), Path(layer)


def _finish(code: Path, python: str | None) -> None:
    """Bring app.py and Chalice's own router, which Chalice puts in from where it is installed, into shape as well.

    Compiled, that router is most of what a first import saves.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        with zipfile.ZipFile(code) as archive:
            archive.extractall(folder)
        if python is not None:
            for path in (folder, folder / "chalice"):
                compile_tree(python, path, seen_as=f"{TASK}/{path.relative_to(folder)}", deep=False)
        settle(folder)
        with zipfile.ZipFile(code, "w", zipfile.ZIP_DEFLATED) as finished:
            for path in sorted(folder.rglob("*.*")):
                if path.is_file():
                    finished.write(path, path.relative_to(folder))
