"""One package for every test that looks at it. It needs PyPI once, as setting up does."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from infra.deploy.package import Package, build_package
from infra.deploy.stages import Stage


@dataclass(frozen=True)
class Unpacked:
    """The package as Lambda lays it out: the code in /var/task, the layer in /opt."""

    task: Path
    opt: Path

    @property
    def libraries(self) -> Path:
        [folder] = self.opt.glob("python/lib/python*/site-packages")
        return folder


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return build_package(Stage("dev"), tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="session")
def unpacked(package: Package, tmp_path_factory: pytest.TempPathFactory) -> Unpacked:
    folder = tmp_path_factory.mktemp("lambda")
    for archive, place in ((package.code, "task"), (package.layer, "opt")):
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist():
                Path(opened.extract(entry, folder / place)).chmod(entry.external_attr >> 16 & 0o777)
    return Unpacked(folder / "task", folder / "opt")
