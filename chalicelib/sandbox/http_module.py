"""The Monty source that stands between a module and the host: `Http`, `Response`, and the call of `run`.

It is fed once, before any module, and kept as a session state, which every run loads: each line costs every run, so
what the host can do as well is done there (`vendor_call`). Everything lives inside one function, with its own names
for builtins, because a module shares its globals: a tool that names a function `json`, `str` or `_send` must not
change what `http` does. Nothing here is trusted: what it sends is judged again by the host.
"""

from __future__ import annotations

from typing import Final

SEND: Final = "_send"
"""The only function of the host: method, path, options, body → status, headers, text, JSON. See `vendor_call`."""
MAIN: Final = "_graft_main"

_PLAIN: Final = """
def plain(value, path, depth, Headers):
    kind = type(value)
    if value is None or kind is str or kind is bool or kind is float:
        return value
    if kind is int:
        if -0x8000000000000000 <= value <= 0xFFFFFFFFFFFFFFFF:
            return value
        raise ValueError(f'{path} is an integer beyond 64 bits; return it as text')
    if depth >= 100:
        raise ValueError(f'{path[:80]}... is nested deeper than 100 levels')
    if kind is list or kind is tuple or kind is set or kind is frozenset:
        return [plain(one, f'{path}[{index}]', depth + 1, Headers) for index, one in enumerate(value)]
    if kind is Headers:
        return dict(value.items())
    if kind is not dict:
        raise ValueError(f'{path} is of type {str(kind)[8:-2]}, which JSON cannot carry')
    for key in value:
        if type(key) is tuple or type(key) is frozenset:
            raise ValueError(f'{path} has a key of type {str(type(key))[8:-2]}; keys must be str')
    return {key: plain(one, f'{path}[{key!r}]', depth + 1, Headers) for key, one in value.items()}
"""
"""Turns what json.dumps refused into what it takes, or says where it cannot. Compiled only when it is needed."""

HTTP_MODULE: Final = (
    r"""
def _graft_room():
    import json as _json
    _send_to_vendor = _send
    _type, _str, _dict, _iter, _exec = type, str, dict, iter, exec
    _Exception, _TypeError, _ValueError, _RuntimeError = Exception, TypeError, ValueError, RuntimeError
    _plain_source = """
    + repr(_PLAIN)
    + r"""

    class Headers:
        def __init__(self, of):
            self._of = of

        def get(self, name, default=None):
            return self._of.get(name.lower(), default)

        def __getitem__(self, name):
            return self._of[name.lower()]

        def __contains__(self, name):
            return name.lower() in self._of

        def __iter__(self):
            return _iter(self._of)

        def keys(self):
            return self._of.keys()

        def values(self):
            return self._of.values()

        def items(self):
            return self._of.items()

    class Response:
        def __init__(self, asked, status, headers, text, readable):
            self.status = status
            self.ok = 200 <= status < 300
            self.headers = Headers(_json.loads(headers))
            self._asked = asked
            self._text = text
            self._readable = readable

        def text(self):
            return self._text

        def json(self):
            try:
                return _json.loads(self._text if self._readable is None else self._readable)
            except _ValueError as error:
                raise _ValueError(f'{self._asked} answered {self.status}, not with JSON ({error}): {self._text[:200]}')

        def raise_for_status(self):
            if not self.ok:
                raise _RuntimeError(f'{self._asked} answered {self.status}: {self._text[:500]}')
            return self

    def _call(method, path, params, json, data, headers, host):
        if json is not None and data is not None:
            raise _TypeError('give json= or data=, not both')
        if json is not None:
            body = _json.dumps(json, ensure_ascii=False, allow_nan=False)
        else:
            body = data if _type(data) is _str else None
        form = None if _type(data) is _str else data
        options = _json.dumps([params, headers, form, host, json is not None])
        status, answered, text, readable = _send_to_vendor(method, path, options, body)
        return Response(f'{method} {path}', status, answered, text, readable)

    class Http:
        def get(self, path, *, params=None, json=None, data=None, headers=None, host=None):
            return _call('GET', path, params, json, data, headers, host)

        def head(self, path, *, params=None, json=None, data=None, headers=None, host=None):
            return _call('HEAD', path, params, json, data, headers, host)

        def post(self, path, *, params=None, json=None, data=None, headers=None, host=None):
            return _call('POST', path, params, json, data, headers, host)

        def put(self, path, *, params=None, json=None, data=None, headers=None, host=None):
            return _call('PUT', path, params, json, data, headers, host)

        def patch(self, path, *, params=None, json=None, data=None, headers=None, host=None):
            return _call('PATCH', path, params, json, data, headers, host)

        def delete(self, path, *, params=None, json=None, data=None, headers=None, host=None):
            return _call('DELETE', path, params, json, data, headers, host)

    def _text_of(value):
        return _json.dumps(value, ensure_ascii=False, separators=(',', ':'))

    def main(run, text):
        result = run(_json.loads(text), Http())
        try:
            return True, _text_of(result)
        except _Exception:
            names = {}
            _exec(_plain_source, names)
        try:
            return True, _text_of(names['plain'](result, 'result', 0, Headers))
        except _Exception as error:
            return False, _str(error)

    return main


_graft_main = _graft_room()
"""
)
