"""Why a parse is what it is: the rules behind each constituent, and the rivals that lost, as data and as a page."""

from gpuparse.parse.explain.explainer import Amount, Explainer
from gpuparse.parse.explain.explanation import (
    Constituent,
    Difference,
    Doubt,
    Explanation,
    Fact,
    FiredRule,
    Others,
    Rival,
    RivalKind,
)

__all__ = [
    "Amount",
    "Constituent",
    "Difference",
    "Doubt",
    "Explainer",
    "Explanation",
    "Fact",
    "FiredRule",
    "Others",
    "Rival",
    "RivalKind",
]
