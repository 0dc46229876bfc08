"""Boosted decision trees under an l1 or l2 penalty: binary classifiers learned from a sparse binary matrix.

A library of its own: it knows nothing of language, and docs/learner.md shows it at another task. What parses imports
little of it, so that these names bring what they need when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuparse.boost.ensemble import Ensemble
    from gpuparse.boost.learning import Session, Watcher, fit, learn
    from gpuparse.boost.log import Attempt, Log, read_log
    from gpuparse.boost.matrix import Csr, Matrix
    from gpuparse.boost.options import Options
    from gpuparse.boost.path import History
    from gpuparse.boost.task import Task
    from gpuparse.boost.tree import GrownTree

_HOMES = {
    "ensemble": ["Ensemble"],
    "learning": ["Session", "Watcher", "fit", "learn"],
    "log": ["Attempt", "Log", "read_log"],
    "matrix": ["Csr", "Matrix"],
    "options": ["Options"],
    "path": ["History"],
    "task": ["Task"],
    "tree": ["GrownTree"],
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}
__all__ = [
    "Attempt",
    "Csr",
    "Ensemble",
    "GrownTree",
    "History",
    "Log",
    "Matrix",
    "Options",
    "Session",
    "Task",
    "Watcher",
    "fit",
    "learn",
    "read_log",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'gpuparse.boost' has no attribute {name!r}")
    return getattr(import_module(f"gpuparse.boost.{_MODULES[name]}"), name)
