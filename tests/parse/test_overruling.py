"""Where the parser overrules the tagger: against an oracle that parses every sequence of tags."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from gpuparse.api import LoadedParser
from gpuparse.errors import UsageError
from gpuparse.kernels import cpu
from gpuparse.options import SearchOptions
from gpuparse.parse.explain import Explainer
from gpuparse.parse.model.model import Model
from gpuparse.parse.overruling import CLAUSES, NO_CLAUSE, TAG_WEIGHT, Overruler
from gpuparse.parse.parsed_tree import ParsedTree
from gpuparse.tag import train_tagger
from gpuparse.trees import Tree, strip, synthetic_treebank
from tests.small_model import small_model

OPTIONS = SearchOptions(limit=3000)
NOTHING = ["", "."]


@cache
def model() -> Model:
    """With a tagger that learned little, so that it is often unsure."""
    tagger = train_tagger(strip(tree).tokens() for tree in synthetic_treebank(25, seed=2))
    return replace(small_model(), tagger=tagger)


def parser(tags: int, options: SearchOptions = OPTIONS) -> LoadedParser:
    return LoadedParser(model(), options, tags=tags)


@cache
def sentences() -> list[list[str]]:
    return [[token.word for token in strip(tree).tokens()] for tree in synthetic_treebank(60, seed=7)]


def label_over_all(tree: Tree) -> str | None:
    """Of what is below TOP, where that is one non-terminal."""
    top, *below = tree.spans()
    return next((label for label, start, end in below if (start, end) == top[1:]), None)


def cost_in_all(parsed: ParsedTree, tag_cost: float) -> float:
    assert parsed.cost is not None
    return parsed.cost + TAG_WEIGHT * tag_cost + NO_CLAUSE * (label_over_all(parsed.tree) not in CLAUSES)


def cheapest(words: Sequence[str], most: int) -> ParsedTree:
    """Found by parsing all sequences, but for those in which punctuation is another than in the tagger's."""
    tagger, language = model().tagger, model().vocabulary.language
    assert tagger is not None
    punctuation = language.raised | language.quotes
    first, *others = tagger.rank(words, most)
    same = [
        sequence
        for sequence in others
        if not any(
            punctuation & {one, other} and one != other for one, other in zip(first.tags, sequence.tags, strict=True)
        )
    ]
    plain = parser(1)
    trees = [(plain.parse(list(zip(words, tags, strict=True))), cost) for tags, cost in [first, *same]]
    return min(trees, key=lambda tree: cost_in_all(*tree))[0]


@pytest.mark.parametrize("most", [2, 10])
def test_what_costs_least_in_all_wins(most: int) -> None:
    overruled = 0
    for words, tree, before in zip(
        sentences(), parser(most).parse_many(sentences()), parser(1).parse_many(sentences()), strict=True
    ):
        expected = cheapest(words, most)
        assert (str(tree), tree.cost) == (str(expected), expected.cost)
        overruled += tree.tags != before.tags
    assert overruled >= 3


@pytest.mark.parametrize("batch", [2, 7])
def test_trees_do_not_depend_on_the_batch(batch: int) -> None:
    one_by_one = [parser(5).parse(words) for words in [*sentences(), NOTHING[:0]]]
    together = parser(5, replace(OPTIONS, batch=batch)).parse_many([*sentences(), NOTHING[:0]])
    assert [tree.to_dict() for tree in together] == [tree.to_dict() for tree in one_by_one]


def test_odds_are_those_of_the_tags_that_won() -> None:
    assert model().tagger is not None
    for words, tree in zip(sentences(), parser(10).parse_many(sentences()), strict=True):
        assert tree.tag_odds == model().tagger.judge(words, tree.tags).odds
        sums = [odds.odds + odds.runner_up_odds for odds in tree.tag_odds]
        assert max(sums) <= 1.0002


def test_the_partial_parses_of_all_sequences_are_counted() -> None:
    more = [
        (many.scored, one.scored)
        for many, one in zip(parser(10).parse_many(sentences()), parser(1).parse_many(sentences()), strict=True)
    ]
    assert all(many >= one for many, one in more)
    assert any(many > one for many, one in more)


def test_given_tags_are_not_overruled() -> None:
    tagged = [list(zip(words, ["NN"] * len(words), strict=True)) for words in sentences()[:10]]
    assert [tree.tags for tree in parser(10).parse_many(tagged)] == [["NN"] * len(words) for words in sentences()[:10]]


def test_what_is_explained_is_what_is_parsed() -> None:
    overruler = Overruler.of(model().tagger, model().vocabulary.language, 10, OPTIONS)
    explainer = Explainer(model(), cpu)
    loaded = parser(10)
    for words in sentences()[:15]:
        tree = loaded.parse(words)
        explanation = explainer.explain(loaded._prepared(words), replace(OPTIONS, batch=1), overruler=overruler)
        assert explanation.parsed.to_dict() == tree.to_dict()
        assert [token.tag for token in explanation.tokens] == tree.tags
        assert math.isclose(
            sum(constituent.cost for constituent in explanation.constituents), tree.cost or 0.0, abs_tol=1e-3
        )


def test_a_sentence_that_is_parsed_in_pieces_keeps_its_tags() -> None:
    options = replace(OPTIONS, max_words=3)
    trees = zip(parser(10, options).parse_many(sentences()), parser(1, options).parse_many(sentences()), strict=True)
    pairs = [(many, one) for many, one in trees if one.status == "long"]
    assert pairs
    assert all(many.to_dict() == one.to_dict() for many, one in pairs)


def test_what_can_not_be_meant_is_refused() -> None:
    for tags, options, problem in (
        (0, OPTIONS, "at least 1 sequence"),
        (2, replace(OPTIONS, max_min=True), "--max-min"),
    ):
        with pytest.raises(UsageError, match=problem):
            parser(tags, options)
    with pytest.raises(UsageError, match="no tagger"):
        LoadedParser(replace(model(), tagger=None), OPTIONS, tags=2)
