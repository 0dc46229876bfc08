"""From input to trees: every sentence comes back, in order, with all its tokens."""

from __future__ import annotations

import pytest
from gpuparse.kernels import cpu

from gpuparse.errors import InputError
from gpuparse.parsing import InputKind, detect_kind, parse_sentences, read_tagged, read_words_of_trees
from gpuparse.search.parser import Parser, SearchOptions
from gpuparse.trees import load_language, parse_tree, prepare_tokens, strip, synthetic_treebank
from tests.small_model import small_model


def small_parser() -> Parser:
    model = small_model()
    return Parser(model.vocabulary, model.rules(), model.strategy, model.max_children, cpu)


def test_every_sentence_comes_back_in_order_with_all_its_tokens() -> None:
    trees = list(synthetic_treebank(12, seed=5))
    trees.insert(4, parse_tree("( (X (. .) ('' '')))"))
    trees.append(parse_tree("( (X (: --)))"))
    sentences = list(read_words_of_trees(trees, load_language()))
    parsed = list(parse_sentences(small_parser(), sentences, SearchOptions(batch=3, limit=3000)))
    assert [p.trees()[0].tokens() for p in parsed] == [strip(tree).tokens() for tree in trees]
    assert [p.status for p in parsed].count("flat") == 2


def test_a_sentence_leaves_before_the_input_has_ended() -> None:
    language = load_language()
    asked = 0

    def endless():  # type: ignore[no-untyped-def]  # a generator without an end
        nonlocal asked
        for tree in synthetic_treebank(10**6):
            asked += 1
            yield prepare_tokens(strip(tree).tokens(), language)

    parsed = parse_sentences(small_parser(), endless(), SearchOptions(batch=4, limit=2000))
    next(parsed)
    assert asked < 200


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
