"""A tree: its nodes in pre-order, as three parallel arrays.

Node 0 is the root; the descendants of node `v` are the nodes `v+1 .. ends[v]-1`. A terminal has a word, and its label is
its POS tag; a non-terminal has the word None. No method recurses, so depth is no limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Token(NamedTuple):
    """A word and its POS tag."""

    word: str
    tag: str


class Tree:
    """An immutable tree over tokens.

    >>> tree = Tree(["S", "NP", "NNP", "VP", "VBZ"], [None, None, "Ann", None, "sings"], [5, 3, 3, 5, 5])
    >>> str(tree)
    '(S (NP (NNP Ann)) (VP (VBZ sings)))'
    """

    __slots__ = ("ends", "labels", "words")

    def __init__(self, labels: Sequence[str], words: Sequence[str | None], ends: Sequence[int]) -> None:
        self.labels = tuple(labels)
        self.words = tuple(words)
        self.ends = tuple(ends)

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (self.labels, self.words, self.ends) == (other.labels, other.words, other.ends)

    def __hash__(self) -> int:
        return hash((self.labels, self.words, self.ends))

    def children(self, node: int) -> Iterator[int]:
        """The children of a node, left to right."""
        child = node + 1
        while child < self.ends[node]:
            yield child
            child = self.ends[child]

    def tokens(self) -> list[Token]:
        """The terminals, left to right."""
        return [Token(word, label) for word, label in zip(self.words, self.labels, strict=True) if word is not None]

    def __str__(self) -> str:
        """The tree in brackets, on one line."""
        pieces: list[str] = []
        open_ends: list[int] = []
        for node, (label, word, end) in enumerate(zip(self.labels, self.words, self.ends, strict=True)):
            while open_ends and open_ends[-1] == node:
                open_ends.pop()
                pieces.append(")")
            if node:
                pieces.append(" ")
            if word is None:
                pieces.append(f"({label}")
                open_ends.append(end)
            else:
                pieces.append(f"({label} {word})")
        pieces.append(")" * len(open_ends))
        return "".join(pieces)
