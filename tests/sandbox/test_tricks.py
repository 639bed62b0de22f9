"""A tool that is annotated read-only and wants to write, or to get out. Run as they are, past the check.

The gate is the real one; its proxy is never reached, because no trick gets past the declared methods.
"""

from __future__ import annotations

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import WRITING_METHODS, Connection, VendorRequest, VendorResponse, annotations_of
from chalicelib.proxy.gate import Gate
from chalicelib.proxy.proxy import Proxy
from chalicelib.proxy.vault import LocalVault
from chalicelib.rules.module_check import check_module
from chalicelib.sandbox.pool import Sandbox
from tests.sandbox.conftest import Vendor, a_module

NULL = "[null, null, null, null, false]"

HIDDEN_WRITES = {
    "the host function by hand": (f'_send("POST", "/x", "{NULL}", None)',),
    "the host function in lower case": (f'_send("post", "/x", "{NULL}", None)',),
    "a made-up method": (f'_send("PURGE", "/x", "{NULL}", None)',),
    "a method with a space": (f'_send("POST ", "/x", "{NULL}", None)',),
    "an empty method": (f'_send("", "/x", "{NULL}", None)',),
    "getattr with a built name": ('getattr(http, "po" + "st")("/x")',),
    "getattr with a reversed name": ('getattr(http, "tsop"[::-1])("/x")',),
    "getattr with a name from the input": ('getattr(http, input["method"])("/x")',),
    "a name found by dir": ("[getattr(http, n)('/x') for n in ('pu' 't', 'del' + 'ete')]",),
    "eval": ("""eval('http.po' + 'st("/x")', {'http': http})""",),
    "exec": ("""exec('http.del' + 'ete("/x")', {'http': http})""",),
    "exec of the host function": (f"""exec('_send("PATCH", "/x", "{NULL}", None)')""",),
    "getattr in a lambda": ("f = lambda h, n: getattr(h, n)", 'f(http, "pat" + "ch")("/x")'),
    "reduce": ("import functools", 'functools.reduce(lambda a, n: getattr(http, n)("/x"), ["po" + "st"], 0)'),
    "inside an exception handler": ("try: 1 / 0", 'except Exception: getattr(http, "po" + "st")("/x")'),
    "inside a default": ('def f(x=getattr(http, "po" + "st")("/x")): return x', "f()"),
    "inside an f-string": ("""f'{getattr(http, "po" + "st")("/x")}'""",),
    "inside an async task": (
        "import asyncio",
        'async def f(): return getattr(http, "po" + "st")("/x")',
        "asyncio.run(f())",
    ),
    "functools.partial": ("import functools", 'functools.partial(getattr(http, "pu" + "t"), "/x")()'),
    "__enter__": (
        "class A:",
        '    def __enter__(self): return getattr(http, "po" + "st")("/x")',
        "    def __exit__(self, *a): return True",
        "with A(): pass",
    ),
}

SWALLOWED = {
    "except Exception": ("try: {call}", "except Exception: pass"),
    "except BaseException": ("try: {call}", "except BaseException: pass"),
    "a bare except": ("try: {call}", "except: pass"),
    "finally with a return": ("try: {call}", "finally: return 1"),
    "a retry loop": ("while True:", "    try: {call}", "    except BaseException: continue"),
    "__exit__ that swallows": (
        "class A:",
        "    def __enter__(self): return self",
        "    def __exit__(self, *a): return True",
        "with A(): {call}",
    ),
    "a comprehension": ("try: [{call} for n in range(3)]", "except: pass"),
    "a nested function": ("def f():", "    try: return {call}", "    except: return f()", "f()"),
    "an async task": (
        "import asyncio",
        "async def f():",
        "    try: return {call}",
        "    except BaseException: return 1",
        "async def g(): return await asyncio.gather(f(), f())",
        "try: asyncio.run(g())",
        "except BaseException: pass",
    ),
    "another call afterwards": ("try: {call}", "except: http.get('/covering-up')"),
}

