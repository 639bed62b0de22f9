"""Ten goals: what is asked for, how the tool is judged, and what the scripted model replies, its mistakes included."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.acquire_vendor import ORDERS, PRODUCTS, State

Judge = Callable[[Any, State], bool]


@dataclass(frozen=True, slots=True)
class Goal:
    topic: str
    """Of the documentation."""
    kind: str
    goal: str
    input: dict[str, Any]
    """What the published tool is called with."""
    is_solved: Judge
    """Of its answer, and of what it left at the vendor."""
    replies: tuple[str, ...] = field(repr=False)
    """Of the scripted model, in order."""


def reply(name: str, source: str, *, test_input: dict[str, Any] | None = None, reads: tuple[str, ...] = ()) -> str:
    properties = {key: {"type": _TYPES[type(value)]} for key, value in (test_input or {}).items()}
    told = {
        "name": name,
        "description": f"{name.replace('-', ' ').capitalize()}.",
        "inputSchema": {"type": "object", "properties": properties, "required": list(properties)},
        "testInput": test_input or {},
        "reads": list(reads),
    }
    return f"```python\n{source}```\n\n```json\n{json.dumps(told)}\n```\n"


_TYPES: Final = {str: "string", int: "integer"}

ALL_PAGES = """\
def run(input, http):
    orders = []
    page = 1
    while page:
        answer = http.get("/v1/orders", params={"page": page})
        answer.raise_for_status()
        told = answer.json()
        orders += [{"id": order["id"], "total": order["total"]} for order in told["orders"]]
        page = told["next_page"]
    return orders
"""
WRONG_KEY = ALL_PAGES.replace('"next_page"', '"next"')
HOME_CITY = """\
def run(input, http):
    answer = http.get("/v1/customers/" + input["id"])
    answer.raise_for_status()
    for address in answer.json()["data"]["attributes"]["profile"]["addresses"]:
        if address["kind"] == "home":
            return {"city": address["city"]}
    return {"city": None}
"""
FLAT = 'def run(input, http):\n    return {"city": http.get("/v1/customers/" + input["id"]).json()["city"]}\n'
LINKED = """\
import re


def run(input, http):
    path = "/v1/products"
    skus = []
    while path:
        answer = http.get(path)
        answer.raise_for_status()
        skus += [product["sku"] for product in answer.json()]
        found = re.search(r"<https?://[^/]+([^>]+)>; rel=.next", answer.headers.get("link", ""))
        path = found.group(1) if found else None
    return skus
"""
FOREIGN = LINKED.replace("    while path:", '    http.get("https://api.example.com/v1/products")\n    while path:')
VERSIONED = """\
def run(input, http):
    answer = http.get("/v1/reports/sales", headers={"X-Api-Version": "2"})
    answer.raise_for_status()
    return {line["region"]: line["sum"] for line in answer.json()["lines"]}
"""
UNVERSIONED = VERSIONED.replace(', headers={"X-Api-Version": "2"}', "")
PATIENT = """\
import time


def run(input, http):
    for _ in range(3):
        answer = http.get("/v1/metrics")
        if answer.status != 429:
            answer.raise_for_status()
            return answer.json()["visits"]
        time.sleep(int(answer.headers.get("retry-after", "1")))
    raise ValueError("the vendor stays busy")
"""
IMPATIENT = 'def run(input, http):\n    return http.get("/v1/metrics").raise_for_status().json()["visits"]\n'
PAYMENTS = """\
import re


def run(input, http):
    text = http.get("/v1/export.csv").text().lstrip("\\ufeff")
    rows = [re.findall(r'"([^"]*)"|([^;]+)', line) for line in text.split("\\r\\n")[1:] if line]
    return [{"name": (row[1][0] or row[1][1]), "cents": int((row[2][0] or row[2][1]).replace(",", ""))} for row in rows]
"""
WITH_PANDAS = (
    "import pandas\n\n\ndef run(input, http):\n    return pandas.read_csv(http.get('/v1/export.csv').text())\n"
)
ISO = """\
def run(input, http):
    events = []
    for event in http.get("/v1/events").json():
        day, clock = event["start"].split(" ")
        d, m, y = day.split("/")
        events.append({"name": event["name"], "start": y + "-" + m + "-" + d + "T" + clock + ":00Z"})
    return events
"""
FROM_ISO = """\
from datetime import datetime


def run(input, http):
    return [datetime.fromisoformat(event["start"]).isoformat() for event in http.get("/v1/events").json()]
