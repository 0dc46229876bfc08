"""Many sentences in parallel: no sentence is lost, and none feels the others."""

from __future__ import annotations

import random

import pytest

from gpuparse.errors import UsageError
from gpuparse.options import Method, SearchOptions, Strategy
from gpuparse.parse.search.parser import Outcome, Parser, Result
from gpuparse.trees import Token
from tests.parse.search.generated import WORDS, make_parser, make_problem, random_compounds, tiny_vocabulary


def some_parser(strategy: Strategy = Strategy.r2l, max_children: int = 3, seed: int = 1) -> Parser:
    vocabulary = tiny_vocabulary(2)
    return make_parser(vocabulary, random_compounds(vocabulary, seed), strategy, max_children)


def some_sentences(number: int, longest: int, seed: int = 0) -> list[list[Token]]:
    draw = random.Random(seed)
    tags = ["NN", "VB", "DT", "UH"]
    return [
        [Token(WORDS.get(t, "oh"), t) for t in draw.choices(tags, k=draw.randint(1, longest))] for _ in range(number)
    ]


@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize("method", list(Method))
def test_results_do_not_depend_on_the_batch_or_the_order(strategy: Strategy, method: Method) -> None:
    parser, sentences = some_parser(strategy), some_sentences(24, 7)
    alone = [next(parser.parse([s], SearchOptions(method, limit=700, k=2))) for s in sentences]
    for batch in (1, 3, 50):
        assert list(parser.parse(sentences, SearchOptions(method, limit=700, k=2, batch=batch))) == alone
    backwards = list(parser.parse(sentences[::-1], SearchOptions(method, limit=700, k=2, batch=5)))
    assert backwards[::-1] == alone
    assert {r.outcome for r in alone} >= {Outcome.OPTIMAL, Outcome.LIMIT}


@pytest.mark.parametrize("strategy", list(Strategy))
def test_rounds_in_compiled_code_are_those_that_stop_after_every_step(strategy: Strategy) -> None:
    parser, sentences, options = some_parser(strategy), some_sentences(24, 7), SearchOptions(limit=700, k=2, batch=3)
    at_once = list(parser.parse(sentences, options))
    parser.seconds = {"features": 0.0, "scoring": 0.0, "agenda": 0.0}
    assert list(parser.parse(sentences, options)) == at_once
    assert all(spent > 0 for spent in parser.seconds.values())


def test_two_runs_of_one_parser_do_not_disturb_each_other() -> None:
    parser, sentences = some_parser(), some_sentences(12, 9)
    wide = parser.parse(sentences, SearchOptions(limit=500, batch=12))
    narrow = parser.parse(sentences[:4], SearchOptions(limit=500, batch=1))
    both = list(zip(wide, narrow, strict=False))
    assert all(a == b for a, b in both)
    assert len(both) == 4


def test_longer_sentences_may_come_while_others_are_under_way() -> None:
    parser = some_parser()
    sentences = [*some_sentences(6, 8), *some_sentences(1, 1), [Token("dog", "NN")] * 90, *some_sentences(6, 8, 1)]
    options = SearchOptions(limit=2000, batch=4)
    alone = [next(parser.parse([s], options)) for s in sentences]
    assert list(parser.parse(sentences, options)) == alone


def test_results_come_in_order_and_as_soon_as_they_can() -> None:
    taken = []

    def sentences() -> object:
        for sentence in some_sentences(200, 4):
            taken.append(sentence)
            yield sentence

    results = some_parser().parse(sentences(), SearchOptions(batch=2, limit=300))  # type: ignore[arg-type]  # a generator
    first = next(results)
    assert len(taken) < 50
    assert [r.tree.tokens() for r in [first, *results]] == some_sentences(200, 4)


def trees_are_whole(results: list[Result], sentences: list[list[Token]]) -> bool:
    return all(r.tree.tokens() == s and r.tree.labels[0] == "TOP" for r, s in zip(results, sentences, strict=True))


@pytest.mark.parametrize("method", list(Method))
@pytest.mark.parametrize("strategy", list(Strategy))
def test_every_kind_of_sentence_comes_back_with_a_tree(method: Method, strategy: Strategy) -> None:
    unknown = [Token("Zyx", "QQQ")]
    sentences = [
        [Token("dog", "NN")],
        unknown,
        unknown * 6,
        [Token(",", ",")],
        [Token(",", ",")] * 3,
        [Token("dog", "NN"), *[Token(",", ",")] * 6, Token("dog", "NN")],
        [Token("dog", "NN"), Token("bark", "VB")] * 100,
    ]
    for limit in (1, 40, 3000):
        results = list(some_parser(strategy).parse(sentences, SearchOptions(method, limit=limit, batch=3)))
        assert trees_are_whole(results, sentences)
        assert all(r.scored <= limit for r in results)


def test_one_word_may_go_straight_to_top() -> None:
    result = next(some_parser().parse([[Token("dog", "NN")]]))
    assert result.optimal
    assert result.tree.labels[0] == "TOP"


def test_a_limit_without_a_solution_finishes_the_partial_parse_at_hand() -> None:
    problem = make_problem("DT NN VB NN", 2, Strategy.r2l, 3, 5)
    for method in Method:
        result = next(problem.parser.parse([problem.tokens], SearchOptions(method, limit=1)))
        assert (result.outcome, result.optimal, result.scored) == (Outcome.FALLBACK, False, 0)
        assert not result.greedy_is_optimal
        at = problem.oracle.start
        while not at.is_final:
            at = min(problem.oracle.expansions(at), key=lambda way: sum(way.steps))
        assert result.tree == problem.oracle.tree(at)
        assert result.cost == pytest.approx(sum(at.steps))


def test_a_beam_that_may_pop_no_more_finishes_the_best_that_waits() -> None:
    problem = make_problem("DT NN VB NN", 2, Strategy.r2l, 3, 5)
    result = next(problem.parser.parse([problem.tokens], SearchOptions(Method.beam, max_popped=1)))
    assert result.outcome is Outcome.FALLBACK
    assert len(list(result.tree.children(0))) == 1


@pytest.mark.parametrize("method", list(Method))
@pytest.mark.parametrize("strategy", list(Strategy))
def test_where_no_tree_exists_the_cheapest_dead_end_is_returned(method: Method, strategy: Strategy) -> None:
    problem = make_problem("NN , VB", 1, strategy, 2, 4)  # the comma would need a third child
    result = next(problem.parser.parse([problem.tokens], SearchOptions(method)))
    assert result.outcome is Outcome.FALLBACK
    assert problem.oracle.best_trees() == []
    ends, waiting = [], [problem.oracle.start]
    while waiting:
        at = waiting.pop()
        ways = problem.oracle.expansions(at)
        waiting += ways
        if not ways:
            ends.append(sum(at.steps))
    assert result.cost == pytest.approx(min(ends))


def test_memory_is_bounded_by_the_limit() -> None:
    import tracemalloc

    parser = some_parser()
    sentence = [Token("dog", "NN"), Token("bark", "VB")] * 8
    list(parser.parse([sentence], SearchOptions(limit=10)))
    peaks = []
    for limit in (20_000, 40_000):
        tracemalloc.start()
        result = next(parser.parse([sentence], SearchOptions(limit=limit, batch=1)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert result.scored <= limit
    assert peaks[1] < 2 * peaks[0]
    assert peaks[1] - peaks[0] < 20_000 * 100  # bytes a partial parse


@pytest.mark.parametrize("name", ["limit", "k", "width", "max_popped", "batch"])
def test_options_below_one_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        SearchOptions(**{name: 0})
