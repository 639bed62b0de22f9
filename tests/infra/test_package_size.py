"""A package that is too large is refused before anything is uploaded, and told by what takes the room."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

import pytest

from infra.deploy import package as packages
from infra.deploy.package import Package, largest_parts, refuse_oversize
from infra.deploy.problem import Problem

SITE = "python/lib/python3.13/site-packages"


def noise(size: int) -> bytes:
    """Bytes that no compression makes smaller."""
    return random.Random(size).randbytes(size)


@pytest.fixture
def package(tmp_path: Path) -> Package:
    code, layer = tmp_path / "code.zip", tmp_path / "layer.zip"
    with zipfile.ZipFile(code, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("chalicelib/model.py", noise(10_000))
    with zipfile.ZipFile(layer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{SITE}/numpy/core.so", noise(40_000))
        archive.writestr(f"{SITE}/numpy/linalg.so", noise(30_000))
        archive.writestr("bin/monty", noise(20_000))
    return Package(tmp_path, code, layer, is_compiled=True)


def test_a_package_within_the_limit_passes(package: Package) -> None:
    refuse_oversize(package)


def test_a_package_over_the_limit_is_refused_with_its_size_and_its_largest_parts(
    package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Report: aws/chalice#1902"""
    monkeypatch.setattr(packages, "ZIPPED_BYTES_MAX", package.zipped_bytes - 1)
    with pytest.raises(Problem, match=r"0\.1 MB zipped.*numpy 0\.1 MB, bin 0\.0 MB, chalicelib"):
        refuse_oversize(package)


def test_the_layers_packages_are_told_apart(package: Package) -> None:
    assert [name for name, _ in largest_parts(package)] == ["numpy", "bin", "chalicelib"]


def test_exactly_the_limit_passes(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "ZIPPED_BYTES_MAX", package.zipped_bytes)
    refuse_oversize(package)
