"""The path of one label against the oracle, attempt by attempt, and what has to hold along it."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpuparse.boost import Attempt, History, Options
from gpuparse.boost.path import Workplace, learn_task
from gpuparse.kernels import cpu
from gpuparse.kernels.cpu.boost.growth.tuning import Tuning
from tests.boost.oracle import Oracle, parameters
from tests.boost.problems import Problem, problem, problems

OPTIONS = st.builds(
    Options,
    penalty=st.sampled_from(["l1", "l2"]),
    gain=st.sampled_from(["regularized", "unregularized"]),
    loss=st.sampled_from(["logistic", "logistic", "exponential"]),
    splitter=st.sampled_from(["gain", "gain", "impurity"]),
    stumps=st.booleans(),
    split_margin=st.sampled_from([0.0, 0.1, 1.0]),
    sample=st.sampled_from([7, 20, 100_000]),
    eta=st.sampled_from([0.5, 0.9]),
    min_lambda=st.sampled_from([0.0, 0.05]),
    max_trees=st.just(6),
    patience=st.just(4),
    seed=st.integers(0, 3),
)


def tuned(**tuning: Any) -> Any:
    """The CPU's kernels, with another tuning."""
    return SimpleNamespace(**vars(cpu) | {"Growth": partial(cpu.Growth, tuning=Tuning(**tuning))})


def learn(case: Problem, options: Options, kernels: Any = cpu) -> tuple[History, list[Attempt]]:
    attempts: list[Attempt] = []
    place = Workplace.on(case.matrix, kernels, options.threads)
    history = learn_task("NP", case.task, place, options, on_tree=lambda _, attempt: attempts.append(attempt))
    return history, attempts


def check_against_oracle(case: Problem, options: Options, kernels: Any = cpu) -> int:
    history, attempts = learn(case, options, kernels)
    oracle = Oracle("NP", case.dense, case.task, options)
    trees, lambda_ = [], math.inf
    for attempt in attempts:
        expected = oracle.next(trees, lambda_, attempt.attempt)
        # a weight that the oracle computes another way may, once in millions, round to another unit of the sample
        assert attempt.lambda_ == pytest.approx(expected.lambda_, rel=1e-8)
        assert attempt.leaves == len(expected.leaves)
        assert attempt.kept == (expected.fall > options.epsilon)
        if attempt.tree is not None:
            steps = {frozenset(p): attempt.tree.value[leaf] for leaf, p in attempt.tree.conjunctions().items()}
            assert steps.keys() == expected.leaves.keys()
            theta = parameters(trees)
            for compound, step in expected.leaves.items():
                assert steps[compound] == pytest.approx(step, abs=1e-6)
                after = theta.get(compound, 0.0) + step
                if options.penalty == "l1" and not 0 < abs(after) < 1e-9:  # nearer to the kink bisection can't tell
                    assert (theta.get(compound, 0.0) + steps[compound] == 0) == (after == 0)
            # steps are right to 1e-6, and under l1 the loss falls with the slope lambda where they end
            assert attempt.loss == pytest.approx(expected.loss, abs=1e-6 * max(1.0, attempt.leaves * attempt.lambda_))
            trees.append(attempt.tree)
        assert attempt.nonzero == len(parameters(trees))
        lambda_ = attempt.lambda_ if attempt.kept else attempt.lambda_ * options.eta
    if history.end == "lambda":
        assert oracle.next(trees, lambda_, len(attempts)).lambda_ < options.min_lambda
    return len(trees)


@given(problems(), OPTIONS, st.sampled_from([256, 65536]), st.sampled_from([0.0, 2.0]))
@settings(max_examples=60, deadline=None)
@example(  # steps that end next to zero, where bisection can't tell
    problem(0, 22, 519, 1, 0.05, "shared"), Options(sample=20, eta=0.5, split_margin=0.0, max_trees=6), 65536, 0.0
)
def test_every_attempt_is_the_one_the_equations_ask_for(case, options, frequent: int, pull_share: float) -> None:
    check_against_oracle(case, options, tuned(frequent=frequent, pull_share=pull_share))


@pytest.mark.parametrize(
    ("penalty", "gain", "stumps", "sample"),
    [*itertools.product(["l1", "l2"], ["regularized", "unregularized"], [False, True], [40, 1000])],
)
def test_every_option_follows_the_oracle_for_many_trees(penalty, gain, stumps, sample) -> None:
    options = Options(
        penalty=penalty, gain=gain, stumps=stumps, sample=sample, max_trees=15, min_lambda=0.0, split_margin=0.05
    )
    assert check_against_oracle(problem(7, 60, 10, 3), options) == 15


@pytest.mark.parametrize(
    ("loss", "splitter", "penalty", "sample"),
    [*itertools.product(["logistic", "exponential"], ["gain", "impurity"], ["l1", "l2"], [40, 1000])],
)
def test_every_loss_and_split_rule_follows_the_oracle_for_many_trees(loss, splitter, penalty, sample) -> None:
    options = Options(
        loss=loss, splitter=splitter, penalty=penalty, sample=sample, max_trees=15, min_lambda=0.0, split_margin=0.05
    )
    assert check_against_oracle(problem(7, 60, 10, 3), options) == 15


def test_compounds_met_again_share_their_parameter_and_their_gain_knows_it() -> None:
    case = problem(7, 60, 6, 3)
    ensemble, _ = learn(case, Options(max_trees=30, min_lambda=0.0))
    leaves = sum(int(np.count_nonzero(a.tree.value)) for a in ensemble.kept)
    assert len(parameters([a.tree for a in ensemble.kept])) < leaves / 2
    assert check_against_oracle(case, Options(max_trees=30, min_lambda=0.0)) == 30


@given(problems(60), OPTIONS)
@settings(max_examples=40, deadline=None)
def test_the_risk_falls_with_every_tree_that_is_kept_and_lambda_never_rises(case, options) -> None:
    _, attempts = learn(case, options)
    oracle = Oracle("NP", case.dense, case.task, options)
    trees = []
    for attempt in attempts:
        before = oracle.risk(parameters(trees), attempt.lambda_)
        trees += [attempt.tree] if attempt.kept else []
        after = oracle.risk(parameters(trees), attempt.lambda_)
        assert attempt.risk == pytest.approx(after, abs=1e-9)
        assert (after < before - options.epsilon * 0.99) if attempt.kept else after == before
    lambdas = [a.lambda_ for a in attempts]
    assert lambdas == sorted(lambdas, reverse=True)


@given(problems(60), OPTIONS, st.integers(2, 3), st.sampled_from([0, 10, 4096]))
@settings(max_examples=25, deadline=None)
def test_the_number_of_threads_changes_no_bit(case, options, threads, large) -> None:
    def bits(options: Options, kernels: Any) -> list:
        return [{k: v for k, v in a.to_json().items() if k != "seconds"} for a in learn(case, options, kernels)[1]]

    shared = tuned(ids_to_share=1, large_child=large, rows_to_sum=0, rows_to_divide=0, frequent=256)
    assert bits(options, cpu) == bits(replace(options, threads=threads), shared)


def test_a_model_at_a_greater_lambda_is_a_prefix() -> None:
    ensemble, _ = learn(problem(7, 60, 10, 3), Options(max_trees=10, min_lambda=0.0))
    middle = ensemble.kept[4].lambda_
    prefix = ensemble.at(middle)
    assert 5 <= len(prefix) <= 10
    assert all(tree is kept.tree for tree, kept in zip(prefix, ensemble.kept, strict=False))
    assert ensemble.at(math.inf) == []
