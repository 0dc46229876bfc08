"""Penn-style tokens of English text, each with its position in the text.

A regular expression cuts the text into words, numbers, addresses and marks; rules then cut words at contractions and,
where the treebank does so, at hyphens. No character but white space is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuparse.text.abbreviations import Abbreviation, abbreviation
from gpuparse.text.english import CONTRACTIONS, PREFIXES, SUFFIXES, TENS
from gpuparse.text.sentences import CLOSERS, Stretch, split_sentences
from gpuparse.trees import Original, Token


class TextToken(NamedTuple):
    """A word as a treebank writes it, and the characters `start .. end-1` of the text that it stands for."""

    word: str
    start: int
    end: int


@dataclass(frozen=True)
class TokenStyle:
    """In what treebanks differ; found from the treebank that the tagger is trained on."""

    penn_symbols: bool = True  # quotes as `` and '', [ as -LSB-, a long dash as --, as in the Penn treebank
    split_hyphens: bool = False  # well - known, with the hyphen as a token of its own
    split_slashes: bool = False  # and / or

    @classmethod
    def learned_from(cls, sentences: Iterable[Sequence[Token]]) -> TokenStyle:
        """The style of a treebank.

        >>> TokenStyle.learned_from([[Token("well", "RB"), Token("-", "HYPH"), Token("known", "VBN")]])
        TokenStyle(penn_symbols=True, split_hyphens=True, split_slashes=False)
        """
        tokens = Counter(token for sentence in sentences for token in sentence)
        words: Counter[str] = Counter()
        for token, count in tokens.items():
            words[token.word] += count
        plain, penn = (sum(words[symbol] for symbol in symbols) for symbols in (PLAIN_SYMBOLS, PENN_SYMBOLS))
        return cls(
            penn_symbols=penn >= plain,
            split_hyphens=any(token.tag == "HYPH" for token in tokens),
            split_slashes="/" in words,
        )


PENN = TokenStyle()
PENN_SYMBOLS = frozenset({"``", "''", "-LSB-"})
PLAIN_SYMBOLS = frozenset('"“”[—')

ROUND_BRACKETS = {"(": "-LRB-", ")": "-RRB-"}  # in every style: the bracket format has no other way to write them
OTHER_BRACKETS = {"[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
QUOTES = {"“": "``", "”": "''", "„": "``", "«": "``", "»": "''", "‘": "`", "’": "'"}
DASHES = frozenset("–—―")
BEGIN_WITH_APOSTROPHE = r"(?:em|til|till|cause|cuz|bout|round|tis|twas|s|re|ve|ll|d|m)\b|n['’]?(?!\w)|\d\d(?:['’]?s)?\b"

# \w lacks the vowel signs and accents that follow their letter; whole blocks of such scripts count as letters.
_SIGNS = (
    r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-"
    r"\u0963\u0966-\u0dff\u0e00-\u109f\u1780-\u17ff\u200c\u200d"
)
_LETTER = rf"[\w{_SIGNS}]"
_DOMAIN = r"(?:com|org|net|edu|gov|mil|info|io|int|eu|uk|de|fr|nl|ca|au|us|ru|ch|jp)"
_TOKEN = re.compile(
    rf"""
    (?P<address>  (?:https?|ftp)://[^\s<>"“”]+ | www\.[^\s<>"“”]+ | doi:[^\s<>"“”]+
                | [\w.+%-]+@[\w-]+(?:\.[\w-]+)+
                | (?<!\w)[A-Za-z0-9][\w-]*(?:\.[\w-]+)*\.{_DOMAIN}(?![\w.@-])(?:/[^\s<>"“”]*)?
                | (?<!\w)[@\#][^\W\d]\w* )
  | (?P<face>     (?<!\S)(?: [:;=]['’]?-?[()DP] | <3 )(?![^\s.,!?]) )
  | (?P<number>   (?<![\w.,])[+\-−]?(?:\d+(?:[.,:/]\d+)*|\.\d+)(?:st|nd|rd|th|s|['’]s|[ap]m)?
                  (?!{_LETTER}|[-'’&_/.]{_LETTER}) )
  | (?P<money>    (?:US|C|A|HK|NZ)\$ )
  | (?P<short>    (?<!{_LETTER})['’](?:{BEGIN_WITH_APOSTROPHE}) )
  | (?P<word>     {_LETTER}+(?:[-'’.&/]{_LETTER}+)*(?:-(?!-|{_LETTER}))? )
  | (?P<ellipsis> \.\.+ | …+ )
  | (?P<dash>     -{{2,}} | [–—―]+ )
  | (?P<quote>    `` | '' | ["“”„«»‘’'`] )
  | (?P<marks>    [?!]+ )
  | (?P<symbol>   \S )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CONTRACTION = re.compile(r"(?<=.)(?:n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
_REST = re.compile(rf"[\s.?!…{re.escape(CLOSERS)}]*$")


def tokenise(text: str, style: TokenStyle = PENN) -> list[TextToken]:
    """The tokens of one sentence.

    >>> [token.word for token in tokenise('Mr. Lee: "I can\\'t pay $1,000 (or 5%)."')]
    ['Mr.', 'Lee', ':', '``', 'I', 'ca', "n't", 'pay', '$', '1,000', '-LRB-', 'or', '5', '%', '-RRB-', '.', "''"]
    """
    return list(_tokens(text, Stretch(0, len(text)), style))


def originals_of(tokens: Iterable[TextToken], text: str, start: int = 0) -> tuple[Original, ...]:
    """The originals of the tokens, in a text that starts at this position of a longer one.

    >>> originals_of(tokenise("(Go!)"), "(Go!)", 10)[0]
    Original(text='(', start=10, end=11)
    """
    return tuple(Original(text[begin:end], start + begin, start + end) for _, begin, end in tokens)


def tokenise_text(text: str, style: TokenStyle = PENN) -> Iterator[list[TextToken]]:
    """The sentences of a text as tokens, with their positions in the whole text.

    >>> [[token.word for token in sentence] for sentence in tokenise_text("It rains. I don't mind.")]
    [['It', 'rains', '.'], ['I', 'do', "n't", 'mind', '.']]
    """
    for sentence in split_sentences(text):
        yield list(_tokens(text, sentence, style))


def _tokens(text: str, sentence: Stretch, style: TokenStyle) -> Iterator[TextToken]:
    position = sentence.start
    while match := _TOKEN.search(text, position, sentence.end):
        kind, (start, end) = str(match.lastgroup), match.span()
        if kind == "address":
            end = _without_final_marks(text, start, end)
        elif kind in ("word", "number", "short") and _keeps_period(text, start, end, sentence):
            end += 1
        if kind in ("word", "short"):
            for piece in _word_pieces(text, start, end, style):
                yield TextToken(_written(text[piece.start : piece.end], style), *piece)
        else:
            yield TextToken(_replaced(text, kind, Stretch(start, end), sentence, style), start, end)
        position = end


def _without_final_marks(text: str, start: int, end: int) -> int:
    """Where an address ends: marks after it are not part of it, nor is a closing bracket that it did not open."""
    while end > start + 1 and (text[end - 1] in ".,;:!?'’*]}" or (text[end - 1] == ")" and "(" not in text[start:end])):
        end -= 1
    return end


def _keeps_period(text: str, start: int, end: int, sentence: Stretch) -> bool:
    """Whether a full stop after the word belongs to it."""
    if not text.startswith(".", end) or text.startswith("..", end) or end >= sentence.end:
        return False
    last = _REST.match(text, end + 1, sentence.end) is not None
    kind = abbreviation(text[start:end])
    if kind is Abbreviation.NUMBERED:
        return text[end + 1 : sentence.end].lstrip()[:1].isdigit()
    if kind is Abbreviation.INITIAL:
        return not last
    if kind is Abbreviation.NONE:  # the number of a heading: 1. Introduction
        return start == sentence.start and text[start:end].replace(".", "").isdecimal() and end - start < 6 and not last
    return True


def _word_pieces(text: str, start: int, end: int, style: TokenStyle) -> Iterator[Stretch]:
    """A word cut at contractions, hyphens and slashes."""
    word = text[start:end].replace("’", "'")
    tails = []
    while match := _CONTRACTION.search(word):
        if word[: match.start()].lstrip("'").isdecimal():  # the '80's
            break
        tails.append(Stretch(start + match.start(), start + len(word)))
        word = word[: match.start()]
    if first := CONTRACTIONS.get(word.lower()):
        yield Stretch(start, start + first)
        yield Stretch(start + first, start + len(word))
    else:
        yield from _hyphen_pieces(word, start, style)
    yield from reversed(tails)


def _hyphen_pieces(word: str, start: int, style: TokenStyle) -> Iterator[Stretch]:
    """A word cut at the hyphens and slashes that are tokens in this treebank."""
    pieces = re.split(r"([-/])", word)
    begin = position = 0
    for index in range(1, len(pieces), 2):
        position += len(pieces[index - 1])
        if _cuts(pieces, index, style):
            if begin < position:
                yield Stretch(start + begin, start + position)
            yield Stretch(start + position, start + position + 1)
            begin = position + 1
        position += 1
    if begin < len(word):
        yield Stretch(start + begin, start + len(word))


def _cuts(pieces: Sequence[str], index: int, style: TokenStyle) -> bool:
    """Whether the hyphen or slash `pieces[index]` is a token of its own."""
    left, right = pieces[index - 1].lower(), pieces[index + 1].lower()
    if pieces[index] == "/":
        return style.split_slashes and not (left.isdecimal() and right.isdecimal()) and (left, right) != ("s", "he")
    compound_numeral = left in TENS and right.isalpha() and index == 1 == len(pieces) - 2
    kept = not right or left in PREFIXES or right in SUFFIXES or compound_numeral
    return style.split_hyphens and not kept


def _written(word: str, style: TokenStyle) -> str:
    """A word, with apostrophes as the treebank writes them."""
    return word.replace("’", "'") if style.penn_symbols else word


def _replaced(text: str, kind: str, place: Stretch, sentence: Stretch, style: TokenStyle) -> str:
    """A mark, as the treebank writes it."""
    mark = text[place.start : place.end]
    if kind == "face" or mark in ROUND_BRACKETS:
        return "".join(ROUND_BRACKETS.get(character, character) for character in mark)
    if not style.penn_symbols:
        return mark
    if kind == "dash":
        return "--" if set(mark) <= DASHES else mark
    if kind == "ellipsis":
        return "..." if "…" in mark else mark
    if kind == "number":
        return mark.replace("’", "'")
    if kind == "quote":
        return _penn_quote(text, mark, place, sentence)
    return OTHER_BRACKETS.get(mark, mark)


def _penn_quote(text: str, mark: str, place: Stretch, sentence: Stretch) -> str:
    """A quotation mark with its direction: a straight one opens if a word follows immediately, and closes otherwise."""
    if mark not in ('"', "'"):
        return QUOTES.get(mark, mark)
    before = text[place.start - 1] if place.start > sentence.start else " "
    after = text[place.end] if place.end < sentence.end else " "
    opens = (before.isspace() or before in "([{\"'“‘`-–—/") and not after.isspace()
    single, double = ("`", "``") if opens else ("'", "''")
    return double if mark == '"' else single
