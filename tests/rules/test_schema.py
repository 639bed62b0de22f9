from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.rules.schema import find_misfit, find_misfits, find_schema_fault, find_shape_fault, with_properties

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
    assert "object" in (find_schema_fault(schema) or "")


@pytest.mark.parametrize("union", ["oneOf", "anyOf", "allOf"])
def test_a_union_at_the_root_is_refused_by_name(union: str) -> None:
    assert union in (find_schema_fault({"type": "object", union: [{}]}) or "")


def test_a_schema_over_8_kib_is_refused_with_its_size() -> None:
    fault = find_schema_fault({"type": "object", "description": "x" * 8192})
    assert fault is not None
    assert "8192" in fault


@pytest.mark.parametrize(
    "inner",
    [{"type": "strin"}, {"pattern": "("}, {"$ref": "#/nowhere"}, {"$ref": "http://127.0.0.1:9/x"}, {"minimum": "1"}],
)
def test_what_is_no_json_schema_is_refused(inner: dict[str, Any]) -> None:
    assert "not a valid JSON Schema" in (find_schema_fault({"type": "object", "properties": {"a": inner}}) or "")


@pytest.mark.parametrize("value", [float("nan"), "\ud800"])
def test_what_is_no_json_is_refused(value: Any) -> None:
    assert find_schema_fault({"type": "object", "properties": {}, "default": value}) is not None


def test_a_listed_schema_always_has_properties() -> None:
    assert with_properties({"type": "object", "title": "x"}) == {"type": "object", "properties": {}, "title": "x"}
    assert with_properties(ORDER) == ORDER


def test_a_misfit_names_the_field() -> None:
    assert find_misfit(ORDER, {"id": 1}) is None
    (wrong,) = find_misfits(ORDER, {"id": 1, "tags": ["a", 2]})
    assert wrong.path == "$.tags[1]"
    (missing,) = find_misfits(ORDER, {})
    assert "id" in missing.message
    (unknown,) = find_misfits(ORDER, {"id": 1, "idd": 2})
    assert "idd" in unknown.message


def test_a_pattern_made_to_hang_does_not() -> None:
    schema = {"type": "object", "properties": {"a": {"pattern": "^(a+)+$"}}}
    assert find_misfit(schema, {"a": "a" * 60 + "!"}) is not None


def test_a_value_nested_deeper_than_a_stack_is_answered() -> None:
    value: Any = {}
    for _ in range(400):
        value = {"a": value}
    assert find_misfit({"type": "object", "properties": {"a": {"$ref": "#"}}}, value) is None


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
