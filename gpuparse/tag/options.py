"""The options of the tagger's training, in a module that is quick to import."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TaggerOptions:
    """How the tagger learns; the defaults were chosen on documents held out from GUM's training part."""

    known: int = 2  # words, affixes and shapes that occur so often are known; rarer ones stand for unknown words
    frequent: int = 5  # words that occur so often can only have tags that they occurred with
    least: int = 2  # features that occur less often are left out
    epochs: int = 3  # passes over the sentences; held-out accuracy does not rise after two or three
    rate: float = 0.1  # of learning
    decay: float = 0.03  # of a weight, at each of its changes: an l2 penalty
    negligible: float = 0.01  # smaller changes of probability are ignored, which keeps the number of weights small
    smallest: float = (
        0.05  # weights below are dropped at the end: it costs few tokens in 10,000 and leaves a tenth of the size
    )
    seed: int = 0  # of the order in which sentences are seen
