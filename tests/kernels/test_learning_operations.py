"""Each of the learner's operations against the same thing said plainly, on empty, tiny and ragged input too."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from gpuparse.kernels import cpu
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.learn import GrownTree
from gpuparse.learn.leaves import _bit_of_nodes
from gpuparse.learn.postings import Postings
from tests.learn.problems import Problem, problem, problems

COMMON = settings(max_examples=40, deadline=None)


def gathered(given: Problem, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """local, begins, ends, number"""
    segments, starts = given.matrix.segments, given.matrix.starts
    local = np.empty((len(rows), segments.shape[1]), np.int32)
    used = np.empty(local.size + 1, np.int32)
    number = np.zeros(len(starts) - 1, np.int32)
    used = used[: cpu.gather(segments, rows, number, local, used)]
    return local, starts[used], starts[used + 1], number


def packed_weights(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    weights = np.random.default_rng(seed).integers(-1000, 1000, n)
    return weights, np.where(weights > 0, weights << 32, -weights)


def dense_histogram(given: Problem, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return given.dense[rows].T.astype(np.int64) @ weights


def accumulated(local, packed, members, n_segments) -> tuple[np.ndarray, np.ndarray]:
    sums, touched = np.zeros(n_segments, np.int64), np.empty(n_segments, np.int32)
    return touched[: cpu.accumulate(local, members, packed, sums, touched)], sums


def test_every_operation_is_a_function_with_a_docstring() -> None:
    for name in cpu.__all__:
        operation = getattr(cpu, name)
        assert inspect.getdoc(getattr(operation, "py_func", operation)), name


@given(problems(), st.data())
@COMMON
def test_holds_tells_membership(given: Problem, data) -> None:
    matrix = given.matrix
    if len(matrix.column) == 0:
        return
    segment = data.draw(st.integers(0, len(matrix.starts) - 2))
    begin, end = matrix.starts[segment], matrix.starts[segment + 1]
    for feature in range(len(matrix.column)):
        assert cpu.holds(matrix.features, begin, end, feature) == (feature in matrix.features[begin:end])


@given(problems())
@COMMON
def test_transpose_lists_the_segments_of_each_feature(given: Problem) -> None:
    matrix = given.matrix
    postings = Postings.of(matrix, cpu)
    for feature in range(len(matrix.column)):
        parts = [matrix.features[a:b] for a, b in zip(matrix.starts[:-1], matrix.starts[1:], strict=True)]
        assert postings.holding(feature).tolist() == [s for s, part in enumerate(parts) if feature in part]


@given(problems(), st.integers(0, 99))
@COMMON
def test_histograms_by_segments_are_the_dense_product(given: Problem, seed: int) -> None:
    rows = given.examples.rows
    weights, packed = packed_weights(seed, len(rows))
    local, begins, ends, number = gathered(given, rows)
    members = np.flatnonzero(np.random.default_rng(seed).random(len(rows)) < 0.7).astype(np.int32)
    truth = dense_histogram(given, rows[members], weights[members])
    n, features = len(given.matrix.column), given.matrix.features

    touched, sums = accumulated(local, packed, members, len(begins))
    assert cpu.ids_of(touched, begins, ends) == sum(ends[s] - begins[s] for s in set(touched.tolist()))
    pulled, most, least = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32)
    cpu.pull(*Postings.of(given.matrix, cpu), sums[number], 0, n, 1, pulled, most, least)
    wide, root = np.zeros(n, np.int64), np.zeros(n, np.int32)
    head = n // 3
    bounds = most.copy(), least.copy()
    cpu.add_root(touched, sums, begins, ends, features, head, n, root, wide)
    assert not root[head:].any()
    cpu.settle(wide, head, n, 1, root, bounds[0], bounds[1])
    positive = dense_histogram(given, rows[members], np.maximum(weights[members], 0))
    for found in (pulled, root):
        assert found.tolist() == truth.tolist()
    for found in (most, bounds[0]):
        assert found.tolist() == positive.tolist()
    for found in (least, bounds[1]):
        assert found.tolist() == (truth - positive).tolist()
    assert not wide.any()

    signed = np.zeros(n, np.int32)
    cpu.add_signed(touched, sums, begins, ends, features, n // 2, -1, signed)
    assert signed[: n // 2].tolist() == (-truth[: n // 2]).tolist()
    assert not signed[n // 2 :].any()
    assert not sums.any()


@given(problems(), st.integers(0, 99))
@COMMON
def test_moving_a_child_out_of_its_parent_leaves_the_other_child(given: Problem, seed: int) -> None:
    rows = given.examples.rows
    weights, packed = packed_weights(seed, len(rows))
    local, begins, ends, _ = gathered(given, rows)
    members = np.flatnonzero(np.random.default_rng(seed).random(len(rows)) < 0.4).astype(np.int32)
    n = len(given.matrix.column)
    parent = dense_histogram(given, rows, weights).astype(np.int32)
    truth = dense_histogram(given, rows[members], weights[members])
    touched, sums = accumulated(local, packed, members, len(begins))
    child, listed = np.zeros(n, np.int32), np.empty(cpu.ids_of(touched, begins, ends), np.int32)
    rest = parent.copy()
    count = cpu.move_listed(touched, sums, begins, ends, given.matrix.features, n, rest, child, listed)
    assert child.tolist() == truth.tolist()
    assert rest.tolist() == (parent - truth).tolist()
    assert set(np.flatnonzero(truth)) <= set(listed[:count].tolist())
    cpu.move_all(child, rest, 0, n, 1)
    assert rest.tolist() == parent.tolist()
    cpu.clear_listed(child, listed[:count])
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
        cpu.extremes(histogram, block, most, least, low, high),
        cpu.extremes_listed(histogram, shuffled, low, high),
    ):
        assert (found[0], found[2]) == (at_least, at_most)
        assert at_least < 0 or found[1] == sums[at_least]
        assert at_most < 0 or found[3] == sums[at_most]


@given(problems(), st.integers(0, 99), st.data())
@COMMON
def test_partition_divides_in_order_by_marks_and_by_search(given: Problem, seed: int, data) -> None:
    rows = given.examples.rows
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
        count, weight = cpu.partition(
            members, np.empty_like(members), local, column, begins, ends, given.matrix.features, feature,
            given_holders, number, marked, packed,
        )  # fmt: skip
        assert members.tolist() == order
        assert (count, weight) == (having.sum(), packed[having].sum())
        assert not marked.any()


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
def test_percolation_ends_where_a_walk_down_the_tree_ends_with_bits_or_without(length: int) -> None:
    given = problem(3, 50, 300, 2, density=0.1)
    tree = chain(np.random.default_rng(0).permutation(300)[:length].tolist())
    rows = given.examples.rows
    leaf = np.empty(len(rows), np.int32)
    matrix, postings = given.matrix, Postings.of(given.matrix, cpu)
    bit = _bit_of_nodes(tree)
    assert (length > 128) == bool(((bit < 0) & (tree.feature >= 0)).any())
    bits = np.zeros(len(matrix.starts) - 1, np.uint64)
    cpu.mark(tree.feature, bit, *postings, bits)
    cpu.percolate(rows, 0, len(rows), *matrix, tree.feature, tree.yes, tree.no, bit, bits, leaf)
    cpu.unmark(tree.feature, bit, *postings, bits)
    assert not bits.any()
    for row, found in zip(rows, leaf, strict=True):
        node = 0
        while tree.feature[node] >= 0:
            node = (tree.yes if given.dense[row, tree.feature[node]] else tree.no)[node]
        assert found == node
