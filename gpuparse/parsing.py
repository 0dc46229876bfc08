"""From input to trees: sentences are tagged, prepared, parsed in batches, and come back with all their tokens."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuparse.errors import InputError, UsageError
from gpuparse.search.parser import Parser, Result, SearchOptions
from gpuparse.tag import Tagger, stream_sentences, tokenise
from gpuparse.tag.tokens import ROUND_BRACKETS
from gpuparse.trees import Language, Sentence, Token, Tree, prepare_tokens, restore, strip


class InputKind(StrEnum):
    """What the input is."""

    AUTO = "auto"  # trees if it begins with a bracket, tagged if every word of its first line has a tag, else text
    TEXT = "text"  # running text
    TOKENS = "tokens"  # a sentence a line, tokens between blanks
    TAGGED = "tagged"  # a sentence a line, word/TAG or word_TAG between blanks
    TREES = "trees"  # a treebank, of which only the words and tags are taken


@dataclass(frozen=True)
class ParsedSentence:
    """A sentence and what the search made of it."""

    sentence: Sentence
    result: Result

    def trees(self) -> list[Tree]:
        """The best trees found, over all the tokens of the input."""
        if not self.sentence.kept:
            return [restore(None, self.sentence)]
        return [restore(parse.tree, self.sentence) for parse in self.result.parses]

    @property
    def status(self) -> str:
        """How the search ended, in a word: optimal, limit, fallback, timeout, long or flat."""
        return str(self.result.outcome)


def parse_sentences(
    parser: Parser, sentences: Iterable[Sentence], options: SearchOptions | None = None
) -> Iterator[ParsedSentence]:
    """Parse sentences, in order; each leaves as soon as those before it have."""
    waiting: deque[Sentence] = deque()

    def searched() -> Iterator[list[Token]]:
        for sentence in sentences:
            waiting.append(sentence)
            yield [sentence.tokens[index] for index in sentence.kept]

    options = options or SearchOptions()
    try:
        for result in parser.parse(searched(), options):
            yield ParsedSentence(waiting.popleft(), result)
    except MemoryError as error:
        raise UsageError(
            f"there is not enough memory to search {options.batch or 'so many'} sentences side by side with "
            f"{options.limit} partial parses each; a smaller batch or limit takes less."
        ) from error


def detect_kind(start: str) -> InputKind:
    """What the input is, from its first line that is not blank.

    >>> detect_kind("( (S (NP"), detect_kind("A/DT dog/NN"), detect_kind("A dog barks.")
    (<InputKind.TREES: 'trees'>, <InputKind.TAGGED: 'tagged'>, <InputKind.TEXT: 'text'>)
    """
    if start.lstrip("\ufeff \t\r\n").startswith("("):
        return InputKind.TREES
    if start.split() and all(_TAGGED.fullmatch(piece) for piece in start.split()):
        return InputKind.TAGGED
    return InputKind.TEXT


_TAGGED = re.compile(r"(.+)[/_]([^\s/_a-z]{1,8})")


def read_tagged(lines: Iterable[str], source: str, language: Language) -> Iterator[Sentence]:
    """Sentences of tagged words, one a line.

    >>> from gpuparse.trees import load_language
    >>> [sentence.words() for sentence in read_tagged(["A/DT dog_NN ./.\\n"], "input", load_language())]
    [['A', 'dog']]
    """
    for number, line in enumerate(lines, 1):
        tokens = []
        for piece in line.split():
            match = re.fullmatch(r"(.+)[/_]([^/_]+)", piece)
            if match is None:
                raise InputError(f"{source}, line {number}: {piece!r} has no tag; write word/TAG or word_TAG")
            tokens.append(Token(match[1], match[2]))
        if tokens:
            yield prepare_tokens(tokens, language)


def read_words_of_trees(trees: Iterable[Tree], language: Language) -> Iterator[Sentence]:
    """The words and tags of a treebank's trees, which are looked at no further.

    >>> from gpuparse.trees import load_language, parse_trees
    >>> trees = parse_trees("( (S (NP-SBJ (-NONE- *)) (VB go) (. .)))")
    >>> [sentence.tags() for sentence in read_words_of_trees(trees, load_language())]
    [['VB']]
    """
    for tree in trees:
        yield prepare_tokens(strip(tree).tokens(), language)


def tag_words(sentences: Iterable[Sequence[str]], tagger: Tagger, language: Language) -> Iterator[Sentence]:
    """Sentences of words, tagged; each leaves before the next is asked for.

    >>> from gpuparse.tag import train_tagger
    >>> from gpuparse.trees import load_language
    >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP"), Token(".", ".")]] * 9)
    >>> [sentence.tags() for sentence in tag_words([["Dogs", "bark", "."]], tagger, load_language())]
    [['NNS', 'VBP']]
    """
    for tokens in tagger.tag_many(sentences, batch=1):
        yield prepare_tokens(tokens, language)


def tag_anew(sentences: Iterable[Sentence], tagger: Tagger, language: Language) -> Iterator[Sentence]:
    """The same words with the tagger's tags in place of their own."""
    return tag_words(([token.word for token in sentence.tokens] for sentence in sentences), tagger, language)


def read_tokens(lines: Iterable[str], tagger: Tagger, language: Language) -> Iterator[Sentence]:
    """Sentences of tokens between blanks, one a line, tagged; round brackets are written as treebanks do.

    >>> from gpuparse.tag import train_tagger
    >>> from gpuparse.trees import load_language
    >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP"), Token(".", ".")]] * 9)
    >>> [sentence.words() for sentence in read_tokens(["Dogs bark .", "", "Dogs"], tagger, load_language())]
    [['Dogs', 'bark'], ['Dogs']]
    """
    sentences = ([ROUND_BRACKETS.get(word, word) for word in line.split()] for line in lines if line.strip())
    return tag_words(sentences, tagger, language)


def read_text(lines: Iterable[str], tagger: Tagger, language: Language) -> Iterator[Sentence]:
    """The sentences of running text, cut into tokens as the tagger's treebank does, and tagged.

    >>> from gpuparse.tag import train_tagger
    >>> from gpuparse.trees import load_language
    >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP"), Token(".", ".")]] * 9)
    >>> [sentence.words() for sentence in read_text(["Dogs bark. Dogs", "bark."], tagger, load_language())]
    [['Dogs', 'bark'], ['Dogs', 'bark']]
    """
    texts = stream_sentences(lines)
    return tag_words(([token.word for token in tokenise(text, tagger.style)] for text in texts), tagger, language)
