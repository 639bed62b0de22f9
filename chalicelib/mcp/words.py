"""What a model reads. These words are the product: a model that sees nothing else must use Graft rightly.

Most harnesses show no server instructions, so the descriptions say everything, each what its reader needs then.
OpenClaw cuts a tool's description after 1,200 characters, but not those of its fields.
"""

from __future__ import annotations

from typing import Final

INSTRUCTIONS: Final = """\
Graft keeps a toolbox of small tools and lists only those promoted for this agent.
1. No listed tool fits: call find_tool first, always before acquire or publish_tool.
2. It finds one: promote it if it will be used again, or run_tool it for once.
3. Nothing fits: write a tool with publish_tool, or have one written with acquire.
4. demote tools you are done with. Nothing is lost: find_tool still finds them.
5. An answer with status awaiting_... carries a url: give it to the person exactly as it is, and repeat the same \
call once they have answered.
6. Never ask for a password, token or key in chat: the person types it in Graft's console. request_connection asks \
for an account that find_tool does not list, request_credential for a credential that no longer works."""

FIND_TOOL: Final = """\
Search the whole toolbox, including demoted tools and those other agents published. Call find_tool first \
whenever no listed tool fits the job, always before acquire or publish_tool. Then promote the tool if it will be \
used again, or run_tool it for once. Query by vendor, name or plain words; an empty query lists everything. Answers \
each tool's inputSchema, and connections: the connectionId of every account that is connected."""

PROMOTE: Final = """\
Bring a tool that find_tool found into your tool list, to be called by its own name from the next turn on; until you \
see it there, use run_tool. For tools that will be used again; to use one once, run_tool is enough. demote it when \
the job is done."""

DEMOTE: Final = """\
Take a tool that you are done with out of your tool list. Nothing is lost: the toolbox keeps it, find_tool finds it \
and promote brings it back."""

RUN_TOOL: Final = """\
Run any tool of the toolbox, promoted or not, exactly as if called by its own name. Use it for a single use, and in \
the turn in which a tool was promoted or published and is not in your list yet. find_tool tells vendor, name and \
inputSchema. dryRun: true reads for real and only previews what would be written. If the answer has status \
awaiting_..., give its url to the person exactly as it is, and repeat the same call once they have answered."""

CHECK_TOOL: Final = """\
Check a module before publish_tool, without saving it: syntax, types, imports, hosts. Answers the problems with \
line, message and hint, and the annotations that its http methods give it. publish_tool says how to write one."""

PUBLISH_TOOL: Final = """\
Save a tool that you wrote, or a new version of one, and promote it for you. Call find_tool first: publish only when \
it found nothing that fits. Call the new tool at once with run_tool; your list has it from the next turn on.
source is one Python module with one function, run(input, http), that returns JSON:

def run(input, http):
    r = http.get("/v1/orders", params={"status": input["status"]})
    r.raise_for_status()
    return [{"id": o["id"], "total": o["total"]} for o in r.json()["orders"]]

http.get, head, post, put, patch, delete(path, *, params=None, json=None, data=None, headers=None, host=None) answer \
status, headers, ok, text(), json(), raise_for_status(); an error status alone raises nothing. path is relative to \
the connection's host, never a full URL; host may name another of its hosts. The credential is added for you: never \
put one in source, never ask for one in chat. Call http in plain loops, not inside map, filter or key functions. At \
top level only imports, definitions and constants. Imports: json, re, math, datetime, base64, hashlib, decimal, \
collections, itertools, functools and the like; no packages, files, network or environment."""

PUBLISH_SOURCE: Final = """\
Limits: 25 s, 50 calls, 64 MiB, 256 KiB of result, so return only what is needed. Whether the tool is read-only, \
writes or deletes is told from its http methods; one that writes asks the person once."""

PUBLISH_INPUT_SCHEMA: Final = """\
JSON Schema of input, root type object. Make the tool general: what varies comes through here."""

PUBLISH_TEST_INPUT: Final = "Runs the tool once with it, writes only previewed."

READ_TOOL_SOURCE: Final = """\
Read a tool's source, inputSchema and versions: to see why it failed, or to publish_tool a better version of it \
under the same vendor and name."""

REQUEST_CONNECTION: Final = """\
Ask the person to connect an account at a service that find_tool's connections do not list, or to allow it a host \
that is missing. They type the secret in Graft's console: never ask for one in chat, and pass none here. Answers \
status connected with the connectionId, or a status awaiting_...: then give its url to the person exactly as it is, \
and repeat the same call once they have answered."""

CONNECTION_VENDOR: Final = "The service, as its tools name it. Lower-case words joined by hyphens."
CONNECTION_HOST: Final = "Such as api.github.com: where paths go that name no other host."
CONNECTION_SCHEME: Final = "How the service wants to be signed in to."
CONNECTION_CONFIG: Final = """\
api_key_header: headerName, prefix?; api_key_query: queryParam; oauth2_client_credentials: tokenUrl, scopes?; the \
others: nothing. Never a secret."""
CONNECTION_HOSTS: Final = "Further hosts that its tools call; each of them receives the secret."
CONNECTION_DOCS: Final = "Where the person finds how to make the secret."

REQUEST_CREDENTIAL: Final = """\
Ask the person to enter a connection's credential again: when the service answers 401, or a call was refused \
credential_missing. They type it in Graft's console: never ask for it in chat. Answers status connected, or a status \
awaiting_...: then give its url to the person exactly as it is, and repeat the same call once they have answered."""

CREDENTIAL_REASON: Final = "What went wrong, for the person to read."

ACQUIRE: Final = """\
Have Graft write, check and publish a tool for a connection. Call find_tool before acquire: only when it found \
nothing that fits. publish_tool is the way to write it yourself. find_tool tells connectionId. Answers a jobId for \
acquire_status. Answers tools instead when some look like the goal: use one, or repeat with ignoreExisting: true. If \
the answer has status awaiting_..., give its url to the person exactly as it is, and repeat the same call once they \
have answered. Never ask for a secret in chat."""

ACQUIRE_STATUS: Final = """\
How a job that acquire started is doing, and the tool it made. Pass after, the last seq you saw, to hear only what \
is new: it then waits up to 20 s for news."""

ACQUIRE_EXISTING: Final = (
    "Nothing was started: the toolbox has tools that look like this. Use one with run_tool or promote; if none of them "
    "fits, repeat the call with ignoreExisting: true."
)
ACQUIRE_GOES_ON: Final = 'Call acquire_status with {{"jobId": "{job}", "after": {seq}}} for what is new.'
ACQUIRE_MADE: Final = "The tool is in your list from the next turn on; until then, use run_tool."

OPEN_THE_PAGE: Final = {
    "awaiting_approval": "Graft asks whether your agent may {about}. The page shows what your answer covers.",
    "awaiting_connection": "Graft asks you to connect {about}. The page shows which hosts would receive the secret.",
    "awaiting_credential": "Graft asks you to enter a credential again. The page shows which one.",
}
"""What a client that can open a page shows to the person. It shows the address itself."""
ANSWER_THERE: Final = " Answer there; then let the call be made again."
