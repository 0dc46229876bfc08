"""Every operation of the device gives what its twin on the CPU gives, to the bit."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from gpuparse.boost.fixed_point import scale_for
from gpuparse.boost.leaves import _cells
from gpuparse.boost.percolation import passes
from gpuparse.boost.postings import Postings
from gpuparse.boost.sample import sampling_key
from gpuparse.boost.team import Team
from gpuparse.kernels import cpu
from gpuparse.parse.model.rules import Part
from tests.boost.problems import Problem, problem
from tests.cuda.twins import assert_equal, both, same
from tests.kernels.test_learning_operations import chain

SIZES = [0, 1, 7, 40]


class Task:
    """Task with random signs, importances, odds and leaves; a third of them like another."""

    def __init__(self, n: int, nodes: int = 5) -> None:
        rng = np.random.default_rng(n)
        self.y = rng.choice([-1, 1], n).astype(np.int8)
        self.importance, self.odds = rng.random(n) / 3, np.exp(rng.normal(0, 3, n))
        self.leaf = rng.integers(0, nodes, n).astype(np.int32)
        again = rng.random(n) < 1 / 3
        for values in (self.y, self.importance, self.odds, self.leaf):
            values[again] = values[: again.sum()]
        self.scale = scale_for(self.importance.sum(), self.importance.max(initial=0.0))


@pytest.mark.parametrize("n", SIZES)
def test_priorities_are_the_same_draws(cuda: Any, n: int) -> None:
    given = Task(n)
    same(cuda, "priorities", given.importance, given.odds, sampling_key(3, "NP", n), 0, n, np.zeros(n))
    same(cuda, "priorities", given.importance, given.odds, sampling_key(3, "NP", n), n // 3, n // 2, np.zeros(n))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("tau", [0.0, 0.05])
def test_weights_of_a_sample_are_the_same_integers(cuda: Any, n: int, tau: float) -> None:
    given = Task(n)
    kept = np.flatnonzero(given.importance > 0.1).astype(np.int32)
    found = same(cuda, "weigh", given.importance, given.odds, kept, tau, np.zeros(len(kept)))
    weights = found.arguments[-1]
    same(cuda, "total", weights, scale_for(len(kept) * found.returned, found.returned))
    same(cuda, "quantise", given.y, kept, weights, 2.0**27, np.zeros(len(kept), np.int64))


@pytest.mark.parametrize("n", [2, 9, 40])
def test_selection_keeps_the_same_examples_where_many_are_equal(cuda: Any, n: int) -> None:
    priority = np.random.default_rng(n).choice([0.5, 1.0, 2.0], n)
    for count in {1, n // 2, n - 1}:
        same(cuda, "select", priority, count)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("nodes", [1, 5, 40])
def test_leaf_sums_are_the_same_in_a_blocks_own_memory_and_beyond_it(cuda: Any, n: int, nodes: int) -> None:
    given = Task(n, nodes)
    around = (given.leaf, given.y, given.importance, given.odds, given.scale)
    same(cuda, "leaf_sums", *around, 0, n, np.zeros(nodes, np.int64), np.zeros((nodes, 2), np.int64))
    same(cuda, "leaf_sums", *around, n // 3, n, np.ones(nodes, np.int64), np.zeros((nodes, 2), np.int64))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("nodes", [5, 40])
def test_the_same_examples_are_collected_though_in_another_order(cuda: Any, n: int, nodes: int) -> None:
    given = Task(n, nodes)
    place, total = np.full((nodes, 2), -1), 0
    for node in (1, 3):
        for side, sign in enumerate((1, -1)):
            place[node, side] = total
            total += np.count_nonzero((given.leaf == node) & (given.y == sign))
    room = (np.zeros(total, np.int32), np.zeros(total), np.zeros(total))
    around = (given.leaf, given.y, given.importance, given.odds, 0, n, place, *room)
    expected, found = both(cuda, "collect", *around)
    assert_equal(expected.arguments[6], found.arguments[6])
    cuts = sorted({*place[place >= 0].tolist(), total})
    for begin, end in pairwise(cuts):
        groups = [
            sorted(zip(*(a[begin:end].tolist() for a in outcome.arguments[7:]), strict=True))
            for outcome in (expected, found)
        ]
        assert groups[0] == groups[1]
    same(cuda, "put_back", *(found.arguments[i] for i in (7, 9)), np.zeros(n))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("length", [3, 16])
def test_slopes_and_steps_are_the_same(cuda: Any, n: int, length: int) -> None:
    given = Task(n)
    ends = np.array([n // 4, n // 4, n // 2, n])  # the second group is empty
    begin, end, group = _cells(np.array([0, n // 4, n // 4, n // 2]), ends, length)
    step = np.array([0.5, -0.5, 2.0, -2.0])
    factor = np.where(np.array([True, True, False, True]), np.exp(step), -1.0)
    cells = (0, len(begin), given.importance, given.odds)
    same(cuda, "slopes", begin, end, group, factor, given.scale, *cells, np.zeros(4, np.int64), np.zeros(4, np.int64))
    around = (begin, end, group, step, np.exp(step), given.scale / 4, *cells, np.zeros(1, np.int64))
    same(cuda, "losses", *around)


def problems() -> list[Problem]:
    return [
        problem(1, 1, 3, 1),
        problem(2, 20, 0, 2),
        problem(3, 30, 12, 3, density=0.8),
        problem(4, 25, 90, 2, density=0.1),
    ]


@pytest.mark.parametrize("given", problems(), ids=["one row", "no feature", "dense", "ragged"])
def test_each_features_segments_are_the_same_in_any_order(cuda: Any, given: Problem) -> None:
    matrix = given.matrix
    arguments = (matrix.starts, matrix.features, len(matrix.column), Team(1))
    (begins, holders), (found_begins, found) = (outcome.returned for outcome in both(cuda, "transpose", *arguments))
    assert_equal(begins, found_begins)
    for a, b in pairwise(begins):
        assert holders[a:b].tolist() == sorted(found[a:b].tolist())


@pytest.mark.parametrize("length", [1, 5, 90])
def test_percolation_ends_in_the_same_leaves_in_one_pass_or_several(cuda: Any, length: int) -> None:
    given = problem(3, 30, 100, 2, density=0.2)
    tree = chain(np.random.default_rng(0).permutation(100)[:length].tolist())
    rows = given.task.rows
    leaf, words = np.zeros(len(rows), np.int32), np.zeros(len(given.matrix.starts) - 1, np.uint64)
    for closed, below, exits in passes(tree):
        marks = (tree.feature, closed, *Postings.of(given.matrix, cpu))
        marked = same(cuda, "mark", *marks, words).arguments[-1]
        assert marked.any()
        down = (given.matrix.segments[rows], marked, below, exits)
        same(cuda, "percolate", 3, 9, *down, leaf)
        leaf = same(cuda, "percolate", 0, len(rows), *down, leaf).arguments[-1]
        assert not same(cuda, "unmark", *marks, marked).arguments[-1].any()
    assert (tree.feature[leaf] < 0).all()


class Layout:
    """Random rules: the words of rows, and the tables of kernels/cpu/score.py."""

    def __init__(self, rows: int, labels: int, groups_of_parts: list[list[int]], seed: int) -> None:
        """`groups_of_parts`: for each part the number of blocks in each of its groups."""
        rng = np.random.default_rng(seed)
        blocks = [n for groups in groups_of_parts for n in groups]
        self.part_groups = np.cumsum([0, *map(len, groups_of_parts)]).astype(np.int32)
        self.group_blocks = np.cumsum([0, *blocks]).astype(np.int32)
        self.group_words = np.cumsum([0, *(n * int(rng.integers(1, 4)) for n in blocks)]).astype(np.int32)
        parts = np.repeat(np.arange(len(groups_of_parts)), [8 * sum(groups) for groups in groups_of_parts])
        kept = np.flatnonzero(rng.random(len(parts)) < 0.8)
        label = rng.integers(labels, size=len(kept))
        order = np.lexsort((kept, label, parts[kept]))
        self.eights = kept[order].astype(np.int32)
        runs = sorted({*zip(parts[kept].tolist(), label.tolist(), strict=True)})
        ends = np.searchsorted(parts[kept][order] * labels + label[order], [p * labels + n for p, n in runs], "right")
        self.part_runs = np.searchsorted([p for p, _ in runs], np.arange(len(groups_of_parts) + 1)).astype(np.int32)
        self.run_eights = np.array([0, *ends], np.int32)
        self.run_label = np.array([n for _, n in runs], np.int32)
        self.sums = rng.integers(-(2**50), 2**50, (2 * len(kept), 16))
        words = max(1, int(self.group_words[-1]))
        self.bits = rng.integers(0, 2**64, (rows, words), np.uint64)
        self.parts = rng.integers(0, len(groups_of_parts), rows).astype(np.uint8)
        self.scores = np.where(rng.random((rows, labels)) < 0.2, np.iinfo(np.int64).min, rng.integers(-9, 9, (rows, 1)))


@pytest.mark.parametrize("rows", [0, 1, 9])
@pytest.mark.parametrize(
    "groups", [[[] for _ in Part], [[1], [], [2, 1], [1], [], [3, 2, 1]]], ids=["no rule", "rules"]
)
def test_scores_are_the_same_and_what_is_not_wanted_stays(cuda: Any, rows: int, groups: list[list[int]]) -> None:
    given = Layout(rows, 4, groups, rows)
    layout = (
        *(given.part_groups, given.group_blocks, given.group_words, given.part_runs, given.run_eights),
        *(given.run_label, given.eights, given.sums),
    )
    same(cuda, "score", given.bits, given.parts, *layout, given.scores)
