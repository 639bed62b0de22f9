"""Who may import whom: the rooms of docs/adr and their doors, checked on the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HOUSE = ROOT / "chalicelib"

ROOMS_A_ROOM_MAY_ENTER = {
    "model": set[str](),
    "errors": set[str](),
    "rules": {"model", "errors"},
    "storage": {"model", "errors"},
    "sandbox": {"model", "errors"},
    "proxy": {"model", "errors"},
    "writer": {"model", "errors"},
    "services": {"rules", "model", "errors"},
    "mcp": {"services", "model", "errors"},
    "console": {"services", "model", "errors"},
    "logs": {"services", "errors"},
}
AS_TYPES_ONLY = {"services": {"storage", "sandbox", "proxy"}}
NOT_IN_RULES_OR_SERVICES = {"boto3", "botocore", "chalice", "os", "time", "uuid", "random", "secrets"}


def modules() -> list[Path]:
    return sorted(HOUSE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def imported(path: Path, *, types: bool) -> Iterator[str]:
    """Dotted names that a module imports; with `types`, those under `if TYPE_CHECKING` and no others."""
    package = path.relative_to(ROOT).with_suffix("").parts
    for node, for_types in _nodes(ast.parse(path.read_text()), False):
        if for_types is not types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level]) + "." if node.level else ""
            module = f"{base}{node.module or ''}".rstrip(".")
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _nodes(node: ast.AST, for_types: bool) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        inside = for_types
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            inside = True
        yield child, inside
        yield from _nodes(child, inside)


def rooms_entered(path: Path, *, types: bool) -> set[str]:
    ours = [name.split(".") for name in imported(path, types=types) if name.startswith("chalicelib.")]
    return {parts[1] for parts in ours} - {room_of(path)}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(HOUSE)))
def test_a_room_enters_only_the_rooms_it_may(path: Path) -> None:
    room = room_of(path)
    if room in ("wiring", "__init__"):
        return
    allowed = ROOMS_A_ROOM_MAY_ENTER[room]
    assert rooms_entered(path, types=False) <= allowed
    assert rooms_entered(path, types=True) <= allowed | AS_TYPES_ONLY.get(room, set())


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(HOUSE)))
def test_rules_and_services_have_no_clock_no_chance_and_no_client(path: Path) -> None:
    if room_of(path) in ("rules", "services"):
        tops = {name.split(".")[0] for name in imported(path, types=False)}
        assert not tops & NOT_IN_RULES_OR_SERVICES


def test_only_wiring_reads_the_environment() -> None:
    readers = [p for p in modules() if re.search(r"os\.environ|getenv", p.read_text())]
    assert [room_of(p) for p in readers] == ["wiring"]


def test_only_storage_and_the_writer_speak_to_aws_and_only_wiring_makes_clients() -> None:
    speakers = {
        room_of(p) for p in modules() if {"boto3", "botocore"} & {n.split(".")[0] for n in imported(p, types=False)}
    }
    assert speakers <= {"storage", "wiring", "writer"}


def test_the_handlers_import_nothing_heavy_at_the_top() -> None:
    top = [n for n in ast.parse((ROOT / "app.py").read_text()).body if isinstance(n, ast.Import | ast.ImportFrom)]
    names = {alias.name for n in top if isinstance(n, ast.Import) for alias in n.names}
    names |= {n.module or "" for n in top if isinstance(n, ast.ImportFrom)}
    assert names <= {"__future__", "os", "typing", "chalice"}
