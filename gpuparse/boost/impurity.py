"""The split rule of 2005: a node is split where the impurity falls most.

If each leaf of a tree scores its examples as well as one number can, the exponential loss of all of them is Z, the sum
over leaves of 2 sqrt(W+ W-), where W+ and W- are the weights of a leaf's positive and negative examples (Schapire and
Singer 1999). So a node f is split by the feature a with the least Z(f and a) + Z(f and not a). That needs both sums of
every feature, and neither is an extreme of anything, so that all features are looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpuparse.boost.options import Options, SplitKind
from gpuparse.boost.splitter import GainSplitter, Ground, Node, Splitter
from gpuparse.kernels import packing


def impurity(packed: int) -> float:
    """sqrt(W+ W-) of packed weights.

    >>> impurity(packing.as_positive(9) + packing.as_negative(4))
    6.0
    """
    return math.sqrt(packing.positive(packed) * packing.negative(packed))


class ImpuritySplitter:
    """Splits a node where Z falls most, and by more than the split margin; parameters don't matter to it."""

    NEEDS_BOTH = True

    def __init__(self, ground: Ground, options: Options) -> None:
        self._growth = ground.growth
        self._split_margin = options.split_margin * ground.lambda_ * ground.scale

    def best_splits(self, wave: Sequence[Node]) -> list[int]:
        """For each node the feature to split it by, or -1."""
        best = self._growth.purest([node.number for node in wave], [node.packed for node in wave]).tolist()
        return [
            feature if feature >= 0 and self._fall(node.packed, packed) > self._split_margin else -1
            for node, (feature, packed) in zip(wave, best, strict=True)
        ]

    def may_split(self, node: Node) -> bool:
        """Whether Z would fall enough if a split were perfect."""
        return 2.0 * impurity(node.packed) > self._split_margin

    def _fall(self, whole: int, part: int) -> float:
        """By how much Z falls when a node is divided into a part and the rest."""
        return 2.0 * (impurity(whole) - (impurity(part) + impurity(whole - part)))


SPLITTERS: dict[str, type[Splitter]] = {SplitKind.GAIN: GainSplitter, SplitKind.IMPURITY: ImpuritySplitter}
