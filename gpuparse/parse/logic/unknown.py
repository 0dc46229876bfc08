"""Tags and labels that were never seen in training: no error, and each is reported once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.trees import Token, Tree


class UnknownReport:
    """Tells of each tag and label outside the vocabulary the first time it is met.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> vocabulary = build_vocabulary([parse_tree("(TOP (NP (NNP Ann)))")], load_language())
    >>> report = UnknownReport(vocabulary, tell=print)
    >>> report.meet_tokens([Token("Oh", "UH"), Token("Ann", "NNP"), Token("oh", "UH")])
    the tag UH was never seen in training
    >>> report.meet_tokens([Token("Oh", "UH")])
    """

    def __init__(self, vocabulary: Vocabulary, tell: Callable[[str], None]) -> None:
        self._vocabulary = vocabulary
        self._tell = tell
        self._told: set[tuple[str, str]] = set()

    def meet_tokens(self, tokens: Iterable[Token]) -> None:
        """Tell of the tags of a sentence."""
        self._meet("tag", self._vocabulary.unknown_tags(tokens))

    def meet_tree(self, tree: Tree) -> None:
        """Tell of the tags and labels of a tree.

        >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
        >>> from gpuparse.trees import load_language, parse_tree
        >>> vocabulary = build_vocabulary([parse_tree("(TOP (NP (NNP Ann)))")], load_language())
        >>> UnknownReport(vocabulary, tell=print).meet_tree(parse_tree("(TOP (FRAG (NP (NNP Ann))))"))
        the label FRAG was never seen in training
        """
        self.meet_tokens(tree.tokens())
        labels = {label for label, word in zip(tree.labels, tree.words, strict=True) if word is None}
        self._meet("label", labels.difference(self._vocabulary.labels))

    def _meet(self, kind: str, names: set[str]) -> None:
        for name in sorted(names):
            if (kind, name) not in self._told:
                self._told.add((kind, name))
                self._tell(f"the {kind} {name} was never seen in training")
