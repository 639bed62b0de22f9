"""How a process on this machine finds what `make run` started."""

from __future__ import annotations

from typing import Any, Final

from infra.local.home import Home

TABLE: Final = "graft"
SANDBOX_WORKERS: Final = 64
"""With fewer, callers would wait for one another: a worker serves one run at a time."""


def environment_for(
    home: Home, endpoint: str, *, base_url: str, vendor_host: str, more_hosts: str = ""
) -> dict[str, str]:
    """The settings of a local process, as chalicelib/wiring.py reads them.

    `more_hosts`: other `host:port` on loopback that connections may name, separated by commas.
    """
    return {
        "GRAFT_TABLE": TABLE,
        "GRAFT_HOME": str(home.path),
        "GRAFT_AWS_ENDPOINT": endpoint,
        "GRAFT_PUBLIC_BASE_URL": base_url,
        "GRAFT_LOCAL_HOSTS": f"{vendor_host},{more_hosts}",
        "GRAFT_SANDBOX_WORKERS": str(SANDBOX_WORKERS),
    }


def environment_of_running(home: Home, endpoint: str) -> dict[str, str]:
    """The same for a second process, from what the running one wrote down."""
    local: dict[str, Any] = home.read_local()
    return environment_for(
        home,
        endpoint,
        base_url=str(local.get("console_url", "")).rstrip("/"),
        vendor_host=str(local.get("vendor_url", "")).removeprefix("http://"),
    )
