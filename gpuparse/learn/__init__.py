"""Learning: boosted decision trees under an l1 penalty, one ensemble a label."""

from gpuparse.learn.labels import log_path, read_attempts, train_labels
from gpuparse.learn.log import Attempt, Log
from gpuparse.learn.options import Options
from gpuparse.learn.path import Ensemble, train_label
from gpuparse.learn.tree import GrownTree

__all__ = [
    "Attempt",
    "Ensemble",
    "GrownTree",
    "Log",
    "Options",
    "log_path",
    "read_attempts",
    "train_label",
    "train_labels",
]
