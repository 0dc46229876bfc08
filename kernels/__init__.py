"""Device code. A folder is a backend; contract.py says what each offers."""

from . import packing
from .contract import (
    BitRows,
    BoostOps,
    Cells,
    Children,
    Examples,
    GrowthOps,
    HostScoreOps,
    Kernels,
    KnownRows,
    LossOps,
    Members,
    MemoryOps,
    RowScorer,
    RuleWeights,
    ScoreOps,
    computes_on_host,
)

__all__ = [
    "BitRows",
    "BoostOps",
    "Cells",
    "Children",
    "Examples",
    "GrowthOps",
    "HostScoreOps",
    "Kernels",
    "KnownRows",
    "LossOps",
    "Members",
    "MemoryOps",
    "RowScorer",
    "RuleWeights",
    "ScoreOps",
    "computes_on_host",
    "packing",
]
