"""Sentences: cases by hand, marked by a bar, and that reading in pieces gives the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuparse.text import split_sentences, stream_sentences

CASES = [
    "It rains.|It pours.",
    "Does it rain?|It does!|Yes.",
    "Mr. Smith met Dr. J. R. Lee.|They spoke.",
    "The U.S. Senate met.|It voted.",
    "He left the U.S.|The Senate met.",
    "She works for Apple Inc. in California.",
    "He came at 5 p.m. on Friday.|She did not.",
    "It cost $3.50.|No. 5 cost 2.75.",
    "Is it No. 5?|No.|He said so.",
    "See e.g. Smith et al. (2010) for more.",
    'He said, "It rains."|She left.',
    '"Go!" he said.|"Why?" she asked.',
    "(It rained.)|They stayed.",
    "He said “Go.”|They went.",
    "Well... I don't know.",
    "So it ended...|Then it began.",
    "I think so … maybe not.",
    "1. Introduction to it.|2. Methods follow.",
    "It was the year 2010.|Then came 2011.",
    "She takes vitamin C.|It helps.",
    "She and I.|We went.",
    "A line\nbreak is no end.|But this is.",
    "A heading\n\n|No full stop here\n \n|The end",
    "One.\r\n\r\n|Two.",
    "It ended.|\"Really?\"|'Yes.'",
    "Visit example.org now.|See a.b.c for more.",
    "これは本です。|あれも本です。",
    "यह किताब है।|वह भी।",
    "What?!|No...|Yes.",
    "etc. etc. and so on.",
    "Pears, apples, etc.|The rest is known.",
]


@pytest.mark.parametrize("marked", CASES)
def test_sentences_end_where_the_bar_is(marked: str) -> None:
    text = marked.replace("|", "") if "\n|" in marked or "。" in marked else marked.replace("|", " ")
    assert [text[start:end] for start, end in split_sentences(text)] == [part.strip() for part in marked.split("|")]


def test_an_exclamation_mark_before_a_small_letter_ends_a_sentence_unless_a_quote_closes() -> None:
    assert len(split_sentences("what! no way")) == 2
    assert len(split_sentences('"What!" no one said.')) == 1


def test_white_space_alone_is_no_sentence() -> None:
    assert split_sentences("") == split_sentences(" \n\n \t") == []


TEXTS = st.text("aA1.?!…)\"' \n", max_size=80)


@given(TEXTS)
def test_sentences_are_in_order_and_hold_all_but_white_space(text: str) -> None:
    sentences = split_sentences(text)
    joined = "".join("".join(text[start:end].split()) for start, end in sentences)
    assert joined == "".join(text.split())
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in sentences)


@given(TEXTS)
def test_a_text_read_line_by_line_has_the_same_sentences(text: str) -> None:
    lines = [line.strip() for line in text.split("\n")]
    whole = "\n".join(lines)
    sentences = [(sentence.text, sentence.start) for sentence in stream_sentences(lines)]
    assert sentences == [(whole[start:end], start) for start, end in split_sentences(whole)]


@given(st.text("aA1.?!…)\"' \n\r\f\u2028", max_size=80))
def test_a_sentence_knows_its_place_whatever_ends_the_lines(text: str) -> None:
    for sentence, start in stream_sentences(text.splitlines(keepends=True)):
        assert text.startswith(sentence, start)


def test_a_sentence_comes_before_the_next_but_one_line_is_read() -> None:
    def lines():
        yield "One. Two"
        yield "goes on."
        raise AssertionError("the third line was asked for before the first sentence was given")

    assert next(stream_sentences(lines())).text == "One."


def test_a_paragraph_without_an_end_comes_in_pieces_and_is_not_held() -> None:
    lines = ["word " * 10] * 5_000
    pieces = [sentence.text for sentence in stream_sentences(lines)]
    assert " ".join(pieces).split() == " ".join(lines).split()
    assert max(map(len, pieces)) < 21_000
