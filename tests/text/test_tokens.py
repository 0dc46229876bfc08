"""Tokens: cases by hand, and that no character is lost whatever the text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuparse.text import TokenStyle, tokenise, tokenise_text
from gpuparse.trees import Token

GUM_LIKE = TokenStyle(penn_symbols=False, split_hyphens=True, split_slashes=True)

PENN_CASES = {
    # contractions and possessives
    "I can't go.": "I ca n't go .",
    "They won't, don't and aren't.": "They wo n't , do n't and are n't .",
    "It's Ann's; I'm here, we're off, you've won.": "It 's Ann 's ; I 'm here , we 're off , you 've won .",
    "She'd say he'll come.": "She 'd say he 'll come .",
    "I wouldn't've known.": "I would n't 've known .",
    "IT'S DON'T": "IT 'S DO N'T",
    "It’s what you don’t see.": "It 's what you do n't see .",
    "the dogs' bones": "the dogs ' bones",
    "We cannot and I'm gonna": "We can not and I 'm gon na",
    "Gimme, lemme, wanna, gotta": "Gim me , lem me , wan na , got ta",
    "'Tis true, y'all": "'T is true , y' all",
    "at 8 o'clock with O'Brien": "at 8 o'clock with O'Brien",
    "the '90s and rock 'n' roll, get 'em": "the '90s and rock 'n' roll , get 'em",
    "the 1980's and '60's": "the 1980's and '60's",
    "It 's cut already , is n't it": "It 's cut already , is n't it",
    # quotes, brackets, dashes
    '"Go," she said.': "`` Go , '' she said .",
    'He said "no".': "He said `` no '' .",
    "“Go,” she said—‘now’.": "`` Go , '' she said -- ` now ' .",
    "She said 'yes' twice.": "She said ` yes ' twice .",
    '("Really?")': "-LRB- `` Really ? '' -RRB-",
    "a (b) [c] {d}": "a -LRB- b -RRB- -LSB- c -RSB- -LCB- d -RCB-",
    "wait--what": "wait -- what",
    "wait – what—so": "wait -- what -- so",
    "Well... yes… no": "Well ... yes ... no",
    # numbers, money, addresses
    "It cost $1,000.50, i.e. 3.5% more.": "It cost $ 1,000.50 , i.e. 3.5 % more .",
    "US$5 or £3 or 7€": "US$ 5 or £ 3 or 7 €",
    "At 10:30 on 1/2, minus -5 and the 3rd.": "At 10:30 on 1/2 , minus -5 and the 3rd .",
    "In 1999, 20 came.": "In 1999 , 20 came .",
    "See http://a.org/x-y?z=1, please.": "See http://a.org/x-y?z=1 , please .",
    "(www.a-b.com)": "-LRB- www.a-b.com -RRB-",
    "Mail j.doe@x.co.uk.": "Mail j.doe@x.co.uk .",
    "See example.org/about.": "See example.org/about .",
    "#5 #good @me": "# 5 #good @me",
    "Great :) or :-( or ;-D, <3!": "Great :-RRB- or :--LRB- or ;-D , <3 !",
    "Note (as we said:) that": "Note -LRB- as we said : -RRB- that",
    "at 4:30pm or 9am": "at 4:30pm or 9am",
    # full stops
    "Mr. and Mrs. J. R. Lee": "Mr. and Mrs. J. R. Lee",
    "in the U.S. in Jan. 2010": "in the U.S. in Jan. 2010",
    "He lives in the U.S.": "He lives in the U.S.",
    "apples, pears, etc.": "apples , pears , etc.",
    "No. 5 said no.": "No. 5 said no .",
    "She takes vitamin C.": "She takes vitamin C .",
    "It ended.": "It ended .",
    'It "ended."': "It `` ended . ''",
    "1. Introduction": "1. Introduction",
    "It was 5.": "It was 5 .",
    "Really?! No!!": "Really ?! No !!",
    # words that stay whole
    "well-known and/or s/he": "well-known and/or s/he",
    "AT&T and R&D": "AT&T and R&D",
    "th- that": "th- that",
    "naïve Łódź 樋口": "naïve Łódź 樋口",
    "हिन्दी में है।": "हिन्दी में है ।",
    "x=y+z": "x = y + z",
    "": "",
    " \n\t ": "",
}

GUM_CASES = {
    "a well-known 5-year-old": "a well - known 5 - year - old",
    "a non-profit ex-wife's e-mail": "a non-profit ex-wife 's e-mail",
    "twenty-five people": "twenty-five people",
    "and/or 1/2 s/he": "and / or 1/2 s/he",
    "th- that": "th- that",
    '“Go,” she said—"now".': '“ Go , ” she said — " now " .',
    "It’s [sic] (so)…": "It ’s [ sic ] -LRB- so -RRB- …",
    "-- x": "-- x",
}


def words(text: str, style: TokenStyle = TokenStyle()) -> str:  # noqa: B008 - frozen, so that sharing it is safe
    return " ".join(token.word for token in tokenise(text, style))


@pytest.mark.parametrize("text", PENN_CASES)
def test_text_is_cut_as_the_penn_treebank_does(text: str) -> None:
    assert words(text) == PENN_CASES[text]


@pytest.mark.parametrize("text", GUM_CASES)
def test_text_is_cut_as_the_treebank_learned_from_does(text: str) -> None:
    assert words(text, GUM_LIKE) == GUM_CASES[text]


def test_a_token_has_its_place_in_the_text() -> None:
    text = 'He said "I can\'t".  Ann left.'
    places = [[text[token.start : token.end] for token in sentence] for sentence in tokenise_text(text)]
    assert places == [["He", "said", '"', "I", "ca", "n't", '"', "."], ["Ann", "left", "."]]


@pytest.mark.parametrize("style", [TokenStyle(), GUM_LIKE])
@given(text=st.text("aZé9१ .,;:!?'\"’“”‘()[]{}-–—/&@#$%…\n\tnts" + "सि", max_size=60))
def test_every_character_but_white_space_is_in_one_token(style: TokenStyle, text: str) -> None:
    tokens = tokenise(text, style)
    assert "".join(text[token.start : token.end] for token in tokens) == "".join(text.split())
    assert all(first.end <= second.start for first, second in pairwise(tokens))
    assert all(token.word and not any(map(str.isspace, token.word)) for token in tokens)


@given(text=st.text("aZé9 .,;:!?-%$\n", max_size=60))
def test_words_without_replaced_marks_are_the_text_itself(text: str) -> None:
    assert all(token.word == text[token.start : token.end] for token in tokenise(text))


@given(text=st.text(max_size=40))
def test_any_unicode_text_can_be_cut(text: str) -> None:
    tokens = [token for sentence in tokenise_text(text) for token in sentence]
    assert "".join(text[token.start : token.end] for token in tokens) == "".join(text.split())


def test_a_long_run_of_letters_takes_no_more_than_its_time() -> None:
    for piece in ("a", "a-", "a.", "'", "a'", "1,", "-", ".com", "@a"):
        assert tokenise(piece * 4000)


def test_the_style_is_learned_from_the_treebank() -> None:
    penn = [[Token("``", "``"), Token("Go", "VB"), Token("''", "''")]]
    plain = [[Token('"', "``"), Token("—", ":"), Token("-", "HYPH"), Token("/", "SYM")]]
    assert TokenStyle.learned_from(penn) == TokenStyle()
    assert TokenStyle.learned_from(plain) == GUM_LIKE
    assert TokenStyle.learned_from(plain * 2 + penn).penn_symbols is False
    assert TokenStyle.learned_from([]) == TokenStyle()
