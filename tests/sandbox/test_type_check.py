"""The checker of Monty over an author's text: what refuses, what advises, and where."""

from __future__ import annotations

import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.model import Problem, VendorRequest, VendorResponse
from chalicelib.sandbox.check_failures import too_complex
from chalicelib.sandbox.pool import Sandbox
from tests.sandbox.conftest import a_module

WORDS = ("def", "run", "(", "input", ",", "http", ")", ":", "\n", "return", ".", "get", "'/x'", "[", "]", "é", "=",
         "if", "else", "1", "\\", "#", "@", "import")  # fmt: skip


@pytest.mark.parametrize(
    ("source", "rule", "place"),
    [
        (a_module("return http.gett('/x')"), "unresolved-attribute", (2, 12)),
        (a_module("return http.get('/x').jsn()"), "unresolved-attribute", (2, 12)),
        (a_module("return input.foo"), "unresolved-attribute", (2, 12)),
        (a_module("return nope"), "unresolved-reference", (2, 12)),
        (a_module("return open('/etc/passwd')"), "unresolved-reference", (2, 12)),
        (a_module("return _send('POST')"), "unresolved-reference", (2, 12)),
        (a_module("return http.get()"), "missing-argument", (2, 12)),
        (a_module("return http.get('/x', parms={})"), "unknown-argument", (2, 27)),
        (a_module("return http.get('/x', {})"), "too-many-positional-arguments", (2, 27)),
        (a_module("return http.get(5)"), "invalid-argument-type", (2, 21)),
        (a_module("return http.get('/x', headers={'a': 1})"), "invalid-argument-type", (2, 27)),
        (a_module("return None()"), "call-non-callable", (2, 12)),
        (a_module("é = 'x'; return nope"), "unresolved-reference", (2, 21)),
        ("import numpy\n" + a_module("return 1"), "unresolved-import", (1, 8)),
        ("from collections import OrderedDict\n" + a_module("return 1"), "unresolved-import", (1, 25)),
        ("def run(input, http): return http.gett('/x')\n", "unresolved-attribute", (1, 30)),
        ("def run(input, http): return (input, http, nope)\n", "unresolved-reference", (1, 44)),
        ("def run(\n    input,\n    http,\n):\n    return http.gett('/x')\n", "unresolved-attribute", (5, 12)),
        ("def run(input: dict, http): return http.gett('/x')\n", "unresolved-attribute", (1, 36)),
        ('"""\ndef run(input, http):\n"""\n' + a_module("return http.gett('/x')"), "unresolved-attribute", (5, 12)),
        ("\n\n\n" + a_module("return nope"), "unresolved-reference", (5, 12)),
        ("x = 1\r\n" + a_module("return nope"), "unresolved-reference", (3, 12)),
        (a_module("yield 1"), "unsupported", (2, 5)),
        ("class A(dict):\n    pass\n" + a_module("return 1"), "unsupported", (1, 1)),
        ("X = 'x' * 10 ** 10\n" + a_module("return 1"), "top-level", (1, 5)),
        ("def run(input, http):\n", "invalid-syntax", (1, 22)),
        (f"def f({', '.join(f'a{n}=1' for n in range(400))}): pass\n", "unsupported", (1, 5)),
        (a_module("return [1" + "".join(f" for x{n} in input" for n in range(400)) + "]"), "unsupported", (2, 13)),
    ],
)
def test_what_cannot_work_refuses_at_its_own_place(
    sandbox: Sandbox, source: str, rule: str, place: tuple[int, int]
) -> None:
    first = sandbox.type_check(source)[0]
    assert (first.rule, (first.line, first.column), first.blocking) == (rule, place, True)
    assert first.message
    assert first.hint


@pytest.mark.parametrize(
    "line",
    [
        "x: int = 'text'; return x",
        "import re; return re.match('a', input['x']).group()",
        "o: dict | None = http.get('/x').json(); return o.get('a')",
        "return int(http.get('/x').headers.get('x-total'))",
        "d = dict(a=1); d['b'] = 'c'; return d",
        "return (1, 2)[5]",
    ],
)
def test_what_may_go_wrong_only_advises(sandbox: Sandbox, line: str) -> None:
    problems = sandbox.type_check(a_module(line))
    assert [problem.blocking for problem in problems] == [False]


