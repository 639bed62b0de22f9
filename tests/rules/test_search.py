"""`find_tool`'s promises: nothing hidden, exact names first, slips forgiven, silence when nothing fits."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.search import Finding, ask, by_category, enlarge, measure, read_heads, read_questions
from chalicelib.model import ToolHead
from chalicelib.rules.search import Index, nearest, search
from chalicelib.rules.search.spelling import fold
from chalicelib.rules.search.stems import stem_of
from chalicelib.rules.search.typos import distance

CORPUS = read_heads("corpus")
INDEX = Index(CORPUS)


def a_tool(wire_name: str, description: str = "Does something") -> ToolHead:
    vendor, _, name = wire_name.partition("__")
    return ToolHead(vendor, name, description, 1, frozenset({"GET"}))


def found(query: str, *tools: ToolHead) -> list[str]:
    return [head.wire_name for head in search(tools, query)]


def first(query: str) -> str:
    return INDEX.search(query)[0].wire_name


def findings(corpus: str, questions: str) -> list[Finding]:
    index = Index(read_heads(corpus))
    return [ask(index, question) for question in read_questions(questions)]


segments = st.text("abcdefghij0189", min_size=1, max_size=6)
names = st.lists(segments, min_size=1, max_size=3).map("-".join)
descriptions = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(["create", "the", "issue", "Ünïcode", "ＷＩＤＥ", "mail", "ſtraße", "K"]), max_size=8).map(
        " ".join
    ),
)
heads = st.builds(ToolHead, names, names, descriptions, st.just(1), st.just(frozenset({"GET"})))
toolboxes = st.lists(heads, min_size=1, max_size=6)


# Never hides a match


@given(toolboxes, st.data())
def test_every_tool_that_contains_the_query_is_found(tools: list[ToolHead], data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from(tools))
    text = data.draw(st.sampled_from([tool.wire_name, tool.description, f"{tool.wire_name} {tool.description}"]))
    start = data.draw(st.integers(0, len(text)))
    part = text[start : data.draw(st.integers(start, len(text)))]
    assert tool in search(tools, part)
    assert tool in search(tools, part.upper())
    assert tool in search(tools, unicodedata.normalize("NFKC", part))


@given(toolboxes, st.data())
def test_every_tool_that_contains_all_words_of_the_query_is_found_in_any_order(
    tools: list[ToolHead], data: st.DataObject
) -> None:
    tool = data.draw(st.sampled_from(tools))
    words = f"{tool.vendor} {tool.name} {tool.description}".split()
    chosen = data.draw(st.lists(st.sampled_from(words), max_size=6))
    assert tool in search(tools, " ".join(chosen))


def test_a_query_of_marks_alone_finds_the_tools_that_have_them_all() -> None:
    assert found("© ©", a_tool("a__b", "made by ©"), a_tool("a__c", "®")) == ["a__b"]
    assert found("® ©", a_tool("a__b", "© then ®"), a_tool("a__c", "®")) == ["a__b"]


def test_a_word_inside_another_word_is_found() -> None:
    assert found("sspor", a_tool("a__b", "Renew a passport"), a_tool("a__c")) == ["a__b"]


def test_a_match_is_found_even_when_an_unlikely_one() -> None:
    everywhere = [a_tool(f"v{number}__t", "an order of pizza") for number in range(50)]
    assert len(search(everywhere, "a of")) == 50


def test_a_single_word_that_occurs_always_has_its_tool() -> None:
    for head in CORPUS:
        for word in head.description.split():
            assert head in INDEX.search(word), (word, head.wire_name)


# The order


@given(st.lists(heads, max_size=6).flatmap(lambda tools: st.tuples(st.just(tools), st.permutations(tools))), st.text())
def test_the_order_of_arrival_changes_nothing(arrivals: tuple[list[ToolHead], list[ToolHead]], query: str) -> None:
    one, other = arrivals
    assert [head.wire_name for head in search(one, query)] == [head.wire_name for head in search(other, query)]


def test_equals_come_in_the_order_of_their_wire_names() -> None:
    assert found("mail", a_tool("c__x", "mail"), a_tool("a__x", "mail"), a_tool("b__x", "mail")) == [
        "a__x",
        "b__x",
        "c__x",
    ]


def test_an_empty_query_finds_everything_by_wire_name() -> None:
    for query in ("", "  \n"):
        assert [head.wire_name for head in INDEX.search(query)] == sorted(head.wire_name for head in CORPUS)


@pytest.mark.parametrize("spell", [str, str.upper, str.title, lambda name: f"  {name} "])
@pytest.mark.parametrize("between", ["-", "_", " ", ""])
def test_an_exact_name_in_any_spelling_comes_first(spell: object, between: str) -> None:
    assert callable(spell)
    for head in CORPUS:
        short = spell(head.name.replace("-", between))
        assert INDEX.search(short)[0].name == head.name, short
        for wire_name in (head.wire_name, f"{head.vendor} {head.name}".replace("-", between)):
            assert first(spell(wire_name)) == head.wire_name, wire_name


def test_an_exact_name_in_camel_case_comes_first() -> None:
    for head in CORPUS:
        words = head.name.split("-")
        assert INDEX.search(words[0] + "".join(map(str.title, words[1:])))[0].name == head.name


@given(toolboxes, st.data())
def test_an_exact_wire_name_comes_first_whatever_else_is_there(tools: list[ToolHead], data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from(tools))
    best = search(tools, tool.wire_name)[0]
    assert best.wire_name.replace("-", "").replace("_", "") == tool.wire_name.replace("-", "").replace("_", "")


def test_a_vendors_name_brings_its_tools_before_those_that_mention_it() -> None:
    mention = a_tool("aaa__import-from-linear", "Import linear issues of linear projects")
    assert (
        found("linear", mention, a_tool("linear__list-cycles"), a_tool("linear__save-issue"))[-1] == mention.wire_name
    )


def test_a_match_in_the_name_comes_before_one_in_the_description() -> None:
    tools = a_tool("a__list-things", "Also useful for invoices"), a_tool("b__list-invoices", "Lists them")
    assert found("invoices", *tools)[0] == "b__list-invoices"


def test_a_longer_name_that_says_more_than_was_asked_comes_later() -> None:
    tools = a_tool("a__create-issue-comment", "Comment"), a_tool("a__create-issue", "Issue")
    assert found("create an issue", *tools) == ["a__create-issue", "a__create-issue-comment"]


# Slips, inflections, likes


@pytest.mark.parametrize(
    ("query", "wire_name"),
    [
        ("invoices created", "a__create-invoice"),
        ("creating invoice", "a__create-invoice"),
        ("invocie", "a__create-invoice"),
        ("cretae invoce", "a__create-invoice"),
        ("bill", "a__create-invoice"),
        ("factura", "a__create-invoice"),
        ("rechnungen", "a__create-invoice"),
        ("crate invoice", "a__create-invoice"),
        ("send sms", "b__text-somebody"),
        ("throw away recordings", "c__delete-recording"),
        ("deleteRecording", "c__delete-recording"),
        ("turn the light off", "d__switch-off"),
        ("loggin", "e__log-in"),
        ("sign-in", "e__log-in"),
    ],
)
def test_other_words_for_the_same_find_the_tool(query: str, wire_name: str) -> None:
    tools = [
        a_tool("a__create-invoice", "Make an invoice"),
        a_tool("b__text-somebody", "Deliver a text message to a phone"),
        a_tool("c__delete-recording", "Remove a recording"),
        a_tool("d__switch-off", "Turn off a device"),
        a_tool("e__log-in", "Begin a login session"),
    ]
    assert found(query, *tools)[:1] == [wire_name]


NOTES = [a_tool(f"demo__{name}", f"{name.replace('-', ' ')} of a demo") for name in ("list-notes", "create-note")]
NOTES += [
    a_tool("demo__delete-note", "Delete the note with an id"),
    a_tool("demo__count-words", "Count a text's words"),
]


@pytest.mark.parametrize(
    ("query", "wire_name"),
    [
        ("lst notes", "demo__list-notes"),
        ("ls notes", "demo__list-notes"),
        ("shw notes", "demo__list-notes"),
        ("note list all", "demo__list-notes"),
        ("show me teh notes", "demo__list-notes"),
        ("nw note", "demo__create-note"),
        ("ad note", "demo__create-note"),
        ("crt note", "demo__create-note"),
        ("creat a nte", "demo__create-note"),
        ("del note", "demo__delete-note"),
        ("plz del note", "demo__delete-note"),
        ("rm note", "demo__delete-note"),
        ("dlt note", "demo__delete-note"),
        ("cnt words", "demo__count-words"),
        ("wrd count", "demo__count-words"),
    ],
)
def test_a_short_word_mistyped_or_shortened_still_finds_the_tool(query: str, wire_name: str) -> None:
    assert found(query, *NOTES)[:1] == [wire_name]


@pytest.mark.parametrize(
    "query", ["notes pls", "my notes", "notes!!", "xq notes", "zqx notes", "upd note", "gt notes", "teh notes"]
)
def test_a_short_word_that_says_nothing_hides_nothing(query: str) -> None:
    assert {"demo__list-notes", "demo__create-note", "demo__delete-note"} <= set(found(query, *NOTES))


def test_a_short_slip_hides_nothing_in_a_large_toolbox() -> None:
    names = [head.name for head in Index(enlarge(CORPUS, 5_000)).search("lst invoice")]
    assert names[0] == "list-invoices"
    assert {head.name for head in CORPUS if "invoice" in head.name} <= set(names)


@pytest.mark.parametrize("tools", [NOTES[:3], NOTES, CORPUS], ids=["three", "four", "corpus"])
@pytest.mark.parametrize(
    "query",
    [
        "translate document to french",
        "mine bitcoin",
        "book a hotel room",
        "lst cars",
        "nw car",
        "buy zqx",
        "delete zqx",
    ],
)
def test_a_verb_alone_carries_no_query_for_something_unknown(query: str, tools: list[ToolHead]) -> None:
    assert len(search(tools, query)) <= 1


def test_a_shortened_verb_that_is_a_word_itself_keeps_that_meaning_elsewhere() -> None:
    tools = a_tool("a__add-row", "Add a row"), a_tool("b__place-advert", "Place an advert")
    assert found("place ad", *tools) == ["b__place-advert"]
    assert found("crear fila del calendario", a_tool("a__delete-row", "Delete a row")) == []


def test_accents_width_and_case_make_no_difference() -> None:
    tool = a_tool("a__b", "Büro-Straße: résumé")
    for query in ("BURO", "strasse", "resume", "ｒéｓｕｍé", "bu\u0308ro", "STRASSE büro"):
        assert found(query, tool, a_tool("a__c")) == ["a__b"]


def test_text_without_latin_letters_is_found() -> None:
    assert found("送信", a_tool("a__b", "メールを送信する"), a_tool("a__c")) == ["a__b"]
    assert found("ПИСЬМО", a_tool("a__b", "отправить письмо"), a_tool("a__c")) == ["a__b"]


@pytest.mark.parametrize(
    "query", ["translate document to french", "order a pizza", "train a neural network", "mine bitcoin"]
)
def test_one_common_word_does_not_make_an_answer(query: str) -> None:
    assert len(INDEX.search(query)) <= 1


@pytest.mark.parametrize(
    "query", ["zzqx", "¿?", "xylophone lessons", "—", "I would like to order a pizza please", "@@@@"]
)
def test_what_nothing_fits_finds_nothing(query: str) -> None:
    assert INDEX.search(query) == []


def test_nothing_is_found_where_nothing_is() -> None:
    assert search([], "anything") == search([], "") == []


@given(toolboxes, st.text())
def test_any_text_is_a_query(tools: list[ToolHead], query: str) -> None:
    answers = search(tools, query)
    assert len(set(answers)) <= len(answers) <= len(tools)


@pytest.mark.parametrize(
    "query",
    [
        "x" * 100_000,
        "create issue " * 10_000,
        "ﷺ" * 3_000,
        " ".join(map(str, range(5_000))),
        "\ud800",
        "a\x00b",
        "@" * 5_000,
    ],
)
def test_a_very_long_or_strange_query_is_only_a_query(query: str) -> None:
    assert isinstance(INDEX.search(query), list)


# The corpus


def test_the_corpus_is_answered_as_the_contract_asks() -> None:
    """Report: github/github-mcp-server#2996"""
    figures = measure(findings("corpus", "queries"))
    assert figures.hit_at_5 >= 0.97
    assert figures.mrr >= 0.96


