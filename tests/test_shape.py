"""What lies at the top, and which package is where: the project's shape, which a change has to mean."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]

PRODUCT: Final = {"app.py", "chalicelib", "console_static", "infra", "tests", "requirements.txt"}
FOR_ITS_MAKERS: Final = {
    ".chalice",
    ".ci",
    ".gitignore",
    "CONTEXT.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "NOTICE",
    "README.md",
    "benchmarks",
    "docs",
    "pyproject.toml",
    "requirements-dev.txt",
    "requirements-local.txt",
    "skills",
}
MAY_COME: Final = {"SECURITY.md"}
MADE_WITH: Final = {"chalice", "boto3", "mcp", "pydantic", "jinja2", "moto"}
REQUIREMENTS: Final = ("requirements.txt", "requirements-local.txt", "requirements-dev.txt")
ROW: Final = re.compile(
    r"^\| (?P<packages>(?:`[\w.-]+`(?:, )?)+) \| `(?P<file>requirements[\w-]*\.txt)` \|", re.MULTILINE
)
PINNED: Final = re.compile(r"(?P<package>[\w.-]+)(\[[\w,]+\])?==[\w.]+")


def ignored() -> set[str]:
    return {line.strip().rstrip("/") for line in (ROOT / ".gitignore").read_text().splitlines()} | {".git"}


def lines_of(file: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in (ROOT / file).read_text().splitlines())
    return [line for line in lines if line]


def packages_in(file: str) -> set[str]:
    return {match["package"].lower() for line in lines_of(file) if (match := PINNED.fullmatch(line))}


def explained_in_the_readme(file: str) -> set[str]:
    rows = ROW.finditer((ROOT / "README.md").read_text())
    return {name for row in rows if row["file"] == file for name in re.findall(r"`([\w.-]+)`", row["packages"])}


def test_the_top_level_is_what_it_is_said_to_be() -> None:
    there = {path.name for path in ROOT.iterdir()} - ignored()
    assert there - MAY_COME == PRODUCT | FOR_ITS_MAKERS


def test_graft_is_made_with_these() -> None:
    assert set().union(*(packages_in(file) for file in REQUIREMENTS)) >= MADE_WITH


@pytest.mark.parametrize("file", REQUIREMENTS)
def test_every_requirement_is_pinned_to_one_version(file: str) -> None:
    loose = [line for line in lines_of(file) if not PINNED.fullmatch(line) and not line.startswith("-r ")]
    assert loose == []


def test_each_file_adds_to_the_one_before_and_none_says_a_package_twice() -> None:
    ships, local, dev = REQUIREMENTS
    assert not [line for line in lines_of(ships) if line.startswith("-")]
    assert f"-r {ships}" in lines_of(local)
    assert f"-r {local}" in lines_of(dev)
    assert sum(len(packages_in(file)) for file in REQUIREMENTS) == len(set().union(*map(packages_in, REQUIREMENTS)))


@pytest.mark.parametrize("file", REQUIREMENTS)
def test_the_readme_says_why_each_package_is_where_it_is(file: str) -> None:
    assert explained_in_the_readme(file) == packages_in(file)
