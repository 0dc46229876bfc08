"""A parsed sentence, for whoever asked for it: the best tree over all the tokens of the input, and how it was found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gpuparse.parse.search.parser import Outcome, Parse, Result
from gpuparse.trees import Original, Sentence, Span, TagOdds, Tree, restore


@dataclass(frozen=True, repr=False)
class ParsedTree:
    """The best tree of a sentence, and how it was found. `str()` gives it in brackets, a notebook draws it.

    >>> from gpuparse.trees import parse_tree
    >>> tree = ParsedTree(parse_tree("(TOP (NP (NNP Ann)))"), 0.25, "optimal", 7, ())
    >>> print(tree), tree.words, tree.tags, tree.score, tree.optimal
    (TOP (NP (NNP Ann)))
    (None, ['Ann'], ['NNP'], -0.25, True)
    """

    tree: Tree
    cost: float | None  # the less the better; None where the sentence was not searched
    status: str  # optimal, limit, fallback, timeout, long, memory or flat: see Outcome
    scored: int  # partial parses that were looked at
    k_best: tuple[Parse, ...]  # the best trees with their costs, this one first, as many as were asked for and found
    # Each token as the input has it, and where; none if that was no text. The same tree elsewhere is equal.
    originals: tuple[Original, ...] = field(default=(), compare=False)
    # How sure the tagger is of each token's tag; none if the tags were given.
    tag_odds: tuple[TagOdds, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, sentence: Sentence, result: Result) -> ParsedTree:
        """What the search says of a sentence, over all the tokens of the input."""
        searched = bool(sentence.kept)
        k_best = tuple(Parse(restore(one.tree if searched else None, sentence), one.cost) for one in result.parses)
        cost = None if math.isnan(result.cost) else result.cost
        return cls(
            tree=k_best[0].tree,
            cost=cost,
            status=str(result.outcome),
            scored=result.scored,
            k_best=k_best,
            originals=sentence.originals,
            tag_odds=sentence.odds,
        )

    @property
    def words(self) -> list[str]:
        """The words of the sentence, punctuation included."""
        return [token.word for token in self.tree.tokens()]

    @property
    def tags(self) -> list[str]:
        """Their POS tags."""
        return [token.tag for token in self.tree.tokens()]

    @property
    def spans(self) -> list[Span]:
        """The constituents: label, first word, and the word after the last; the outer before the inner."""
        return self.tree.spans()

    @property
    def score(self) -> float | None:
        """The more the better: the cost with its sign turned."""
        return None if self.cost is None else 0.0 - self.cost

    @property
    def optimal(self) -> bool:
        """Whether it was proved that the model has no better tree; a sentence without words has only one."""
        return self.status in (Outcome.OPTIMAL, Outcome.FLAT)

    def __str__(self) -> str:
        return str(self.tree)

    def __repr__(self) -> str:
        return f"<ParsedTree {self.tree} {self.status}>"

    def pretty(self, width: int = 80) -> str:
        """In brackets, broken over lines where it is wider than that."""
        return self.tree.indented(width)

    def drawn(self) -> str:
        """As an outline for the terminal."""
        return self.tree.drawn()

    def to_svg(self) -> str:
        """As an SVG image."""
        from gpuparse.trees.svg import draw_svg

        return draw_svg(self.tree)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def to_nltk(self) -> Any:
        """As an nltk.Tree; NLTK must be installed, it does not come with gpuparse."""
        from gpuparse.integrations.nltk import nltk_tree

        return nltk_tree(self.tree)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: tokens, tags, tree, spans, score, cost, status, optimal, scored; k_best if there are several; of
        text, the tokens as it has them, and their offsets: the first character, and the one after the last; and where
        the tagger gave the tags, tag_odds, runner_up_tags and runner_up_odds.

        >>> from gpuparse.trees import parse_tree
        >>> ParsedTree(parse_tree("(TOP (NP (NNP Ann)))"), 0.25, "optimal", 7, ()).to_dict()["spans"]
        [['TOP', 0, 1], ['NP', 0, 1]]
        """
        content: dict[str, Any] = {"tokens": self.words}
        if self.originals:
            content["originals"] = [original.text for original in self.originals]
            content["offsets"] = [[original.start, original.end] for original in self.originals]
        content |= {
            "tags": self.tags,
            **odds_by_name(self.tag_odds),
            "tree": str(self.tree),
            "spans": [list(span) for span in self.spans],
            "score": self.score,
            "cost": self.cost,
            "status": self.status,
            "optimal": self.optimal,
            "scored": self.scored,
        }
        if len(self.k_best) > 1:
            content["k_best"] = [
                {"tree": str(parse.tree), "score": 0.0 - parse.cost, "cost": parse.cost} for parse in self.k_best
            ]
        return content


def odds_by_name(odds: Sequence[TagOdds]) -> dict[str, Any]:
    """How sure the tagger is, as lists for JSON, one entry per token; nothing if it was not asked.

    >>> odds_by_name([TagOdds(0.75, "NN", 0.25)])
    {'tag_odds': [0.75], 'runner_up_tags': ['NN'], 'runner_up_odds': [0.25]}
    """
    if not odds:
        return {}
    shares, runners_up, others = map(list, zip(*odds, strict=True))
    return {"tag_odds": shares, "runner_up_tags": runners_up, "runner_up_odds": others}
