"""Figures that decide how fast a tree grows on the CPU. No bit of the tree depends on them."""

from typing import NamedTuple


class Tuning(NamedTuple):
    """What Growth is tuned by; loops that are compiled with a constant of their own keep it beside them.

    >>> Tuning().frequent % Tuning().block
    0
    """

    frequent: int = 1 << 16  # frequent features, a multiple of `block`: a second-level cache holds their sums
    block: int = 256  # rare features that share a bound
    sparse: int = 8  # a node lists its features where its segments hold fewer ids than one in so many features
    pull_share: float = 0.5  # of the matrix's ids in a sample, above which its rare features are summed by postings
    pieces: int = 16  # that shared work is cut into: some take longer than others, and some threads are slower
    large_child: int = 2048  # rows in a child, above which the threads share its histogram instead of one doing it all
    # What a second thread must have to do before it pays to call it:
    sums_to_move: int = 1 << 19  # sums that are added one by one
    ids_to_share: int = 1 << 17  # ids in a histogram, which has to be merged afterwards
    rows_to_sum: int = 1 << 10  # rows in the children of a wave
    rows_to_divide: int = 1 << 14  # rows in the nodes of a wave
