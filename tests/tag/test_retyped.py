"""Sentences typed anew: in small letters, in capitals, without their mark."""

from __future__ import annotations

from gpuparse.tag.retyped import retype
from gpuparse.trees import Token

SENTENCE = [Token("Ann", "NNP"), Token("sees", "VBZ"), Token("us", "PRP"), Token("!", ".")]


def test_letters_change_and_marks_go_but_no_tag_changes() -> None:
    made = [one.tokens for one in retype([SENTENCE] * 200, 1.0, seed=0)]
    for tokens in made:
        assert tokens != SENTENCE
        assert [token.tag for token in tokens] == [token.tag for token in SENTENCE][: len(tokens)]
        assert [token.word.lower() for token in tokens] == ["ann", "sees", "us", "!"][: len(tokens)]
    written = {" ".join(token.word for token in tokens) for tokens in made}
    assert written == {"ann sees us", "ann sees us !", "ANN SEES US", "ANN SEES US !", "Ann sees us"}


def test_about_the_share_is_typed_anew_and_each_is_told_with_its_origin() -> None:
    sentences = [[Token(f"Go{number}", "VB"), Token("on", "RP"), Token(".", ".")] for number in range(2000)]
    made = list(retype(sentences, 0.1, seed=0))
    assert 150 < len(made) < 250
    assert all(one.tokens[0].word.lower() == f"go{one.origin}" for one in made)
    assert made == list(retype(sentences, 0.1, seed=0))
    assert made != list(retype(sentences, 0.1, seed=1))


def test_a_script_without_capitals_loses_its_marks_alone() -> None:
    sentence = [Token("犬", "N"), Token("が", "P"), Token("吠える", "V"), Token("。", "PU")]
    assert {tuple(one.tokens) for one in retype([sentence] * 99, 1.0, seed=0)} == {tuple(sentence[:-1])}


def test_a_word_at_the_end_is_no_mark_and_a_word_with_its_mark_keeps_it() -> None:
    endless, short = [Token("go", "VB"), Token("on", "RP"), Token("now", "RB")], [Token("go", "VB"), Token("!", ".")]
    assert all(len(one.tokens) == 3 for one in retype([endless] * 99, 1.0, seed=0))
    assert all(len(one.tokens) == 2 for one in retype([short] * 99, 1.0, seed=0))
