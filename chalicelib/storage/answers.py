"""DynamoDB's answers with their values as they come: the store reads and writes the wire's own spelling.

botocore goes through every value of every item to arrive at the same, which is most of what reading a large set costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from botocore.parsers import JSONParser, ResponseParserFactory

_PLAIN: Final = frozenset({"S", "N", "BOOL", "NULL", "SS", "NS"})


class Answers(ResponseParserFactory):
    """What botocore parses with: a session takes it as its component `response_parser_factory`."""

    def create_parser(self, protocol_name: str) -> Any:
        if protocol_name == "json":
            return _AsTheyCome()
        return super().create_parser(protocol_name)


class _AsTheyCome(JSONParser):
    """Only bytes are decoded. Should botocore call this method differently one day, answers are the same and slower."""

    def _handle_map(self, shape: Any, value: Mapping[str, Any]) -> Any:
        if shape.value.name != "AttributeValue":
            return super()._handle_map(shape, value)  # type: ignore[misc]  # botocore has it, its stubs do not
        parse: Callable[[Any, Any], Any] = self._parse_shape  # type: ignore[attr-defined]  # as above
        return {name: one if _is_as_it_comes(one) else parse(shape.value, one) for name, one in value.items()}


def _is_as_it_comes(value: Mapping[str, Any]) -> bool:
    ((kind, content),) = value.items()
    if kind in _PLAIN:
        return True
    if kind == "M":
        return all(map(_is_as_it_comes, content.values()))
    return kind == "L" and all(map(_is_as_it_comes, content))
