"""Device code. A folder is a backend; contract.py says what each offers."""

from .contract import (
    NO_SCORE,
    BoostOps,
    Children,
    GrowthOps,
    HostScoreOps,
    Kernels,
    MemoryOps,
    RowScorer,
    ScoreOps,
    computes_on_host,
)

__all__ = [
    "NO_SCORE",
    "BoostOps",
    "Children",
    "GrowthOps",
    "HostScoreOps",
    "Kernels",
    "MemoryOps",
    "RowScorer",
    "ScoreOps",
    "computes_on_host",
]
