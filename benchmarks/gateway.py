"""Requests as API Gateway's REST APIs hand them to a function."""

from __future__ import annotations

from typing import Any, Final

DOMAIN: Final = "abcdefghij.execute-api.eu-central-1.amazonaws.com"

Event = dict[str, Any]


def gateway_event(method: str, body: bytes, headers: dict[str, str]) -> Event:
    sent = {"host": DOMAIN, "x-forwarded-proto": "https"} | headers
    return {
        "resource": "/mcp",
        "path": "/mcp",
        "httpMethod": method,
        "headers": sent,
        "multiValueHeaders": {name: [value] for name, value in sent.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "resourcePath": "/mcp",
            "httpMethod": method,
            "path": "/api/mcp",
            "stage": "api",
            "requestId": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
            "domainName": DOMAIN,
            "identity": {"sourceIp": "192.0.2.1"},
        },
        "body": body.decode() if body else None,
        "isBase64Encoded": False,
    }
