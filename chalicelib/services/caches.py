"""What a process may keep between requests: only what the table's revisions prove fresh, and bounded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from chalicelib.model import Presence, ToolCard, VendorAnswer
    from chalicelib.rules.search import Index
    from chalicelib.services.working_set import Listing

PERSONS: Final = 64
LISTINGS: Final = 256
PRESENCES: Final = 1_000
CARDS_PER_PERSON: Final = 2_000
VERSIONS: Final = 4_000

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The most recently used values, at most `size`. Safe to share between threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def find(self, key: K) -> V | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def keep(self, key: K, value: V) -> None:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._size:
                self._values.popitem(last=False)


class Caches:
    """Each value is kept with the revisions it was read at, and used at those only."""

    def __init__(self) -> None:
        self.indexes: Recent[str, tuple[int, Index]] = Recent(PERSONS)
        self.cards: Recent[str, tuple[int, Recent[str, ToolCard]]] = Recent(PERSONS)
        self.vendor_answers: Recent[tuple[str, str], VendorAnswer] = Recent(PRESENCES)
        """By person and connection: what this process last noted of a vendor."""
        self.presences: Recent[tuple[str, str], Presence] = Recent(PRESENCES)
        """By person and agent: what this process last noted of a harness."""
        self.listings: Recent[tuple[str, str, int, int], Listing] = Recent(LISTINGS)
        """By person, agent and the two revisions that a list follows from."""
        self.versions: Recent[tuple[str, str, int], ToolCard] = Recent(VERSIONS)
        """By person, wire name and version. A version never changes, so these outlive a toolbox revision."""

    def cards_at(self, person_id: str, toolbox_revision: int) -> Recent[str, ToolCard]:
        """The cards of one person's tools known at this revision."""
        kept = self.cards.find(person_id)
        if kept is None or kept[0] != toolbox_revision:
            kept = (toolbox_revision, Recent(CARDS_PER_PERSON))
            self.cards.keep(person_id, kept)
        return kept[1]

    def index_at(self, person_id: str, toolbox_revision: int) -> Index | None:
        kept = self.indexes.find(person_id)
        return kept[1] if kept is not None and kept[0] == toolbox_revision else None

    def keep_index(self, person_id: str, toolbox_revision: int, index: Index) -> None:
        self.indexes.keep(person_id, (toolbox_revision, index))
