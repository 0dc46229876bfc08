"""One sentence scored: against the plain way on generated trees, and by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuparse.evaluate import COLLINS, ScoreStatus, ScoringRules, TreeScorer, rules_of
from gpuparse.trees import UNPARSED, Span, Token, Tree, parse_language, parse_tree
from tests.evaluate import evalb

LABELS = ("A", "B", "C", "ADVP", "PRT", "A-X", "B=1", "TOP", "-NONE-", "D")
TAGS = ("N", "V", ",", "-NONE-", "PRT", "ADVP")


@st.composite
def trees_over(draw: st.DrawFn, words: list[str]) -> Tree:
    """A tree over these words with random tags, and random brackets that do not cross."""
    tokens = [Token(word, draw(st.sampled_from(TAGS))) for word in words]
    spans = [Span("TOP", 0, len(words))]
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(words) - 1))
        span = Span(draw(st.sampled_from(LABELS)), start, draw(st.integers(start + 1, len(words))))
        if not any(evalb.cross(evalb.Bracket(*span), evalb.Bracket(*other)) for other in spans):
            spans.append(span)
    return Tree.from_spans(sorted(spans, key=lambda span: (span.start, -span.end, span.label != "TOP")), tokens)


@st.composite
def pairs_of_trees(draw: st.DrawFn) -> tuple[Tree, Tree]:
    words = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=7))
    others = draw(st.sampled_from([words, words, words, [*words[:-1], "d"], [*words, "e"]]))
    return draw(trees_over(words)), draw(trees_over(others))


RULES = st.builds(
    ScoringRules,
    name=st.just("drawn"),
    deleted=st.frozensets(st.sampled_from([*LABELS, *TAGS]), max_size=4),
    equal_labels=st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), max_size=3).map(tuple),
    equal_words=st.sampled_from([(), (("a", "d"),), (("d", "c"),)]),
    labeled=st.booleans(),
)


@given(pairs_of_trees(), RULES | st.just(COLLINS))
def test_the_counts_are_those_of_the_plain_way(pair: tuple[Tree, Tree], rules: ScoringRules) -> None:
    score = TreeScorer(rules).score(1, *pair)
    assert evalb.counts(*pair, rules) == (
        score.status,
        score.matched,
        score.gold,
        score.test,
        score.crossing,
        score.words,
        score.correct_tags,
    )


def test_a_word_with_a_space_inside_is_the_one_that_was_written_with_an_underscore() -> None:
    gold = parse_tree("(TOP (NP (CD 10\u00a0000) (NNS men)))")
    score = TreeScorer(COLLINS).score(1, gold, parse_tree(str(gold)))
    assert score.status is ScoreStatus.VALID


def test_a_crossing_bracket_is_counted_once_however_many_it_crosses() -> None:
    gold = parse_tree("(TOP (S (A (N a) (B (N b) (N c))) (N d)))")
    test = parse_tree("(TOP (S (N a) (N b) (X (N c) (N d))))")
    assert TreeScorer().score(1, gold, test).crossing == 1


def test_the_length_counts_punctuation_and_the_words_do_not() -> None:
    tree = parse_tree("(TOP (S (N a) (, ,) (V b) (NP (-NONE- *)) (. .)))")
    score = TreeScorer().score(1, tree, tree)
    assert (score.length, score.words) == (4, 2)


def test_function_tags_and_traces_in_gold_cost_nothing() -> None:
    gold = parse_tree("( (S (NP-SBJ-1 (N a)) (VP (V b) (S (-NONE- *T*-1)) (NP=2 (N c)))))")
    test = parse_tree("(TOP (S (NP (N a)) (VP (V b) (NP (N c)))))")
    score = TreeScorer().score(1, gold, test)
    assert score.complete
    assert score.gold == 4


@pytest.mark.parametrize("root", ["", "ROOT", "TOP", "S1", "VROOT"])
def test_the_root_is_no_bracket_however_it_is_spelled(root: str) -> None:
    score = TreeScorer().score(1, parse_tree(f"({root} (S (N a)))"), parse_tree("(TOP (S (N a)))"))
    assert (score.matched, score.gold, score.test) == (1, 1, 1)


def test_rules_that_delete_only_root_still_delete_it() -> None:
    tree = parse_tree("(ROOT (S (N a)))")
    assert TreeScorer(ScoringRules("mine", deleted=frozenset({"ROOT"}))).score(1, tree, tree).gold == 1


def test_a_sentence_that_was_not_parsed_is_skipped() -> None:
    score = TreeScorer().score(7, parse_tree("(TOP (S (N a)))"), UNPARSED)
    assert (score.id, score.status, score.gold) == (7, ScoreStatus.SKIPPED, 0)


def test_an_error_says_which_word_differs() -> None:
    score = TreeScorer().score(1, parse_tree("(TOP (N a) (N b))"), parse_tree("(TOP (N a) (N c))"))
    assert score.status == ScoreStatus.ERROR
    assert score.problem == "word 2, punctuation aside, is 'b' in gold and 'c' in test"


def test_trees_ten_thousand_deep_and_wide_are_scored() -> None:
    tokens = [Token("a", "N")] * 10_000
    right = Tree.from_spans([Span("TOP", 0, 10_000), *(Span("X", start, 10_000) for start in range(9_999))], tokens)
    left = Tree.from_spans([Span("TOP", 0, 10_000), *(Span("X", 0, end) for end in range(10_000, 1, -1))], tokens)
    score = TreeScorer().score(1, right, left)
    assert (score.matched, score.crossing) == (1, 9_998)


def test_a_language_says_what_its_brackets_are() -> None:
    language = parse_language(
        '[tags]\ntraces = ["T"]\n[labels]\nroots = ["R"]\n'
        '[scoring]\ndeleted = ["P", "T", "TOP"]\nequal_labels = [["S", "SV"]]\ncut = [":"]\n'
    )
    gold, test = parse_tree("(R (S:x (N a) (T *) (P !)))"), parse_tree("(TOP (SV (N a) (P !)))")
    for rules in (rules_of(language), replace(rules_of(language), by_tokens=True)):
        score = TreeScorer(rules).score(1, gold, test)
        assert (score.matched, score.gold, score.test, score.words) == (1, 1, 1, 1)
