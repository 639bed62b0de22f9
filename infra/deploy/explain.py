"""AWS's and botocore's errors in one line that says what to do."""

from __future__ import annotations

from typing import Final

from botocore import exceptions
from botocore.exceptions import BotoCoreError, ClientError

from infra.deploy.problem import Problem

NO_CREDENTIALS: Final = (
    "There are no AWS credentials. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
    "or run: aws configure"
)
NO_REGION: Final = "No AWS region is set. Set AWS_DEFAULT_REGION, for example AWS_DEFAULT_REGION=eu-central-1"
EXPIRED: Final = "The AWS credentials have expired. Sign in again, for example with: aws sso login"
REFUSED: Final = "AWS does not know these credentials. Check AWS_PROFILE or the access key, and the machine's clock."
_CODES: Final = {
    "ExpiredToken": EXPIRED,
    "ExpiredTokenException": EXPIRED,
    "RequestExpired": EXPIRED,
    "InvalidClientTokenId": REFUSED,
    "UnrecognizedClientException": REFUSED,
    "SignatureDoesNotMatch": REFUSED,
    "AuthFailure": REFUSED,
    "InvalidAccessKeyId": REFUSED,
}
_DENIED: Final = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"})


def explain(error: Exception) -> str | None:
    """What to tell of an error; None: it is of no kind that is known here."""
    match error:
        case Problem():
            return str(error)
        case ClientError():
            return _refused(error)
        case exceptions.NoRegionError() | exceptions.InvalidRegionError():
            return NO_REGION
        case exceptions.NoCredentialsError() | exceptions.PartialCredentialsError():
            return NO_CREDENTIALS
        case exceptions.ProfileNotFound() | exceptions.ConfigNotFound():
            return f"{error}. Correct AWS_PROFILE, or make it: aws configure --profile …"
        case exceptions.TokenRetrievalError() | exceptions.SSOError() | exceptions.CredentialRetrievalError():
            return EXPIRED
        case exceptions.HTTPClientError() | exceptions.ConnectionError():
            return f"AWS does not answer. Check the network and the region. ({_one_line(error)})"
        case BotoCoreError():
            return _one_line(error)
    return None


def _refused(error: ClientError) -> str:
    stated = error.response.get("Error", {})
    code, message = str(stated.get("Code", "")), " ".join(str(stated.get("Message", "")).split())
    if code in _CODES:
        return _CODES[code]
    if code in _DENIED:
        return f"These credentials may not do this: {message or error.operation_name}"
    return f"AWS refused {error.operation_name}: {message or code}"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
