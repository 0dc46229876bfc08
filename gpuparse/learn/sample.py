"""The sample a tree is grown on: priority sampling by weight, then weights as integers."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from gpuparse.features.examples import Examples
from gpuparse.features.matrix import Matrix
from gpuparse.learn.options import Options
from gpuparse.learn.team import Team


class Sample(NamedTuple):
    """Examples of a label, their segments numbered anew, their weights in fixed point."""

    kept: np.ndarray  # int32[n]: which examples, ascending
    local: np.ndarray  # int32[n, K]: their segments, by number in the sample; 0 is the empty one
    begins: np.ndarray  # int64[segments]: where a segment's features begin in the matrix
    ends: np.ndarray  # int64[segments]
    number: np.ndarray  # int32[segments of the matrix]: a segment's number in the sample, 0 if it is not there
    packed: np.ndarray  # int64[n]: positive weight in the upper half, negative in the lower
    positive: int  # total weight of the positive examples, in units
    negative: int
    scale: float  # units in a weight of 1: a power of two


def sampling_key(seed: int, label: str, attempt: int) -> np.uint64:
    """The key of a tree's draws: a function of (seed, label, tree) that is the same everywhere.

    >>> hex(sampling_key(0, "NP", 1))
    '0x4d19bc0b0cdfca6'
    """
    return np.uint64(int.from_bytes(blake2b(f"{seed}\t{label}\t{attempt}".encode(), digest_size=8).digest()))


class Sampler:
    """Draws the samples of one label."""

    def __init__(
        self, label: str, examples: Examples, matrix: Matrix, options: Options, kernels: Any, team: Team
    ) -> None:
        self._label, self._examples, self._matrix = label, examples, matrix
        self._options, self._kernels, self._team = options, kernels, team
        self._number = np.zeros(len(matrix.starts) - 1, np.int32)
        self._used = np.zeros(0, np.int32)
        self._whole: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None = None
        self.takes_all = len(examples.rows) <= options.sample

    def draw(self, odds: np.ndarray, attempt: int) -> Sample:
        """At most options.sample examples for an attempt at a tree, given exp(margin) of every example."""
        if self.takes_all:
            tau = 0.0
            if self._whole is None:
                self._whole = self._gather(np.arange(len(odds), dtype=np.int32))
            gathered = self._whole
        else:
            kept, tau = self._select(odds, attempt)
            gathered = self._gather(kept)
        kept = gathered[0]
        packed = np.empty(len(kept), np.int64)
        scale, total = self._kernels.quantise(self._examples.y, self._examples.bias, odds, kept, tau, packed)
        return Sample(*gathered, packed, positive=total >> 32, negative=total & 0xFFFFFFFF, scale=scale)

    def _select(self, odds: np.ndarray, attempt: int) -> tuple[np.ndarray, float]:
        key = sampling_key(self._options.seed, self._label, attempt)
        priority = np.empty(len(odds))
        bias = self._examples.bias
        self._team.share(lambda a, b: self._kernels.priorities(bias, odds, key, a, b, priority), len(odds))
        return self._kernels.select(priority, self._options.sample)

    def _gather(self, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        segments, starts = self._matrix.segments, self._matrix.starts
        local = np.empty((len(kept), segments.shape[1]), np.int32)
        used = np.empty(local.size + 1, np.int32)
        self._number[self._used] = 0
        count = self._kernels.gather(segments, self._examples.rows[kept], self._number, local, used)
        self._used = used[:count]
        return kept, local, starts[self._used], starts[self._used + 1], self._number
