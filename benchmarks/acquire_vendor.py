"""A stand-in vendor with the habits of real ones, and its documentation: tools are written for it in acquire.py."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl, urlsplit

Reply: TypeAlias = "tuple[int, dict[str, str], Any]"
TOKEN: Final = "acquire-benchmark-token"
ORDERS: Final[list[dict[str, Any]]] = [
    {"id": f"o{at}", "total": at * 10, "status": "open" if at % 3 else "paid"} for at in range(1, 26)
]
PAGE: Final = 10
EVENTS: Final = [
    {"name": "Launch", "start": "30/11/2026 14:05"},
    {"name": "Review", "start": "01/12/2026 09:00"},
]
PRODUCTS: Final = [{"sku": f"s{at}", "stock": at} for at in range(1, 8)]
CSV: Final = '\ufeffid;name;amount\r\n1;Ana;12,50\r\n2;"Bo; Ltd";7,25\r\n'

DOCS: Final = {
    "orders": "GET /v1/orders?page=N lists orders: {orders: [{id, total, status}], next_page: N or null}. 10 a page.",
    "customers": "GET /v1/customers/{id} answers JSON:API: "
    "{data: {attributes: {profile: {addresses: [{kind, city}]}}}}. kind is home or billing. Customers are c1 and c2.",
    "products": "GET /v1/products lists products. Pages are linked by the Link header, rel=next (RFC 8288).",
    "reports": "GET /v1/reports/sales answers {lines: [...]}. Every request needs the header X-Api-Version: 2, or it "
    "answers 401.",
    "metrics": "GET /v1/metrics answers {visits}. It is rate limited: on 429 wait Retry-After seconds and try again.",
    "export": "GET /v1/export.csv answers the payments as CSV.",
    "events": "GET /v1/events lists events: {name, start}. start is DD/MM/YYYY HH:MM in UTC.",
    "graphql": "POST /graphql with {query, variables}. Types: issue(number: Int!): {title, state}.",
    "tickets": "POST /v1/tickets with {ticket: {subject, requester: {email}}} makes a ticket: 201, {ticket: {id}}.",
    "search": "GET /v1/search?q=... takes a query such as status:open total>50, and answers {results: [...]}.",
}


@dataclass
class State:
    """What a run of the benchmark leaves at the vendor."""

    tickets: list[Any] = field(default_factory=list)
    metrics_asked: int = 0


class Vendor:
    """Serves inside `with`. `host` is what a connection names; its documentation is at `/docs/<topic>`."""

    def __enter__(self) -> Vendor:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def state(self) -> State:
        return self._server.state


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self.state = State()
        super().__init__(*arguments)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self._send(*self._got(parts.path, dict(parse_qsl(parts.query))))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"null")
        self._send(*(self._posted(body) if self._is_known() else _unauthorized()))

    def _is_known(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def _got(self, path: str, query: dict[str, str]) -> Reply:
        if path.startswith("/docs/"):
            topic = path.removeprefix("/docs/")
            return 200, {"Content-Type": "text/html"}, f"<html><h1>{topic}</h1><p>{DOCS[topic]}</p></html>"
        if not self._is_known():
            return _unauthorized()
        match path.strip("/").split("/")[1:]:
            case ["orders"]:
                return _paged(int(query.get("page", "1")))
            case ["customers", ("c1" | "c2") as id]:
                return 200, {}, _customer(id)
            case ["products"]:
                return _linked(int(query.get("after", "0")), self.headers["Host"])
            case ["reports", "sales"] if self.headers.get("X-Api-Version") != "2":
                return 401, {}, {"error": "unsupported_version", "hint": "send X-Api-Version"}
            case ["reports", "sales"]:
                return 200, {}, {"lines": [{"region": "north", "sum": 3}, {"region": "south", "sum": 4}]}
            case ["metrics"]:
                self.server.state.metrics_asked += 1
                limited = self.server.state.metrics_asked % 2 == 1
                return (429, {"Retry-After": "1"}, {"error": "slow down"}) if limited else (200, {}, {"visits": 42})
            case ["export.csv"]:
                return 200, {"Content-Type": "text/csv; charset=utf-8"}, CSV
            case ["events"]:
                return 200, {}, EVENTS
            case ["search"]:
                return _searched(query.get("q", ""))
            case _:
                return 404, {}, {"error": "not_found"}

    def _posted(self, body: Any) -> Reply:
        if self.path == "/graphql":
            number = (body.get("variables") or {}).get("number")
            issue = {"title": f"Issue {number}", "state": "OPEN"}
            return 200, {}, {"data": {"issue": issue}} if number else {"errors": [{"message": "number is required"}]}
        self.server.state.tickets.append(body)
        return 201, {}, {"ticket": {"id": f"t{len(self.server.state.tickets)}"}}

    def _send(self, status: int, headers: dict[str, str], content: Any) -> None:
        payload = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


def _unauthorized() -> Reply:
    return 401, {}, {"error": "unauthorized"}


def _paged(page: int) -> Reply:
    orders = ORDERS[(page - 1) * PAGE : page * PAGE]
    return 200, {}, {"orders": orders, "next_page": page + 1 if page * PAGE < len(ORDERS) else None}


def _linked(after: int, host: str) -> Reply:
    rest = PRODUCTS[after + 3 :]
    link = {"Link": f'<http://{host}/v1/products?after={after + 3}>; rel="next"'} if rest else {}
    return 200, link, PRODUCTS[after : after + 3]


def _customer(id: str) -> Any:
    city = {"c1": "Utrecht", "c2": "Porto"}[id]
    addresses = [{"kind": "billing", "city": "Paris"}, {"kind": "home", "city": city}]
    return {"data": {"id": id, "attributes": {"profile": {"addresses": addresses}}}}


def _searched(query: str) -> Reply:
    terms = query.split()
    if not any(term.startswith("total>") for term in terms):
        return 422, {}, {"error": "q needs total>"}
    least = int(next(term for term in terms if term.startswith("total>"))[6:])
    return (
        200,
        {},
        {"results": [o for o in ORDERS if "status:open" in terms and o["status"] == "open" and o["total"] > least]},
    )
