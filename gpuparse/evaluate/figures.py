"""Figures: shares in percent, and the measures that are made of counts of brackets."""

from __future__ import annotations

from dataclasses import dataclass

Figures = dict[str, int | float]


def percent(part: int, whole: int) -> float:
    """A share in percent; 0 if the whole is 0.

    >>> percent(1, 4), percent(0, 0)
    (25.0, 0.0)
    """
    return 100.0 * part / whole if whole else 0.0


def printed(value: float) -> float:
    """A figure with the two decimals that EVALB prints.

    >>> printed(76.48925)
    76.49
    """
    return float(f"{value:.2f}")


@dataclass(frozen=True)
class BracketCounts:
    """Brackets matched, in gold, and in test; the measures made of them, in percent.

    >>> round(BracketCounts(matched=6, gold=8, test=12).f1, 6)
    60.0
    """

    matched: int
    gold: int
    test: int

    @property
    def recall(self) -> float:
        """Matched of gold."""
        return percent(self.matched, self.gold)

    @property
    def precision(self) -> float:
        """Matched of test."""
        return percent(self.matched, self.test)

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision; 0 where nothing matches (EVALB prints nan)."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def figures(self) -> Figures:
        """The counts and measures by name, rounded as EVALB prints them."""
        return {
            "gold": self.gold,
            "test": self.test,
            "matched": self.matched,
            "recall": printed(self.recall),
            "precision": printed(self.precision),
            "f1": printed(self.f1),
        }
