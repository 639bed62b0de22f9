"""The list of importable modules that the check uses is what Monty really has."""

from __future__ import annotations

import sys

import pytest

from chalicelib.errors import Refusal
from chalicelib.rules.module_check import MODULES
from chalicelib.sandbox.pool import Sandbox
from tests.sandbox.conftest import Vendor, a_module

OTHERS = sorted({name for name in sys.stdlib_module_names if not name.startswith("_")} - MODULES)
STRANGERS = [
    "numpy",
    "requests",
    "collections.abc",
    "urllib.parse",
    "concurrent.futures",
    "importlib.util",
    "__future__",
]


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_of_the_list_imports_and_is_known_to_the_checker(sandbox: Sandbox, name: str) -> None:
    source = f"import {name}\n" + a_module("return 1")
    assert sandbox.run(source, {}, Vendor(), seconds=25) == 1
    assert sandbox.type_check(source) == ()


def test_no_other_module_of_python_imports(sandbox: Sandbox) -> None:
    attempt = ("try:", "    exec('import ' + name)", "    found.append(name)", "except Exception: pass")
    lines = ("found = []", "for name in input['names']:", *(f"    {line}" for line in attempt), "return found")
    assert sandbox.run(a_module(*lines), {"names": [*OTHERS, *STRANGERS]}, Vendor(), seconds=25) == []


@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_is_refused_in_the_run(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(Refusal, match="No module named"):
        sandbox.run(f"import {name}\n" + a_module("return 1"), {}, Vendor(), seconds=25)
