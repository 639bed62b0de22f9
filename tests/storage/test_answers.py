"""Answers read as they come are what botocore itself would read."""

from __future__ import annotations

import base64
import json
from typing import Any

import botocore.session
import pytest
from botocore.parsers import ResponseParserFactory
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.storage.answers import Answers

plain = st.one_of(
    st.builds(lambda text: {"S": text}, st.text(max_size=8)),
    st.builds(lambda number: {"N": str(number)}, st.integers()),
    st.builds(lambda flag: {"BOOL": flag}, st.booleans()),
    st.just({"NULL": True}),
    st.builds(lambda texts: {"SS": texts}, st.lists(st.text(max_size=4), min_size=1, max_size=3)),
    st.builds(lambda content: {"B": base64.b64encode(content).decode()}, st.binary(max_size=8)),
    st.builds(lambda many: {"BS": [base64.b64encode(one).decode() for one in many]}, st.lists(st.binary(max_size=4))),
)
values = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.builds(lambda content: {"M": content}, st.dictionaries(st.text(max_size=4), inner, max_size=4)),
        st.builds(lambda content: {"L": content}, st.lists(inner, max_size=4)),
    ),
    max_leaves=12,
)
rows = st.dictionaries(st.text(min_size=1, max_size=6), values, max_size=6)

SERVICE: Any = botocore.session.get_session().get_service_model("dynamodb")


def read(factory: ResponseParserFactory, operation: str, body: dict[str, Any], *, status: int = 200) -> Any:
    parser = factory.create_parser("json")
    response = {"headers": {}, "status_code": status, "body": json.dumps(body).encode(), "context": {}}
    return parser.parse(response, SERVICE.operation_model(operation).output_shape)


@pytest.mark.parametrize(
    ("operation", "body_of"),
    [
        ("GetItem", lambda found: {"Item": found[0]} if found else {}),
        ("BatchGetItem", lambda found: {"Responses": {"graft": found}, "UnprocessedKeys": {}}),
        ("Query", lambda found: {"Items": found, "Count": len(found), "LastEvaluatedKey": found[0] if found else None}),
        ("UpdateItem", lambda found: {"Attributes": found[0] if found else {}}),
    ],
    ids=["GetItem", "BatchGetItem", "Query", "UpdateItem"],
)
@given(found=st.lists(rows, max_size=3))
def test_every_row_reads_as_botocore_reads_it(operation: str, body_of: Any, found: list[dict[str, Any]]) -> None:
    body = body_of(found)
    assert read(Answers(), operation, body) == read(ResponseParserFactory(), operation, body)


def test_an_error_reads_as_botocore_reads_it() -> None:
    body = {
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "message": "cancelled",
        "CancellationReasons": [{"Code": "ConditionalCheckFailed", "Item": {"pk": {"S": "A"}}}, {"Code": "None"}],
    }
    ours, theirs = (
        read(factory, "TransactWriteItems", body, status=400) for factory in (Answers(), ResponseParserFactory())
    )
    assert ours == theirs
