"""The options of inducing word classes, in a module that is quick to import."""

from __future__ import annotations

from dataclasses import dataclass

MOST_CLASSES = 2048  # of a granularity: the time of a sweep grows with it, that of merging with its cube


@dataclass(frozen=True)
class ClassOptions:
    """How classes are induced."""

    granularities: tuple[int, ...] = (512, 128, 32)  # numbers of classes, falling
    least: int = 2  # words that occur less often have no class
    fold: bool = True  # whether words are taken in lower case; what looks at classes sees capitals elsewhere
    sweeps: int = 20  # the most passes over all words