@pytest.mark.parametrize(
    "source",
    [
        a_module("return http.get('/x', params={'a': [1, None]}, headers={'a': 'b'}, host='h').json()['a']['b']"),
        a_module("r = http.post('/x', json={'a': 1}, data=None).raise_for_status()", "return r.ok"),
        a_module("h = http.get('/x').headers", "return [dict(h.items()), sorted(h.keys()), list(h.values())]"),
        a_module("return [o['id'].strip() for o in http.get('/x').json() if input.get('a')]"),
        a_module("h = http.get('/x').headers", "return ['a' in h, h['a'].lower(), list(h), h.get('a', '').upper()]"),
        "import json, re, math\nfrom datetime import datetime, timezone\nZONE = timezone.utc\n"
        + a_module("return [json.dumps({}), re.sub('a', 'b', 'c'), math.pi, datetime.now(ZONE).isoformat()]"),
        "def each(h, path):\n    return h.get(path).json()\n" + a_module("return each(http, '/x')"),
        "class Http:\n    pass\nclass Response:\n    pass\n" + a_module("return http.get('/x').json()"),
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n" + a_module("return A(1).x"),
        "PATTERN = '\\d+'\n" + a_module("return PATTERN"),
        "def run(input: dict, http) -> list:\n    return [input, http.get('/x').status]\n",
    ],
)
def test_a_good_module_has_no_problem(sandbox: Sandbox, source: str) -> None:
    assert sandbox.type_check(source) == ()


@pytest.mark.parametrize("line", ["return dict(h)", "return {**h}", "d = {}; d.update(h); return d"])
def test_headers_are_no_dict_and_the_check_says_how_to_make_one(sandbox: Sandbox, line: str) -> None:
    """A module that passes the check must not fail at its first call for what it is."""
    (problem,) = sandbox.type_check(a_module("h = http.get('/x').headers", line))
    assert problem.blocking
    assert "dict(r.headers.items())" in problem.hint


def test_a_top_level_that_does_not_end_is_stopped(sandbox: Sandbox) -> None:
    (problem,) = sandbox.type_check("while True: pass\n" + a_module("return 1"))
    assert problem.rule == "top-level"
    assert problem.blocking


BRANCHES = [f"if input.get('i'): x = {n}" for n in range(1800)]
BULKY = {
    "a union that is multiplied": (a_module("x = 0", *BRANCHES, "return x + x * x"), (1, 1)),
    "a long condition": (a_module("a = input", "return " + " and ".join(["a"] * 1500)), (3, 5)),
    "a type that doubles": (
        a_module("x_0 = 1", *(f"x_{n + 1} = (x_{n}, x_{n})" for n in range(40)), "return x_40.foo"),
        (1, 1),
    ),
    "a list around a name": (a_module("return " + "[" * 150 + "input" + "]" * 150), (2, 5)),
    "names that depend in a circle": (
        "def small():\n    return 1\n\n"
        + a_module(
            *(f"x{n} = 0" for n in range(1000)),
            "while input:",
            *(f"    x{n} = x{(n + 1) % 1000} + 1" for n in range(1000)),
        ),
        (4, 1),
    ),
    "functions within functions": (
        "def small():\n    return 1\n\n"
        + "".join("    " * n + f"def f{n}():\n" for n in range(20))
        + "    " * 20
        + "pass\n"
        + a_module("return 1"),
        (4, 1),
    ),
    "a very long chain": (a_module("return " + "1 + " * 300 + "1"), (2, 12)),
    "a very long elif": (a_module("if input: pass", *["elif input: pass"] * 300, "return 1"), (105, 10)),
}


@pytest.mark.parametrize(("source", "place"), BULKY.values(), ids=BULKY)
def test_what_the_check_cannot_finish_is_a_problem_at_the_bulkiest_place(
    sandbox: Sandbox, source: str, place: tuple[int, int]
) -> None:
    problems = [problem for problem in sandbox.type_check(source) if problem.blocking]
    assert [problem.rule for problem in problems] == ["too-complex"]
    assert (problems[0].line, problems[0].column) == place
    assert not re.search("worker|monty|timeout|signal|kill", problems[0].message + problems[0].hint, re.IGNORECASE)


def test_the_bulkiest_place_is_found_in_any_layout() -> None:
    short, long = "def a():\n    pass\n", "    async  def b(x):\n        x = 1\n\n        return x\n"
    assert _bulk(f"{short}class A:\n{long}{short}") == (4, 5)
    assert _bulk(f"{short}class A:\r\n{long}") == (4, 5)
    assert _bulk("X = 1\nY = 2\n") == (0, 0)
    assert _bulk("") == (0, 0)
    assert _bulk("a = 1\n  " + "b" * 100 + "\n") == (2, 3)


