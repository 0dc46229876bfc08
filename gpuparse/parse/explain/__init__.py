"""Why a parse is what it is: the rules behind each constituent, and the rivals that lost, as data and as a page."""

from gpuparse.options import Amount
from gpuparse.parse.explain.explainer import Explainer
from gpuparse.parse.explain.explanation import (
    Constituent,
    Doubt,
    Explanation,
    Fact,
    FiredRule,
    Others,
    Rival,
    RivalKind,
    RuleDifference,
)

__all__ = [
    "Amount",
    "Constituent",
    "Doubt",
    "Explainer",
    "Explanation",
    "Fact",
    "FiredRule",
    "Others",
    "Rival",
    "RivalKind",
    "RuleDifference",
]
