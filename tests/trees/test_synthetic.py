"""The synthetic treebank: the same for the same seed, readable, and as hard as it says."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from gpuparse.trees import Tree, count_words, load_language, parse_tree, prepare, strip
from gpuparse.trees.synthetic import synthetic_treebank
from gpuparse.trees.synthetic_words import inflect, plural

ENGLISH = load_language()


@pytest.fixture(scope="module")
def treebank() -> list[Tree]:
    return list(synthetic_treebank(2000, seed=1))


def test_the_first_trees_are_the_same_however_many_are_asked_for(treebank: list[Tree]) -> None:
    assert list(synthetic_treebank(20, seed=1)) == treebank[:20]
    assert list(synthetic_treebank(0)) == []


def test_another_seed_gives_other_trees(treebank: list[Tree]) -> None:
    assert not set(synthetic_treebank(50, seed=2)) & {tree for tree in treebank[:50] if len(tree) > 20}


def test_a_seed_means_the_same_trees_in_every_version() -> None:
    first = " ".join(token.word for token in next(synthetic_treebank(1, seed=0)).tokens())
    assert first == "A blanket wilelled this box to the new woman ."


def test_written_trees_read_back(treebank: list[Tree]) -> None:
    assert [parse_tree(str(tree)) for tree in treebank] == treebank


def test_every_phenomenon_of_penn_trees_occurs(treebank: list[Tree]) -> None:
    labels = Counter(label for tree in treebank for label in tree.labels)
    for label in (
        *("S", "NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "QP", "PRT", "PRN", "SQ", "SBARQ", "SINV", "INTJ", "FRAG"),
        *("NP-SBJ", "PP-TMP", "PP-LOC", "NP-PRD", "S-TPC-1", "WHNP-1", "SBAR-ADV", "NP-LGS"),
        *("-NONE-", "``", "''", ",", ".", ":", "CC", "POS", "WDT", "TO", "RP"),
    ):
        assert labels[label] >= 10, label


def test_most_sentences_have_four_to_twenty_words(treebank: list[Tree]) -> None:
    lengths = [count_words(strip(tree).tokens(), ENGLISH) for tree in treebank]
    assert sum(4 <= length <= 20 for length in lengths) > 0.8 * len(lengths)
    assert max(lengths) > 25


def test_a_few_words_are_frequent_and_most_are_rare(treebank: list[Tree]) -> None:
    words = Counter(token.word for tree in treebank for token in strip(tree).tokens())
    assert len(words) > 1500
    assert sum(count == 1 for count in words.values()) > len(words) / 4
    assert sum(count for _, count in words.most_common(100)) > sum(words.values()) / 2


def test_words_have_more_than_one_tag(treebank: list[Tree]) -> None:
    tags = defaultdict(set)
    for tree in treebank:
        for token in tree.tokens():
            tags[token.word].add(token.tag)
    assert {"WDT", "IN"} <= tags["that"]
    assert {"PRP", "PRP$"} <= tags["her"]
    assert sum(len(some) > 1 for some in tags.values()) > 50


def attachments(treebank: list[Tree]) -> Counter[tuple[str, str]]:
    """How often a PP with this preposition hangs beside the object in a VP, and how often below the object."""
    counts: Counter[tuple[str, str]] = Counter()
    for tree in map(strip, treebank):
        for parent, label in enumerate(tree.labels):
            children = list(tree.children(parent))
            kinds = [tree.labels[child] for child in children]
            if (label == "VP" and kinds[1:3] == ["NP", "PP"]) or (label == "NP" and kinds == ["NP", "PP"]):
                preposition = tree.words[children[-1] + 1] if kinds[-1] == "PP" else None
                if preposition is not None:
                    counts[preposition, label] += 1
    return counts


def test_prepositional_phrases_attach_high_and_low_by_the_habits_of_words(treebank: list[Tree]) -> None:
    counts = attachments(treebank)
    for preposition in ("in", "with", "from", "for", "near"):
        assert min(counts[preposition, "VP"], counts[preposition, "NP"]) >= 5, preposition
    assert counts["of", "NP"] > 10 * counts["of", "VP"]
    assert counts["during", "VP"] > 3 * counts["during", "NP"]


def test_every_tree_prepares_to_one_item_under_top(treebank: list[Tree]) -> None:
    for tree in treebank:
        prepared = prepare(tree, ENGLISH).tree
        assert prepared is not None
        assert len(list(prepared.children(0))) == 1


def test_unary_chains_occur_in_prepared_trees(treebank: list[Tree]) -> None:
    chains = Counter()
    for tree in treebank:
        prepared = prepare(tree, ENGLISH).tree
        assert prepared is not None
        for node in range(1, len(prepared)):
            if [prepared.words[child] for child in prepared.children(node)] == [None]:
                chains[prepared.labels[node], prepared.labels[node + 1]] += 1
    assert chains["S", "VP"] > 20
    assert chains["SBAR", "S"] > 20


@pytest.mark.parametrize(
    ("noun", "form"), [("wife/wives", "wives"), ("boy", "boys"), ("city", "cities"), ("box", "boxes")]
)
def test_plurals(noun: str, form: str) -> None:
    assert plural(noun) == form


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("cry", "cry cries cried cried crying"),
        ("bake", "bake bakes baked baked baking"),
        ("push", "push pushes pushed pushed pushing"),
        ("put/put/put/putting", "put puts put put putting"),
        ("go/went/gone", "go goes went gone going"),
    ],
)
def test_verb_forms(verb: str, forms: str) -> None:
    assert [inflect(verb, tag) for tag in ("VB", "VBZ", "VBD", "VBN", "VBG")] == forms.split()