@pytest.mark.parametrize("category", ["exact", "plural", "typo", "substring", "word-order", "vendor", "non-ascii"])
@pytest.mark.parametrize(
    ("corpus", "questions"), [("corpus", "queries"), ("corpus", "heldout_queries"), ("unseen_corpus", "unseen_queries")]
)
def test_no_query_of_a_plain_kind_is_missed(category: str, corpus: str, questions: str) -> None:
    """Report: NousResearch/hermes-agent#95119"""
    figures = measure(by_category(findings(corpus, questions))[category])
    assert figures.hit_at_5 == 1.0
    assert figures.hit_at_1 == 1.0


@pytest.mark.parametrize(
    ("corpus", "questions", "hit_at_5", "mrr"),
    [
        ("corpus", "heldout_queries", 0.96, 0.94),
        ("heldout_corpus", "heldout_corpus_queries", 0.95, 0.93),
        ("unseen_corpus", "unseen_queries", 0.92, 0.90),
    ],
)
def test_other_words_and_other_vendors_are_answered_as_well(
    corpus: str, questions: str, hit_at_5: float, mrr: float
) -> None:
    figures = measure(findings(corpus, questions))
    assert figures.hit_at_5 >= hit_at_5
    assert figures.mrr >= mrr


@pytest.mark.parametrize(
    ("corpus", "questions"),
    [
        ("corpus", "queries"),
        ("corpus", "heldout_queries"),
        ("heldout_corpus", "heldout_corpus_queries"),
        ("unseen_corpus", "unseen_queries"),
    ],
)
def test_a_query_for_what_is_not_there_has_at_most_one_answer(corpus: str, questions: str) -> None:
    for finding in by_category(findings(corpus, questions))["none"]:
        assert finding.total <= 1, finding


