"""Boosted decision trees under an l1 or l2 penalty: binary classifiers learned from a sparse binary matrix.

A library of its own: it knows nothing of trees of language. What parses imports little of it, so that the names here
bring what they need when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuparse.boost.labels import log_path, read_attempts, train_labels
    from gpuparse.boost.log import Attempt, Log
    from gpuparse.boost.options import Options
    from gpuparse.boost.path import Ensemble, train_label
    from gpuparse.boost.tree import GrownTree

_HOMES = {
    "Attempt": "log",
    "Ensemble": "path",
    "GrownTree": "tree",
    "Log": "log",
    "Options": "options",
    "log_path": "labels",
    "read_attempts": "labels",
    "train_label": "path",
    "train_labels": "labels",
}
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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gpuparse.boost' has no attribute {name!r}")
    return getattr(import_module(f"gpuparse.boost.{_HOMES[name]}"), name)
