"""The sample a tree is grown on: priority sampling by weight, then weights as integers."""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost.fixed_point import Magnitude, scale_for
from gpuparse.boost.loss import Loss
from gpuparse.boost.options import Options
from gpuparse.boost.task import Task
from gpuparse.boost.team import Team
from gpuparse.kernels import packing

SAMPLE_BITS = 30  # of a sample's weight in units, so that 32 bits hold any sum of its parts


class Sample(NamedTuple):
    """Examples of a task, their weights in fixed point."""

    kept: np.ndarray  # int32[n]: which examples, ascending
    rows: np.ndarray  # int32[n]: their rows of the matrix
    packed: np.ndarray  # int64[n]: their weights, see kernels/packing.py
    total: int  # their weights added up, packed
    scale: float  # units in a weight of 1: a power of two

    @property
    def positive(self) -> int:
        """The weight of the positive examples, in units."""
        return packing.positive(self.total)

    @property
    def negative(self) -> int:
        """The weight of the negative examples, in units."""
        return packing.negative(self.total)


def sampling_key(seed: int, task: str, attempt: int) -> np.uint64:
    """The key of a tree's draws: a function of (seed, task, tree) that is the same everywhere.

    >>> hex(sampling_key(0, "NP", 1))
    '0x4d19bc0b0cdfca6'
    """
    return np.uint64(int.from_bytes(blake2b(f"{seed}\t{task}\t{attempt}".encode(), digest_size=8).digest()))


class Sampler:
    """Draws the samples of one task."""

    def __init__(self, name: str, task: Task, options: Options, loss: Loss, kernels: Any, team: Team) -> None:
        self._name, self._task, self._loss = name, task, loss.operations(kernels)
        self._options, self._kernels, self._team = options, kernels, team
        self._all = kernels.arrays.arange(len(task.rows), dtype=np.int32)
        self._priority = kernels.arrays.empty(len(task.rows), np.float64)

    def draw(self, state: np.ndarray, attempt: int) -> Sample:
        """At most options.sample examples for an attempt at a tree; `state` is that of every example."""
        kept, rows, tau = self._all, self._task.rows, 0.0
        if len(kept) > self._options.sample:
            kept, tau = self._select(state, attempt)
            rows = rows[kept]
        packed, scale, total = self._quantise(state, kept, tau)
        return Sample(kept, rows, packed, total, scale)

    def _quantise(self, state: np.ndarray, kept: np.ndarray, tau: float) -> tuple[np.ndarray, float, int]:
        """The packed weights, their scale, a power of two that brings their total into [2^29, 2^30), and the total."""
        kernels, arrays = self._kernels, self._kernels.arrays
        weights, packed = arrays.empty(len(kept), np.float64), arrays.empty(len(kept), np.int64)
        greatest = float(self._loss.weigh(self._task.importance, state, kept, tau, weights))
        fine = scale_for(Magnitude(greatest * len(kept), greatest))
        total = int(kernels.total(weights, fine)) / fine  # a number of NumPy's where Python runs the kernel
        scale = math.ldexp(1.0, min(SAMPLE_BITS - math.frexp(total)[1], 1000)) if total > 0.0 else 1.0
        return packed, scale, int(kernels.quantise(self._task.signs, kept, weights, scale, packed))

    def _select(self, state: np.ndarray, attempt: int) -> tuple[np.ndarray, float]:
        key = sampling_key(self._options.seed, self._name, attempt)
        priority, importance = self._priority, self._task.importance
        self._team.share(lambda a, b: self._loss.priorities(importance, state, key, a, b, priority), len(state))
        return self._kernels.select(priority, self._options.sample)
