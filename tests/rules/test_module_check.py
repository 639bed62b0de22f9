"""What the check reads from a module's text alone."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.model import WRITING_METHODS, Problem, annotations_of
from chalicelib.rules.module_check import SOURCE_BYTES_MAX, ModuleCheck, check_module

HOSTS = ("api.example.com", "files.example.com")
RUN = "def run(input, http):\n    "
WORDS = ("def", "class", "run", "(", "input", ",", "http", ")", ":", "\n", ".", "post", "'/x'", "[", "]", "=", "if",
         "else", "1", "\\", "#", "@", "import", "lambda", "*", "yield")  # fmt: skip


def check(source: str, hosts: tuple[str, ...] = HOSTS) -> ModuleCheck:
    return check_module(source, hosts=hosts)


def found(source: str, hosts: tuple[str, ...] = HOSTS) -> list[tuple[str, int, int]]:
    return [(problem.rule, problem.line, problem.column) for problem in check(source, hosts).problems]


def test_a_good_module_has_no_problem_and_its_methods() -> None:
    source = '''"""Lists open orders."""
import json
import re
from datetime import timezone
from dataclasses import dataclass, field

PAGE: int = 50
LIMITS = {"a": [1, -2, None], "b": (PAGE, PAGE * 2)}
WORD = re.compile(r"\\w+")
KNOWN = frozenset({"open", "closed"})
ZONE = timezone.utc
A, B = 1, 2
SHORT = lambda text: text[:5]


@dataclass
class Order:
    """One order."""

    id: int
    tags: list = field(default_factory=list)

    def name(self):
        return f"order {self.id}"


def page(http, number, size=PAGE):
    return http.get(f"/v1/orders/{number}", params={"size": size}, host="files.example.com").json()


async def later():
    pass


def run(input, http):
    while True:
        return [Order(o["id"]).name() for o in page(http, input["page"])]
'''
    assert check(source) == ModuleCheck((), frozenset({"GET"}))


@pytest.mark.parametrize(
    ("source", "place"),
    [("def run(:", (1, 9)), (RUN + "return 1 +", (2, 15)), ("def run(input, http):\nreturn 1", (2, 1)), ("'", (1, 1))],
)
def test_what_does_not_parse_is_one_problem_at_its_place(source: str, place: tuple[int, int]) -> None:
    (problem,) = check(source).problems
    assert problem.rule == "syntax"
    assert (problem.line, problem.column) == place
    assert check(source).methods == frozenset()


@pytest.mark.parametrize(
    ("source", "problems"),
    [
        ("x = 1", [("run", 0, 0)]),
        ("", [("run", 0, 0)]),
        ("def Run(input, http): pass", [("run", 0, 0)]),
        ("def f():\n    def run(input, http): pass", [("run", 0, 0)]),
        ("def run(): pass", [("run", 1, 1)]),
        ("def run(input): pass", [("run", 1, 1)]),
        ("def run(http, input): pass", [("run", 1, 1)]),
        ("def run(input, http, more): pass", [("run", 1, 1)]),
        ("def run(input, http=None): pass", [("run", 1, 1)]),
        ("def run(input, *, http): pass", [("run", 1, 1)]),
        ("def run(input, http, *more): pass", [("run", 1, 1)]),
        ("def run(input, http, **more): pass", [("run", 1, 1)]),
        ("def run(input, http, /): pass", [("run", 1, 1)]),
        ("async def run(input, http): pass", [("run", 1, 1)]),
        ("class run: pass", [("run", 1, 1)]),
        ("run = lambda input, http: 1", [("run", 1, 1)]),
        ("def run(input, http): pass\ndef run(input, http): pass", [("run", 2, 1)]),
        ("def run(input, http): pass\nrun = 1", [("run", 2, 1)]),
        ("def run(input, http): pass\nfrom json import loads as run", [("run", 2, 1)]),
        ("def run(input: dict, http) -> list: pass", []),
    ],
)
def test_there_is_one_run_that_takes_input_and_http(source: str, problems: list[tuple[str, int, int]]) -> None:
    assert found(source) == problems


@pytest.mark.parametrize(
    "line",
    [
        "print(1)",
        "if True: pass",
        "for n in []: pass",
        "while True: pass",
        "with x: pass",
        "try: pass\nexcept Exception: pass",
        "assert True",
        "raise ValueError",
        "del x",
        "X = open('x')",
        "X = [n for n in range(3)]",
        "X = {n: 1 for n in range(3)}",
        "X = f'{g()}'",
        "X = [1, [g()]]",
        "X = (y := 1)",
        "X = set(g())",
        "X.y = 1",
        "X['y'] = 1",
        "X += 1",
        "X: int = g()",
        "def f(x=g()): pass",
        "def f(*, x=g()): pass",
        "@g()\ndef f(): pass",
        "@g()\nclass A: pass",
        "class A:\n    x = g()",
        "class A:\n    class B:\n        print(1)",
        "class A(g()): pass",
        "global x",
        "1 + 1",
        "match 1:\n    case 1: pass",
    ],
)
def test_nothing_happens_at_the_top_level(line: str) -> None:
    assert "top-level" in {rule for rule, _, _ in found(f"{line}\n{RUN}return 1")}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("import numpy", ["numpy"]),
        ("import json, numpy as np, requests", ["numpy", "requests"]),
        ("from collections.abc import Mapping", ["collections.abc"]),
        ("from . import x", ["."]),
        ("from ..x import y", ["..x"]),
        ("import os.path, os, sys", []),
    ],
)
def test_an_import_that_the_sandbox_lacks_is_named(line: str, names: list[str]) -> None:
    for source in (f"{line}\n{RUN}return 1", f"{RUN}{line}\n    return 1"):
        problems = check(source).problems
        assert [(problem.rule, problem.message) for problem in problems] == [
            ("unknown-import", f"The sandbox has no module {name}.") for name in names
        ]
        assert all("json" in problem.hint for problem in problems)


@pytest.mark.parametrize(
    "call",
    [
        'http.get("https://api.example.com/x")',
        'http.get("HTTP://evil.example")',
        'http.get("//evil.example/x")',
        'http.get("\\\\\\\\evil.example/x")',
        'http.get("/\\\\evil.example/x")',
        'http.get(" https://evil.example")',
        'http.get(path="https://evil.example")',
        'http.get(f"https://{input}")',
        'http.get("https://" + input["host"])',
        'http.get("https://%s" % input["host"])',
        'http.get("https://{}".format(input))',
        'http.get(input or "https://evil.example")',
        'http.get("https://a" if input else "/x")',
        'url = "https://evil.example"; http.get(url)',
        'base = "https://evil.example"; http.get(base + "/x")',
        'base = "https://evil.example"; http.get(f"{base}/x")',
        'h = http; h.get("https://evil.example")',
        'self.http.get("https://evil.example")',
        'http.delete("https://evil.example")',
        'other.post("https://evil.example")',
    ],
)
def test_an_absolute_url_is_no_path(call: str) -> None:
    problems = found(RUN + call)
    assert [rule for rule, _, _ in problems] == ["absolute-url"]


def test_an_absolute_url_is_found_in_constants_and_helpers() -> None:
    source = (
        'BASE = "https://evil.example"\ndef load(client):\n    return client.get(BASE + "/x")\n'
        + RUN
        + "return load(http)"
    )
    assert found(source) == [("absolute-url", 3, 23)]


@pytest.mark.parametrize(
    "call",
    [
        'http.get("/x?next=https://a.example")',
        'http.get("x")',
        'http.get("/x", params={"u": "https://a.example"})',
        'input.get("https://schema.example/ns")',
        'return "https://github.com/" + input["name"]',
        "http.get(input['path'])",
        "http.get()",
    ],
)
def test_a_url_that_is_not_a_path_is_left_alone(call: str) -> None:
    assert found(RUN + call) == []


def test_a_host_must_be_a_declared_one_when_there_are_any() -> None:
    source = RUN + 'http.get("/x", host="evil.example")\n    http.get("/x", host="API.example.com")'
    assert found(source) == [("foreign-host", 2, 25)]
    assert found(source, hosts=()) == []
    assert found('H = "evil.example"\n' + RUN + 'http.get("/x", host=H)') == [("foreign-host", 3, 25)]
    assert found(RUN + 'http.get("/x", host=input["host"])') == []


def test_columns_count_characters_and_lines_any_line_end() -> None:
    assert found(RUN + 'é = "🎉"; http.get("//x")') == [("absolute-url", 2, 23)]
    assert found("x = 1\r\ny = 2\r" + RUN + 'http.get("//x")') == [("absolute-url", 4, 14)]


@pytest.mark.parametrize(
    ("line", "methods"),
    [
        ("return 1", set()),
        ("http.get('/x')", {"GET"}),
        ("http.head('/x')", {"HEAD"}),
        ("http.post('/x'); http.put('/x'); http.patch('/x')", {"POST", "PUT", "PATCH"}),
        ("http.delete('/x')", {"DELETE"}),
        ("return input.get('post')", {"GET"}),
        ("f = http.post", {"POST"}),
        ("http.post = http.get", {"POST", "GET"}),
        ("del http.delete", {"DELETE"}),
        ("[h for h in [http]][0].put('/x')", {"PUT"}),
        ("getattr(http, 'post')", {"POST"}),
        ("getattr(http, 'po' + 'st')", set()),
        ("getattr(http, name)", set()),
        ("setattr(x, 'delete', http)", {"DELETE"}),
        ("match http:\n        case X(patch=f): f('/x')", {"PATCH"}),
        ("queue.put(1)", {"PUT"}),
        ("return 'delete'", set()),
        ("http.POST('/x')", set()),
        ("http.post_all('/x')", set()),
    ],
)
def test_methods_are_those_that_the_text_names(line: str, methods: set[str]) -> None:
    assert check(RUN + line).methods == methods


@settings(deadline=None)
@given(
    st.sampled_from(["post", "put", "patch", "delete"]),
    st.sampled_from(["http", "x.y", "f()", "a[0]", "(lambda: h)()"]),
)
def test_a_named_write_is_never_annotated_read_only(method: str, receiver: str) -> None:
    methods = check(f"{RUN}return {receiver}.{method}('/x')").methods
    assert not annotations_of(methods).read_only
    assert annotations_of(methods).destructive == (method == "delete")
    assert methods & WRITING_METHODS


def test_a_source_over_the_limit_is_refused_by_its_bytes() -> None:
    filler = "#" * (SOURCE_BYTES_MAX - len(RUN + "return 1\n"))
    assert found(RUN + "return 1\n" + filler) == []
    assert found(RUN + "return 1\n" + filler + "#") == [("source-size", 0, 0)]
    assert found(RUN + "return '" + "é" * (SOURCE_BYTES_MAX // 2) + "'") == [("source-size", 0, 0)]


@pytest.mark.parametrize(
    ("source", "place"),
    [("\0", (1, 1)), (RUN + "return '\0'", (2, 13)), ("é\n\ud800", (2, 1)), ("\ufeff" + RUN + "return 1", (1, 1))],
)
def test_characters_that_no_source_may_hold_are_shown(source: str, place: tuple[int, int]) -> None:
    assert found(source) == [("text", *place)]


DEEP = {
    "parentheses": "(" * 60_000,
    "closed parentheses": "(" * 150 + ")" * 150,
    "brackets": "x" + "[0]" * 20_000,
    "braces": "{" * 60_000,
    "minuses": "-" * 60_000 + "1",
    "plusses": "1+" * 30_000 + "1",
    "powers": "a**" * 20_000 + "a",
    "attributes": "a" + ".b" * 30_000,
    "calls": "x" + "()" * 30_000,
    "nots": "not " * 16_000 + "x",
    "lambdas": "lambda:" * 9_000 + "1",
    "conditions": "a if b else " * 5_000 + "c",
    "comparisons": "a" + "<b" * 30_000,
    "strings": '"a"' * 20_000,
    "f-strings": 'f"{' * 10_000,
    "targets": "x=" * 30_000 + "1",
    "elifs": "if x: pass\n" + "elif x: pass\n" * 4_000,
    "decorators": "@x\n" * 20_000 + "def f(): pass",
    "indentation": "".join(" " * n + "if 1:\n" for n in range(300)),
    "awaits": "await " * 10_000,
    "one long line": "x = '" + "a" * 60_000 + "'",
    "backslashes": "\\\n" * 30_000,
    "form feeds": "\f\v\x1c\u2028" * 1_000,
}


@pytest.mark.parametrize("source", DEEP.values(), ids=DEEP)
def test_no_depth_breaks_the_check_even_in_a_thread(source: str) -> None:
    problems: list[Problem] = []
    thread = Thread(target=lambda: problems.extend(check(source).problems))
    thread.start()
    thread.join(60)
    assert problems
    assert all(problem.blocking for problem in problems)


def nested(blocks: int, head: str = "if input:") -> str:
    return "def run(input, http):\n" + "".join(f"{' ' * (n + 1)}{head}\n" for n in range(blocks)) + " " * (blocks + 1)


def functions(count: int) -> str:
    return "".join(f"{' ' * n}def f{n}():\n" for n in range(count)) + " " * count + "return 1\n" + RUN + "return 1"


def cases(count: int) -> str:
    return RUN + "match input:\n        case " + " | ".join(f"'{n}'" for n in range(count)) + ": return 1"


COMPLEX = {
    "brackets": (lambda n: RUN + f"return {'[' * n}input{']' * n}", 30, (2, 12)),
    "dictionaries at the top level": (lambda n: "X = " + "{'a':" * n + "1" + "}" * n + f"\n{RUN}return X", 30, (1, 5)),
    "comprehensions": (lambda n: RUN + f"return {'[' * n}1{' for x in input]' * n}", 30, (2, 12)),
    "a sum": (lambda n: RUN + f"x = 1; return {'1 + ' * (n - 1)}1", 150, (2, 19)),
    "a sum after an umlaut": (lambda n: RUN + f"ä = 1; return {'1 + ' * (n - 1)}1", 150, (2, 19)),
    "calls": (lambda n: RUN + f"return {'str(' * (n - 1)}1{')' * (n - 1)}", 150, (2, 12)),
    "a chain of methods": (lambda n: RUN + f"return input{'.strip()' * n}", 74, (2, 12)),
    "lambdas": (lambda n: RUN + f"return {'lambda: ' * (n - 1)}1", 150, (2, 12)),
    "choices": (lambda n: RUN + f"return {'1 if input else ' * (n - 1)}1", 149, (2, 12)),
    "a pattern": (lambda n: RUN + f"match input:\n        case {'[' * (n - 1)}_{']' * (n - 1)}: pass", 150, (3, 14)),
    "a condition": (lambda n: RUN + f"return {' and '.join(['input'] * n)}", 64, (2, 12)),
    "a condition in a call": (lambda n: RUN + f"return str({' or '.join(['-1'] * n)})", 64, (2, 16)),
    "a mixed condition": (
        lambda n: RUN + f"return 1 or not (2 and {' and '.join(['3 or 4'] * (n // 2 - 1))})", 64, (2, 12),
    ),
    "blocks": (lambda n: nested(n - 1) + "return 1", 20, (21, 21)),
    "loops": (lambda n: nested(n - 1, "for x in input:") + "return 1", 20, (21, 21)),
    "attempts": (lambda n: nested(n - 2, "with input:") + "try: pass\n" + " " * (n - 1) + "finally: pass", 20, None),
    "functions": (functions, 6, (7, 7)),
    "branches": (lambda n: RUN + "if input: pass\n    " * n, 150, (1, 1)),
    "elifs": (lambda n: RUN + "if input: pass\n" + "    elif input: pass\n" * (n - 1), 150, (1, 1)),
    "alternatives": (cases, 150, (1, 1)),
    "branches of a method": (
        lambda n: f"{RUN}return 1\nclass A:\n  def a(self):\n    " + "assert self\n    " * n, 150, (4, 3),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "limit", "place"), COMPLEX.values(), ids=COMPLEX)
def test_what_the_checker_would_choke_on_is_refused_early_at_its_place(
    make: Callable[[int], str], limit: int, place: tuple[int, int] | None
) -> None:
    assert found(make(limit)) == []
    assert place is None or found(make(limit + 2)) == [("too-complex", *place)]


def test_each_place_that_is_too_complex_is_told_once() -> None:
    deep, long = "[" * 90 + "1" + "]" * 90, " or ".join(["input"] * 200)
    source = f"{RUN}x = [{deep}, 1], {deep}\n    return [{long}, [1, ({long})]]"
    assert [line for _, line, _ in found(source)] == [2, 3, 3]


def test_what_is_beside_each_other_is_not_within_each_other() -> None:
    condition = " and ".join(["input"] * 40)
    lines = [f"x = [{condition}, ({condition}) if {condition} else f({condition})]", "y = [[[[1]]]]"]
    assert found(RUN + "\n    ".join(lines * 40)) == []
    assert found(f"{RUN}return 1\n" + "def f():\n  def g():\n    if 1: pass\n    elif 2: pass\n" * 400) == []


def test_a_source_too_deep_to_be_read_is_told_at_the_line_that_holds_it() -> None:
    (problem,) = check(RUN + "return 1\n\nX = " + "1+" * 30_000 + "1").problems
    assert (problem.rule, problem.line, problem.column) == ("nesting", 4, 1)


def test_there_are_never_more_than_fifty_problems() -> None:
    problems = check(RUN + "\n    ".join(f"import nope{number}" for number in range(200))).problems
    assert len(problems) == 50
    assert [problem.line for problem in problems] == list(range(2, 52))


def test_an_escape_that_python_warns_of_passes() -> None:
    assert found("X = '\\d'\n" + RUN + "return X") == []


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_checked(source: str) -> None:
    for problem in check(source).problems:
        assert problem.line >= 0
        assert problem.column >= 0
        assert problem.message
        assert problem.hint


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_any_arrangement_of_words_is_checked(words: list[str]) -> None:
    check(" ".join(words))