def _bulk(text: str) -> tuple[int, int]:
    problem = too_complex(text, "It")
    return problem.line, problem.column


def test_a_worker_that_died_before_the_check_is_not_noticed() -> None:
    with closing(Sandbox(workers=1)) as alone:
        for _ in range(3):
            os.kill(_a_worker(alone), signal.SIGKILL)
            assert alone.type_check(a_module("return 1")) == ()


def test_a_check_that_is_stopped_disturbs_no_run_beside_it() -> None:
    begun, go_on = Event(), Event()

    def send(request: VendorRequest, deadline: float) -> VendorResponse:
        begun.set()
        assert go_on.wait(20)
        return VendorResponse(200, (), "{}")

    with closing(Sandbox(workers=2)) as two, ThreadPoolExecutor(1) as beside:
        running = beside.submit(two.run, a_module("return http.get('/x').status"), {}, send, seconds=25)
        assert begun.wait(20)
        try:
            problems = two.type_check(BULKY["a list around a name"][0]) + two.type_check("X = 'x'.join([str(1)] * 9)")
        finally:
            go_on.set()
        assert [problem.rule for problem in problems] == ["too-complex"]
        assert running.result(20) == 200


def _a_worker(sandbox: Sandbox) -> int:
    with sandbox.session(timeout=20) as session:
        worker = session._worker
    assert worker is not None
    return worker


def test_checking_calls_no_vendor_and_reads_no_file(sandbox: Sandbox) -> None:
    source = "def go(h): return h\nX = exec('_send(1)')\n" + a_module("return 1")
    assert [problem.rule for problem in sandbox.type_check(source)] == ["top-level"]
    assert [problem.rule for problem in sandbox.type_check("exec('open(\"/etc/passwd\")')\n")] == ["top-level"]


def test_what_a_check_defines_is_gone_in_the_next(sandbox: Sandbox) -> None:
    sandbox.type_check("left = 1\n" + a_module("return 1"))
    assert [problem.rule for problem in sandbox.type_check(a_module("return left"))] == ["unresolved-reference"]


def test_there_are_never_more_than_fifty_problems(sandbox: Sandbox) -> None:
    assert len(sandbox.type_check(a_module(*(f"nope{n}" for n in range(200))))) == 50


@pytest.mark.parametrize(
    "source",
    [
        "",
        "\x00",
        "\ud800",
        "\ufeff" + a_module("return 1"),
        "(" * 50_000,
        "-" * 60_000 + "1",
        "1+" * 30_000 + "1",
        "a" + ".b" * 30_000,
        "x = '" + "é" * 60_000 + "'",
        "'" * 60_001,
        "\\" * 60_000,
        "if 1:\n" + " " * 60_000 + "x",
        "\n" * 60_000,
        "\r\x0b\x0c\u2028",
        "@" * 1000,
        "#" * 60_000,
        a_module(*(f"x{n} = [x{n - 1}, x{n - 1}]" if n else "x0 = 1" for n in range(300))),
    ],
)
def test_nothing_an_author_can_write_breaks_the_checker(sandbox: Sandbox, source: str) -> None:
    for problem in sandbox.type_check(source):
        _is_well_formed(problem)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=25))
def test_any_arrangement_of_words_is_checked(sandbox: Sandbox, words: list[str]) -> None:
    for problem in sandbox.type_check(" ".join(words)):
        _is_well_formed(problem)


def _is_well_formed(problem: Problem) -> None:
    assert problem.line >= 0
    assert problem.column >= 0
    assert problem.rule
    assert problem.message
    assert problem.hint


@pytest.mark.parametrize(
    "expression",
    [
        "list(map(int, ['1']))",
        "list(filter(None, [1, 0]))",
        "format(3.14159, '.2f')",
        "getattr(http, 'get', None)",
        "hasattr(input, 'x')",
        "[UnicodeDecodeError, ModuleNotFoundError, FileNotFoundError, UnboundLocalError]",
    ],
)
def test_what_the_sandbox_has_the_check_knows(sandbox: Sandbox, expression: str) -> None:
    assert not [p for p in sandbox.type_check(a_module(f"return {expression}")) if p.blocking]
