"""What an author's module is checked against: the types of `input` and `http`.

Names that start with an underscore are not visible to the checker, so the two aliases have none. `Headers` hides
its `keys`, since with them the checker takes it for a mapping, and Monty's `dict` does not: see `type_check`.
"""

from __future__ import annotations

from typing import Final

INPUT_TYPE: Final = "GraftInput"
HTTP_TYPE: Final = "GraftHttp"

_CALL: Final = """
    def {method}(
        self,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        json: Any = None,
        data: str | dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        host: str | None = None,
    ) -> Response: ...
"""

_UNKNOWN_TO_THE_CHECKER: Final = {
    "OSError": ("FileExistsError", "FileNotFoundError", "IsADirectoryError", "NotADirectoryError", "PermissionError"),
    "Exception": ("ImportError",),
    "ImportError": ("ModuleNotFoundError",),
    "NameError": ("UnboundLocalError",),
    "ValueError": ("UnicodeDecodeError", "UnicodeEncodeError"),
}
"""Exceptions that Monty has and its checker does not know, by parent."""

STUBS: Final = (
    """
from typing import Any, ItemsView, Iterator, ValuesView, overload

class Headers:
    @overload
    def get(self, name: str) -> str | None: ...
    @overload
    def get(self, name: str, default: str) -> str: ...
    def __getitem__(self, name: str) -> str: ...
    def __contains__(self, name: str) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def values(self) -> ValuesView[str]: ...
    def items(self) -> ItemsView[str, str]: ...

class Response:
    status: int
    ok: bool
    headers: Headers
    def text(self) -> str: ...
    def json(self) -> Any: ...
    def raise_for_status(self) -> Response: ...

class Http:
"""
    + "".join(_CALL.format(method=method) for method in ("get", "head", "post", "put", "patch", "delete"))
    + f"""
{HTTP_TYPE} = Http
{INPUT_TYPE} = dict[str, Any]

def filter(function: Any, iterable: Any) -> Iterator[Any]: ...
def map(function: Any, *iterables: Any) -> Iterator[Any]: ...
def format(value: Any, format_spec: str = "") -> str: ...
def getattr(o: Any, name: str, default: Any = None) -> Any: ...
def hasattr(o: Any, name: str) -> bool: ...
def setattr(o: Any, name: str, value: Any) -> None: ...
"""
    + "".join(f"class {name}({parent}): ...\n" for parent, names in _UNKNOWN_TO_THE_CHECKER.items() for name in names)
)
