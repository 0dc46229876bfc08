"""Sentences of raw text: a full stop, question or exclamation mark ends one unless it is part of a word; so does a
blank line.

Each mark is judged only by the word before it and the word after it, so that text can be read in pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gpuparse.text.abbreviations import Abbreviation, abbreviation
from gpuparse.text.english import STARTERS

OPENERS = "\"'“‘«‹„¿¡`([{"
CLOSERS = "\"'”’»›)]}"
QUOTATION_MARKS = frozenset("\"'”’»›")
LONGEST_TEXT = 20_000  # characters of a sentence, where text arrives line by line
LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # where str.splitlines cuts
WIDE_MARKS = "。！？"  # Chinese and Japanese write no space after them

_MARK = re.compile(
    rf"(?P<marks>[.?!…।]+)(?P<closers>[{re.escape(CLOSERS)}]*)(?=\s|$)|(?P<wide>[{WIDE_MARKS}]+)[”’』」）]*"
)
_BLANK_LINE = re.compile(r"(?:\r\n|\r|\n)[^\S\r\n]*(?:\r\n|\r|\n)\s*")
_NEXT_WORD = re.compile(rf"\s*(?:[{re.escape(OPENERS)}]\s?)*(?P<word>[^\s]*)")
_LAST_WORD = re.compile(rf"[^\s{re.escape(OPENERS)}—–]*$")
_ENUMERATOR = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]+)(?:\.\d{1,3})*")


class Passage(NamedTuple):
    """A sentence of a longer text, and the position where it starts."""

    text: str
    start: int


class Stretch(NamedTuple):
    """The characters `start .. end-1` of a text."""

    start: int
    end: int


def split_sentences(text: str) -> list[Stretch]:
    """Where each sentence of a text begins and ends, without the white space around it.

    >>> text = "Mr. J. Smith paid $3.50. He left at 5 p.m. on Friday."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['Mr. J. Smith paid $3.50.', 'He left at 5 p.m. on Friday.']
    """
    sentences = []
    start = 0
    for gap in _BLANK_LINE.finditer(text):
        sentences += _split_paragraph(text, start, gap.start())
        start = gap.end()
    return sentences + _split_paragraph(text, start, len(text))


def whole_lines(lines: Iterable[str]) -> Iterator[Passage]:
    """Lines with their positions in the text that they make up; a missing line break is added.

    >>> list(whole_lines(["One\\r\\n", "two", "three"]))
    [Passage(text='One\\r\\n', start=0), Passage(text='two\\n', start=5), Passage(text='three\\n', start=9)]
    """
    start = 0
    for line in lines:
        whole = line if line.endswith(tuple(LINE_BREAKS)) else f"{line}\n"
        yield Passage(whole, start)
        start += len(whole)


def stream_sentences(lines: Iterable[str]) -> Iterator[Passage]:
    """The sentences of a text that arrives line by line, each as soon as the word after it is known.

    A paragraph of more than LONGEST_TEXT characters in which no sentence ends is cut at the end of a line, to bound
    memory.

    >>> [sentence.text for sentence in stream_sentences(["One line. And", "another.", "", "The end"])]
    ['One line.', 'And\\nanother.', 'The end']
    """
    pending, start = "", 0  # the text that was not yet returned, and where it starts
    looked = 0  # no sentence ends before this position in it
    for line, line_start in whole_lines(lines):
        if not line.strip():
            yield from _passages(pending, start, _split_paragraph(pending, 0, len(pending), looked))
            pending, looked = "", 0
            continue
        if not pending:
            start = line_start
        resume = _last_mark(pending)
        pending += line
        *done, last = _split_paragraph(pending, 0, len(pending), looked)
        yield from _passages(pending, start, done)
        looked = max(resume, last.start) - last.start
        pending, start = pending[last.start :], start + last.start
        if len(pending) > LONGEST_TEXT:
            yield Passage(pending.rstrip(), start)
            pending, looked = "", 0
    yield from _passages(pending, start, _split_paragraph(pending, 0, len(pending), looked))


def _last_mark(text: str) -> int:
    """Where a mark begins that no word follows yet; only marks from here on are judged again when text is added."""
    return len(text.rstrip(".?!…।" + WIDE_MARKS + CLOSERS + OPENERS + " \t" + LINE_BREAKS))


def _passages(text: str, place: int, stretches: Iterable[Stretch]) -> Iterator[Passage]:
    return (Passage(text[start:end], place + start) for start, end in stretches)


def _split_paragraph(text: str, start: int, end: int, looked: int = 0) -> list[Stretch]:
    """The sentences of `text[start:end]`; none ends before `looked`."""
    sentences = []
    for mark in _MARK.finditer(text, max(start, looked), end):
        if mark.end() < end and _ends_sentence(text, start, end, mark):
            sentences.append(Stretch(start, mark.end()))
            start = mark.end()
    sentences.append(Stretch(start, end))
    trimmed = (_trim(text, *sentence) for sentence in sentences)
    return [sentence for sentence in trimmed if sentence.start < sentence.end]


def _trim(text: str, start: int, end: int) -> Stretch:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Stretch(start, end)


def _ends_sentence(text: str, start: int, end: int, mark: re.Match[str]) -> bool:
    """Whether a sentence ends at this mark, which has text after it."""
    if mark["wide"]:
        return True
    following = _following_word(text, mark.end(), end)
    if not following:
        return False
    lower = following[:1].islower()
    marks = mark["marks"]
    if "?" in marks or "!" in marks:
        return not (lower and mark["closers"])
    if lower:
        return False
    if marks != ".":  # after dots, "I" does not show that a sentence begins: it is always a capital
        return re.match(r"I(?!\w)", following) is None
    return _full_stop_ends(text, start, mark, following)


def _full_stop_ends(text: str, start: int, mark: re.Match[str], following: str) -> bool:
    """Whether a full stop before a word that does not begin with a small letter ends a sentence."""
    match = _LAST_WORD.search(text, max(start, mark.start() - 40), mark.start())
    word = match[0] if match else ""
    before = text[start : mark.start() - len(word)].strip()
    if not before and _ENUMERATOR.fullmatch(word) and not mark["closers"]:
        return False
    kind = abbreviation(word)
    if kind is Abbreviation.WITHIN:
        return False
    if kind is Abbreviation.ENDING:
        return bool(mark["closers"]) or following in STARTERS
    if kind is Abbreviation.INITIAL:
        return following in STARTERS or not following[:1].isupper()
    return kind is Abbreviation.NONE or not following[:1].isdigit()


def _following_word(text: str, start: int, end: int) -> str:
    """The word after a mark, without the quotes and brackets before it and the punctuation after it."""
    match = _NEXT_WORD.match(text, start, end)
    return match["word"].rstrip(".,;:!?" + CLOSERS) if match else ""
