"""Small generated learning problems: a dense table, the same as a matrix of shared segments, and examples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from gpuparse.boost.matrix import Matrix
from gpuparse.boost.task import Task


class Problem(NamedTuple):
    dense: np.ndarray  # bool[rows, features]
    matrix: Matrix
    task: Task


def matrix_of(dense: np.ndarray, column: np.ndarray, columns: int) -> Matrix:
    """A dense table as segments; equal parts of different rows share a segment."""
    features: list[int] = []
    starts, number_of = [0, 0], {}
    segments = np.zeros((len(dense), columns), np.int32)
    for row, table in enumerate(dense):
        for k in range(columns):
            part = tuple(np.flatnonzero(table & (column == k)).tolist())
            if part and (k, part) not in number_of:
                number_of[k, part] = len(starts) - 1
                features += part
                starts.append(len(features))
            segments[row, k] = number_of[k, part] if part else 0
    numbers = np.arange(len(column), dtype=np.int32)  # as they are: ties between features depend on their order
    return Matrix(segments, np.array(starts, np.int64), np.array(features, np.int32), column, numbers)


def problem(
    seed: int, rows: int, features: int, columns: int = 2, density: float = 0.4, importances: str = "random"
) -> Problem:
    """A problem whose answer is a noisy conjunction or two; every third row repeats an earlier one."""
    rng = np.random.default_rng(seed)
    dense = rng.random((rows, features)) < density * rng.random(features)
    again = rng.random(rows) < 1 / 3
    dense[again] = dense[rng.integers(0, max(rows, 1), again.sum())]
    column = rng.integers(0, columns, features).astype(np.uint8)
    score = rng.normal(0, 0.5, rows) - 0.3
    for _ in range(3 if features else 0):
        a, b = rng.integers(0, features, 2)
        score += rng.normal(0, 1.5) * (dense[:, a] & ~dense[:, b] if a != b else dense[:, a])
    y = np.where(score > 0, 1, -1).astype(np.int8)
    importance = rng.random(rows) if importances == "random" else rng.choice([0.0, 0.25, 0.5, 0.5], rows)
    kept = np.sort(rng.choice(rows, rows - rows // 8, replace=False)).astype(np.int32)
    return Problem(dense, matrix_of(dense, column, columns), Task(kept, y[kept], importance[kept]))


def problems(max_rows: int = 40) -> st.SearchStrategy[Problem]:
    """Narrow and dense, or wide and sparse."""
    seeds = st.integers(0, 2**32 - 1)
    importances = st.sampled_from(["random", "shared"])
    narrow = st.builds(
        problem, seeds, st.integers(1, max_rows), st.integers(0, 12), st.integers(1, 3), st.just(0.8), importances
    )
    wide = st.builds(
        problem, seeds, st.integers(10, max_rows), st.integers(200, 700), st.integers(1, 3), st.just(0.05), importances
    )
    return narrow | wide
