"""Device code. A folder is a backend; contract.py says what each offers."""

from . import packing
from .contract import (
    BoostOps,
    Cells,
    Children,
    Examples,
    GrowthOps,
    HostScoreOps,
    Kernels,
    LossOps,
    Members,
    MemoryOps,
    RowScorer,
    ScoreOps,
    computes_on_host,
)

__all__ = [
    "BoostOps",
    "Cells",
    "Children",
    "Examples",
    "GrowthOps",
    "HostScoreOps",
    "Kernels",
    "LossOps",
    "Members",
    "MemoryOps",
    "RowScorer",
    "ScoreOps",
    "computes_on_host",
    "packing",
]
