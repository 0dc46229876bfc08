"""A task: one binary classifier to learn, over the rows of a matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Task(NamedTuple):
    """The training set of one classifier: some rows of a matrix, which of them are positive, and what each is worth.

    >>> Task(np.array([0, 2], np.int32), np.array([1, -1], np.int8), np.array([0.5, 0.5])).signs.tolist()
    [1, -1]
    """

    rows: np.ndarray  # ROW[n], ascending
    signs: np.ndarray  # SIGN[n]: +1 or -1
    importance: np.ndarray  # REAL[n], not negative
