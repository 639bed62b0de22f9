from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ParamValidationError

from chalicelib.errors import Conflict, Misconfigured, Reason, Refusal
from chalicelib.logs.traces import redacted, text_of, trace_of

from .entries import caught

CANARY = "canary-7f3a9c"


def of_botocore(code: str, message: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, "Encrypt")


def an_invalid_parameter(monkeypatch: pytest.MonkeyPatch) -> BaseException:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    client = boto3.client("kms", aws_access_key_id="x", aws_secret_access_key="x")
    with closing(client), pytest.raises(ParamValidationError, match=CANARY) as refused:
        client.encrypt(KeyId=[CANARY], Plaintext={"token": CANARY})
    return refused.value


NOTHING: Final[Mapping[str, str]] = {}
NONE: Final[Any] = None

RAISES: list[Callable[[], Any]] = [
    lambda: NOTHING[CANARY],
    lambda: int(CANARY),
    lambda: json.loads(f'{{"token": {CANARY}}}'),
    lambda: CANARY.encode("ascii").decode("utf-16"),
    lambda: NONE[CANARY],
    lambda: Path(f"/nowhere/{CANARY}").read_text(),
    lambda: compile(f"{CANARY} {CANARY}", CANARY, "exec"),
]


@pytest.mark.parametrize("act", RAISES)
def test_what_python_says_of_a_value_is_left_out(act: Callable[[], Any]) -> None:
    with pytest.raises((ArithmeticError, LookupError, OSError, SyntaxError, TypeError, ValueError)) as raised:
        act()
    trace = trace_of(raised.value)
    said = trace.splitlines()[-1]
    assert type(raised.value).__name__ in said
    assert CANARY not in said
    assert "test_traces.py" in trace


def test_what_botocore_says_of_parameters_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report: open-mercato/open-mercato#2660"""
    trace = trace_of(an_invalid_parameter(monkeypatch))
    assert CANARY not in trace
    assert "ParamValidationError" in trace


@pytest.mark.parametrize("code", ["ValidationException", "SerializationException", "TransactionCanceledException"])
def test_an_aws_error_that_may_quote_a_value_is_its_code_and_operation(code: str) -> None:
    assert text_of(of_botocore(code, f"Value '{CANARY}' at 'plaintext'")) == f"{code} from Encrypt."


def test_an_aws_error_that_an_operator_must_read_keeps_its_words() -> None:
    said = text_of(of_botocore("AccessDeniedException", "User: arn:aws:sts::1:x is not authorized to perform: kms:x"))
    assert said == "AccessDeniedException from Encrypt. User: arn:aws:sts::1:x is not authorized to perform: kms:x"
    unreachable = EndpointConnectionError(endpoint_url=f"https://u:{CANARY}@dynamodb.example/?k={CANARY}")
    assert "dynamodb.example" in text_of(unreachable)
    assert CANARY not in text_of(unreachable)


def test_our_own_say_what_they_say_and_a_refusal_only_its_reason() -> None:
    assert text_of(Conflict("other writes kept meeting this one")) == "other writes kept meeting this one"
    assert text_of(Misconfigured("GRAFT_TABLE is not set")) == "GRAFT_TABLE is not set"
    assert text_of(Refusal(Reason.TOOL_FAILED, f"the module raised {CANARY}")) == "tool_failed"


def test_a_name_in_code_is_told() -> None:
    assert text_of(caught(NameError("x", name="helper"))) == "about the name helper"
    with pytest.raises(AttributeError) as raised:
        NONE.strip()
    assert text_of(raised.value) == "about the name strip"


def test_the_network_s_errors_say_what_happened_and_not_where() -> None:
    assert text_of(ConnectionRefusedError(111, "Connection refused")) == "Connection refused (111)"
    assert (
        text_of(ssl.SSLCertVerificationError(1, f"hostname {CANARY}")) == "(its text is left out: it may quote values)"
    )


def test_a_chain_is_told_from_its_cause_and_each_text_is_judged() -> None:
    def fail() -> None:
        try:
            int(CANARY)
        except ValueError as cause:
            raise RuntimeError(CANARY) from cause

    with pytest.raises(RuntimeError) as raised:
        fail()
    trace = trace_of(raised.value)
    assert trace.index("ValueError: ") < trace.index("RuntimeError: ")
    assert CANARY not in trace


def test_a_cause_that_was_cut_off_stays_cut_off() -> None:
    def fail() -> None:
        try:
            int(CANARY)
        except ValueError:
            raise RuntimeError from None

    with pytest.raises(RuntimeError) as raised:
        fail()
    assert "ValueError" not in trace_of(raised.value)


def test_a_chain_that_bites_its_tail_ends() -> None:
    first, second = caught(RuntimeError()), caught(ValueError())
    first.__cause__, second.__cause__ = second, first
    assert trace_of(first).count("RuntimeError") == 3


@pytest.mark.parametrize(
    "text",
    [
        f"token grft_p1_a1_{CANARY}",
        f"Authorization: Basic {CANARY}",
        f"authorization: {CANARY} more {CANARY}",
        f"header Bearer {CANARY}",
        f"GET https://user:{CANARY}@vendor.example/v1",
        f"GET https://vendor.example/v1?api_key={CANARY}&x=1",
    ],
)
def test_what_looks_like_a_secret_is_cut_out_of_messages(text: str) -> None:
    assert CANARY not in redacted(text)
    assert "[redacted]" in redacted(text)
