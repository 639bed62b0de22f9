"""Amazon Bedrock's Converse, through a client of botocore's.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

from chalicelib.errors import Unanswered
from chalicelib.model import Reply, Said
from chalicelib.writer.unreadable import UNREADABLE

PROVIDER: Final = "Amazon Bedrock"
NO_MESSAGE: Final = f"{PROVIDER} answered something that is no message"


class Bedrock:
    """`model_id`: of a foundation model or an inference profile. The client is made at the first reply."""

    def __init__(self, make_client: Callable[[], Any], model_id: str) -> None:
        self._make_client = make_client
        self.provider = PROVIDER
        self.model_id = model_id

    @cached_property
    def _client(self) -> Any:
        return self._make_client()

    def reply(self, system: str, messages: Sequence[Said], max_tokens: int) -> Reply:
        """Raises `Unanswered`."""
        from botocore.exceptions import BotoCoreError, ClientError
        from botocore.parsers import ResponseParserError

        try:
            answer = self._client.converse(
                modelId=self.model_id,
                system=[{"text": system}],
                messages=[{"role": said.role, "content": [{"text": said.text}]} for said in messages],
                inferenceConfig={"maxTokens": max_tokens},
            )
        except ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", "an error"))[:60]
            raise Unanswered(f"{PROVIDER} answered {code}") from None
        except BotoCoreError as error:
            raise Unanswered(f"{PROVIDER} could not be asked ({type(error).__name__})") from None
        except (ResponseParserError, *UNREADABLE):  # botocore's parser trusts the service
            raise Unanswered(NO_MESSAGE) from None
        return read_answer(answer)


def read_answer(answer: Any) -> Reply:
    """What of Converse's answer counts: its text, and what it cost. Raises `Unanswered` for anything else."""
    try:
        parts = answer["output"]["message"]["content"]
        usage = answer["usage"]
        text = "".join(part["text"] for part in parts if "text" in part)
        return Reply(text, int(usage["inputTokens"]), int(usage["outputTokens"]))
    except UNREADABLE:
        raise Unanswered(NO_MESSAGE) from None
