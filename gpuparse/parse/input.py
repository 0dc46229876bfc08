"""From input to trees: sentences are tagged, prepared, parsed in batches, and come back with all their tokens."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gpuparse.errors import InputError, TreebankError, UsageError
from gpuparse.options import InputKind, SearchOptions
from gpuparse.parse.overruling import Overruler, Searches
from gpuparse.parse.parsed_tree import ParsedTree
from gpuparse.parse.search.parser import Parser
from gpuparse.tag import Tagger
from gpuparse.text import Passage, originals_of, stream_sentences, tokenise, whole_lines
from gpuparse.text.tokens import ROUND_BRACKETS
from gpuparse.trees import Language, Original, Sentence, TagOdds, Token, Tree, parse_trees, prepare_tokens, strip


def parse_sentences(
    parser: Parser,
    sentences: Iterable[Sentence],
    options: SearchOptions | None = None,
    jobs: int = 1,
    overruler: Overruler | None = None,
) -> Generator[ParsedTree, None, None]:
    """Parse sentences, in order, with so many threads; each leaves as soon as those before it have. An overruler may
    change their tags.
    """
    waiting: deque[Sentence] = deque()

    def searched() -> Iterator[list[Token]]:
        for sentence in sentences:
            waiting.append(sentence)
            yield [sentence.tokens[index] for index in sentence.kept]

    options = options or SearchOptions()
    searches = Searches(parser, options)
    try:
        for result in parser.parse(searched(), options, jobs):
            sentence = waiting.popleft()
            if overruler is not None:
                sentence, result = overruler.settle(searches, sentence, result)
            yield ParsedTree.of(sentence, result)
    except MemoryError as error:
        raise UsageError(
            f"there is not enough memory to search {options.batch or 'so many'} sentences in parallel with "
            "that many partial parses each; a smaller batch or limit takes less."
        ) from error


def detect_kind(start: str) -> InputKind:
    """What the input is, from its first line that is not blank.

    >>> detect_kind("( (S (NP"), detect_kind("A/DT dog/NN"), detect_kind("A dog barks.")
    (<InputKind.TREES: 'trees'>, <InputKind.TAGGED: 'tagged'>, <InputKind.TEXT: 'text'>)
    """
    if _TREE.match(start) or _reads_as_trees(start):
        return InputKind.TREES
    if start.split() and all(_TAGGED.fullmatch(piece) for piece in start.split()):
        return InputKind.TAGGED
    return InputKind.TEXT


# An opening bracket in another, with no label between them or one without small letters; or such a line's beginning.
_TREE = re.compile(r"[\ufeff\s]*\(\s*[^\sa-z()]*\s*(?:\(|$)")


def _reads_as_trees(text: str) -> bool:
    """Whether a text is nothing but trees, each more than a bracket around two words."""
    if not text.lstrip("\ufeff \t\r\n").startswith("("):
        return False
    try:
        return all(len(tree) > 1 for tree in parse_trees(text))
    except TreebankError:
        return False


_TAGGED = re.compile(r"(.+)[/_]([^\s/_a-z]{1,8})")


def read_tagged(lines: Iterable[str], source: str, language: Language) -> Iterator[Sentence]:
    """Sentences of tagged words, one per line.

    >>> from gpuparse.trees import load_language
    >>> [sentence.words() for sentence in read_tagged(["A/DT dog_NN ./.\\n"], "input", load_language())]
    [['A', 'dog']]
    """
    for number, line in enumerate(whole_lines(lines), 1):
        tokens, originals = [], []
        for piece in _pieces(line):
            match = re.fullmatch(r"(.+)[/_]([^/_]+)", piece.text)
            if match is None:
                raise InputError(f"{source}, line {number}: {piece.text!r} has no tag; write word/TAG or word_TAG")
            tokens.append(Token(match[1], match[2]))
            originals.append(Original(match[1], piece.start, piece.start + len(match[1])))
        if tokens:
            yield prepare_tokens(tokens, language, tuple(originals))


def _pieces(line: Passage) -> tuple[Original, ...]:
    """What is between the blanks of a line."""
    pieces = re.finditer(r"\S+", line.text)
    return tuple(Original(piece[0], line.start + piece.start(), line.start + piece.end()) for piece in pieces)


def read_words_of_trees(trees: Iterable[Tree], language: Language) -> Iterator[Sentence]:
    """The words and tags of a treebank's trees, which are looked at no further.

    >>> from gpuparse.trees import load_language, parse_trees
    >>> trees = parse_trees("( (S (NP-SBJ (-NONE- *)) (VB go) (. .)))")
    >>> [sentence.tags() for sentence in read_words_of_trees(trees, load_language())]
    [['VB']]
    """
    for tree in trees:
        yield prepare_tokens(strip(tree, language).tokens(), language)


@dataclass(frozen=True)
class Untagged:
    """A sentence that is to be tagged: its words as the treebank writes them, and as the input does."""

    words: Sequence[str]
    originals: tuple[Original, ...]

    @classmethod
    def of(cls, text: Passage, tagger: Tagger) -> Untagged:
        """The tokens of a sentence, cut as the tagger's treebank does."""
        tokens = tokenise(text.text, tagger.style)
        return cls([token.word for token in tokens], originals_of(tokens, *text))