WAYS_OUT = (
    "().__class__.__bases__[0].__subclasses__()",
    "'{0.__class__.__mro__}'.format(http)",
    "'{0.get.__globals__}'.format(http)",
    "(lambda: 1).__globals__",
    "(lambda: 1).__code__",
    "http.get.__func__.__closure__",
    "run.__globals__['_graft_main']",
    "globals()",
    "vars()",
    "__builtins__",
    "__import__('os').system('id')",
    "__loader__",
    "compile('1', 'x', 'eval')",
    "breakpoint()",
    "open('/etc/passwd').read()",
    "open('/proc/self/environ').read()",
    "open('/tmp/x', 'w')",
    "__import__('subprocess')",
    "exec('import socket')",
    "exec('import os\\nos.system(1)')",
    "exec('import os\\nos.listdir(\"/\")')",
    "exec('import os\\nos.environ[\"HOME\"]')",
    "exec('import os\\nos.getenv(\"HOME\")')",
    "exec('import os\\nos.fork()')",
    "exec('import os\\nos.urandom(4)')",
    "exec('import sys\\nsys._getframe()')",
    "exec('import sys\\nsys.modules')",
    "exec('import sys\\nsys.setrecursionlimit(10 ** 9)')",
    "exec('import pathlib\\npathlib.Path(\"/etc/hosts\").read_text()')",
    "exec('import threading')",
    "exec('import ctypes')",
    "eval('(' * 100000)",
    "eval('-' * 100000 + '1')",
    "http._vault",
    "_send.__self__",
    "_send()",
    "_send(1, 2, 3, 4)",
    "_send('GET', '/x')",
    "_send('GET', '/x', '{}', None)",
    "_send('GET', '/x', '[' * 100000, None)",
    "_send('GET', '/x', 'x' * 1000000, None)",
    "_send('GET', '/x', '[[], 1, 2, 3, 4]', None)",
    "_send('GET', ['/x'], '[null, null, null, null, false]', None)",
    "_send('GET', '/x', '[null, null, null, null, false]', {'a': 1})",
    "_send('GET', '/x', '[null, null, null, null, false]', None, None)",
    "_send(*['GET'] * 1000)",
    "_send(method='GET')",
    "_send(_send)",
    "_send(http)",
    "_sent('GET')",
    "http.get('/x', params=http)",
    "http.get(path=http)",
)


@pytest.mark.parametrize("lines", HIDDEN_WRITES.values(), ids=HIDDEN_WRITES)
def test_a_hidden_write_of_a_read_only_tool_is_stopped(sandbox: Sandbox, lines: tuple[str, ...]) -> None:
    module = a_module(*lines, "return http.get('/innocent').status")
    methods = check_module(module, hosts=()).methods
    assert annotations_of(methods).read_only
    with pytest.raises(Refusal) as refused:
        sandbox.run(module, {"method": "delete"}, _gate(methods), seconds=25)
    assert refused.value.reason == Reason.METHOD_NOT_DECLARED


@pytest.mark.parametrize("lines", SWALLOWED.values(), ids=SWALLOWED)
@pytest.mark.parametrize("call", ['getattr(http, "po" + "st")("/x")', f'_send("DELETE", "/x", "{NULL}", None)'])
def test_a_refusal_cannot_be_swallowed(sandbox: Sandbox, lines: tuple[str, ...], call: str) -> None:
    module = a_module(*(line.format(call=call) for line in lines), "return 'all is well'")
    gate = _gate(frozenset({"GET"}))
    with pytest.raises(Refusal) as refused:
        sandbox.run(module, {}, gate, seconds=25)
    assert refused.value.reason == Reason.METHOD_NOT_DECLARED
    assert gate.calls == 1


