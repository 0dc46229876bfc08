"""How a tagger learns: known without importing what learns it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TaggerOptions:
    """How the tagger learns; the defaults were chosen on documents held out from GUM's training part."""

    known: int = 2  # words, affixes and shapes seen so often are known; the rest stand for the unknown words to come
    frequent: int = 5  # words seen so often have only the tags seen
    least: int = 2  # features seen less often are left out
    epochs: int = 3  # rounds over the sentences; after two or three the held-out accuracy stays
    rate: float = 0.1  # of learning
    decay: float = 0.03  # of a weight, at each of its changes: an l2 penalty
    negligible: float = 0.01  # a change of probability that is not followed up: it keeps the weights few
    smallest: float = 0.05  # weights below are dropped in the end: few points in 10,000, and a tenth of the size
    seed: int = 0  # of the order in which sentences are seen
