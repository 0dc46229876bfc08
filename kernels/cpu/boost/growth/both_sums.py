"""Histograms that keep the positive and the negative weight of every feature, packed, for splits that need both.

No bound rules a feature out where both sums count, so every search goes through all of them.
"""

import math
from typing import Any

import numpy as np

from gpuparse.jit import kernel

from ....packing import difference, negative, positive
from .extremes import extremes
from .histograms import BOUNDLESS, Histogram, Histograms
from .sample import SampleRows
from .sum import Touched, add_packed, count_ids


@kernel
def purest(histogram, total):
    """(feature, packed weight) of the split that leaves the least sqrt(P N) of both children together; -1: none.

    The node has the packed weight `total`. Ties: the lowest feature.
    """
    all_positive = positive(total)
    all_negative = negative(total)
    least = np.inf
    best = -1
    weight = np.int64(0)
    for f in range(histogram.size):
        packed = histogram[f]
        if packed != 0:
            p = positive(packed)
            n = negative(packed)
            impurity = math.sqrt(p * n) + math.sqrt((all_positive - p) * (all_negative - n))
            if impurity < least:
                least = impurity
                best = f
                weight = packed
    return best, weight


class PackedHistograms(Histograms):
    """Histograms of packed weights (int64)."""

    dtype = np.int64

    def root(self, sample: SampleRows) -> Histogram:
        """The histogram of all of a sample."""
        touched = self._accumulate(sample, np.arange(len(sample.packed), dtype=np.int32))
        histogram = self._take()
        self._add(touched, self._worth(count_ids(touched)), histogram, 1)
        return Histogram(histogram, None)

    def limit(self, root: Histogram, least_weight: float, last_met: int) -> None:
        """There are no bounds by which a feature could be too light."""

    def extremes(self, histogram: Histogram, low: int, high: int) -> tuple[int, int, int, int]:
        """(feature, sum) of the least sum <= low and of the greatest >= high; feature -1 where there is none."""
        sums = difference(histogram.sums).astype(np.int32)
        boundless = np.full(1, BOUNDLESS, np.int32)
        return extremes(sums, max(len(sums), 1), boundless[: len(sums)], -boundless[: len(sums)], low, high)

    def purest(self, histogram: Histogram, total: int) -> tuple[int, int]:
        """The feature of the purest split, and the packed weight of the examples that have it; feature -1: none."""
        return purest(histogram.sums, np.int64(total))

    def _is_sparse(self, ids: int) -> bool:
        return False

    def _add_piece(self, touched: Touched, sign: int, target: Any) -> None:
        add_packed(touched, self._features, self._reach, sign, target)
