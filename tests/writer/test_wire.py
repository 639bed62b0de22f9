"""The two adapters against an endpoint that speaks their format."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from chalicelib import wiring
from chalicelib.errors import Misconfigured, Unanswered
from chalicelib.model import JobDraft, Said
from chalicelib.rules import briefing
from chalicelib.services.deps import Model
from tests.writer.endpoint import Endpoint

KEY = "sk-a-key-of-the-person"
TURNS = [Said("user", "write it"), Said("assistant", "so"), Said("user", "again")]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(["hello"]) as serving:
        yield serving


def bedrock(endpoint: Endpoint) -> Model:
    model = wiring._model({"GRAFT_MODEL": "bedrock:some.model-v1:0", "GRAFT_MODEL_URL": endpoint.url})
    assert model is not None
    return model


def openai(endpoint: Endpoint) -> Model:
    environment = {
        "GRAFT_MODEL": "openai:some-model",
        "GRAFT_MODEL_URL": f"{endpoint.url}/v1/",
        "GRAFT_MODEL_KEY": KEY,
    }
    model = wiring._model(environment)
    assert model is not None
    return model


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


@pytest.mark.parametrize("make", [bedrock, openai])
def test_a_reply_is_text_and_what_it_cost(make: Callable[[Endpoint], Model], endpoint: Endpoint) -> None:
    reply = make(endpoint).reply("be brief", TURNS, 500)
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("hello", 1000, 200)
    (asked,) = endpoint.asked
    assert asked.system == "be brief"
    assert [turn["text"] for turn in asked.messages] == ["write it", "so", "again"]


def test_bedrock_is_asked_at_the_models_own_path(endpoint: Endpoint) -> None:
    bedrock(endpoint).reply("s", TURNS, 500)
    (asked,) = endpoint.asked
    assert asked.path == "/model/some.model-v1:0/converse"
    assert asked.body["inferenceConfig"] == {"maxTokens": 500}
    assert asked.headers["Authorization"].startswith("AWS4-HMAC-SHA256")


def test_openai_is_asked_with_the_persons_key_below_the_given_address(endpoint: Endpoint) -> None:
    openai(endpoint).reply("s", TURNS, 500)
    (asked,) = endpoint.asked
    assert asked.path == "/v1/chat/completions"
    assert (asked.body["model"], asked.body["max_tokens"]) == ("some-model", 500)
    assert asked.headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("make", [bedrock, openai])
def test_a_refusal_of_the_provider_is_told_without_its_words(
    make: Callable[[Endpoint], Model], endpoint: Endpoint
) -> None:
    endpoint.will_say([400])
    with pytest.raises(Unanswered) as unanswered:
        make(endpoint).reply("s", TURNS, 500)
    assert "secret" not in str(unanswered.value)
    assert KEY not in str(unanswered.value)


@pytest.mark.parametrize("make", [bedrock, openai])
def test_a_busy_provider_is_asked_again(
    make: Callable[[Endpoint], Model], endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    endpoint.will_say([503, "hello"])
    assert make(endpoint).reply("s", TURNS, 500).text == "hello"


def test_a_model_that_wants_the_newer_name_of_the_limit_gets_it_from_then_on(endpoint: Endpoint) -> None:
    """As the reasoning models of OpenAI do."""
    endpoint.refusal = {"error": {"message": "Use 'max_completion_tokens' instead.", "param": "max_tokens"}}
    endpoint.will_say([400, "hello"])
    model = openai(endpoint)
    for _ in range(2):
        assert model.reply("s", TURNS, 500).text == "hello"
    limits = [{name: value for name, value in asked.body.items() if name.startswith("max")} for asked in endpoint.asked]
    assert limits == [{"max_tokens": 500}, {"max_completion_tokens": 500}, {"max_completion_tokens": 500}]


def converse(content: str, usage: str = '{"inputTokens": 1, "outputTokens": 1}') -> bytes:
    return f'{{"output": {{"message": {{"role": "assistant", "content": {content}}}}}, "usage": {usage}}}'.encode()


def completion(message: str, usage: str = "{}") -> bytes:
    return f'{{"choices": [{{"message": {message}}}], "usage": {usage}}}'.encode()


MALFORMED = [
    b"",
    b"null",
    b"[]",
    b"1",
    b"{",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"output": []}',
    b'{"output": "x"}',
    b'{"output": {"message": null}}',
    b'{"output": {"message": []}}',
    b'{"choices": [null]}',
    b'{"choices": {}}',
    *(converse(content) for content in ("null", '"x"', "[1]", "[null]", "[{}]", '[{"text": null}]', '[{"text": 1}]')),
    *(converse('[{"text": "a"}]', usage) for usage in ("null", "[]", '{"inputTokens": 1e999, "outputTokens": 1}')),
    *(completion(message) for message in ("null", "[]", '{"content": null}', '{"content": [1]}')),
    completion('{"content": "a"}', '{"prompt_tokens": Infinity}'),
    completion('{"content": "a"}', "[1]"),
]


@pytest.mark.parametrize("make", [bedrock, openai])
@pytest.mark.parametrize("body", MALFORMED, ids=lambda body: body[:60].decode("ascii", "replace"))
def test_an_answer_in_no_format_is_no_answer_and_breaks_nothing(
    make: Callable[[Endpoint], Model], body: bytes, endpoint: Endpoint
) -> None:
    endpoint.will_say([body])
    with pytest.raises(Unanswered, match="answered something that is no"):
        make(endpoint).reply("s", TURNS, 500)


@pytest.mark.parametrize("make", [bedrock, openai])
@pytest.mark.parametrize("blank", ["", " \n\t"])
def test_after_a_blank_reply_no_turn_is_blank_and_turns_still_alternate(
    make: Callable[[Endpoint], Model], blank: str, endpoint: Endpoint
) -> None:
    make(endpoint).reply("s", briefing.conversation("the task", JobDraft(blank, "the problems")), 500)
    assert endpoint.asked[0].messages == [{"role": "user", "text": "the task\n\nthe problems"}]


def test_who_is_sent_the_answers_is_named(endpoint: Endpoint) -> None:
    assert bedrock(endpoint).provider == "Amazon Bedrock"
    assert openai(endpoint).provider == endpoint.url.removeprefix("http://")


@pytest.mark.parametrize(
    "environment",
    [
        {"GRAFT_MODEL": "claude"},
        {"GRAFT_MODEL": "bedrock:"},
        {"GRAFT_MODEL": "openai:gpt"},
        {"GRAFT_MODEL": "openai:gpt", "GRAFT_MODEL_URL": "ftp://x"},
    ],
)
def test_a_model_that_cannot_be_used_stops_the_start(environment: dict[str, str]) -> None:
    with pytest.raises(Misconfigured) as misconfigured:
        wiring._model(environment)
    assert "GRAFT_MODEL" in str(misconfigured.value)


def test_without_the_setting_there_is_no_model() -> None:
    assert wiring._model({}) is None
