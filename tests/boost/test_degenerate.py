"""Data that leave little or nothing to learn end cleanly."""

from __future__ import annotations

import numpy as np
import pytest

from gpuparse.boost import History, Options, Task
from gpuparse.boost.path import Workplace, learn_task
from gpuparse.errors import TrainingError, UsageError
from gpuparse.kernels import cpu
from tests.boost.problems import matrix_of


def learn(dense: list[list[int]], y: list[int], importance: list[float] | None = None, **options) -> History:
    table = np.array(dense, bool).reshape(len(y), len(dense[0]) if dense else 0)
    matrix = matrix_of(table, np.zeros(table.shape[1], np.uint8), 1)
    rows = np.arange(len(y), dtype=np.int32)
    weights = np.full(len(y), 0.5) if importance is None else np.array(importance, float)
    return learn_task("X", Task(rows, np.array(y, np.int8), weights), Workplace.on(matrix, cpu), Options(**options))


def score(history: History, row: list[int]) -> float:
    total = 0.0
    for attempt in history.kept:
        node = 0
        while attempt.tree.feature[node] >= 0:
            node = (attempt.tree.yes if row[attempt.tree.feature[node]] else attempt.tree.no)[node]
        total += attempt.tree.value[node]
    return total


def test_one_class_only_learns_a_constant() -> None:
    ensemble = learn([[1, 0], [0, 1], [1, 1]], [1, 1, 1], min_lambda=1e-3)
    assert ensemble.end in ("lambda", "nothing falls")
    assert all(attempt.leaves == 1 for attempt in ensemble.kept)
    assert score(ensemble, [0, 0]) > 3


def test_no_features_learn_the_prior() -> None:
    ensemble = learn([[], [], [], []], [1, -1, -1, -1], min_lambda=1e-6, epsilon=1e-9)
    assert score(ensemble, []) == pytest.approx(np.log(1 / 3), abs=1e-3)


def test_no_examples_learn_nothing() -> None:
    ensemble = learn([], [])
    assert ensemble.kept == []
    assert ensemble.end == "nothing falls"


def test_equal_rows_with_different_answers_end_when_nothing_falls() -> None:
    ensemble = learn([[1, 0]] * 4, [1, 1, 1, -1], min_lambda=0.0)
    assert ensemble.end == "nothing falls"
    assert score(ensemble, [1, 0]) == pytest.approx(np.log(3), abs=0.05)


def test_one_positive_among_many_is_found() -> None:
    dense = [[1, int(i == 17), i % 2] for i in range(40)]
    ensemble = learn(dense, [1 if i == 17 else -1 for i in range(40)], min_lambda=0.01)
    assert score(ensemble, dense[17]) > 1
    assert score(ensemble, dense[3]) < -1


def test_zero_weights_learn_nothing() -> None:
    ensemble = learn([[1], [0]], [1, -1], importance=[0.0, 0.0], min_lambda=0.0)
    assert ensemble.kept == []
    assert ensemble.end == "nothing falls"


def test_zero_weights_beyond_the_sample_learn_nothing() -> None:
    assert learn([[1], [0], [1]], [1, -1, 1], importance=[0.0] * 3, min_lambda=0.0, sample=2).kept == []


def test_weights_too_small_to_be_told_from_zero_learn_nothing() -> None:
    assert learn([[1], [0]], [1, -1], importance=[1e-310, 1e-310], min_lambda=0.0, patience=3).kept == []


def test_a_gradient_that_is_zero_everywhere_ends_at_once() -> None:
    ensemble = learn([[1], [1]], [1, -1], min_lambda=0.0)
    assert ensemble.kept == []
    assert ensemble.end == "nothing falls"


def test_a_smallest_lambda_above_every_gradient_learns_nothing() -> None:
    ensemble = learn([[1], [0]], [1, -1], min_lambda=10.0)
    assert ensemble.kept == []
    assert ensemble.end == "lambda"


def test_a_lambda_far_below_the_smallest_gradient_separates_what_can_be_separated() -> None:
    ensemble = learn([[1, 0], [0, 1], [1, 1], [0, 0]], [1, -1, -1, 1], min_lambda=1e-9, max_trees=200)
    assert score(ensemble, [1, 0]) > 5
    assert score(ensemble, [1, 1]) < -5


def test_budgets_end_the_path() -> None:
    dense, y = [[1, 0], [0, 1], [1, 1], [0, 0]], [1, -1, -1, 1]
    assert len(learn(dense, y, max_trees=2, min_lambda=0.0).kept) == 2
    assert learn(dense, y, max_trees=0).end == "trees"
    assert learn(dense, y, max_seconds=0.0).end == "time"


def test_extreme_importances_give_finite_scores() -> None:
    ensemble = learn([[1], [0], [1]], [1, -1, -1], importance=[1e12, 1e-12, 1e-9], min_lambda=1e-3, max_trees=50)
    assert all(np.isfinite(a.tree.value).all() and np.isfinite(a.risk) for a in ensemble.kept)


@pytest.mark.parametrize("importance", [[1.0, np.nan], [1.0, -1.0], [1.0, np.inf]])
def test_importances_that_mean_nothing_are_refused(importance: list[float]) -> None:
    with pytest.raises(TrainingError, match="importances"):
        learn([[1], [0]], [1, -1], importance=importance)


def test_rows_outside_the_matrix_are_refused() -> None:
    matrix = matrix_of(np.ones((1, 1), bool), np.zeros(1, np.uint8), 1)
    task = Task(np.array([3], np.int32), np.array([1], np.int8), np.ones(1))
    with pytest.raises(TrainingError, match="outside"):
        learn_task("X", task, Workplace.on(matrix, cpu), Options())


@pytest.mark.parametrize(
    "wrong", [{"eta": 1.0}, {"sample": 0}, {"penalty": "l3"}, {"epsilon": 0.0}, {"split_margin": float("nan")}]
)
def test_options_that_can_not_be_meant_are_refused(wrong: dict) -> None:
    with pytest.raises(UsageError):
        Options(**wrong)