"""
ISSUE = """\
def run(input, http):
    query = "query($number: Int!) { issue(number: $number) { title state } }"
    answer = http.post("/graphql", json={"query": query, "variables": {"number": input["number"]}})
    answer.raise_for_status()
    told = answer.json()
    if "errors" in told:
        raise ValueError(told["errors"][0]["message"])
    return told["data"]["issue"]
"""
TICKET = """\
def run(input, http):
    ticket = {"subject": input["subject"], "requester": {"email": input["email"]}}
    answer = http.post("/v1/tickets", json={"ticket": ticket})
    answer.raise_for_status()
    return {"id": answer.json()["ticket"]["id"]}
"""
SEARCH = """\
def run(input, http):
    answer = http.get("/v1/search", params={"q": "status:open total>" + str(input["least"])})
    answer.raise_for_status()
    return sum(order["total"] for order in answer.json()["results"])
"""
UNQUOTED = SEARCH.replace('"status:open total>" + str(input["least"])', '"status:open"')
BIG: Final = sum(order["total"] for order in ORDERS if order["status"] == "open" and order["total"] > 100)

GOALS: Final = (
    Goal(
        "orders",
        "paged list",
        "List every order with its id and total, over all pages",
        {},
        lambda answer, _: [order["id"] for order in answer] == [order["id"] for order in ORDERS],
        (reply("list-orders", WRONG_KEY), reply("list-orders", ALL_PAGES, reads=("/v1/orders?page=3",))),
    ),
    Goal(
        "customers",
        "nested JSON",
        "Tell the home city of a customer, by id",
        {"id": "c2"},
        lambda answer, _: answer == {"city": "Porto"},
        (
            reply("get-home-city", FLAT, test_input={"id": "c1"}, reads=("/v1/customers/c1",)),
            reply("get-home-city", HOME_CITY, test_input={"id": "c1"}),
        ),
    ),
    Goal(
        "products",
        "pages by Link header",
        "List the SKUs of all products",
        {},
        lambda answer, _: answer == [product["sku"] for product in PRODUCTS],
        (reply("list-skus", FOREIGN), reply("list-skus", LINKED)),
    ),
    Goal(
        "reports",
        "auth error",
        "Tell the sales by region",
        {},
        lambda answer, _: answer == {"north": 3, "south": 4},
        (reply("sales-by-region", UNVERSIONED), reply("sales-by-region", VERSIONED)),
    ),
    Goal(
        "metrics",
        "429 with Retry-After",
        "Tell how many visits there were",
        {},
        lambda answer, _: answer == 42,
        (reply("count-visits", IMPATIENT), reply("count-visits", PATIENT)),
    ),
    Goal(
        "export",
        "CSV",
        "List the payments with name and amount in cents",
        {},
        lambda answer, _: answer == [{"name": "Ana", "cents": 1250}, {"name": "Bo; Ltd", "cents": 725}],
        (reply("list-payments", WITH_PANDAS), reply("list-payments", PAYMENTS, reads=("/v1/export.csv",))),
    ),
    Goal(
        "events",
        "odd dates",
        "List the events with their start in ISO 8601",
        {},
        lambda answer, _: [event["start"] for event in answer] == ["2026-11-30T14:05:00Z", "2026-12-01T09:00:00Z"],
        (reply("list-events", FROM_ISO, reads=("/v1/events",)), reply("list-events", ISO)),
    ),
    Goal(
        "graphql",
        "GraphQL",
        "Tell title and state of an issue, by number",
        {"number": 7},
        lambda answer, _: answer == {"title": "Issue 7", "state": "OPEN"},
        (reply("get-issue", ISSUE, test_input={"number": 1}),),
    ),
    Goal(
        "tickets",
        "a write",
        "Open a ticket with a subject for a requester's e-mail address",
        {"subject": "Broken", "email": "ana@example.com"},
        lambda answer, state: (
            answer == {"id": "t1"}
            and state.tickets == [{"ticket": {"subject": "Broken", "requester": {"email": "ana@example.com"}}}]
        ),
        (reply("open-ticket", TICKET, test_input={"subject": "Test", "email": "test@example.com"}),),
    ),
    Goal(
        "search",
        "a query language",
        "Tell the sum of all open orders whose total is above a number",
        {"least": 100},
        lambda answer, _: answer == BIG,
        (
            reply("sum-open-orders", UNQUOTED, test_input={"least": 50}),
            reply("sum-open-orders", SEARCH, test_input={"least": 50}),
        ),
    ),
)
