"""The vocabulary: what was seen in training has a number, what was not makes no error and is told once."""

from __future__ import annotations

import pytest

from gpuparse.errors import TrainingError
from gpuparse.parse.logic.items import FIRST_VALUE, PUNCTUATION, TAG_SYMBOL
from gpuparse.parse.logic.unknown import UnknownReport
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.trees import Token, load_language, parse_tree

ENGLISH = load_language()
WORD, TAG, TAG_CLASS = range(FIRST_VALUE, FIRST_VALUE + 3)
VOCABULARY = build_vocabulary([parse_tree("(TOP (S (NP (NNP Ann)) (VP (VBZ sings)) (, ,) (RB so)))")], ENGLISH)


def test_values_are_sorted_words_are_lower_case_and_top_is_the_last_label() -> None:
    assert VOCABULARY.labels == ("NP", "S", "VP", "TOP")
    assert VOCABULARY.words == (",", "ann", "sings", "so")
    assert VOCABULARY.tags == (",", "NNP", "RB", "VBZ")
    assert VOCABULARY.values_of("headtagclass") == ("COMMA", "NP", "R", "V")
    assert VOCABULARY.symbols == (",", "NNP", "NP", "RB", "S", "VBZ", "VP")


def test_words_are_looked_up_in_lower_case() -> None:
    table = VOCABULARY.terminals([Token("ANN", "NNP"), Token(",", ",")])
    assert VOCABULARY.words[table[0, WORD]] == "ann"
    assert table[:, PUNCTUATION].tolist() == [0, 1]


def test_unknown_words_tags_and_classes_have_no_value() -> None:
    (row,) = VOCABULARY.terminals([Token("zounds", "UH")])
    assert (row[WORD], row[TAG], row[TAG_CLASS]) == (-1, -1, -1)
    assert row[TAG_SYMBOL] >= len(VOCABULARY.symbols)
    assert row[TAG_SYMBOL] <= VOCABULARY.other_symbol


def test_a_tag_of_a_known_class_has_its_class_even_if_it_was_never_seen() -> None:
    (row,) = VOCABULARY.terminals([Token("sang", "VBD")])
    assert VOCABULARY.values_of("headtagclass")[row[TAG_CLASS]] == "V"
    assert row[TAG] == -1


def test_unknown_labels_have_no_number() -> None:
    assert [VOCABULARY.label(name) for name in ("NP", "TOP", "FRAG")] == [0, 3, -1]


def test_each_unknown_tag_is_told_once() -> None:
    warnings: list[str] = []
    report = UnknownReport(VOCABULARY, warnings.append)
    for _ in range(2):
        report.meet(parse_tree("(TOP (FRAG (NP (NNP Ann)) (UH oh) (NNX ha)))").tokens())
    assert warnings == [f"the tag {tag} was never seen in training" for tag in ("NNX", "UH")]


def test_a_treebank_without_words_or_with_top_inside_can_not_be_learnt_from() -> None:
    with pytest.raises(TrainingError, match="no sentence is left"):
        build_vocabulary([], ENGLISH)
    with pytest.raises(TrainingError, match="TOP is the root's label"):
        build_vocabulary([parse_tree("(TOP (S (TOP (NN rain))))")], ENGLISH)
