"""Hermes, several turns in one process: run with the python of .lab/hermes.

Its own one-turn command makes an agent, asks it once and ends, which shows no list change; this one keeps the agent.
A line of JSON says what to do, a line of JSON answers, as tests/acceptance/driver.py has it:

    {"do": "turn", "text": …}   → {"said": the final answer}
    {"do": "tools"}             → the MCP tools that the next turn will offer
"""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import Any

from hermes_cli import mcp_startup
from hermes_cli.config import load_config
from hermes_cli.runtime_provider import resolve_runtime_provider
from hermes_cli.tools_config import _get_platform_tools
from run_agent import AIAgent
from tools.mcp_tool import shutdown_mcp_servers
from tools.registry import registry

CONNECT_SECONDS = 60.0


class Conversation:
    def __init__(self, config: dict[str, Any]) -> None:
        model = config["model"]["default"]
        runtime = resolve_runtime_provider(requested=None, target_model=model)
        self._agent = AIAgent(
            **{name: runtime.get(name) for name in ("api_key", "base_url", "provider", "api_mode")},
            model=model,
            enabled_toolsets=sorted(_get_platform_tools(config, "cli")),
            quiet_mode=True,
            platform="cli",
        )
        self._agent.suppress_status_output = True
        self._messages: list[Any] | None = None

    def turn(self, text: str) -> dict[str, Any]:
        result = self._agent.run_conversation(text, conversation_history=self._messages)
        self._messages = result["messages"]
        return {"said": result["final_response"]}

    def close(self) -> None:
        self._agent.close()


def connect() -> None:
    mcp_startup.start_background_mcp_discovery(logger=logging.getLogger("hermes_worker"), thread_name="discovery")
    if not mcp_startup.join_mcp_discovery(timeout=CONNECT_SECONDS):
        sys.exit(f"the MCP servers did not answer within {CONNECT_SECONDS:.0f} s")


def mcp_tools() -> list[str]:
    return [name for name in registry.get_all_tool_names() if name.startswith("mcp__")]


def obey(config: dict[str, Any], say: Any) -> None:
    conversation = Conversation(config)
    for line in sys.stdin:
        request = json.loads(line)
        match request["do"]:
            case "turn":
                say(conversation.turn(request["text"]))
            case "tools":
                say(mcp_tools())
    conversation.close()


def main() -> None:
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(value: Any) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    connect()
    say({"tools": mcp_tools()})
    obey(load_config(), say)
    shutdown_mcp_servers()
    # Threads of Hermes outlive its last turn.
    os._exit(0)


main()
