"""The steps of growing a tree on the CPU against the same thing said plainly, on empty, tiny and ragged input too."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.boost.postings import Postings
from gpuparse.kernels import cpu
from gpuparse.kernels.cpu.boost.growth.divide import partition
from gpuparse.kernels.cpu.boost.growth.extremes import extremes, sparse_extremes
from gpuparse.kernels.cpu.boost.growth.histograms import add, clear
from gpuparse.kernels.cpu.boost.growth.sample import gather
from gpuparse.kernels.cpu.boost.growth.sum import (
    accumulate,
    add_root,
    add_signed,
    count_ids,
    move_sparse,
    pull,
    settle,
)
from gpuparse.kernels.packing import as_negative, as_positive
from tests.boost.problems import Problem, problems

COMMON = settings(max_examples=40, deadline=None)


def gathered(given: Problem, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """local, begins, ends, number"""
    segments, starts = given.matrix.segments, given.matrix.starts
    local = np.empty((len(rows), segments.shape[1]), np.int32)
    used = np.empty(local.size + 1, np.int32)
    number = np.zeros(len(starts) - 1, np.int32)
    used = used[: gather(segments, rows, number, local, used)]
    return local, starts[used], starts[used + 1], number


def packed_weights(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    weights = np.random.default_rng(seed).integers(-1000, 1000, n)
    return weights, np.where(weights > 0, as_positive(weights), as_negative(-weights))


def dense_histogram(given: Problem, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return given.dense[rows].T.astype(np.int64) @ weights


def accumulated(local, packed, members, n_segments) -> tuple[np.ndarray, np.ndarray]:
    sums, touched = np.zeros(n_segments, np.int64), np.empty(n_segments, np.int32)
    return touched[: accumulate(local, members, packed, sums, touched)], sums


@given(problems(), st.integers(0, 99))
@COMMON
def test_histograms_by_segments_are_the_dense_product(given: Problem, seed: int) -> None:
    rows = given.task.rows
    weights, packed = packed_weights(seed, len(rows))
    local, begins, ends, number = gathered(given, rows)
    members = np.flatnonzero(np.random.default_rng(seed).random(len(rows)) < 0.7).astype(np.int32)
    truth = dense_histogram(given, rows[members], weights[members])
    n, features = len(given.matrix.column), given.matrix.features

    touched, sums = accumulated(local, packed, members, len(begins))
    assert count_ids(touched, begins, ends) == sum(ends[s] - begins[s] for s in set(touched.tolist()))
    pulled, most, least = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32)
    pull(*Postings.of(given.matrix, cpu), sums[number], 0, n, 1, pulled, most, least)
    wide, root = np.zeros(n, np.int64), np.zeros(n, np.int32)
    head = n // 3
    bounds = most.copy(), least.copy()
    add_root(touched, sums, begins, ends, features, head, n, root, wide)
    assert not root[head:].any()
    settle(wide, head, n, 1, root, bounds[0], bounds[1])
    positive = dense_histogram(given, rows[members], np.maximum(weights[members], 0))
    for found in (pulled, root):
        assert found.tolist() == truth.tolist()
    for found in (most, bounds[0]):
        assert found.tolist() == positive.tolist()
    for found in (least, bounds[1]):
        assert found.tolist() == (truth - positive).tolist()
    assert not wide.any()

    signed = np.zeros(n, np.int32)
    add_signed(touched, sums, begins, ends, features, n // 2, -1, signed)
    assert signed[: n // 2].tolist() == (-truth[: n // 2]).tolist()
    assert not signed[n // 2 :].any()
    clear(sums, touched)
    assert not sums.any()


@given(problems(), st.integers(0, 99))
@COMMON
def test_moving_a_child_out_of_its_parent_leaves_the_other_child(given: Problem, seed: int) -> None:
    rows = given.task.rows
    weights, packed = packed_weights(seed, len(rows))
    local, begins, ends, _ = gathered(given, rows)
    members = np.flatnonzero(np.random.default_rng(seed).random(len(rows)) < 0.4).astype(np.int32)
    n = len(given.matrix.column)
    parent = dense_histogram(given, rows, weights).astype(np.int32)
    truth = dense_histogram(given, rows[members], weights[members])
    touched, sums = accumulated(local, packed, members, len(begins))
    child, support = np.zeros(n, np.int32), np.empty(count_ids(touched, begins, ends), np.int32)
    rest = parent.copy()
    count = move_sparse(touched, sums, begins, ends, given.matrix.features, n, rest, child, support)
    assert child.tolist() == truth.tolist()
    assert rest.tolist() == (parent - truth).tolist()
    assert set(np.flatnonzero(truth)) <= set(support[:count].tolist())
    add(child, rest, 0, n, 1)
    assert rest.tolist() == parent.tolist()
    clear(child, support[:count])
    assert not child.any()


@given(st.lists(st.integers(-5, 5), max_size=40), st.integers(-6, 6), st.integers(-6, 6), st.integers(1, 7))
@settings(max_examples=150, deadline=None)
def test_extremes_are_the_first_of_the_least_and_the_greatest(sums: list[int], low: int, high: int, block: int) -> None:
    histogram = np.array(sums, np.int32)
    blocks = -(-len(sums) // block)
    parts = [histogram[b * block : (b + 1) * block] for b in range(blocks)]
    most = np.array([max(part.max(), 0) for part in parts], np.int32)
    least = np.array([min(part.min(), 0) for part in parts], np.int32)
    at_least = min((f for f in range(len(sums)) if sums[f] <= low), key=lambda f: (sums[f], f), default=-1)
    at_most = min((f for f in range(len(sums)) if sums[f] >= high), key=lambda f: (-sums[f], f), default=-1)
    shuffled = np.random.default_rng(len(sums)).permutation(len(sums)).astype(np.int32)
    for found in (
        extremes(histogram, block, most, least, low, high),
        sparse_extremes(histogram, shuffled, low, high),
    ):
        assert (found[0], found[2]) == (at_least, at_most)
        assert at_least < 0 or found[1] == sums[at_least]
        assert at_most < 0 or found[3] == sums[at_most]


@given(problems(), st.integers(0, 99), st.data())
@COMMON
def test_partition_divides_in_order_by_marks_and_by_search(given: Problem, seed: int, data) -> None:
    rows = given.task.rows
    if len(given.matrix.column) == 0:
        return
    _, packed = packed_weights(seed, len(rows))
    local, begins, ends, number = gathered(given, rows)
    feature = data.draw(st.integers(0, len(given.matrix.column) - 1))
    column = int(given.matrix.column[feature])
    having = given.dense[rows, feature]
    order = [*np.flatnonzero(having), *np.flatnonzero(~having)]
    holders = Postings.of(given.matrix, cpu).holding(feature)
    crowd = np.concatenate([holders, np.zeros(20 * len(rows), np.int32)])  # so many that searching is cheaper
    for given_holders in (holders, crowd):
        members, marked = np.arange(len(rows), dtype=np.int32), np.zeros(len(begins), bool)
        count, weight = partition(
            members, np.empty_like(members), local, column, begins, ends, given.matrix.features, feature,
            given_holders, number, marked, packed,
        )  # fmt: skip
        assert members.tolist() == order
        assert (count, weight) == (having.sum(), packed[having].sum())
        assert not marked.any()
