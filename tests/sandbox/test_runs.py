"""What a module gets, what its calls become, and how its failures read."""

from __future__ import annotations

import json
import time

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Json, VendorRequest
from chalicelib.sandbox.pool import Sandbox
from tests.sandbox.conftest import Room, Vendor, a_module


def test_a_module_gets_its_input_and_answers_plain_json(room: Room) -> None:
    assert room.run("return [input, None, True, 1, 1.5, 'é🎉']", input={"a": [1, {"b": None}]}) == [
        {"a": [1, {"b": None}]},
        None,
        True,
        1,
        1.5,
        "é🎉",
    ]


def test_the_example_of_the_contract_runs(room: Room) -> None:
    vendor = Vendor('{"orders": [{"id": 7, "total": 12.5, "secret": "x"}]}')
    answer = room.run(
        'page = http.get("/v1/orders", params={"status": input["status"]}).json()',
        'return [{"id": o["id"], "total": o["total"]} for o in page["orders"]]',
        vendor=vendor,
        input={"status": "open"},
    )
    assert answer == [{"id": 7, "total": 12.5}]
    assert vendor.asked == [VendorRequest("GET", "/v1/orders", params=(("status", "open"),))]


@pytest.mark.parametrize("method", ["get", "head", "post", "put", "patch", "delete"])
def test_every_method_of_http_sends_its_own_name(room: Room, method: str) -> None:
    vendor = Vendor()
    assert room.run(f'return http.{method}("/x").status', vendor=vendor) == 200
    assert [request.method for request in vendor.asked] == [method.upper()]


def test_parameters_become_text_lists_repeat_and_none_is_dropped(room: Room) -> None:
    vendor = Vendor()
    room.run(
        'http.get("/x", params={"s": "a b", "i": 1, "f": 1.5, "b": True, "l": [1, None, "x"], "n": None})',
        vendor=vendor,
    )
    assert vendor.asked[0].params == (("s", "a b"), ("i", "1"), ("f", "1.5"), ("b", "true"), ("l", "1"), ("l", "x"))


def test_json_is_sent_as_text_with_its_content_type(room: Room) -> None:
    vendor = Vendor()
    room.run('http.post("/x", json={"name": "é", "tags": [1, None]}, host="other.example")', vendor=vendor)
    (request,) = vendor.asked
    assert request.body is not None
    assert json.loads(request.body) == {"name": "é", "tags": [1, None]}
    assert request.headers == (("content-type", "application/json"),)
    assert request.host == "other.example"


def test_a_dict_of_data_is_form_encoded_and_a_str_goes_as_it_is(room: Room) -> None:
    vendor = Vendor()
    room.run('http.post("/x", data={"a b": "ü&", "l": [1, 2]})', 'http.put("/x", data="<raw>")', vendor=vendor)
    form, raw = vendor.asked
    assert (form.body, form.headers) == (
        "a+b=%C3%BC%26&l=1&l=2",
        (("content-type", "application/x-www-form-urlencoded"),),
    )
    assert (raw.body, raw.headers) == ("<raw>", ())


def test_the_modules_own_content_type_wins(room: Room) -> None:
    vendor = Vendor()
    room.run('http.patch("/x", json={}, headers={"Content-Type": "application/merge-patch+json"})', vendor=vendor)
    assert vendor.asked[0].headers == (("Content-Type", "application/merge-patch+json"),)


def test_a_response_reads_its_headers_in_any_case_and_joins_repeated_ones(room: Room) -> None:
    vendor = Vendor('{"a": 1}', status=201, headers=(("Content-Type", "application/json"), ("X-A", "1"), ("x-a", "2")))
    answer = room.run(
        'r = http.get("/x")',
        "h = r.headers",
        'found = [h.get("CONTENT-TYPE"), h["x-A"], "X-a" in h, h.get("no", "none")]',
        "return [r.status, r.ok, r.text(), r.json(), *found, h]",
        vendor=vendor,
    )
    headers = {"content-type": "application/json", "x-a": "1, 2"}
    assert answer == [201, True, '{"a": 1}', {"a": 1}, "application/json", "1, 2", True, "none", headers]


