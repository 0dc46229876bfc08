"""A task: one binary classifier to learn, over the rows of a matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.dtypes import REAL, ROW, SIGN
from gpuparse.errors import TrainingError


class Task(NamedTuple):
    """The training set of one classifier: some rows of a matrix, which of them are positive, and what each is worth.

    >>> Task(np.array([0, 2], np.int32), np.array([1, -1], np.int8), np.array([0.5, 0.5])).signs.tolist()
    [1, -1]
    """

    rows: np.ndarray  # ROW[n]
    signs: np.ndarray  # SIGN[n]: +1 or -1
    importance: np.ndarray  # REAL[n], not negative

    def checked(self, name: str, n_rows: int) -> Task:
        """The same task, with arrays of these types, for a matrix of so many rows.

        >>> Task(np.array([0, 2]), np.array([True, False]), np.ones(2)).checked("NP", 3)
        Traceback (most recent call last):
            ...
        gpuparse.errors.TrainingError: NP: signs must be +1 or -1
        """
        rows, signs, importance = map(np.asarray, self)
        if any(array.ndim != 1 for array in (rows, signs, importance)):
            raise TrainingError(f"{name}: rows, signs and importances have one axis each")
        if not len(rows) == len(signs) == len(importance):
            raise TrainingError(
                f"{name}: {len(rows)} rows, {len(signs)} signs and {len(importance)} importances do not go together"
            )
        if len(rows) and rows.dtype.kind not in "iu":
            raise TrainingError(f"{name}: rows are named by integers, not by {rows.dtype}")
        if len(rows) and (rows.min() < 0 or rows.max() >= n_rows):
            raise TrainingError(f"{name}: an example's row is outside the matrix of {n_rows} rows")
        if signs.dtype.kind not in "if" or ((signs != 1) & (signs != -1)).any():
            raise TrainingError(f"{name}: signs must be +1 or -1")
        if not np.isfinite(importance).all() or (importance < 0).any():
            raise TrainingError(f"{name}: importances must be finite and not negative")
        return Task(rows.astype(ROW, copy=False), signs.astype(SIGN, copy=False), importance.astype(REAL, copy=False))
