"""Every operation of the device gives what its twin on the CPU gives, to the bit."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from gpuparse.boost.fixed_point import Magnitude, scale_for
from gpuparse.boost.leaves import _cells
from gpuparse.boost.percolation import passes
from gpuparse.boost.postings import Postings
from gpuparse.boost.sample import sampling_key
from gpuparse.boost.team import Team
from gpuparse.kernels import Cells, Examples, Members, cpu
from tests.boost.problems import Problem, problem
from tests.cuda.twins import assert_equal, both, same
from tests.kernels.test_learning_operations import chain

SIZES = [0, 1, 7, 40]
LOSSES = ["logistic", "exponential"]


class Random:
    """Examples with random signs, importances, states and leaves; a third of them like another."""

    def __init__(self, n: int, nodes: int = 5) -> None:
        rng = np.random.default_rng(n)
        self.y = rng.choice([-1, 1], n).astype(np.int8)
        self.importance, self.state = rng.random(n) / 3, np.exp(rng.normal(0, 3, n))
        self.leaf = rng.integers(0, nodes, n).astype(np.int32)
        again = rng.random(n) < 1 / 3
        for values in (self.y, self.importance, self.state, self.leaf):
            values[again] = values[: again.sum()]
        self.examples = Examples(self.y, self.importance, self.state)
        heaviest = float((self.importance * (1.0 + self.state)).sum())
        self.scale = scale_for(Magnitude(16.0 * heaviest, 16.0 * heaviest))  # whatever the loss, and after steps, too


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n", SIZES)
def test_priorities_are_the_same_draws(cuda: Any, n: int, loss: str) -> None:
    case = Random(n)
    for start, stop in ((0, n), (n // 3, n // 2)):
        arguments = (case.importance, case.state, sampling_key(3, "NP", n), start, stop, np.zeros(n))
        same(cuda, f"{loss}.priorities", *arguments)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("tau", [0.0, 0.05])
def test_weights_of_a_sample_are_the_same_integers(cuda: Any, n: int, tau: float, loss: str) -> None:
    case = Random(n)
    kept = np.flatnonzero(case.importance > 0.1).astype(np.int32)
    outcome = same(cuda, f"{loss}.weigh", case.importance, case.state, kept, tau, np.zeros(len(kept)))
    weights = outcome.arguments[-1]
    same(cuda, "total", weights, scale_for(Magnitude(len(kept) * outcome.returned, outcome.returned)))
    scale = 2.0**27 if loss == "logistic" else 2.0**14
    same(cuda, "quantise", case.y, kept, weights, scale, np.zeros(len(kept), np.int64))


@pytest.mark.parametrize("n", [2, 9, 40])
def test_selection_keeps_the_same_examples_where_many_are_equal(cuda: Any, n: int) -> None:
    priority = np.random.default_rng(n).choice([0.5, 1.0, 2.0], n)
    for count in {1, n // 2, n - 1}:
        same(cuda, "select", priority, count)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("nodes", [1, 5, 40])
@pytest.mark.parametrize("loss", LOSSES)
def test_leaf_sums_are_the_same_in_a_blocks_own_memory_and_beyond_it(cuda: Any, n: int, nodes: int, loss: str) -> None:
    case = Random(n, nodes)
    around = (case.leaf, case.examples, case.scale)
    same(cuda, f"{loss}.leaf_sums", *around, 0, n, np.zeros(nodes, np.int64), np.zeros((nodes, 2), np.int64))
    same(cuda, f"{loss}.leaf_sums", *around, n // 3, n, np.ones(nodes, np.int64), np.zeros((nodes, 2), np.int64))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("nodes", [5, 40])
def test_the_same_examples_are_collected_though_in_another_order(cuda: Any, n: int, nodes: int) -> None:
    case = Random(n, nodes)
    place, total = np.full((nodes, 2), -1), 0
    for node in (1, 3):
        for side, sign in enumerate((1, -1)):
            place[node, side] = total
            total += np.count_nonzero((case.leaf == node) & (case.y == sign))
    room = Members(np.zeros(total, np.int32), np.zeros(total), np.zeros(total))
    expected, actual = both(cuda, "collect", case.leaf, case.examples, 0, n, place, room)
    assert_equal(expected.arguments[4], actual.arguments[4])
    cuts = sorted({*place[place >= 0].tolist(), total})
    for begin, end in pairwise(cuts):
        groups = [
            sorted(zip(*(array[begin:end].tolist() for array in outcome.arguments[5]), strict=True))
            for outcome in (expected, actual)
        ]
        assert groups[0] == groups[1]
    same(cuda, "put_back", actual.arguments[5], np.zeros(n))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("length", [3, 16])
@pytest.mark.parametrize("loss", LOSSES)
def test_slopes_and_steps_are_the_same(cuda: Any, n: int, length: int, loss: str) -> None:
    case = Random(n)
    ends = np.array([n // 4, n // 4, n // 2, n])  # the second group is empty
    cells = Cells(*_cells(np.array([0, n // 4, n // 4, n // 2]), ends, length))
    members = Members(np.arange(n, dtype=np.int32), case.importance, case.state)
    step = np.array([0.5, -0.5, 2.0, -2.0])
    factor = np.exp(step if loss == "logistic" else -step)
    some = np.where(np.array([True, True, False, True]), factor, -1.0)
    same(cuda, f"{loss}.slopes", cells, some, case.scale, members, np.zeros((2, 4), np.int64))
    same(cuda, f"{loss}.move", cells, step, factor, case.scale / 4, members, np.zeros(1, np.int64))


def problems() -> list[Problem]:
    return [
        problem(1, 1, 3, 1),
        problem(2, 20, 0, 2),
        problem(3, 30, 12, 3, density=0.8),
        problem(4, 25, 90, 2, density=0.1),
    ]


@pytest.mark.parametrize("case", problems(), ids=["one row", "no feature", "dense", "ragged"])
def test_each_features_segments_are_the_same_in_any_order(cuda: Any, case: Problem) -> None:
    matrix = case.matrix
    arguments = (matrix.starts, matrix.features, len(matrix.column), Team(1))
    (begins, holders), (begins_there, holders_there) = (
        outcome.returned for outcome in both(cuda, "transpose", *arguments)
    )
    assert_equal(begins, begins_there)
    for a, b in pairwise(begins):
        assert holders[a:b].tolist() == sorted(holders_there[a:b].tolist())


@pytest.mark.parametrize("length", [1, 5, 90])
def test_percolation_ends_in_the_same_leaves_in_one_pass_or_several(cuda: Any, length: int) -> None:
    case = problem(3, 30, 100, 2, density=0.2)
    tree = chain(np.random.default_rng(0).permutation(100)[:length].tolist())
    rows = case.task.rows
    leaf, words = np.zeros(len(rows), np.int32), np.zeros(len(case.matrix.starts) - 1, np.uint64)
    for closed, below, exits in passes(tree):
        marks = (tree.feature, closed, *Postings.of(case.matrix, cpu))
        marked = same(cuda, "mark", *marks, words).arguments[-1]
        assert marked.any()
        down = (case.matrix.segments[rows], marked, below, exits)
        same(cuda, "percolate", 3, 9, *down, leaf)
        leaf = same(cuda, "percolate", 0, len(rows), *down, leaf).arguments[-1]
        assert not same(cuda, "unmark", *marks, marked).arguments[-1].any()
    assert (tree.feature[leaf] < 0).all()


@pytest.mark.parametrize("rows", [0, 1, 9])
@pytest.mark.parametrize("rules", [1, 64, 150])
def test_scores_are_the_same_sums(cuda: Any, rows: int, rules: int) -> None:
    rng = np.random.default_rng(rows)
    labels, weights = rng.integers(0, 4, rules).astype(np.int32), rng.integers(-(2**50), 2**50, rules)
    fires = rng.integers(0, 2**64, (rows, -(-rules // 64)), np.uint64)
    if rules % 64:
        fires[:, -1] &= np.uint64(2 ** (rules % 64) - 1)  # no more than there are
    same(cuda, "score", fires, labels, weights, rng.integers(-9, 9, (rows, 4)))
