"""Rules in sentences."""

from __future__ import annotations

import re

import pytest

from gpuparse.parse.explain.english import in_english
from gpuparse.parse.features.groups import GROUPS
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.trees import load_language, parse_tree

TREE = "(TOP (S (NP (DT the) (NN dog)) (, ,) (VP (VBZ barks) (PP (IN at) (NP (NNP Ann))))))"
SPACE = FeatureSpace(build_vocabulary([parse_tree(TREE)], load_language()))
NUMBER = {SPACE.name(feature): feature for feature in range(SPACE.size)}


def sentences_of(rule: str) -> list[str]:
    pieces = rule.split(" and ")
    literals = sorted((NUMBER[piece.removeprefix("not ")], not piece.startswith("not ")) for piece in pieces)
    return list(in_english(tuple(literals), SPACE, {}))


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("first1.headtag=DT", "the first child has the head tag DT"),
        ("not first1.headtag=DT", "the first child does not have the head tag DT"),
        ("last3.label=VP", "one of the last 3 children is VP"),
        ("not last3.label=VP", "none of the last 3 children is VP"),
        ("children.headword=dog", "a child has the head word “dog”"),
        ("not children.label=,", "no child is “,”"),
        ("left1.label=IN", "the item just to the left is IN"),
        ("headright2.label=PP", "one of the 2 children just after the head is PP"),
        ("item.h-2.label=NP", "the 2nd item before its head child is NP"),
        ("word.r+1.headword=the", "the word after its last word is “the”"),
        ("not word.l-3.headtag=DT", "the 3rd word before its first word is not tagged DT"),
        ("child.h.r.label=NP", "the last child of the head child is NP"),
        ("words(left).headtagclass=N", "a word to the left is of class N"),
        ("not words(children).headword=at", "none of its words is “at”"),
        ("len(children)=3", "it has 3 children"),
        ("len(children)=1", "it has 1 child"),
        ("not len(children)=3", "it does not have 3 children"),
        ("len(children)>3", "it has more than 3 children"),
        ("not len(children)>3", "it has at most 3 children"),
        ("len(left)=0", "there are no items to the left"),
        ("not len(left)=0", "there is at least 1 item to the left"),
        ("len(left)>0", "there is at least 1 item to the left"),
        ("not len(right)>1", "there is at most 1 item to the right"),
        ("not len(words(all))=9", "the sentence does not have 9 words"),
        ("len(words(afterhead))>2", "it has more than 2 words after the head child"),
    ],
)
def test_a_feature_reads_as_a_sentence(rule: str, sentence: str) -> None:
    assert sentences_of(rule) == [sentence]


def test_what_must_not_be_there_is_drawn_together_and_comes_last() -> None:
    rule = "not children.label=NP and first1.label=IN and not children.label=VP and not children.label=PP"
    assert sentences_of(rule) == ["the first child is IN", "no child is NP, PP or VP"]


def test_frequent_features_come_before_rare_ones() -> None:
    rare, frequent = NUMBER["first1.label=NP"], NUMBER["last1.label=NP"]
    literals = tuple(sorted([(rare, False), (frequent, False)]))
    rarity = {rare: 7, frequent: 2}
    assert in_english(literals, SPACE, rarity) == ("the last child is not NP", "the first child is not NP")


def test_the_rule_that_always_holds_has_no_condition() -> None:
    assert in_english((), SPACE, {}) == ()


def test_every_group_has_its_own_sentences() -> None:
    for there in (True, False):
        sentences = [
            in_english(((NUMBER[f"{group.name}.{what}"], there),), SPACE, {})
            for group in GROUPS
            for what in ("label=NN", "headword=dog", "headtagclass=N")
        ]
        assert len(set(sentences)) == len(sentences)
        assert not any(re.search(r"[{}]|  ", sentence) for [sentence] in sentences)
