"""The operations of the learner and the parser on the CPU, in Numba; kernels/cuda holds twins of the same names."""

from .accumulate import accumulate
from .add_root import add_root
from .add_signed import add_signed
from .clear_listed import clear_listed
from .collect import collect
from .extremes import extremes
from .extremes_listed import extremes_listed
from .gather import gather
from .holds import holds
from .ids_of import ids_of
from .leaf_sums import leaf_sums
from .losses import losses
from .mark import mark, unmark
from .move_all import move_all
from .move_listed import move_listed
from .partition import partition
from .percolate import percolate
from .priorities import priorities, uniform
from .pull import pull
from .put_back import put_back
from .quantise import quantise
from .score import score
from .select import select
from .settle import settle
from .slopes import slopes
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
    "score",
    "select",
    "settle",
    "slopes",
    "transpose",
    "uniform",
    "unmark",
]
