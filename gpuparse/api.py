"""gpuparse from Python: load a model, parse sentences, and look at the trees.

The one idea: a sentence goes in as text, words, or words with tags, and a tree comes out that knows how it was found.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gpuparse.device import find_device
from gpuparse.errors import InputError, MissingPackageError, UsageError
from gpuparse.options import Method, SearchOptions
from gpuparse.parse.input import ParsedSentence, parse_sentences, read_text
from gpuparse.parse.model.file import load_model
from gpuparse.parse.model.model import Model
from gpuparse.parse.search.parser import Outcome, Parse, Parser
from gpuparse.pretrained.bundled import find_model
from gpuparse.tag import Tagger
from gpuparse.text import originals_of, tokenise
from gpuparse.text.tokens import ROUND_BRACKETS
from gpuparse.trees import Original, Sentence, Span, Token, Tree, prepare_tokens

SentenceGiven = str | Sequence[str] | Sequence[tuple[str, str]]


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

    @classmethod
    def of(cls, parsed: ParsedSentence) -> ParsedTree:
        """What the parser said of a sentence, over all the tokens of the input."""
        trees, costs = parsed.trees(), [parse.cost for parse in parsed.result.parses]
        k_best = tuple(Parse(tree, cost) for tree, cost in zip(trees, costs, strict=True))
        cost = None if math.isnan(costs[0]) else costs[0]
        return cls(trees[0], cost, parsed.status, parsed.result.scored, k_best, parsed.sentence.originals)

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
        return nltk_tree(self.tree)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: tokens, tags, tree, spans, score, cost, status, optimal, scored; k_best if there are several; and
        of text, the tokens as it has them, and their offsets: the first character, and the one after the last.

        >>> from gpuparse.trees import parse_tree
        >>> ParsedTree(parse_tree("(TOP (NP (NNP Ann)))"), 0.25, "optimal", 7, ()).to_dict()["spans"]
        [['TOP', 0, 1], ['NP', 0, 1]]
        """
        found: dict[str, Any] = {"tokens": self.words}
        if self.originals:
            found["originals"] = [original.text for original in self.originals]
            found["offsets"] = [[original.start, original.end] for original in self.originals]
        found |= {
            "tags": self.tags,
            "tree": str(self.tree),
            "spans": [list(span) for span in self.spans],
            "score": self.score,
            "cost": self.cost,
            "status": self.status,
            "optimal": self.optimal,
            "scored": self.scored,
        }
        if len(self.k_best) > 1:
            found["k_best"] = [
                {"tree": str(parse.tree), "score": 0.0 - parse.cost, "cost": parse.cost} for parse in self.k_best
            ]
        return found


def nltk_tree(tree: Tree) -> Any:
    """A tree of ours as one of NLTK's; however deep, since nothing recurses."""
    try:
        from nltk.tree import Tree as NltkTree
    except ImportError as error:
        raise MissingPackageError("to_nltk() needs NLTK, which is not installed. pip install nltk does it.") from error
    built: list[Any] = [None] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        word = tree.words[node]
        inside = [word] if word is not None else [built[child] for child in tree.children(node)]
        built[node] = NltkTree(tree.labels[node], inside)
    return built[0]


