"""PARSEVAL as EVALB defines it, and whether the difference between two parsers is due to chance."""

from gpuparse.evaluate.evaluation import Evaluation, evaluate
from gpuparse.evaluate.parameters import COLLINS, Rules, read_rules
from gpuparse.evaluate.scoring import Scorer, SentenceScore, Status
from gpuparse.evaluate.summary import BracketCounts, Summary

__all__ = [
    "COLLINS",
    "BracketCounts",
    "Evaluation",
    "Rules",
    "Scorer",
    "SentenceScore",
    "Status",
    "Summary",
    "evaluate",
    "read_rules",
]
