"""Tags that were never seen in training: no error, and each is reported once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.trees import Token


class UnknownReport:
    """Reports each tag outside the vocabulary the first time it is met.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> vocabulary = build_vocabulary([parse_tree("(TOP (NP (NNP Ann)))")], load_language())
    >>> report = UnknownReport(vocabulary, tell=print)
    >>> report.meet([Token("Oh", "UH"), Token("Ann", "NNP"), Token("oh", "UH")])
    the tag UH was never seen in training
    >>> report.meet([Token("Oh", "UH")])
    """

    def __init__(self, vocabulary: Vocabulary, tell: Callable[[str], None]) -> None:
        self._vocabulary = vocabulary
        self._tell = tell
        self._reported: set[str] = set()

    def meet(self, tokens: Iterable[Token]) -> None:
        """Report those of a sentence."""
        for tag in sorted(self._vocabulary.unknown_tags(tokens) - self._reported):
            self._reported.add(tag)
            self._tell(f"the tag {tag} was never seen in training")
