"""Each of the learner's operations against the same thing said plainly, on empty, tiny and ragged input too."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.boost import GrownTree
from gpuparse.boost.percolation import passes
from gpuparse.boost.postings import Postings
from gpuparse.boost.team import Team
from gpuparse.kernels import Cells, Members, cpu
from gpuparse.kernels.cpu.boost.logarithm import logarithm
from tests.boost.problems import Problem, problem, problems

COMMON = settings(max_examples=40, deadline=None)


def test_every_operation_is_a_function_with_a_docstring() -> None:
    for name in cpu.__all__:
        operation = getattr(cpu, name)
        if callable(operation):
            assert inspect.getdoc(getattr(operation, "function", operation)), name


@given(st.floats(1e-300, 1e300) | st.floats(0.5, 2.0) | st.floats(1 - 1e-9, 1 + 1e-9))
@settings(max_examples=500, deadline=None)
def test_the_logarithm_is_right_to_the_last_digits(x: float) -> None:
    assert logarithm(x) == pytest.approx(math.log(x), rel=1e-15, abs=0.0)


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(1e-50, 1e50)), max_size=40), st.floats(-64.0, 64.0))
@COMMON
def test_losses_are_what_a_step_changes_and_it_multiplies_the_odds(
    examples: list[tuple[float, float]], step: float
) -> None:
    importance, odds = np.array(examples, np.float64).reshape(-1, 2).T.copy()
    before, after, scale, change = odds.copy(), odds * math.exp(step), 2.0**40, np.zeros(1, np.int64)
    cells = Cells(np.array([0]), np.array([len(importance)]), np.zeros(1, np.int32))
    members = Members(np.arange(len(odds), dtype=np.int32), importance, odds)
    cpu.logistic.move(cells, np.array([step]), np.array([math.exp(step)]), scale, members, change)
    expected = math.fsum(importance * (np.log1p(1.0 / after) - np.log1p(1.0 / before)))
    assert change[0] / scale == pytest.approx(expected, abs=len(importance) * 1e-12)
    assert odds.tolist() == after.tolist()


@given(problems(), st.integers(1, 3))
@COMMON
def test_transpose_lists_the_segments_of_each_feature(case: Problem, threads: int) -> None:
    matrix = case.matrix
    with Team(threads) as team:
        postings = Postings.of(matrix, cpu, team)
    for feature in range(len(matrix.column)):
        parts = [matrix.features[a:b] for a, b in zip(matrix.starts[:-1], matrix.starts[1:], strict=True)]
        assert postings.holding(feature).tolist() == [s for s, part in enumerate(parts) if feature in part]


def chain(features: list[int]) -> GrownTree:
    """A tree that peels off one feature after another."""
    n = len(features)
    feature, yes, no = [], [], []
    for depth, f in enumerate(features):
        feature += [f, -1]
        yes += [2 * depth + 1, -1]
        no += [2 * depth + 2, -1]
    return GrownTree.of([*feature, -1], [*yes, -1], [*no, -1], np.zeros(2 * n + 1))


@pytest.mark.parametrize("length", [0, 1, 5, 150])
def test_percolation_ends_where_a_walk_down_the_tree_ends_in_one_pass_or_several(length: int) -> None:
    case = problem(3, 50, 300, 2, density=0.1)
    tree = chain(np.random.default_rng(0).permutation(300)[:length].tolist())
    rows = case.task.rows
    leaf = np.zeros(len(rows), np.int32)
    matrix, postings = case.matrix, Postings.of(case.matrix, cpu)
    in_order = passes(tree)
    assert len(in_order) == -(-length // 63)  # a node more is an exit more
    words = np.zeros(len(matrix.starts) - 1, np.uint64)
    for closed, below, exits in in_order:
        cpu.mark(tree.feature, closed, *postings, words)
        cpu.percolate(0, len(rows), matrix.segments[rows], words, below, exits, leaf)
        cpu.unmark(tree.feature, closed, *postings, words)
        assert not words.any()
    for row, exit_ in zip(rows, leaf, strict=True):
        node = 0
        while tree.feature[node] >= 0:
            node = (tree.yes if case.dense[row, tree.feature[node]] else tree.no)[node]
        assert exit_ == node