def test_an_error_status_does_not_raise_until_it_is_asked_to(room: Room) -> None:
    vendor = Vendor("no such thing", status=404)
    assert room.run('r = http.get("/x")', "return [r.status, r.ok]", vendor=vendor) == [404, False]
    assert _refused(room, 'http.get("/x").raise_for_status()', vendor=vendor) == (
        "The module raised at line 2: RuntimeError: GET /x answered 404: no such thing"
    )


def test_an_answer_that_is_not_json_says_what_it_was(room: Room) -> None:
    message = _refused(room, 'http.get("/x").json()', vendor=Vendor("<html>", status=502))
    assert "GET /x answered 502, not with JSON" in message
    assert "<html>" in message


def test_five_megabytes_of_answer_pass_and_can_be_read(room: Room) -> None:
    rows = json.dumps([{"id": number, "name": "x" * 1000} for number in range(5000)])
    assert len(rows) > 5_000_000
    answer = room.run('rows = http.get("/x").json()', 'return [len(rows), rows[-1]["id"]]', vendor=Vendor(rows))
    assert answer == [5000, 4999]


def test_five_megabytes_of_body_leave(room: Room) -> None:
    vendor = Vendor()
    room.run('http.post("/x", json={"text": "x" * 5000000})', vendor=vendor)
    assert len(vendor.asked[0].body or "") > 5_000_000


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ("http.get(1)", "path must be a str, not int"),
        ('http.get("/x", params=[1])', "params must be a dict, not list"),
        ('http.get("/x", params={1: 2, "1": 3})', "params, data or headers hold two entries with the key '1'"),
        ('http.get("/x", params={"a": {}})', "params['a'] must be a str, a number, a bool or a list"),
        ('http.get("/x", headers={"a": 1})', "headers['a'] must be a str, not int"),
        ('http.get("/x", host=1)', "host must be a str, not int"),
        ('http.post("/x", data=[1])', "data must be a dict, not list"),
        ('http.post("/x", json=1, data="x")', "give json= or data=, not both"),
        ('http.post("/x", json=b"x")', "Object of type bytes is not JSON serializable"),
        ('http.post("/x", parms={})', "unexpected keyword argument"),
    ],
)
def test_a_call_that_does_not_fit_is_a_type_error_in_the_module(room: Room, call: str, complaint: str) -> None:
    vendor = Vendor()
    assert complaint in _refused(room, call, vendor=vendor)
    assert vendor.asked == []


def test_a_module_may_name_things_as_http_does(room: Room) -> None:
    top = "def _send(*a): return None\ndef json(*a): return None\nstr = list = dict = type = Response = Http = None"
    assert room.run('return http.get("/x").json()', top=top, vendor=Vendor('{"a": 1}')) == {"a": 1}


def test_a_failure_names_the_line_of_the_author(room: Room) -> None:
    with pytest.raises(Refusal) as refused:
        room.run("return helper(0)", top="def helper(n):\n    return 1 / n\n")
    assert refused.value.reason == Reason.TOOL_FAILED
    assert refused.value.message == "The module raised at line 2: ZeroDivisionError: division by zero"
    assert refused.value.details == {"line": 2}


def test_a_failure_inside_http_names_the_authors_line_not_ours(sandbox: Sandbox) -> None:
    with pytest.raises(Refusal) as refused:
        sandbox.run("\n\ndef run(input, http):\n\n    http.get(5)\n", {}, Vendor(), seconds=25)
    assert refused.value.details == {"line": 5}


def test_a_long_message_is_cut(room: Room) -> None:
    message = _refused(room, 'raise ValueError("x" * 1000000)')
    assert len(message) < 2100
    assert message.endswith("…")


@pytest.mark.parametrize("line", ["raise SystemExit", "raise KeyboardInterrupt", "raise BaseException('x')"])
def test_an_exit_is_a_failure_of_the_module_alone(room: Room, line: str) -> None:
    assert "The module raised at line 2" in _refused(room, line)


