"""What comes out of a run: plain JSON, or a refusal that names the path, or a marked head."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Json
from chalicelib.sandbox.encode import result_of
from chalicelib.sandbox.limits import RESULT_BYTES
from tests.sandbox.conftest import Room


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("(1, (2, 3))", [1, [2, 3]]),
        ("{5}", [5]),
        ("frozenset([5])", [5]),
        ("{1: 'a', None: 'b'}", {"1": "a", "null": "b"}),
        ("[n for n in range(3)]", [0, 1, 2]),
        ("2 ** 64 - 1", 2**64 - 1),
        ("-2 ** 63", -(2**63)),
        ("''", ""),
        ("None", None),
    ],
)
def test_what_json_can_carry_is_carried(room: Room, expression: str, value: Json) -> None:
    assert room.run(f"return {expression}") == value


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ('{"a": [1, b"x"]}', "result['a'][1] is of type bytes"),
        ('[float("nan")]', "result[0] is NaN"),
        ('{"a": -float("inf")}', "result['a'] is -Infinity"),
        ("[1, 2 ** 64]", "result[1] is an integer beyond 64 bits"),
        ("[-(10 ** 30), 2 ** 70]", "result[0] is an integer beyond 64 bits; return it as text"),
        ("[10 ** 5000]", "result[0] is an integer beyond 64 bits"),
        ("[lambda: 1]", "result[0] is of type function"),
        ("[int]", "result[0] is of type type"),
        ("range(3)", "result is of type range"),
        ("...", "result is of type ellipsis"),
        ('{"a": http}', "result['a'] is of type Http"),
        ("{(1, 2): 3}", "result has a key of type tuple"),
        ("ValueError('x')", "result is of type"),
        ("{1: 2, '1': 3}", "result has two entries with the key '1', written as text"),
        ("{True: 1, 'true': 2}", "result has two entries with the key 'true'"),
        ("{'a': [{None: 1, 'null': 2}]}", "result['a'][0] has two entries with the key 'null'"),
        ("{'a': {1.5: 2, '1.5': 3}, 'b': {1, 2}}", "result['a'] has two entries with the key '1.5'"),
        ("{1: {2: 2, '2': 3}, 'x' * 20000: {3: 4, '3': 5}}", "result['1'] has two entries with the key '2'"),
    ],
)
def test_what_json_cannot_carry_is_refused_by_its_path(room: Room, expression: str, complaint: str) -> None:
    assert complaint in _refused(room, f"return {expression}")


def test_a_hundred_levels_pass_and_one_more_does_not(room: Room) -> None:
    nest = ("x = []", "for i in range(input['levels'] - 1): x = [x]", "return x")
    assert json.dumps(room.run(*nest, input={"levels": 100})).count("[") == 100
    for levels in (101, 300, 5000, 100_000):
        assert "nested deeper than 100 levels" in _refused(room, *nest, levels=levels)


def test_a_result_that_holds_itself_is_refused(room: Room) -> None:
    assert "nested deeper" in _refused(room, "x = []", "x.append(x)", "return x")


def test_a_result_that_doubles_at_every_level_costs_no_more_than_the_runs_memory(room: Room) -> None:
    assert "64 MiB" in _refused(room, "x = 'ab' * 1000", "for i in range(60): x = [x, x]", "return x")


def test_a_result_of_exactly_the_limit_passes_and_one_byte_more_is_cut(room: Room) -> None:
    assert room.run(f"return 'x' * {RESULT_BYTES - 2}") == "x" * (RESULT_BYTES - 2)
    cut = room.run(f"return 'x' * {RESULT_BYTES - 1}")
    assert isinstance(cut, dict)
    assert cut["truncated"] is True


@pytest.mark.parametrize("piece", ["x", '"', "\\", "é", "語", "🎉", "\x01", "\u202e"])
def test_a_cut_result_is_its_own_beginning_within_the_limit_in_either_spelling(room: Room, piece: str) -> None:
    """Report: anthropics/claude-code#45766"""
    cut = room.run("return [input['piece'] * 300000]", input={"piece": piece})
    assert isinstance(cut, dict)
    assert set(cut) == {"truncated", "head", "note"}
    head = cut["head"]
    assert isinstance(head, str)
    assert len(head) > 20_000
    assert json.dumps([piece * 300000], ensure_ascii=False, separators=(",", ":")).startswith(head)
    assert max(len(json.dumps(cut)), len(json.dumps(cut, ensure_ascii=False).encode())) <= RESULT_BYTES
    assert "fewer" in str(cut["note"])


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "[" * 200 + "]" * 200, "[1e999]", "[NaN]", "[12345678901234567890123]", '[{"a": 1, "a": 1}]'],
)
def test_a_text_that_did_not_come_from_our_encoder_is_judged_all_the_same(room: Room, text: str) -> None:
    top = "import json\ndef _graft_main(run, text):\n    return True, json.loads(text)['spoken']\n"
    with pytest.raises(Refusal, match="cannot be sent"):
        room.run("return 1", top=top, input={"spoken": text})


@pytest.mark.parametrize("returned", ["1", "[[]]", "(True, 1)", "(1, 'x', 2)", "('x', 'y')", "lambda: 1"])
def test_an_answer_that_is_no_text_is_refused(room: Room, returned: str) -> None:
    assert "did not come from run()" in _refused(room, "return 1", top=f"def _graft_main(*a): return {returned}\n")


_SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
_VALUES = st.recursive(
    _SCALARS | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(_VALUES)
def test_every_plain_value_is_read_back_as_it_was(value: Json) -> None:
    assert result_of(json.dumps(value)) == value


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_a_result_or_a_refusal(text: str) -> None:
    with suppress(Refusal):
        json.dumps(result_of(text))


def _refused(room: Room, *lines: str, top: str = "", levels: int = 0) -> str:
    with pytest.raises(Refusal) as refused:
        room.run(*lines, top=top, input={"levels": levels})
    assert refused.value.reason == Reason.TOOL_FAILED
    return refused.value.message
