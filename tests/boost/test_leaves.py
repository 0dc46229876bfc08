"""Gradients, curvature and the line search against numerical derivatives and a fine grid."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.boost.fixed_point import Magnitude
from gpuparse.boost.leaves import CELLS_TO_SHARE, STRETCH, Leaves, Movers
from gpuparse.boost.loss import LOSSES
from gpuparse.boost.penalty import PENALTIES
from gpuparse.boost.task import Task
from gpuparse.boost.team import Team
from gpuparse.kernels import cpu
from tests.boost.oracle import value_of

KINDS = st.sampled_from(["logistic", "exponential"])


class OneLeaf:
    """Examples that all lie in one leaf, with random margins."""

    def __init__(self, seed: int, n: int, spread: float = 2.0, penalty: str = "l1", loss: str = "logistic") -> None:
        rng = np.random.default_rng(seed)
        self.y = rng.choice([-1, 1], n, p=[0.6, 0.4]).astype(np.int8)
        self.importance, self.margin = rng.random(n), rng.normal(0, spread, n)
        self.kind = loss
        task = Task(np.arange(n, dtype=np.int32), self.y, self.importance)
        largest = self.importance.max() if loss == "logistic" else self.loss(0)
        extent = Magnitude(max(self.importance.sum(), self.loss(0)), largest)
        self.leaves = Leaves(task, extent, LOSSES[loss], PENALTIES[penalty], cpu, Team(1))
        self.leaf = np.zeros(n, np.int32)

    def state(self) -> np.ndarray:
        return LOSSES[self.kind].factor(self.margin)

    def movers(self) -> Movers:
        state = self.state()
        _, counts = self.leaves.sums(self.leaf, state, 1)
        return self.leaves.movers(self.leaf, state, counts, np.array([0]))

    def loss(self, step: float) -> float:
        return float(np.sum(self.importance * value_of(self.kind, self.margin + self.y * step)))


@given(st.integers(0, 10**6), st.integers(1, 200), st.floats(-3, 3), KINDS)
@settings(max_examples=60, deadline=None)
def test_slopes_are_the_numerical_derivatives_of_the_loss(seed: int, n: int, step: float, loss: str) -> None:
    one = OneLeaf(seed, n, 1.0, loss=loss)
    line = LOSSES[loss].line(partial(one.leaves.slopes, one.movers()), 1)
    d = 1e-4
    left, here, right = (one.loss(step + e) for e in (-d, 0, d))
    first, second = line(np.array([step]), np.ones(1, bool))
    assert first[0] == pytest.approx((right - left) / (2 * d), abs=1e-6 * n, rel=1e-6)
    assert second[0] == pytest.approx((right - 2 * here + left) / d**2, abs=1e-5 * n, rel=1e-5)


@given(st.integers(0, 10**6), st.integers(1, 200), KINDS)
@settings(max_examples=40, deadline=None)
def test_leaf_sums_are_minus_the_gradient_at_zero(seed: int, n: int, loss: str) -> None:
    one = OneLeaf(seed, n, loss=loss)
    sums, counts = one.leaves.sums(one.leaf, one.state(), 1)
    d = 1e-5
    assert -sums[0] == pytest.approx((one.loss(d) - one.loss(-d)) / (2 * d), abs=1e-7 * n, rel=1e-6)
    assert counts.sum(axis=0)[0].tolist() == [(one.y > 0).sum(), (one.y < 0).sum()]


@given(
    st.integers(0, 10**6),
    st.integers(1, 100),
    st.sampled_from(["l1", "l2"]),
    st.floats(0.001, 20),
    st.sampled_from([0.0, -1.5, 0.3, 2.0]),
    st.sampled_from(
        [("logistic", 0.5), ("logistic", 3.0), ("logistic", 12.0), ("exponential", 0.5), ("exponential", 2.0)]
    ),
)
@settings(max_examples=120, deadline=None)
def test_no_step_of_a_fine_grid_beats_the_line_search(seed, n, penalty, lambda_, theta, kind) -> None:
    loss, spread = kind
    one = OneLeaf(seed, n, spread, penalty, loss)
    step = float(one.leaves.steps(one.movers(), np.array([theta]), lambda_)[0])

    def risk(step: float) -> float:
        size = abs(theta + step)
        return one.loss(step) + lambda_ * (size if penalty == "l1" else size * size)

    around = [step + e for e in np.linspace(-0.01, 0.01, 41)]
    wide = np.linspace(-20, 20, 401)
    assert risk(step) <= min(risk(s) for s in (*around, *wide, -theta)) + 1e-9 * n * max(1.0, one.loss(0) / n)


def test_a_leaf_below_lambda_does_not_move_and_a_parameter_not_worth_its_penalty_becomes_zero() -> None:
    one = OneLeaf(3, 50)
    gradient = abs(float(one.leaves.sums(one.leaf, one.state(), 1)[0][0]))
    assert one.leaves.steps(one.movers(), np.zeros(1), gradient * 1.001)[0] == 0.0
    assert one.leaves.steps(one.movers(), np.array([0.25]), 1000.0)[0] == -0.25


def test_a_leaf_of_one_class_moves_until_its_gradient_is_lambda() -> None:
    one = OneLeaf(3, 50)
    one.y[:] = 1
    one.margin[:] = 0
    step = float(one.leaves.steps(one.movers(), np.zeros(1), 1e-6)[0])
    assert np.sum(one.importance / (1 + np.exp(step))) == pytest.approx(1e-6, rel=1e-5)


@given(st.integers(0, 10**6), st.floats(-5, 5), KINDS)
@settings(max_examples=40, deadline=None)
def test_moving_changes_the_loss_by_what_it_says(seed: int, step: float, loss: str) -> None:
    one = OneLeaf(seed, 64, 1.0, loss=loss)
    movers = one.movers()
    if loss == "exponential":  # it does not expect a step after which there is more loss than at first
        step = float(np.clip(step, -0.1, 0.1))
    change = one.leaves.move(movers, np.array([step]))
    assert change == pytest.approx(one.loss(step) - one.loss(0), abs=1e-12 * 64, rel=1e-9)
    state = one.state()
    one.leaves.put_back(movers, state)
    assert np.log(state) * (1 if loss == "logistic" else -1) == pytest.approx(one.margin + one.y * step, abs=1e-9)


def test_sums_do_not_depend_on_how_many_threads_make_them() -> None:
    results = []
    for threads in (1, 2, 3):
        one = OneLeaf(5, 13 * cpu.CELL)  # enough for three threads: examples, and cells of both sides
        with Team(threads) as team:
            one.leaves._team = team
            assert len(team.shares(len(one.y), STRETCH)) == len(team.shares(14, CELLS_TO_SHARE)) == threads
            slopes = one.leaves.slopes(one.movers(), np.array([0.7]), np.ones(1, bool))
            results.append([*one.leaves.sums(one.leaf, one.state(), 1)[0], *slopes[0], *slopes[1]])
    assert results[0] == results[1] == results[2]
