"""Memory for the histograms of a tree's nodes: slots of one array, each as long as the features that are of interest.

    sums    | slot 0: the root    | slot 1              | slot 2 ...          |    int32: sums of y w by feature, or
            |                     |                     |                     |    int64: packed, where both are kept
            ^ 0                   ^ reach               ^ 2 * reach

`reach` is n_features at first. Once the root is summed, features that are too light for any split are cut off, the
slots become shorter, and more of them fit.
"""

from typing import Any

import numpy as np
from numba import cuda

from ...kernel import kernel
from ...memory import arrays, to_device

SLOTS = 16  # of full length that there is room for at first


def _clear(sums, place, reach):
    for f in range(cuda.grid(1), reach, cuda.gridsize(1)):
        sums[place[cuda.blockIdx.y] + f] = 0


def _subtract(sums, place, taken, reach):
    node = cuda.blockIdx.y
    for f in range(cuda.grid(1), reach, cuda.gridsize(1)):
        sums[place[node] + f] -= sums[taken[node] + f]


CLEAR: dict[type, Any] = {
    np.int32: kernel("int32[::1], int64[::1], int64", "histograms.clear")(_clear),
    np.int64: kernel("int64[::1], int64[::1], int64", "histograms.clear_packed")(_clear),
}
SUBTRACT: dict[type, Any] = {
    np.int32: kernel("int32[::1], int64[::1], int64[::1], int64", "histograms.subtract")(_subtract),
    np.int64: kernel("int64[::1], int64[::1], int64[::1], int64", "histograms.subtract_packed")(_subtract),
}


class Slots:
    """The histograms; slot 0 is the root's. `reach` features of each are of interest."""

    def __init__(self, n_features: int, dtype: type) -> None:
        self._dtype = dtype
        self.sums = arrays.empty(SLOTS * n_features, dtype)
        self.plant(n_features)

    def plant(self, n_features: int) -> None:
        """Begin a tree: only the root's is taken."""
        self.reach = n_features
        self._free: list[int] = []
        self._taken = 1

    def limit(self, reach: int) -> None:
        """Only so many features count from now on, so that there is room for more slots."""
        self.reach = reach

    def place(self, slots: list[int]) -> np.ndarray:
        """Where the slots begin; -1 stays -1."""
        return np.array([slot * self.reach if slot >= 0 else -1 for slot in slots], np.int64)

    def take(self, number: int) -> list[int]:
        """So many slots, zeroed."""
        slots = [self._free.pop() if self._free else self._new() for _ in range(number)]
        if self._taken * self.reach > len(self.sums):
            before, self.sums = self.sums, arrays.empty(2 * self._taken * self.reach, self._dtype)
            self.sums[: len(before)] = before
        CLEAR[self._dtype](self.reach, self.sums, to_device(self.place(slots)), self.reach, across=number)
        return slots

    def subtract(self, slots: list[int], taken: list[int]) -> None:
        """Take the histograms in `taken` from those in `slots`."""
        places = (to_device(self.place(slots)), to_device(self.place(taken)))
        SUBTRACT[self._dtype](self.reach, self.sums, *places, self.reach, across=len(slots))

    def release(self, slot: int) -> None:
        """Take a slot back."""
        self._free.append(slot)

    def _new(self) -> int:
        self._taken += 1
        return self._taken - 1