# Its parts


@pytest.mark.parametrize(
    "family",
    [
        "create creates created creating creation",
        "merge merging merged",
        "query queries querying",
        "reply replied replies",
        "ship shipping shipped shipment",
        "cancel cancelled canceled cancelling cancellation",
        "fulfil fulfill fulfilment",
        "organise organize organization",
        "cache caches caching",
        "box boxes",
        "address addresses",
        "notify notification",
        "pay paid payment payments",
        "current currently",
    ],
)
def test_the_inflections_of_a_word_have_one_stem(family: str) -> None:
    assert len({stem_of(form) for form in family.split()}) == 1


@pytest.mark.parametrize("pair", ["state stats", "plan plane", "comment come", "product production", "station state"])
def test_words_that_only_look_alike_keep_their_stems(pair: str) -> None:
    one, other = pair.split()
    assert stem_of(one) != stem_of(other)


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_the_distance_is_the_same_both_ways_and_bounded(one: str, other: str) -> None:
    errors = distance(one, other, 8)
    assert errors == distance(other, one, 8) <= max(len(one), len(other))
    assert (errors == 0) == (one == other)
    assert distance(one, other, 1) == min(errors, 2)


@given(st.text(), st.text())
def test_a_part_of_a_text_folds_to_a_part_of_the_folded_text(before: str, part: str) -> None:
    assert fold(part) in fold(before + part)


