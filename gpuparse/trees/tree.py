"""A tree: its nodes in pre-order, as three parallel arrays.

Node 0 is the root; the descendants of node `v` are the nodes `v+1 .. ends[v]-1`. A terminal has a word, and its label
is its POS tag; a non-terminal has the word None. No method recurses, so the depth is not limited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple


class Token(NamedTuple):
    """A word and its POS tag."""

    word: str
    tag: str


class Original(NamedTuple):
    """The characters `start .. end-1` of the input, which a token stands for."""

    text: str
    start: int
    end: int


class TagOdds(NamedTuple):
    """How sure a tagger was of a token's tag."""

    odds: float  # the probability of the tag, given the words of the sentence
    runner_up: str | None  # the most probable other tag; None where the word could have no other
    runner_up_odds: float


class Span(NamedTuple):
    """The tokens `start .. end-1`, under a label."""

    label: str
    start: int
    end: int


TOP = "TOP"  # the label of the root that is learned, whatever a treebank calls it

# What would break the bracket format inside a label or a word, and how it is written. White space is all that some
# reader takes for it, such as no-break, thin and ideographic spaces.
_SPACES = map(chr, [*range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B),
                    0x2028, 0x2029, 0x202F, 0x205F, 0x3000])  # fmt: skip
ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-", **dict.fromkeys(_SPACES, "_")})


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

    @classmethod
    def from_spans(cls, spans: Iterable[Span], tokens: Sequence[Token]) -> Tree:
        """The tree with these non-terminals, given in pre-order, over these tokens.

        Each span must hold a token and lie inside the spans that are still open before it; the first is the root and
        covers all.

        >>> str(Tree.from_spans([Span("S", 0, 2), Span("NP", 0, 1)], [Token("Ann", "NNP"), Token("sings", "VBZ")]))
        '(S (NP (NNP Ann)) (VBZ sings))'
        """
        labels: list[str] = []
        words: list[str | None] = []
        token_ends: list[int] = []
        done = 0  # tokens placed so far

        def place_tokens(until: int) -> None:
            nonlocal done
            for position in range(done, until):
                labels.append(tokens[position].tag)
                words.append(tokens[position].word)
                token_ends.append(position + 1)
            done = max(done, until)

        for label, start, end in spans:
            place_tokens(start)
            labels.append(label)
            words.append(None)
            token_ends.append(end)
        place_tokens(len(tokens))
        return cls(labels, words, _node_ends(words, token_ends))

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (self.labels, self.words, self.ends) == (other.labels, other.words, other.ends)

    def __hash__(self) -> int:
        return hash((self.labels, self.words, self.ends))

    def __repr__(self) -> str:
        return f"<Tree {self}>"

    def children(self, node: int) -> Iterator[int]:
        """The children of a node, left to right."""
        child = node + 1
        while child < self.ends[node]:
            yield child
            child = self.ends[child]

    def parents(self) -> list[int]:
        """The parent of each node; the root's is -1.

        >>> Tree(["S", "NP", "NNP", "VP", "VBZ"], [None, None, "Ann", None, "sings"], [5, 3, 3, 5, 5]).parents()
        [-1, 0, 1, 0, 3]
        """
        parents = [-1] * len(self)
        for node in range(len(self)):
            for child in self.children(node):
                parents[child] = node
        return parents

    def tokens(self) -> list[Token]:
        """The terminals, left to right."""
        return [Token(word, label) for word, label in zip(self.words, self.labels, strict=True) if word is not None]

    def tokens_before(self) -> list[int]:
        """For each node the number of tokens before it, and last the number of all tokens.

        Node `v` covers the tokens `before[v] .. before[ends[v]]-1`.

        >>> Tree(["S", "NP", "NNP", "VP", "VBZ"], [None, None, "Ann", None, "sings"], [5, 3, 3, 5, 5]).tokens_before()
        [0, 0, 0, 1, 1, 2]
        """
        return list(accumulate((word is not None for word in self.words), initial=0))

    def spans(self) -> list[Span]:
        """The non-terminals in pre-order, with the tokens they cover.

        >>> Tree(["S", "NP", "NNP", "VP", "VBZ"], [None, None, "Ann", None, "sings"], [5, 3, 3, 5, 5]).spans()[1]
        Span(label='NP', start=0, end=1)
        """
        before = self.tokens_before()
        return [
            Span(label, before[node], before[end])
            for node, (label, word, end) in enumerate(zip(self.labels, self.words, self.ends, strict=True))
            if word is None
        ]

    def subtree(self, node: int) -> Tree:
        """The tree of a node and all below it.

        >>> tree = Tree(["S", "NP", "NNP", "VP", "VBZ"], [None, None, "Ann", None, "sings"], [5, 3, 3, 5, 5])
        >>> str(tree.subtree(3))
        '(VP (VBZ sings))'
        """
        end = self.ends[node]
        return Tree(self.labels[node:end], self.words[node:end], [below - node for below in self.ends[node:end]])

    def relabelled(self, labels: Sequence[str]) -> Tree:
        """The same tree with other labels, one per node."""
        return Tree(labels, self.words, self.ends)

    def only(self, keep: Sequence[bool]) -> Tree:
        """The tree of the nodes marked True; the children of a removed node go to its parent. The root must stay.

        >>> tree = Tree(["S", "NP", "NNP", "VP", "VBZ"], [None, None, "Ann", None, "sings"], [5, 3, 3, 5, 5])
        >>> str(tree.only([True, False, True, True, True]))
        '(S (NNP Ann) (VP (VBZ sings)))'
        """
        index = list(accumulate(keep, initial=0))
        kept = [node for node, stays in enumerate(keep) if stays]
        return Tree(
            [self.labels[node] for node in kept],
            [self.words[node] for node in kept],
            [index[self.ends[node]] for node in kept],
        )

    def indented(self, width: int = 80) -> str:
        """The tree in brackets over several lines, each node on one line where it fits (see drawing.py)."""
        from gpuparse.trees.drawing import indented

        return indented(self, width)

    def drawn(self) -> str:
        """The tree as an outline for the terminal (see drawing.py)."""
        from gpuparse.trees.drawing import drawn

        return drawn(self)

    def __str__(self) -> str:
        """The tree in brackets, on one line.

        Brackets inside labels and words are written -LRB- and -RRB-, white space as an underscore, so that EVALB and
        NLTK, for which even a no-break space separates words, read the same tokens.
        """
        if self == UNPARSED:
            return "(())"
        pieces: list[str] = []
        open_ends: list[int] = []
        for node, (label, word, end) in enumerate(zip(self.labels, self.words, self.ends, strict=True)):
            while open_ends and open_ends[-1] == node:
                open_ends.pop()
                pieces.append(")")
            if node:
                pieces.append(" ")
            if word is None:
                pieces.append(f"({label.translate(ESCAPES)}")
                open_ends.append(end)
            else:
                pieces.append(f"({label.translate(ESCAPES)} {word.translate(ESCAPES)})")
        pieces.append(")" * len(open_ends))
        return "".join(pieces)


UNPARSED = Tree([""], [None], [1])  # `(())` in a file: a sentence with no parse


def _node_ends(words: Sequence[str | None], token_ends: Sequence[int]) -> list[int]:
    """From where each node ends in tokens to where it ends in nodes: before the first node that starts there."""
    ends: list[int] = [0] * len(words)
    open_nodes: list[int] = []
    position = 0
    for node, word in enumerate(words):
        while open_nodes and token_ends[open_nodes[-1]] <= position:
            ends[open_nodes.pop()] = node
        open_nodes.append(node)
        position += word is not None
    for node in open_nodes:
        ends[node] = len(words)
    return ends
