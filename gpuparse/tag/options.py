"""The options of the tagger's training, in a module that is quick to import."""

from __future__ import annotations

import math
from dataclasses import dataclass

TOKENS = 500_000  # up to so many, features that occur twice are kept, and weights of less effect


@dataclass(frozen=True)
class TaggerOptions:
    """How the tagger learns; the defaults were chosen on the development parts of GUM and MASC."""

    known: int = 2  # words, affixes and shapes that occur so often are known; rarer ones stand for unknown words
    frequent: int = 5  # words that occur so often can only have tags that they occurred with, or that are promised
    least: int | None = None  # features that occur less often are left out; None: the more tokens, the more
    epochs: int = 4  # passes over the sentences
    rate: float = 0.05  # of learning
    decay: float = 0.03  # of a weight, at each of its changes: an l2 penalty
    negligible: float = 0.01  # smaller changes of probability are ignored, which keeps the number of weights small
    smallest: float | None = None  # weights of less effect are dropped; None: of much text more than of little
    strange: float = 0.15  # of the words, so many stand for unknown ones in each pass
    retyped: float = 0.15  # of the sentences, so many are also learned as if they had been typed in haste
    made_up: int = 5  # commands per verb, and statements, made from sentences, if the language says how
    seed: int = 0  # of the order in which sentences are seen

    def least_for(self, tokens: int) -> int:
        """How often a feature must occur in so many tokens.

        >>> [TaggerOptions().least_for(tokens) for tokens in (1_000, 1_000_000, 4_000_000)]
        [2, 2, 3]
        """
        return self.least or 2 + round(max(0.0, math.log2(max(tokens, 1) / TOKENS) / 3))

    def smallest_for(self, tokens: int) -> float:
        """The least effect of a weight that is kept after learning from so many tokens; a fifth of the weights of a
        large tagger do nearly the work of all.

        >>> [TaggerOptions().smallest_for(tokens) for tokens in (1_000, 1_000_000)]
        [0.02, 0.12]
        """
        if self.smallest is not None:
            return self.smallest
        return 0.02 if tokens <= TOKENS else 0.12
