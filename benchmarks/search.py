"""How well `find_tool` finds, and how fast: `python -m benchmarks.search`.

Four question sets: the project's own; other wordings over the same tools and tools of other vendors, both looked at
while the lexicon and the weights were written; and a third toolbox, written afterwards, that nothing was fitted to.
A query that nothing fits counts as found when it has at most one answer.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from chalicelib.model import ToolHead
from chalicelib.rules.search import Index, nearest

FOLDER: Final = Path(__file__).parent / "search_data"
SETS: Final = (
    ("queries", "corpus", "queries"),
    ("other wordings", "corpus", "heldout_queries"),
    ("other vendors", "heldout_corpus", "heldout_corpus_queries"),
    ("unseen", "unseen_corpus", "unseen_queries"),
)
TOOLS: Final = 2_000
ROUNDS: Final = 3
SHOWN_MOST: Final = 12

# github/github-mcp-server#2996, on its own tools and questions.
PEERS: Final = (("by likeness of names", "recall@1 71 %, recall@3 82 %"), ("BM25", "recall@3 88 %"))


@dataclass(frozen=True, slots=True)
class Question:
    category: str
    query: str
    expected: frozenset[str]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one question found."""

    question: Question
    rank: int
    """Of the first expected tool, from 1; 0: not found."""
    total: int
    first: str

    @property
    def reciprocal(self) -> float:
        return 1 / self.rank if self.rank else 0.0

    def within(self, places: int) -> bool:
        return 0 < self.rank <= places


@dataclass(frozen=True, slots=True)
class Figures:
    questions: int
    hit_at_1: float
    hit_at_5: float
    mrr: float


def read_heads(name: str) -> list[ToolHead]:
    tools = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return [
        ToolHead(tool["vendor"], tool.get("short") or tool["name"], tool["description"], 1, frozenset({"GET"}))
        for tool in tools
    ]


def read_questions(name: str) -> list[Question]:
    rows = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return [Question(row["category"], row["query"], frozenset(row["expected"])) for row in rows]


def ask(index: Index, question: Question) -> Finding:
    found = [head.wire_name for head in index.search(question.query)]
    first = found[0] if found else ""
    if not question.expected:
        return Finding(question, int(len(found) <= 1), len(found), first)
    rank = next((place for place, name in enumerate(found, 1) if name in question.expected), 0)
    return Finding(question, rank, len(found), first)


def measure(findings: Sequence[Finding]) -> Figures:
    count = len(findings)
    return Figures(
        count,
        sum(finding.within(1) for finding in findings) / count,
        sum(finding.within(5) for finding in findings) / count,
        sum(finding.reciprocal for finding in findings) / count,
    )


def by_category(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    grouped: dict[str, list[Finding]] = {}
    for finding in findings:
        grouped.setdefault(finding.question.category, []).append(finding)
    return grouped


def enlarge(heads: Sequence[ToolHead], count: int) -> list[ToolHead]:
    """`count` tools: the given ones, then more of other vendors, with other words in names and descriptions."""
    chance = random.Random(7)
    syllables = ("ba", "ke", "li", "mo", "tra", "ven", "sor", "pul", "dex", "zin", "qua", "fer", "lo", "mi", "ta", "ur")
    words = ["".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(3_000)]
    larger = list(heads[:count])
    while len(larger) < count:
        model = heads[len(larger) % len(heads)]
        described = model.description.split()
        for _ in range(3):
            described[chance.randrange(len(described))] = chance.choice(words)
        name = f"{model.name}-{chance.choice(words)}"[:30].strip("-")
        vendor = f"{words[len(larger) // 20]}-{len(larger) // 20}"
        larger.append(ToolHead(vendor, name, " ".join(described), 1, model.methods))
    return larger


def bad_queries(heads: Sequence[ToolHead]) -> list[str]:
    words = sorted({word for head in heads for word in head.description.split()})
    return [
        " ".join(words[:40]),
        " ".join(words)[:2_000],
        " ".join(f"{word}x" for word in words[:40]),
        *"aeqz",
        "list all",
        "ﬀ" * 300 + "İ" * 50 + " 한글 メール",
        "x" * 2_000,
        "create issue " * 8_000,
    ]


def milliseconds(index: Index, query: str) -> float:
    """Processor time of one search, the best of a few."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        index.search(query)
        times.append(time.process_time() - began)
    return 1_000 * min(times)


def percentile(times: Sequence[float], share: float) -> float:
    return sorted(times)[min(int(len(times) * share), len(times) - 1)]


def print_set(title: str, findings: Sequence[Finding]) -> None:
    print(f"\n{title}\n{'':14}{'asked':>6}{'hit@1':>8}{'hit@5':>8}{'MRR':>8}")
    rows = [*by_category(findings).items(), ("all", findings)]
    for name, part in rows:
        figures = measure(part)
        print(f"{name:14}{figures.questions:6}{figures.hit_at_1:8.3f}{figures.hit_at_5:8.3f}{figures.mrr:8.3f}")
    worst = sorted((finding for finding in findings if not finding.within(1)), key=lambda finding: finding.reciprocal)
    for finding in worst[:SHOWN_MOST]:
        where = f"rank {finding.rank} of {finding.total}" if finding.question.expected else f"{finding.total} answers"
        print(f"   {where:16} {finding.question.query!r}, first {finding.first or 'nothing'}")


def print_times(label: str, times: Sequence[float]) -> None:
    p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
    print(f"{label:34}p50 {p50:6.2f} ms   p95 {p95:6.2f} ms   max {max(times):6.2f} ms")


def print_speed() -> None:
    heads = enlarge(read_heads("corpus") + read_heads("heldout_corpus"), TOOLS)
    began = time.process_time()
    index = Index(heads)
    print(f"\nover {len(heads)} tools (processor time)\nindex built in {1_000 * (time.process_time() - began):.0f} ms")
    queries = [question.query for _, _, name in SETS for question in read_questions(name)]
    print_times("a query, warm", [milliseconds(index, query) for query in queries])
    print_times("a bad query, warm", [milliseconds(index, query) for query in bad_queries(heads)])
    names = [f"{head.wire_name}-{copy}" for copy in range(3) for head in heads][:5_000]
    began = time.process_time()
    nearest("github__creat-issues", names)
    print(f"nearest of {len(names)} names in {1_000 * (time.process_time() - began):.0f} ms")


def main() -> None:
    for title, corpus, name in SETS:
        index = Index(read_heads(corpus))
        print_set(title, [ask(index, question) for question in read_questions(name)])
    print("\npeers, on other tools and questions (github/github-mcp-server#2996)")
    for peer, figures in PEERS:
        print(f"   {peer:24}{figures}")
    print_speed()


if __name__ == "__main__":
    main()
