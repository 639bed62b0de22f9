from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.rules.names import find_name_fault, split_wire_name, wire_name

LISTED = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")


@pytest.mark.parametrize("name", ["list-notes", "a", "2fa", "a1-b2-c3"])
def test_kebab_case_is_taken(name: str) -> None:
    assert find_name_fault("demo", name) is None


@pytest.mark.parametrize(
    "name",
    ["", "List", "a--b", "-a", "a-", "a_b", "a.b", "a b", "a/b", "é", "a\n", " a", "ａ", "a\u200b", "a__b", "名前"],
)
def test_anything_else_is_refused_naming_the_rule(name: str) -> None:
    assert "kebab-case" in (find_name_fault("demo", name) or "")
    assert "kebab-case" in (find_name_fault(name, "list") or "")


def test_a_wire_name_of_52_is_taken_and_one_of_53_is_refused_with_its_length() -> None:
    """Report: activepieces/activepieces#9714"""
    assert find_name_fault("demo", "n" * 46) is None
    fault = find_name_fault("demo", "n" * 47)
    assert fault is not None
    assert "53" in fault
    assert "52" in fault


@given(st.text(), st.text())
def test_whatever_may_be_published_may_be_listed(vendor: str, name: str) -> None:
    """Report: evoila/meho#2745"""
    if find_name_fault(vendor, name) is None:
        assert LISTED.fullmatch("mcp__graft__" + wire_name(vendor, name))


def test_a_look_up_trims_and_folds_case() -> None:
    assert split_wire_name("  Demo__List-Notes ") == ("demo", "list-notes")
    assert split_wire_name("list-notes") is None
