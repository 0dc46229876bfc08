"""PARSEVAL as EVALB defines it, and whether the difference between two parsers is due to chance."""

from gpuparse.evaluate.evaluation import Evaluation, evaluate
from gpuparse.evaluate.figures import BracketCounts
from gpuparse.evaluate.parameters import COLLINS, ScoringRules, read_rules, rules_of
from gpuparse.evaluate.scoring import ScoreStatus, SentenceScore, TreeScorer
from gpuparse.evaluate.summary import Summary

__all__ = [
    "COLLINS",
    "BracketCounts",
    "Evaluation",
    "ScoreStatus",
    "ScoringRules",
    "SentenceScore",
    "Summary",
    "TreeScorer",
    "evaluate",
    "read_rules",
    "rules_of",
]