def tag_words(sentences: Iterable[Untagged], tagger: Tagger, language: Language) -> Iterator[Sentence]:
    """Sentences of words, tagged; each leaves before the next is asked for.

    >>> from gpuparse.tag import train_tagger
    >>> from gpuparse.trees import load_language
    >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP"), Token(".", ".")]] * 9)
    >>> [sentence.tags() for sentence in tag_words([Untagged(["Dogs", "bark", "."], ())], tagger, load_language())]
    [['NNS', 'VBP']]
    """
    for sentence in sentences:
        tagged = tagger.judge(sentence.words)
        yield prepare_tokens(tagged.tokens, language, sentence.originals, tagged.odds)


def tag_anew(sentences: Iterable[Sentence], tagger: Tagger, language: Language) -> Iterator[Sentence]:
    """The same words with the tagger's tags in place of their own; punctuation keeps its tags, and no word gets one.

    >>> from gpuparse.tag import train_tagger
    >>> from gpuparse.trees import load_language
    >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP"), Token(".", ".")]] * 9)
    >>> sentences = read_tagged(["Dogs/X bark/: ./X"], "input", load_language())
    >>> [[token.tag for token in sentence.tokens] for sentence in tag_anew(sentences, tagger, load_language())]
    [['NNS', ':', 'X']]
    """
    punctuation = language.raised | language.quotes
    for before in sentences:
        tagged = tagger.judge([token.word for token in before.tokens])
        tokens, odds = [], []
        for was, now, now_odds in zip(before.tokens, *tagged, strict=True):
            stays = was.tag in punctuation or now.tag in punctuation
            tokens.append(was if stays else now)
            odds.append(GIVEN if stays else now_odds)
        yield prepare_tokens(tokens, language, before.originals, tuple(odds))


GIVEN = TagOdds(1.0, None, 0.0)  # of a tag that no tagger chose


def read_tokens(lines: Iterable[str], tagger: Tagger, language: Language) -> Iterator[Sentence]:
    """Sentences of tokens between blanks, one per line, tagged; round brackets are written as treebanks do.

    >>> from gpuparse.tag import train_tagger
    >>> from gpuparse.trees import load_language
    >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP"), Token(".", ".")]] * 9)
    >>> [sentence.words() for sentence in read_tokens(["Dogs bark .", "", "Dogs"], tagger, load_language())]
    [['Dogs', 'bark'], ['Dogs']]
    """
    sentences = (
        Untagged([ROUND_BRACKETS.get(piece.text, piece.text) for piece in pieces], pieces)
        for pieces in map(_pieces, whole_lines(lines))
        if pieces
    )
    return tag_words(sentences, tagger, language)


def read_lines(lines: Iterable[str], tagger: Tagger, language: Language, one_each: bool = True) -> Iterator[Sentence]:
    """Text in which no sentence goes on beyond its line; each line is one sentence, or if not `one_each` several.

    >>> from gpuparse.tag import train_tagger
    >>> from gpuparse.trees import load_language
    >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP"), Token(".", ".")]] * 9)
    >>> [sentence.words() for sentence in read_lines(["Dogs bark. Dogs", "bark."], tagger, load_language())]
    [['Dogs', 'bark', '.', 'Dogs'], ['bark']]
    """
    passages = (
        Passage(sentence.text, line.start + sentence.start)
        for line in whole_lines(lines)
        if line.text.strip()
        for sentence in ([Passage(line.text, 0)] if one_each else stream_sentences([line.text]))
    )
    return tag_words((Untagged.of(passage, tagger) for passage in passages), tagger, language)


def read_text(lines: Iterable[str], tagger: Tagger, language: Language) -> Iterator[Sentence]:
    """The sentences of running text, cut into tokens as the tagger's treebank does, and tagged.

    >>> from gpuparse.tag import train_tagger
    >>> from gpuparse.trees import load_language
    >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP"), Token(".", ".")]] * 9)
    >>> [sentence.words() for sentence in read_text(["Dogs bark. Dogs", "bark."], tagger, load_language())]
    [['Dogs', 'bark'], ['Dogs', 'bark']]
    """
    return tag_words((Untagged.of(passage, tagger) for passage in stream_sentences(lines)), tagger, language)
