"""Fewer classes from many: again and again the two whose merger costs the least likelihood become one.

What every merger would cost is kept in a table. A merger changes the terms of two rows and two columns, so the table is
brought up to date with a few looks at each entry, exactly, since all is in integers. Of equal mergers the first wins.
"""

from __future__ import annotations

import numpy as np

from gpuparse.jit import inlined, kernel
from gpuparse.words.exchange import Partition
from gpuparse.words.likelihood import n_ln_n


class Mergers:
    """Classes that are merged step by step."""

    def __init__(self, partition: Partition, table: np.ndarray) -> None:
        classes = len(partition.sizes) - 2
        self._table = table
        self._sizes, self._follows = partition.sizes.copy(), partition.follows.astype(np.int64)
        self._left = np.arange(classes)  # the classes that are left, ascending
        self._losses = np.zeros((classes, classes), np.int64)  # of each pair, the first lower
        self.into = np.arange(classes, dtype=np.int32)  # the class that each of the first is part of now
        self._ready = 0

    def prepare(self, rows: int) -> bool:
        """Compute some more of the table; whether it is complete."""
        end = min(self._ready + rows, len(self.into))
        first_losses(self._ready, end, self._sizes, self._follows, self._losses, self._table)
        self._ready = end
        return end == len(self.into)

    def merge(self) -> None:
        """Merge two classes under the number of the lower."""
        first, second = best_merger(self._left, self._losses)
        self._left = self._left[self._left != second]
        carry_out(first, second, self._left, self._sizes, self._follows, self._losses, self._table)
        self.into[self.into == second] = first

    @property
    def classes(self) -> int:
        """How many there are now."""
        return len(self._left)


@inlined
def _loss(first, second, sizes, follows, table):
    """What the likelihood loses if two classes become one."""
    together = sizes[first] + sizes[second]
    loss = 2 * (n_ln_n(together, table) - n_ln_n(sizes[first], table) - n_ln_n(sizes[second], table))
    for other in range(len(sizes)):
        if other not in (first, second):
            loss -= _rise(first, second, other, follows, table)
    inner = (follows[first, first], follows[first, second], follows[second, first], follows[second, second])
    loss -= n_ln_n(inner[0] + inner[1] + inner[2] + inner[3], table)
    return loss + n_ln_n(inner[0], table) + n_ln_n(inner[1], table) + n_ln_n(inner[2], table) + n_ln_n(inner[3], table)


@inlined
def _rise(first, second, other, follows, table):
    """What the pairs of two classes with a third rise by if the two become one."""
    before, after = follows[other, first] + follows[other, second], follows[first, other] + follows[second, other]
    apart = n_ln_n(follows[other, first], table) + n_ln_n(follows[other, second], table)
    apart += n_ln_n(follows[first, other], table) + n_ln_n(follows[second, other], table)
    return n_ln_n(before, table) + n_ln_n(after, table) - apart


@kernel
def first_losses(start, end, sizes, follows, losses, table):
    """The losses of the pairs whose lower class is one of `start .. end-1`."""
    for first in range(start, end):
        for second in range(first + 1, len(losses)):
            losses[first, second] = _loss(first, second, sizes, follows, table)


@kernel
def best_merger(left, losses):
    """The pair of the least loss, the first of equals."""
    best = (left[0], left[1])
    for place, first in enumerate(left):
        for second in left[place + 1 :]:
            if losses[first, second] < losses[best]:
                best = (first, second)
    return best


@kernel
def carry_out(first, second, left, sizes, follows, losses, table):
    """Add the second class to the first; `left` are the classes that are left then."""
    for place, one in enumerate(left):
        for other in left[place + 1 :]:
            if one != first and other != first:
                losses[one, other] += _rise(one, other, first, follows, table)
                losses[one, other] += _rise(one, other, second, follows, table)
    follows[first] += follows[second]
    follows[:, first] += follows[:, second]
    sizes[first] += sizes[second]
    follows[second] = 0
    follows[:, second] = 0
    sizes[second] = 0
    for place, one in enumerate(left):
        for other in left[place + 1 :]:
            if one == first or other == first:
                losses[one, other] = _loss(one, other, sizes, follows, table)
            else:
                losses[one, other] -= _rise(one, other, first, follows, table)
