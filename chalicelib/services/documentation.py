"""The documentation of a job: the addresses that the agent gave, and what of their site fits the goal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from chalicelib.errors import Refusal
from chalicelib.model import Connection, ConnectionQuestion, Job, Page
from chalicelib.rules.documentation import PAGES_MAX, cut_pages, find_urls, rank_links
from chalicelib.services.deps import Deps

GIVEN_MAX: Final = 3
ASKS_READ: Final = 200


def read_documentation(
    deps: Deps, job: Job, connection: Connection, *, alive: Callable[[], None]
) -> tuple[list[Page], list[str]]:
    """(pages within what a prompt may hold, what could not be read and why). Links are followed one step.

    `alive` is called before each page.
    """
    given = find_urls(f"{job.hints}\n{job.goal}\n{_docs_url(deps, connection)}")[:GIVEN_MAX]
    pages: list[Page] = []
    unread: list[str] = []
    for url in given:
        alive()
        _read_into(deps, url, pages, unread)
    known = {*given, *(page.url for page in pages)}
    following = [url for page in list(pages) for url in rank_links(page, job.goal, known)]
    for url in list(dict.fromkeys(following))[: PAGES_MAX - len(pages)]:
        alive()
        _read_into(deps, url, pages, unread)
    return cut_pages(pages), unread


def _read_into(deps: Deps, url: str, pages: list[Page], unread: list[str]) -> None:
    try:
        page = deps.documents.read(url)
    except Refusal as refusal:
        unread.append(f"{url[:120]}: {refusal.message}")
        return
    if page.url not in {known.url for known in pages}:
        pages.append(page)


def _docs_url(deps: Deps, connection: Connection) -> str:
    """The address given with the request for this connection, while its ask is kept."""
    for ask in deps.store.asks.newest(connection.person_id, limit=ASKS_READ):
        if ask.connection_id == connection.id and isinstance(ask.question, ConnectionQuestion):
            return ask.question.docs_url
    return ""
