"""Is the difference between two parsers due to chance? Stratified shuffling (Noreen 1989; Cohen 1995).

If the parsers did not differ, it would not matter which of them a sentence's result is from. So a trial swaps the two
results of each sentence with probability 1/2 and computes the difference again; p is the share of trials, the observed
result included, whose absolute difference is at least as great as the observed one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpuparse.errors import ScoringError
from gpuparse.evaluate.scoring import ScoreStatus, SentenceScore

Counts = npt.NDArray[np.int64]
Measures = npt.NDArray[np.float64]

MEASURES = ("recall", "precision", "f1")
BITS_AT_ONCE = 1 << 24  # swaps held in memory at once
EQUAL = 1e-9  # differences in percent that are this close are the same


@dataclass(frozen=True)
class Difference:
    """One measure of two parsers, in percent, and the probability of so great a difference by chance."""

    measure: str
    first: float
    second: float
    p: float

    @property
    def size(self) -> float:
        """How much better the first is."""
        return self.first - self.second

    def as_json(self) -> dict[str, Any]:
        """The difference by names."""
        return {
            "test": round(self.first, 2),
            "other": round(self.second, 2),
            "difference": round(self.size, 2),
            "p": self.p,
        }


def compare(
    first: Sequence[SentenceScore], second: Sequence[SentenceScore], trials: int, seed: int = 0
) -> list[Difference]:
    """Test the differences in recall, precision and F1 between two parsers' scores of the same gold sentences.

    Only sentences that are valid for both count.

    >>> good = [SentenceScore(n, 5, ScoreStatus.VALID, matched=4, gold=4, test=4) for n in range(50)]
    >>> bad = [SentenceScore(n, 5, ScoreStatus.VALID, matched=2, gold=4, test=4) for n in range(50)]
    >>> [(difference.measure, difference.size, difference.p < 0.001) for difference in compare(good, bad, trials=2000)]
    [('recall', 50.0, True), ('precision', 50.0, True), ('f1', 50.0, True)]
    """
    valid = ScoreStatus.VALID
    pairs = [pair for pair in zip(first, second, strict=True) if pair[0].status == pair[1].status == valid]
    if not pairs:
        raise ScoringError("No sentence is valid in both treebanks, so there is nothing to compare.")
    ours = np.array([[a.matched, a.gold, a.test] for a, _ in pairs], dtype=np.int64)
    theirs = np.array([[b.matched, b.gold, b.test] for _, b in pairs], dtype=np.int64)
    of_first, of_second = _measures(ours.sum(axis=0)), _measures(theirs.sum(axis=0))
    observed = np.abs(of_first - of_second)
    as_great = np.zeros(len(MEASURES), dtype=np.int64)
    for moved in _shuffles(ours - theirs, trials, seed):
        difference = _measures(ours.sum(axis=0) - moved) - _measures(theirs.sum(axis=0) + moved)
        as_great += (np.abs(difference) >= observed - EQUAL).sum(axis=0)
    chance = (as_great + 1) / (trials + 1)
    return [
        Difference(measure, float(of_first[m]), float(of_second[m]), float(chance[m]))
        for m, measure in enumerate(MEASURES)
    ]


def _shuffles(differences: Counts, trials: int, seed: int) -> Iterator[Counts]:
    """What the swapped sentences of each trial move from the first parser's totals to the second's.

    For many trials at once it is one matrix product, swaps x differences: in float64, which is quick, and exact for
    whole numbers below 2**53.
    """
    random = np.random.default_rng(seed)
    sentences = len(differences)
    at_once = max(1, BITS_AT_ONCE // sentences)
    for start in range(0, trials, at_once):
        rows = min(at_once, trials - start)
        packed = random.integers(0, 256, size=(rows, (sentences + 7) // 8), dtype=np.uint8)
        swaps = np.unpackbits(packed, axis=1, count=sentences)
        yield (swaps.astype(np.float64) @ differences.astype(np.float64)).astype(np.int64)


def _measures(counts: Counts) -> Measures:
    """Recall, precision and F1 in percent of totals (..., [matched, gold, test])."""
    matched, gold, test = (counts[..., column].astype(np.float64) for column in range(3))
    shares = [(matched, gold), (matched, test), (2 * matched, gold + test)]
    return 100 * np.stack([part / np.maximum(whole, 1) for part, whole in shares], axis=-1)
