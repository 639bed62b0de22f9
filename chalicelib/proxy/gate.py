"""What one run may ask of the proxy: declared methods, fifty calls, and no write in a dry run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import READING_METHODS, Connection, Json, VendorRequest, VendorResponse
from chalicelib.proxy.call import Call
from chalicelib.proxy.overrides import pretended_methods
from chalicelib.proxy.proxy import Proxy

CALLS_MAX: Final = 50
PREVIEW_BODY_MAX: Final = 16 * 1024
"""Characters of a stopped call's body that its preview shows."""


class Gate:
    """The `Send` of one run.

    `connection` is asked before each call that leaves or is previewed, so that it sees a revoke at once.
    `reads` and `previews` are the two lists of a dry run's report; `calls` counts every call the module made.
    """

    def __init__(
        self, proxy: Proxy, *, connection: Callable[[], Connection], methods: frozenset[str], dry_run: bool
    ) -> None:
        self._proxy = proxy
        self._connection = connection
        self._methods = methods
        self._dry_run = dry_run
        self.reads: list[dict[str, Json]] = []
        self.previews: list[dict[str, Json]] = []
        self.calls = 0
        self.last: tuple[str, int, str] | None = None
        """Of the last call that left: connection id, the vendor's status, or 0 and the reason nothing came back."""

    def __call__(self, request: VendorRequest, deadline: float) -> VendorResponse:
        """The vendor's answer by `deadline` on time.monotonic(), or a stand-in for a write in a dry run.

        Refuses `method_not_declared`, `too_many_requests_in_run`, and whatever `connection` or the proxy refuses.
        """
        self._count()
        self._require_declared(request.method)
        connection = self._connection()
        call = self._proxy.judge(connection, request)
        for method in sorted(pretended_methods(call)):
            self._require_declared(method)
        if self._dry_run and call.method not in READING_METHODS:
            return self._stop(call)
        response = self._sent(connection, request, deadline)
        if call.method in READING_METHODS:
            self.reads.append({"method": call.method, "path": call.target, "status": response.status})
        return response

    def _sent(self, connection: Connection, request: VendorRequest, deadline: float) -> VendorResponse:
        try:
            response = self._proxy.send(connection, request, deadline=deadline, reread=self._connection)
        except Refusal as refusal:
            self.last = (connection.id, 0, refusal.reason.value)
            raise
        self.last = (connection.id, response.status, "")
        return response

    def _count(self) -> None:
        if self.calls >= CALLS_MAX:
            message = f"A run makes at most {CALLS_MAX} calls to the vendor. Do less in one run, or use larger pages."
            raise Refusal(Reason.TOO_MANY_REQUESTS_IN_RUN, message)
        self.calls += 1

    def _require_declared(self, method: str) -> None:
        if method in self._methods:
            return
        declared = ", ".join(sorted(self._methods)) or "none"
        message = (
            f"The tool tried {method[:20]!a}, which its source does not name (it names: {declared}). "
            "Publish a version that calls the method plainly, as in http.post(…)."
        )
        raise Refusal(Reason.METHOD_NOT_DECLARED, message)

    def _stop(self, call: Call) -> VendorResponse:
        self.previews.append(
            {
                "method": call.method,
                "host": str(call.host),
                "path": call.target,
                "headerNames": [name for name, _ in call.headers],
                "body": _shown(call.body),
            }
        )
        return VendorResponse(status=202, headers=(("content-type", "application/json"),), text="{}")


def _shown(body: bytes | None) -> str | None:
    if not body:
        return None
    text = body.decode()
    rest = len(text) - PREVIEW_BODY_MAX
    return text if rest <= 0 else f"{text[:PREVIEW_BODY_MAX]}… ({rest} more characters)"
