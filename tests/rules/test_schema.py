from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.rules.schema import (
    Misfit,
    find_misfit,
    find_misfits,
    find_schema_fault,
    find_shape_fault,
    with_properties,
)

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
ORDER = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["id"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("schema", [{"type": "object"}, {"type": "object", "properties": {}}, ORDER])
def test_an_object_schema_is_taken(schema: dict[str, Any]) -> None:
    assert find_schema_fault(schema) is None


@pytest.mark.parametrize(
    "schema",
    [None, True, [], "object", {}, {"type": "string"}, {"type": ["object"]}, {"type": "array"}, {"properties": {}}],
)
def test_anything_but_an_object_at_the_root_is_refused(schema: Any) -> None:
    """Report: sandialabs/atlas-ui-3#727"""
    assert "object" in (find_schema_fault(schema) or "")


@pytest.mark.parametrize("union", ["oneOf", "anyOf", "allOf"])
def test_a_union_at_the_root_is_refused_by_name(union: str) -> None:
    """Report: dodopayments/dodopayments-typescript#189"""
    assert union in (find_schema_fault({"type": "object", union: [{}]}) or "")


def test_a_schema_over_8_kib_is_refused_with_its_size() -> None:
    fault = find_schema_fault({"type": "object", "description": "x" * 8192})
    assert fault is not None
    assert "8192" in fault


@pytest.mark.parametrize(
    "inner",
    [{"type": "strin"}, {"pattern": "("}, {"$ref": "#/nowhere"}, {"minimum": "1"}],
)
def test_what_is_no_json_schema_is_refused(inner: dict[str, Any]) -> None:
    assert "not a valid JSON Schema" in (find_schema_fault({"type": "object", "properties": {"a": inner}}) or "")


@pytest.mark.parametrize("value", [float("nan"), "\ud800"])
def test_what_is_no_json_is_refused(value: Any) -> None:
    assert find_schema_fault({"type": "object", "properties": {}, "default": value}) is not None


def test_a_listed_schema_always_has_properties() -> None:
    """Report: xpzouying/xiaohongshu-mcp#677"""
    assert with_properties({"type": "object", "title": "x"}) == {"type": "object", "properties": {}, "title": "x"}
    assert with_properties(ORDER) == ORDER


def test_a_misfit_names_the_field() -> None:
    assert find_misfit(ORDER, {"id": 1}) is None
    (wrong,) = find_misfits(ORDER, {"id": 1, "tags": ["a", 2]})
    assert wrong.path == "$.tags[1]"
    (missing,) = find_misfits(ORDER, {})
    assert missing.path == "$.id"
    (unknown,) = find_misfits(ORDER, {"id": 1, "idd": 2})
    assert unknown.path == "$.idd"


def test_a_pattern_made_to_hang_does_not() -> None:
    schema = {"type": "object", "properties": {"a": {"pattern": "^(a+)+$"}}}
    assert find_misfit(schema, {"a": "a" * 60 + "!"}) is not None


def branching(depth: int) -> dict[str, Any]:
    """Each level looks at the next one twice."""
    levels: dict[str, Any] = {f"a{depth}": {"type": "string"}}
    for at in range(depth):
        levels[f"a{at}"] = {"anyOf": [{"allOf": [{"$ref": f"#/$defs/a{at + 1}"}]}, {"$ref": f"#/$defs/a{at + 1}"}]}
    return {"type": "object", "properties": {"v": {"$ref": "#/$defs/a0"}}, "$defs": levels}


def unevaluated(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"type": "object"}
    for _ in range(depth):
        inner = {"allOf": [inner], "unevaluatedProperties": False}
    return {"type": "object", "properties": {"v": inner}}


@pytest.mark.parametrize("schema", [branching(16), branching(60), unevaluated(18)])
def test_a_schema_that_could_keep_the_server_busy_is_refused(schema: dict[str, Any]) -> None:
    fault = find_schema_fault(schema) or ""
    assert "branches too often" in fault or "levels deep" in fault
    assert find_misfit(schema, {"v": 1}) is not None


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        ({"$ref": "#"}, "refers to itself"),
        ({"$ref": "#/properties/v"}, "refers to itself"),
        ({"anyOf": [{"items": {"$ref": "#/properties/v"}}]}, "refers to itself"),
        ({"$ref": "http://127.0.0.1:9/x"}, "must point inside"),
        ({"$dynamicRef": "#x"}, "$dynamicRef"),
        ({"$id": "http://127.0.0.1:9/x"}, "$id"),
    ],
)
def test_references_lead_inside_and_never_in_circles(inner: dict[str, Any], words: str) -> None:
    assert words in (find_schema_fault({"type": "object", "properties": {"v": inner}}) or "")


