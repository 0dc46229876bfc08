"""The operations of the learner and the parser on the CPU, in Numba; kernels/cuda holds twins of the same names."""

from .collect import collect
from .growth import Growth
from .holds import holds
from .leaf_sums import leaf_sums
from .losses import losses
from .mark import mark, unmark
from .percolate import percolate
from .priorities import priorities, uniform
from .put_back import put_back
from .quantise import quantise
from .score import score
from .select import select
from .slopes import slopes
from .transpose import transpose

__all__ = [
    "Growth",
    "collect",
    "holds",
    "leaf_sums",
    "losses",
    "mark",
    "percolate",
    "priorities",
    "put_back",
    "quantise",
    "score",
    "select",
    "slopes",
    "transpose",
    "uniform",
    "unmark",
]
