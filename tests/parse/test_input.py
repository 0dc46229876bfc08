"""From input to trees: every sentence comes back, in order, with all its tokens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpuparse.errors import InputError, UsageError
from gpuparse.kernels import cpu
from gpuparse.options import InputKind, SearchOptions
from gpuparse.parse.input import (
    detect_kind,
    parse_sentences,
    read_tagged,
    read_text,
    read_tokens,
    read_words_of_trees,
    tag_anew,
)
from gpuparse.parse.search.parser import Parser
from gpuparse.trees import Token, load_language, parse_tree, prepare_tokens, strip, synthetic_treebank
from tests.small_model import small_model, small_tagger


def small_parser() -> Parser:
    model = small_model()
    return Parser(model.vocabulary, model.rules(), model.strategy, model.max_children, cpu)


def test_every_sentence_comes_back_in_order_with_all_its_tokens() -> None:
    trees = list(synthetic_treebank(12, seed=5))
    trees.insert(4, parse_tree("( (X (. .) ('' '')))"))
    trees.append(parse_tree("( (X (: --)))"))
    sentences = list(read_words_of_trees(trees, load_language()))
    parsed = list(parse_sentences(small_parser(), sentences, SearchOptions(batch=3, limit=3000)))
    assert [p.tree.tokens() for p in parsed] == [strip(tree).tokens() for tree in trees]
    assert [p.status for p in parsed].count("flat") == 2


def test_a_sentence_leaves_before_the_input_has_ended() -> None:
    language = load_language()
    count = 0

    def endless():  # type: ignore[no-untyped-def]  # a generator without an end
        nonlocal count
        for tree in synthetic_treebank(10**6):
            count += 1
            yield prepare_tokens(strip(tree).tokens(), language)

    parsed = parse_sentences(small_parser(), endless(), SearchOptions(batch=4, limit=2000))
    next(parsed)
    assert count < 200


def test_a_search_that_memory_can_not_hold_is_told_with_the_way_out() -> None:
    sentences = read_tagged(["A/DT dog/NN\n"], "input", load_language())
    with pytest.raises(UsageError, match=r"10000000 sentences in parallel .* a smaller batch"):
        next(parse_sentences(small_parser(), sentences, SearchOptions(batch=10**7, limit=10**9)))


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        ("  ( (S (NP", InputKind.TREES),
        ("\ufeff(TOP (NP", InputKind.TREES),
        ("The/DT dog/NN ./.", InputKind.TAGGED),
        ("The_DT dog_NN", InputKind.TAGGED),
        ("The dog barks.", InputKind.TEXT),
        ("either/or is no tag", InputKind.TEXT),
        ("", InputKind.TEXT),
    ],
)
def test_the_kind_of_input_is_told_by_its_first_line(start: str, kind: InputKind) -> None:
    assert detect_kind(start) is kind


def test_a_tag_is_what_follows_the_last_slash() -> None:
    (sentence,) = read_tagged(["1/2/CD cups/NNS\n", "\n"], "input", load_language())
    assert [tuple(token) for token in sentence.tokens] == [("1/2", "CD"), ("cups", "NNS")]


def test_a_word_without_a_tag_is_an_error_with_its_line() -> None:
    with pytest.raises(InputError, match=r"input, line 2: 'dog' has no tag"):
        list(read_tagged(["A/DT cat/NN\n", "A/DT dog\n"], "input", load_language()))


def test_text_is_cut_into_sentences_and_tokens_and_tagged() -> None:
    lines = ["The dog sleeps. The man\n", "didn't see it.\n", "\n", "No end\n"]
    sentences = list(read_text(lines, small_tagger(), load_language()))
    words = [[token.word for token in sentence.tokens] for sentence in sentences]
    assert words == [
        ["The", "dog", "sleeps", "."],
        ["The", "man", "did", "n't", "see", "it", "."],
        ["No", "end"],
    ]
    assert [list(sentence.tokens) for sentence in sentences] == list(small_tagger().tag_many(words))
    assert [token.tag for token in sentences[0].tokens][::3] == ["DT", "."]


def test_tokens_are_taken_as_they_are() -> None:
    (sentence,) = read_tokens(["\n", "don't stop. ( now ) .\n"], small_tagger(), load_language())
    assert [token.word for token in sentence.tokens] == ["don't", "stop.", "-LRB-", "now", "-RRB-", "."]
    assert "." not in sentence.words()


def test_a_line_of_text_is_tagged_before_the_lines_after_the_next_are_read() -> None:
    count = 0

    def endless() -> Iterator[str]:
        nonlocal count
        while True:
            count += 1
            yield "The dog sleeps. "

    for read in (read_text, read_tokens):
        count = 0
        next(read(endless(), small_tagger(), load_language()))
        assert count <= 2


def test_tagging_anew_keeps_the_words_and_what_is_punctuation_and_forgets_the_other_tags() -> None:
    sentences = list(read_tagged(["The/NN dog/. sleeps/DT ./NN\n"], "input", load_language()))
    (result,) = tag_anew(sentences, small_tagger(), load_language())
    the, _, sleeps, _ = small_tagger().tag(["The", "dog", "sleeps", "."])
    assert result.tokens == (the, Token("dog", "."), sleeps, Token(".", "NN"))
    assert the.tag != "NN"
    assert sleeps.tag != "DT"
    assert result.originals == sentences[0].originals
