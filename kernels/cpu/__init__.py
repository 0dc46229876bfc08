"""The operations of the learner on the CPU, in Numba; kernels/cuda holds twins of the same names."""

from .accumulate import accumulate, ids_of
from .extremes import extremes, extremes_listed
from .gather import gather
from .histogram import add_root, add_signed, clear_listed, move_all, move_listed, pull, settle
from .leaves import collect, leaf_sums, losses, put_back, slopes
from .membership import holds
from .partition import partition
from .percolate import mark, percolate, unmark
from .priorities import priorities, uniform
from .quantise import quantise
from .select import select
from .transpose import transpose

__all__ = [
    "accumulate",
    "add_root",
    "add_signed",
    "clear_listed",
    "collect",
    "extremes",
    "extremes_listed",
    "gather",
    "holds",
    "ids_of",
    "leaf_sums",
    "losses",
    "mark",
    "move_all",
    "move_listed",
    "partition",
    "percolate",
    "priorities",
    "pull",
    "put_back",
    "quantise",
    "select",
    "settle",
    "slopes",
    "transpose",
    "uniform",
    "unmark",
]