class LoadedParser:
    """A model that is ready to parse. See `load`."""

    def __init__(
        self, model: Model, options: SearchOptions | None = None, lambda_: float | None = None, device: str = "auto"
    ) -> None:
        self.model = model
        self.options = options or SearchOptions()
        kernels = find_device(device).kernels
        self._parser = Parser(model.vocabulary, model.rules(lambda_), model.strategy, model.max_children, kernels)

    def parse(self, sentence: SentenceGiven) -> ParsedTree:
        """The tree of one sentence: text, a list of words, or a list of (word, tag) pairs.

        Text is taken as one sentence, whatever it holds; `parse_text` cuts running text into sentences.

        >>> parser = load()
        >>> parser.parse([("The", "DT"), ("dog", "NN"), ("sleeps", "VBZ")]).tags
        ['DT', 'NN', 'VBZ']
        """
        parsed = parse_sentences(self._parser, [self._prepared(sentence)], replace(self.options, batch=1))
        return ParsedTree.of(next(parsed))

    def parse_many(self, sentences: Iterable[SentenceGiven]) -> Iterator[ParsedTree]:
        """The trees of sentences, in order, each as soon as it is known: sentences are asked for as they are needed.

        >>> parser = load()
        >>> [len(tree.words) for tree in parser.parse_many(["Dogs bark.", ["Cats", "sleep"], ""])]
        [3, 2, 0]
        """
        return self.parse_prepared(map(self._prepared, sentences))

    def parse_text(self, text: str | Iterable[str]) -> Iterator[ParsedTree]:
        """The trees of the sentences of running text, given as a string or line by line (an open file, say).

        >>> parser = load()
        >>> [tree.words for tree in parser.parse_text("Dogs bark. Cats sleep.")]
        [['Dogs', 'bark', '.'], ['Cats', 'sleep', '.']]
        """
        lines = text.splitlines(keepends=True) if isinstance(text, str) else text
        return self.parse_prepared(read_text(lines, self._tagger, self.model.vocabulary.language))

    def parse_prepared(self, sentences: Iterable[Sentence]) -> Iterator[ParsedTree]:
        """The trees of sentences that are tagged and prepared, in order; gpuparse.parse.input reads such."""
        return map(ParsedTree.of, parse_sentences(self._parser, sentences, self.options))

    @property
    def _tagger(self) -> Tagger:
        if self.model.tagger is None:
            raise InputError(
                "the model has no tagger: give each word its tag, as in [('Dogs', 'NNS'), ('bark', 'VBP')]."
            )
        return self.model.tagger

    def _prepared(self, given: SentenceGiven) -> Sentence:
        language = self.model.vocabulary.language
        if isinstance(given, str):
            tokens = tokenise(given, self._tagger.style)
            tagged = self._tagger.tag([token.word for token in tokens])
            return prepare_tokens(tagged, language, originals_of(tokens, given))
        return prepare_tokens(self._tokens(given), language)

    def _tokens(self, given: Sequence[str] | Sequence[tuple[str, str]]) -> list[Token]:
        if not isinstance(given, Iterable):
            raise InputError(f"{_SENTENCE_IS}, not {given!r}.")
        pieces: list[Any] = list(given)
        size = 1 if pieces and isinstance(pieces[0], str) else 2
        for place, piece in enumerate(pieces):
            parts = (piece,) if isinstance(piece, str) else piece
            whole = isinstance(parts, Sequence) and len(parts) == size
            if not whole or not all(isinstance(part, str) and part.strip() for part in parts):
                raise InputError(f"{_SENTENCE_IS}: {piece!r} at place {place} is none of its {_PIECES[size]}.")
        if size == 1:
            return self._tagger.tag([ROUND_BRACKETS.get(word, word) for word in pieces])
        return [Token(word, tag) for word, tag in pieces]


_SENTENCE_IS = "a sentence is a text, a list of words, or a list of (word, tag) pairs"
_PIECES = {1: "words", 2: "pairs"}


def load(
    name_or_path: str | os.PathLike[str] | None = None,
    *,
    k: int = SearchOptions.k,
    limit: int = SearchOptions.limit,
    search: str = SearchOptions.method,
    max_words: int | None = SearchOptions.max_words,
    width: int = SearchOptions.width,
    max_popped: int = SearchOptions.max_popped,
    timeout: float | None = SearchOptions.timeout,
    batch: int | None = SearchOptions.batch,
    lambda_: float | None = None,
    device: str = "auto",
) -> LoadedParser:
    """Load a model by its path or by the name of a bundled one, by default the English one.

    `k`: trees per sentence; `limit`: the most partial parses scored for one; `search`: promising, greedy, best-first,
    beam (`width`, `max_popped`: of the beam); `max_words`: longer sentences are parsed in pieces, None for no bound;
    `timeout`: seconds per sentence, with which results depend on the machine's speed; `batch`: sentences in parallel;
    `lambda_`: cut the model there; `device`: as --device.

    >>> print(load("english").parse("She saw the man."))
    (TOP (S (NP (PRP She)) (VP (VBD saw) (NP (DT the) (NN man))) (. .)))
    """
    if search not in [*Method]:
        raise UsageError(f"{search!r} is no way to search: {', '.join(Method)} are.")
    options = SearchOptions(
        Method(search), limit=limit, k=k, width=width, max_popped=max_popped, batch=batch, max_words=max_words,
        timeout=timeout,
    )  # fmt: skip
    return LoadedParser(load_model(find_model(name_or_path)), options, lambda_, device)
