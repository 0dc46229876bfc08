"""gpuparse from Python: load a model, parse sentences, and look at the trees.

The one idea: a sentence goes in as text, words, or words with tags, and a tree comes out that knows how it was found.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from gpuparse.device import find_device
from gpuparse.errors import InputError, UsageError
from gpuparse.jit import telling
from gpuparse.options import Effort, Method, SearchOptions
from gpuparse.parse.input import parse_sentences, read_text
from gpuparse.parse.model.file import load_model
from gpuparse.parse.model.model import Model
from gpuparse.parse.overruling import Overruler
from gpuparse.parse.parsed_tree import ParsedTree
from gpuparse.parse.search.parser import Parser
from gpuparse.pretrained.bundled import find_model
from gpuparse.tag import Judged, Tagger
from gpuparse.text import originals_of, tokenise
from gpuparse.text.tokens import ROUND_BRACKETS
from gpuparse.trees import Sentence, Token, prepare_tokens

SentenceLike = str | Sequence[str] | Sequence[tuple[str, str]]


class LoadedParser:
    """A model that is ready to parse. See `load`."""

    def __init__(
        self,
        model: Model,
        options: SearchOptions | None = None,
        lambda_: float | None = None,
        device: str = "auto",
        jobs: int = 1,
        tags: int | None = None,
    ) -> None:
        telling.expect("parse")
        self.model = model
        self.options = options or SearchOptions()
        self.jobs = jobs
        self._overruler = Overruler.of(model.tagger, model.vocabulary.language, tags, self.options)
        kernels = find_device(device).kernels
        if jobs < 1:
            raise UsageError(f"jobs is at least 1, not {jobs}.")
        self._parser = Parser(model.vocabulary, model.rules(lambda_), model.strategy, model.max_children, kernels)

    def parse(self, sentence: SentenceLike) -> ParsedTree:
        """The tree of one sentence: text, a list of words, or a list of (word, tag) pairs.

        Text is taken as one sentence, whatever it holds; `parse_text` cuts running text into sentences.

        >>> parser = load()
        >>> parser.parse([("The", "DT"), ("dog", "NN"), ("sleeps", "VBZ")]).tags
        ['DT', 'NN', 'VBZ']
        """
        options = replace(self.options, batch=1)
        return next(parse_sentences(self._parser, [self._prepared(sentence)], options, overruler=self._overruler))

    def parse_many(self, sentences: Iterable[SentenceLike]) -> Iterator[ParsedTree]:
        """The trees of sentences, in order, each as soon as it is known: sentences are asked for as they are needed.
        With several jobs their threads ask, in turn.

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

    def parse_prepared(self, sentences: Iterable[Sentence]) -> Generator[ParsedTree, None, None]:
        """The trees of sentences that are tagged and prepared, in order; gpuparse.parse.input reads such."""
        return parse_sentences(self._parser, sentences, self.options, self.jobs, self._overruler)

    @property
    def _tagger(self) -> Tagger:
        if self.model.tagger is None:
            raise InputError(
                "the model has no tagger: give each word its tag, as in [('Dogs', 'NNS'), ('bark', 'VBP')]."
            )
        return self.model.tagger

    def _prepared(self, sentence: SentenceLike) -> Sentence:
        language = self.model.vocabulary.language
        if isinstance(sentence, str):
            tokens = tokenise(sentence, self._tagger.style)
            tagged = self._tagger.judge([token.word for token in tokens])
            return prepare_tokens(tagged.tokens, language, originals_of(tokens, sentence), tagged.odds)
        tagged = self._tokens(sentence)
        return prepare_tokens(tagged.tokens, language, (), tagged.odds)

    def _tokens(self, sentence: Sequence[str] | Sequence[tuple[str, str]]) -> Judged:
        if not isinstance(sentence, Iterable):
            raise InputError(f"{_SENTENCE_IS}, not {sentence!r}.")
        pieces: list[Any] = list(sentence)
        size = 1 if pieces and isinstance(pieces[0], str) else 2
        for place, piece in enumerate(pieces):
            parts = (piece,) if isinstance(piece, str) else piece
            whole = isinstance(parts, Sequence) and len(parts) == size
            if not whole or not all(isinstance(part, str) and part.strip() for part in parts):
                raise InputError(f"{_SENTENCE_IS}: {piece!r} at place {place} is none of its {_PIECES[size]}.")
        if size == 1:
            return self._tagger.judge([ROUND_BRACKETS.get(word, word) for word in pieces])
        return Judged([Token(word, tag) for word, tag in pieces], ())


_SENTENCE_IS = "a sentence is a text, a list of words, or a list of (word, tag) pairs"
_PIECES = {1: "words", 2: "pairs"}


def load(
    name_or_path: str | os.PathLike[str] | None = None,
    *,
    k: int = SearchOptions.k,
    limit: int | None = SearchOptions.limit,
    gap: float | None = SearchOptions.gap,
    effort: str = SearchOptions.effort,
    tags: int | None = None,
    search: str = SearchOptions.method,
    max_words: int | None = SearchOptions.max_words,
    width: int = SearchOptions.width,
    max_popped: int = SearchOptions.max_popped,
    timeout: float | None = SearchOptions.timeout,
    batch: int | None = SearchOptions.batch,
    lambda_: float | None = None,
    device: str = "auto",
    jobs: int = 1,
) -> LoadedParser:
    """Load a model by its path or by the name of a bundled one, by default the English one.

    `k`: trees per sentence; `gap`: none that costs so much more than the best; `effort`: fast, normal or
    thorough; `tags`: sequences of tags parsed at most, where the tagger is not sure, by default 5; `limit`: the most
    partial parses scored for a sentence, or a sequence; `search`: promising, greedy, best-first, beam (`width`,
    `max_popped`: of the beam); `max_words`: longer sentences are parsed in pieces, None for no bound; `timeout`:
    seconds per sentence, with which results depend on the machine's speed; `batch`: sentences in parallel; `lambda_`:
    cut the model there; `device`: as --device; `jobs`: cores of the CPU that parse many sentences.

    >>> print(load("english").parse("She saw the man."))
    (TOP (S (NP (PRP She)) (VP (VBD saw) (NP (DT the) (NN man))) (. .)))
    """
    if search not in [*Method]:
        raise UsageError(f"{search!r} is no way to search: {', '.join(Method)} are.")
    if effort not in [*Effort]:
        raise UsageError(f"{effort!r} is no effort: {', '.join(Effort)} are.")
    options = SearchOptions(
        Method(search), gap=gap, effort=Effort(effort), limit=limit, k=k, width=width, max_popped=max_popped,
        batch=batch, max_words=max_words, timeout=timeout,
    )  # fmt: skip
    return LoadedParser(load_model(find_model(name_or_path)), options, lambda_, device, jobs, tags)
