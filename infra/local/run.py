"""`make run`: everything on one machine, until Ctrl-C.

Starts the embedded AWS emulator, the demo vendor, the handlers of app.py and the sweep, and writes local.json.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from contextlib import ExitStack
from pathlib import Path
from textwrap import indent
from typing import Any, Final

from chalicelib.errors import Misconfigured
from chalicelib.rules.sweep import SWEEP_EVERY
from chalicelib.wiring import start_logging
from infra.local import emulator, vendor
from infra.local.home import Home
from infra.local.process import TABLE, environment_for

DEFAULT_PORT: Final = 8765
SWEEP_SECONDS: Final = SWEEP_EVERY.total_seconds()


class CannotStart(Exception):
    """Something is in the way; the message says what to do."""


def main() -> int:
    os.umask(0o077)
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, lambda *_: stop.set())
    try:
        start_logging(os.environ)
        with ExitStack() as stack:
            local = _start(stack, _home(), _port(), stop)
            print(_welcome(local, _model()), flush=True)
            stop.wait()
            print("Stopping.", flush=True)
    except (CannotStart, Misconfigured) as reason:
        print(f"Graft cannot start: {reason}", file=sys.stderr)
        return 1
    return 0


def _home() -> Home:
    try:
        return Home.of(os.environ)
    except OSError as error:
        raise CannotStart(f"{error.filename} cannot be used as GRAFT_HOME: {error.strerror}.") from None


def _port() -> int:
    value = os.environ.get("PORT", str(DEFAULT_PORT))
    if not value.isdecimal() or int(value) > 65535:
        raise CannotStart(f"PORT is {value!r}; it takes a number from 0 to 65535 (0 picks a free one).")
    return int(value)


def _start(stack: ExitStack, home: Home, port: int, stop: threading.Event) -> dict[str, Any]:
    """Start everything in order and undo it in reverse; answers what local.json says."""
    from app import app
    from infra.local.server import LocalServer

    known = home.read_local()
    try:
        server = LocalServer(app, port=port)
    except OSError:
        if emulator.find_running(home.path):
            where = known.get("mcp_url", f"port {port}")
            raise CannotStart(f"it is running already with its data in {home.path}, at {where}.") from None
        raise CannotStart(f"port {port} is taken. Stop what uses it, or choose another: make run PORT=8770") from None
    stack.callback(server.close)
    try:
        aws = emulator.start(home.path)
    except emulator.EmulatorError as error:
        raise CannotStart(str(error)) from None
    stack.callback(aws.stop)
    notes = _start_vendor(stack, home.path, known)
    local = _prepare(home, aws.endpoint_url, server.port, notes, known)
    server.start()
    sweeper = threading.Thread(target=_sweep_until, args=(stop,), name="sweep", daemon=True)
    sweeper.start()
    stack.callback(sweeper.join, timeout=5)
    stack.callback(stop.set)
    return local


def _start_vendor(stack: ExitStack, home: Path, known: dict[str, Any]) -> vendor.VendorServer:
    """On the port it had last time if that is free: the connection then stays as it is."""
    from infra.local.setup import vendor_token

    last = str(known.get("vendor_url", "")).rpartition(":")[2]
    for port in ([int(last)] if last.isdecimal() else []) + [0]:
        try:
            server = vendor.serve("127.0.0.1", port, vendor_token(home), home / "notes.json")
        except OSError:
            continue
        stack.callback(server.close)
        return server
    raise CannotStart("no port is free for the demo vendor.")


def _prepare(home: Home, endpoint: str, port: int, notes: vendor.VendorServer, known: dict[str, Any]) -> dict[str, Any]:
    """Set the process's environment, make the table and what is in it, and write local.json."""
    from infra.local.setup import prepare, sign_in_url, vendor_token
    from infra.local.table import ensure_table

    base_url = f"http://127.0.0.1:{port}"
    vendor_host = f"127.0.0.1:{notes.port}"
    more_hosts = os.environ.get("GRAFT_LOCAL_HOSTS", "")
    os.environ.update(
        environment_for(home, endpoint, base_url=base_url, vendor_host=vendor_host, more_hosts=more_hosts)
    )
    from chalicelib import wiring

    deps = wiring.deps()
    ensure_table(deps.store.table.client, TABLE)
    prepared = prepare(
        deps,
        vendor_host=vendor_host,
        vendor_token=vendor_token(home.path),
        known_token=str(known.get("agent_token", "")),
    )
    local = {
        "mcp_url": f"{base_url}/mcp",
        "agent_token": prepared.token,
        "agent_id": prepared.agent.id,
        "console_url": f"{base_url}/",
        "sign_in_url": sign_in_url(deps),
        "vendor_url": f"http://{vendor_host}",
    }
    home.write_local(local)
    return local


def _sweep_until(stop: threading.Event) -> None:
    """What EventBridge does on AWS."""
    from app import sweep
    from infra.local.schedule import fire

    while not stop.wait(SWEEP_SECONDS):
        try:
            fire(sweep, seconds=SWEEP_SECONDS)
        except Exception:
            logging.getLogger("graft").exception("the sweep failed")


def _model() -> str:
    from chalicelib import wiring

    model = wiring.deps().model
    return f"{model.model_id} at {model.provider}" if model else "none, so acquire refuses: docs/acquire.md"


def _welcome(local: dict[str, Any], model: str) -> str:
    url, token = local["mcp_url"], local["agent_token"]
    return f"""
Graft is running. Stop it with Ctrl-C.

  MCP endpoint   {url}
  agent          demo
  token          {token}
  console        {local["console_url"]}
  sign in once   {local["sign_in_url"]}
  demo vendor    {local["vendor_url"]}
  model          {model}

{_harnesses(url, token)}

In another terminal: make agent NAME=laptop · make sign-in · make sweep
"""


def _harnesses(url: str, token: str) -> str:
    """What each harness wants, as the console shows it with a new token."""
    from chalicelib.console.snippets import snippets

    told = snippets(url, token)
    return "\n\n".join(
        f"{one.harness}{f': in {one.where}' if one.where else ':'}\n{indent(one.text, '  ')}" for one in told
    )


if __name__ == "__main__":
    sys.exit(main())