# The nearest names


def test_the_nearest_names_are_those_with_the_fewest_errors() -> None:
    wire_names = [head.wire_name for head in CORPUS]
    assert nearest("github__creat-issues", wire_names)[0] == "github__create-issue"
    assert nearest("refund-charges", wire_names)[0] == "stripe__refund-charge"
    assert nearest("Slack__Post_Message", wire_names)[0] == "slack__post-message"
    assert set(nearest("create-issue", wire_names)[:2]) == {"github__create-issue", "gitlab__create-issue"}


@given(st.text(max_size=80), st.lists(names, max_size=8, unique=True), st.integers(0, 5))
def test_as_many_names_as_asked_for_are_near_if_there_are_as_many(name: str, shorts: list[str], count: int) -> None:
    wire_names = [f"v__{short}" for short in shorts]
    near = nearest(name, wire_names, count)
    assert len(near) == min(count, len(wire_names))
    assert set(near) <= set(wire_names)
    assert near == nearest(name, reversed(wire_names), count)


def test_the_nearest_of_very_many_names_are_the_same_as_of_few() -> None:
    wire_names = [head.wire_name for head in enlarge(CORPUS, 5_000)]
    assert nearest("github__creat-issues", wire_names)[0] == "github__create-issue"
    assert nearest("stripe__refund-chrge", wire_names)[0] == "stripe__refund-charge"
    assert nearest("", wire_names) == nearest("", wire_names[::-1])