@pytest.mark.parametrize("made", ["SystemExit(1)", "ValueError('a', 'b')", "KeyError({'a': 1})"])
def test_an_exception_that_monty_cannot_make_names_its_line_and_nothing_of_the_host(room: Room, made: str) -> None:
    message = _refused(room, f"raise {made}")
    assert "The module raised at line 2" in message
    assert "one text" in message
    assert "monty" not in message.lower()
    two = _refused(room, f"if input: raise ValueError(1)\n    raise {made}")
    assert "The module raised with arguments" in two


@pytest.mark.parametrize(
    ("module", "complaint"),
    [
        ("x = 1\n", "The module has no run(input, http)."),
        ("run = 5\n", "not callable"),
        ("def run(input): pass\n", "takes 1 positional argument but 2 were given"),
        ("def run(:\n", "does not parse at line 1"),
        ("class A(dict): pass\ndef run(input, http): pass\n", "does not yet support class inheritance"),
        ('def run(input, http):\n    return 1\n"""', "does not parse"),
    ],
)
def test_a_module_that_cannot_run_says_why(sandbox: Sandbox, module: str, complaint: str) -> None:
    with pytest.raises(Refusal, match="module") as refused:
        sandbox.run(module, {}, Vendor(), seconds=25)
    assert refused.value.reason == Reason.TOOL_FAILED
    assert complaint in refused.value.message


def test_the_deadline_of_the_run_goes_with_every_call(sandbox: Sandbox) -> None:
    vendor = Vendor()
    before = time.monotonic()
    sandbox.run(a_module('http.get("/a")', 'http.get("/b")'), {}, vendor, seconds=20)
    first, second = vendor.deadlines
    assert first == second
    assert before + 20 <= first <= time.monotonic() + 20


def test_what_a_module_prints_goes_nowhere(room: Room, capfd: pytest.CaptureFixture[str]) -> None:
    assert room.run('print("x" * 1000)', "return 1") == 1
    assert capfd.readouterr() == ("", "")


def test_half_a_surrogate_pair_arrives_as_a_replacement_character(room: Room) -> None:
    assert room.run('return input["a"]', input={"a": "x\ud800"}) == "x\ufffd"
    assert room.run('return http.get("/x").text()', vendor=Vendor("\udc00y")) == "\ufffdy"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'{"a": "\ud800"}', {"a": "\ufffd"}),
        (r'{"\uDFFF": [1, "x\uDBffy"]}', {"\ufffd": [1, "x\ufffdy"]}),
        (r'"\ud83d\ud83d\ude00\ude00"', "\ufffd\U0001f600\ufffd"),
        (r'"\ud83d\ude00\\ud800\\\ud800\n\u00e9"', "\U0001f600\\ud800\\\ufffd\n\u00e9"),
        (r'"\\ud800"', "\\ud800"),
        (r'"\ud83d\ude00"', "\U0001f600"),
    ],
)
def test_an_escape_of_half_a_surrogate_pair_is_read_as_a_replacement_character(
    room: Room, text: str, value: Json
) -> None:
    lines = ("r = http.get('/x')", "return [r.json(), r.text()]")
    assert room.run(*lines, vendor=Vendor(text)) == [value, text]


def test_what_is_no_json_beside_half_a_surrogate_pair_is_still_refused(room: Room) -> None:
    assert "not with JSON" in _refused(room, 'http.get("/x").json()', vendor=Vendor(r'{"a": "\ud800"'))


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 10**5000, object()], ids=["nan", "inf", "huge", "object"]
)
def test_an_input_that_json_cannot_carry_is_refused_before_anything_runs(room: Room, value: Json) -> None:
    with pytest.raises(Refusal) as refused:
        room.run("return 1", input={"a": value})
    assert refused.value.reason == Reason.INPUT_INVALID


def test_an_input_of_any_depth_is_refused_or_runs(room: Room) -> None:
    deep: Json = 1
    for _ in range(50_000):
        deep = [deep]
    with pytest.raises(Refusal) as refused:
        room.run("return 1", input={"a": deep})
    assert refused.value.reason == Reason.INPUT_INVALID


def _refused(room: Room, line: str, *, vendor: Vendor | None = None) -> str:
    with pytest.raises(Refusal) as refused:
        room.run(line, vendor=vendor)
    assert refused.value.reason == Reason.TOOL_FAILED
    return refused.value.message
