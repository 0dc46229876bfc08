"""The search against the exhaustive enumeration of all trees of short sentences with random costs."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuparse.options import Effort, Method, SearchOptions, Strategy
from gpuparse.parse.search.parser import Outcome, Result
from tests.parse.search.generated import Problem, make_problem
from tests.parse.search.oracle import max_min

NEAR = 1e-9
SHAPES = [("NN", 3, 2), ("NN VB", 2, 2), ("DT NN VB", 1, 3), ("DT NN , VB", 1, 3), ("DT NN NN VB", 1, 2)]
EXACT = [Method.promising, Method.greedy, Method.best_first]

problems = st.builds(
    lambda shape, strategy, seed: make_problem(*shape[:2], strategy, shape[2], seed),
    st.sampled_from(SHAPES),
    st.sampled_from(list(Strategy)),
    st.integers(0, 10**6),
)


def parse(problem: Problem, **options: object) -> Result:
    (result,) = problem.parser.parse([problem.tokens], SearchOptions(**options))  # type: ignore[arg-type]  # of all types
    return result


@settings(max_examples=30, deadline=None)
@given(problems)
@example(make_problem("DT NN NN VB", 1, Strategy.r2l, 2, 250776))  # two trees cost least
def test_every_order_finds_the_cheapest_of_all_trees(problem: Problem) -> None:
    costs = {str(tree): cost for cost, tree in problem.oracle.best_trees()}
    for method in EXACT:
        result = parse(problem, method=method)
        assert result.optimal
        assert result.cost == pytest.approx(min(costs.values()), abs=NEAR)
        assert costs[str(result.tree)] == pytest.approx(result.cost, abs=NEAR)  # of trees that cost the same, any


@settings(max_examples=30, deadline=None)
@given(problems, st.integers(1, 6), st.booleans())
def test_as_many_are_scored_as_the_states_looked_at_allow(problem: Problem, k: int, by_max_min: bool) -> None:
    cost = {"cost": max_min} if by_max_min else {}
    for method in EXACT:
        costs, scored = problem.oracle.search(method, k, **cost)  # type: ignore[arg-type]  # the one
        result = parse(problem, method=method, k=k, max_min=by_max_min)
        assert result.scored == scored
        assert len(result.parses) == len(costs)


@settings(max_examples=30, deadline=None)
@given(problems, st.integers(2, 12), st.sampled_from(EXACT), st.floats(0, 4))
def test_a_gap_leaves_out_the_trees_that_cost_too_much(problem: Problem, k: int, method: Method, gap: float) -> None:
    whole, bounded = parse(problem, k=k, method=method), parse(problem, k=k, method=method, gap=gap)
    assert bounded.parses == tuple(one for one in whole.parses if one.cost <= whole.cost + gap)
    assert bounded.optimal
    assert bounded.scored <= whole.scored
    assert parse(problem, method=method, gap=gap) == parse(problem, method=method)


def test_effort_decides_the_limit_unless_it_is_told() -> None:
    tokens = make_problem("DT NN VB", 2, Strategy.r2l, 3, 1).tokens * 8
    parser = make_problem("DT NN VB", 2, Strategy.r2l, 3, 1).parser
    scored = []
    for effort in Effort:
        options = SearchOptions(effort=effort, k=50)
        (result,) = parser.parse([tokens], options)
        assert result.scored <= 2 * options.limit_for(len(tokens))  # half of them for variations
        scored.append(result.scored)
    assert scored == sorted(set(scored))
    (bounded,) = parser.parse([tokens], SearchOptions(effort=Effort.thorough, limit=500))
    assert bounded.scored <= 500


@settings(max_examples=30, deadline=None)
@given(problems, st.integers(2, 12), st.sampled_from(EXACT))
def test_k_best_are_the_k_cheapest_distinct_trees(problem: Problem, k: int, method: Method) -> None:
    best = problem.oracle.best_trees()
    costs = {str(tree): cost for cost, tree in best}
    parses = parse(problem, k=k, method=method).parses
    assert [p.cost for p in parses] == pytest.approx([cost for cost, _ in best[:k]], abs=NEAR)
    assert [p.cost for p in parses] == pytest.approx([costs[str(p.tree)] for p in parses], abs=NEAR)
    assert len({str(p.tree) for p in parses}) == len(parses)


@settings(max_examples=25, deadline=None)
@given(problems, st.sampled_from(EXACT))
def test_max_min_finds_the_tree_whose_worst_steps_are_least_bad(problem: Problem, method: Method) -> None:
    best = problem.oracle.best_trees(max_min)
    result = parse(problem, max_min=True, method=method)
    assert result.optimal
    steps = {str(tree): steps for steps, tree in best}[str(result.tree)]
    assert steps == pytest.approx(best[0][0], abs=NEAR)
    assert result.cost == pytest.approx(steps[0], abs=NEAR)


@settings(max_examples=40, deadline=None)
@given(
    problems,
    st.sampled_from(list(Method)),
    st.integers(1, 150),
    st.integers(1, 4),
    st.integers(1, 6),
    st.integers(1, 12),
    st.booleans(),
)
def test_what_is_called_optimal_is(
    problem: Problem, method: Method, limit: int, k: int, width: int, max_popped: int, by_max_min: bool
) -> None:
    best = problem.oracle.best_trees(max_min) if by_max_min else problem.oracle.best_trees()
    costs = {str(tree): cost for cost, tree in best}
    result = parse(problem, method=method, limit=limit, k=k, width=width, max_popped=max_popped, max_min=by_max_min)
    assert result.scored <= (limit if k == 1 else 2 * limit)
    assert result.tree.tokens() == problem.tokens
    if result.optimal:
        assert costs[str(result.tree)] == pytest.approx(best[0][0], abs=NEAR)
    if result.outcome is not Outcome.FALLBACK and not by_max_min:
        assert result.cost >= costs[str(result.tree)] - NEAR
    if result.greedy_is_optimal:
        assert result.optimal


@settings(max_examples=40, deadline=None)
@given(problems, st.sampled_from(list(Method)), st.integers(1, 150), st.integers(2, 12))
def test_a_list_that_the_limit_left_unproved_has_distinct_trees_with_their_own_costs(
    problem: Problem, method: Method, limit: int, k: int
) -> None:
    costs = {str(tree): cost for cost, tree in problem.oracle.best_trees()}
    result = parse(problem, method=method, limit=limit, k=k)
    if result.outcome is Outcome.FALLBACK:
        return
    assert len({str(p.tree) for p in result.parses}) == len(result.parses) <= k
    assert [p.cost for p in result.parses] == sorted(p.cost for p in result.parses)
    for one in result.parses:
        least = costs[str(one.tree)]
        assert one.cost >= least - NEAR
        assert problem.oracle.strategy == "bu" or one.cost <= least + NEAR  # there is one way to each tree


def test_variations_fill_lists_with_more_and_cheaper_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = make_problem("DT NN VB", 2, Strategy.r2l, 3, 1).tokens * 4
    parsers = [make_problem("DT NN VB", 2, strategy, 3, seed).parser for strategy in Strategy for seed in (1, 2, 3)]
    options = SearchOptions(limit=3000, k=100)
    with monkeypatch.context() as patched:
        patched.setattr("gpuparse.parse.search.pool.most_varied", lambda limit, k: 0)
        before = [next(parser.parse([tokens], options)) for parser in parsers]
    after = [next(parser.parse([tokens], options)) for parser in parsers]
    assert {result.outcome for result in before} == {Outcome.LIMIT}
    for short, filled in zip(before, after, strict=True):
        costs = [[one.cost for one in result.parses] for result in (short, filled)]
        assert len(costs[1]) >= len(costs[0])
        assert all(now <= then for then, now in zip(*costs, strict=False))
        assert filled.scored > short.scored
    assert sum(len(result.parses) for result in after) > sum(len(result.parses) for result in before)


@settings(max_examples=25, deadline=None)
@given(problems)
def test_greedy_is_optimal_when_the_first_descent_meets_the_optimum(problem: Problem) -> None:
    oracle = problem.oracle
    at, cheapest = oracle.start, None
    while cheapest is None or sum(at.steps) < cheapest:
        ways = oracle.expansions(at)
        cheapest = min(
            [sum(way.steps) for way in ways if way.is_final] + ([] if cheapest is None else [cheapest]), default=None
        )
        at = min(ways, key=lambda way: sum(way.steps))
        if at.is_final:
            break
    assert cheapest is not None
    optimum = oracle.best_trees()[0][0]
    assert parse(problem).greedy_is_optimal == (cheapest <= optimum + NEAR)


@pytest.mark.parametrize("strategy", list(Strategy))
def test_a_beam_as_wide_as_the_agenda_is_best_first(strategy: Strategy) -> None:
    for seed in range(5):
        problem = make_problem("DT NN VB", 2, strategy, 3, seed)
        exact = parse(problem, method=Method.best_first)
        beam = parse(problem, method=Method.beam, width=10_000, max_popped=10_000)
        assert beam == exact


def test_a_narrow_beam_loses_what_a_wide_one_finds() -> None:
    outcomes = set()
    for seed in range(12):
        problem = make_problem("DT NN VB", 2, Strategy.r2l, 3, seed)
        exact = parse(problem)
        narrow = parse(problem, method=Method.beam, width=1, max_popped=50)
        assert narrow.cost >= exact.cost - NEAR
        outcomes.add((narrow.outcome, narrow.cost > exact.cost + NEAR))
    assert (Outcome.LIMIT, True) in outcomes
    assert (Outcome.OPTIMAL, True) not in outcomes


def test_larger_problems_agree_between_the_orders() -> None:
    for strategy in Strategy:
        for seed in range(4):
            problem = make_problem("DT NN , VB NN", 2, strategy, 3, seed)
            promising, greedy, best_first = (parse(problem, method=method, limit=10**6) for method in EXACT)
            assert promising.optimal
            assert greedy.optimal
            assert best_first.optimal
            assert promising.cost == greedy.cost == best_first.cost
            assert best_first.scored <= greedy.scored


def test_the_most_promising_first_finds_cheaper_trees_within_a_limit() -> None:
    problems = [make_problem("DT NN VB NN DT NN VB NN", 2, Strategy.bu, 3, seed) for seed in range(10)]
    promising, greedy = ([parse(p, method=m, limit=2_000) for p in problems] for m in EXACT[:2])
    assert {result.outcome for result in greedy} == {Outcome.LIMIT}
    assert sum(result.cost for result in promising) < sum(result.cost for result in greedy)