def test_a_reference_to_a_definition_is_fine() -> None:
    address = {"type": "object", "properties": {"city": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {"from": {"$ref": "#/$defs/address"}, "to": {"$ref": "#/$defs/address"}},
        "$defs": {"address": address},
    }
    assert find_schema_fault(schema) is None
    misfit = find_misfit(schema, {"to": {"city": 1}})
    assert misfit is not None
    assert misfit.path == "$.to.city"


@pytest.mark.parametrize(
    ("schema", "value", "wrong"),
    [
        ({"type": "string", "maxLength": 10}, "y" * 500, "is longer than 10 characters"),
        ({"enum": ["a", "b"]}, "y" * 500, 'is not one of "a" or "b"'),
        ({"type": "string"}, list(range(5_000)), 'is not of type "string"'),
        ({"type": "string", "pattern": "^a+$"}, "b" * 500, 'does not match "^a+$"'),
        ({"not": {"type": "array"}}, [1] * 500, "is not allowed for"),
        ({"type": "array", "maxItems": 3}, [1] * 500, "more than 3 items"),
        ({"maximum": 5}, 10**400, "greater than the maximum of 5"),
    ],
)
def test_a_misfit_says_what_is_wrong_however_long_the_value_is(schema: Any, value: Any, wrong: str) -> None:
    misfit = find_misfit({"type": "object", "properties": {"v": schema}}, {"v": value})
    assert misfit is not None
    assert (misfit.field, len(misfit.statement) < 310) == ("v", True)
    assert wrong in misfit.message


@given(ANY_JSON, st.integers(0, 400))
def test_a_statement_is_short_whatever_the_value_and_its_name_are(value: Any, times: int) -> None:
    schema = {"type": "object", "additionalProperties": {"type": "string", "maxLength": 1}}
    for misfit in find_misfits(schema, {"k" * times: [value] * times, "n" * 300: "é" * times}):
        assert len(misfit.statement) < 400


def test_an_input_that_is_too_large_for_a_branching_schema_is_refused_and_for_a_plain_one_is_not() -> None:
    numbers = {"type": "array", "items": {"anyOf": [{"type": "integer"}] * 200}}
    rows = list(range(200_000))
    assert "too large" in (find_misfit({"type": "object", "properties": {"v": numbers}}, {"v": rows}) or _fine).message
    assert find_misfit({"type": "object", "properties": {"v": {"type": "array"}}}, {"v": rows}) is None


_fine = Misfit("$", "fits")


@pytest.mark.parametrize("name", ["filter[id]", "日本", "", "x" * 65, "a b", "a/b"])
def test_a_property_name_that_providers_refuse_is_refused(name: str) -> None:
    assert "property name" in (find_schema_fault({"type": "object", "properties": {name: {}}}) or "")


def test_a_number_that_not_every_reader_can_hold_is_refused() -> None:
    for number in (2**53, -(2**63), 10**400):
        assert "whole number" in (find_schema_fault({"type": "object", "properties": {"a": {"maximum": number}}}) or "")
    assert find_schema_fault({"type": "object", "properties": {"a": {"maximum": 2**53 - 1}}}) is None


def test_another_dialect_is_refused_saying_which_is_read() -> None:
    draft_7 = {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}
    assert "2020-12" in (find_schema_fault(draft_7) or "")
    assert find_schema_fault({"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema"}) is None


@given(ANY_JSON)
def test_any_json_is_judged_and_never_raises(value: Any) -> None:
    find_schema_fault(value)
    find_shape_fault(value)
    find_misfits(ORDER, value)


@given(st.dictionaries(st.text(), ANY_JSON, max_size=5))
def test_a_schema_that_is_taken_can_validate(extra: dict[str, Any]) -> None:
    schema = {**extra, "type": "object"}
    if find_schema_fault(schema) is None:
        find_misfits(schema, {"a": 1})