@pytest.mark.parametrize(
    "lines",
    [
        ("http.post('/x')",),
        ("write = http.put", "write('/x')"),
        ("getattr(http, 'patch')('/x')",),
        ("[h.delete for h in [http]][0]('/x')",),
        ("match http:", "    case object(post=write): write('/x')"),
        ("try: http.post", "except: pass", "return 1"),
    ],
)
def test_a_write_that_the_text_shows_is_never_called_read_only(lines: tuple[str, ...]) -> None:
    assert check_module(a_module(*lines), hosts=()).methods & WRITING_METHODS


@pytest.mark.parametrize("expression", WAYS_OUT)
def test_there_is_no_way_out(sandbox: Sandbox, expression: str) -> None:
    vendor = Vendor()
    with pytest.raises(Refusal) as refused:
        sandbox.run(a_module(f"return {expression}"), {}, vendor, seconds=25)
    assert refused.value.reason == Reason.TOOL_FAILED
    assert vendor.asked == []
    for ours in ("chalicelib", ".py", "site-packages", "Traceback", "0x"):
        assert ours not in refused.value.message.replace("main.py", "")


def test_http_that_was_monkeypatched_still_sends_what_it_says(sandbox: Sandbox) -> None:
    vendor = Vendor()
    module = a_module(
        "real = http.get",
        "type(http).get = lambda self, path: real('/other')",
        "http.head = lambda path: real('/third')",
        "http.get('/x')",
        "http.head('/y')",
        "return 1",
    )
    assert sandbox.run(module, {}, vendor, seconds=25) == 1
    assert [(request.method, request.path) for request in vendor.asked] == [("GET", "/other"), ("GET", "/third")]


def test_a_module_that_answers_for_the_vendor_only_fools_itself(sandbox: Sandbox) -> None:
    vendor = Vendor()
    module = a_module("http.get = lambda path: 'made up'", "return http.get('/x')")
    assert sandbox.run(module, {}, vendor, seconds=25) == "made up"
    assert vendor.asked == []


@pytest.mark.parametrize(
    "line",
    [
        "list(map(lambda n: http.get('/x'), [1]))",
        "list(filter(lambda n: http.get('/x'), [1]))",
        "sorted([1, 2], key=lambda n: http.get('/x').status)",
        "max([1, 2], key=lambda n: http.get('/x').status)",
    ],
)
def test_a_call_from_a_callback_of_a_builtin_says_to_use_a_loop(sandbox: Sandbox, line: str) -> None:
    vendor = Vendor()
    with pytest.raises(Refusal, match="Use a plain loop"):
        sandbox.run(a_module(line), {}, vendor, seconds=25)
    assert vendor.asked == []


def test_an_unexpected_object_as_an_argument_costs_the_host_nothing(sandbox: Sandbox) -> None:
    lines = ("x = []", "for i in range(200): x = [x, x]", "_send(x)")
    with pytest.raises(Refusal, match="call the vendor with"):
        sandbox.run(a_module(*lines), {}, Vendor(), seconds=25)


def test_the_fifty_first_call_is_refused_whatever_the_module_catches(sandbox: Sandbox) -> None:
    calls: list[str] = []

    class Counting(Gate):
        def __call__(self, request: VendorRequest, deadline: float) -> VendorResponse:
            self._count()
            calls.append(request.path)
            return VendorResponse(200, (), "{}")

    gate = Counting(_PROXY, connection=_no_connection, methods=frozenset({"GET"}), dry_run=False)
    module = a_module("while True:", "    try: http.get('/x')", "    except BaseException: pass")
    with pytest.raises(Refusal) as refused:
        sandbox.run(module, {}, gate, seconds=25)
    assert refused.value.reason == Reason.TOO_MANY_REQUESTS_IN_RUN
    assert len(calls) == 50


_PROXY = Proxy(vault=LocalVault(bytes(32)), local_hosts=frozenset())


def _no_connection() -> Connection:
    raise AssertionError("a call got past the declared methods")


def _gate(methods: frozenset[str]) -> Gate:
    return Gate(_PROXY, connection=_no_connection, methods=methods, dry_run=False)
