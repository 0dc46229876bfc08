"""The features of an inference at parse time, where words, tags and classes may be new."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.dtypes import FEATURE, ITEM
from gpuparse.options import Strategy
from gpuparse.parse.features.extraction import emit_inference, segment_capacity
from gpuparse.parse.features.groups import COLUMN_STARTS, GROUPS, Column
from gpuparse.parse.features.runs import CUTS
from gpuparse.parse.features.space import LENGTH, FeatureSpace, Numbering
from gpuparse.parse.logic.goldpath import GoldPath, gold_path
from gpuparse.parse.logic.state import Run, State
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.trees import Tree, load_language, parse_tree
from tests.parse.features.oracle import Walk, counted_groups, features, known_values, other_groups, terminal_items
from tests.parse.logic.generated import trees

ENGLISH = load_language()


def emitted(numbering: Numbering, path: GoldPath, frontier: np.ndarray, i: int, j: int, h: int) -> set[int]:
    """The numbers of the features of an inference."""
    out = np.empty(len(Column) * segment_capacity(len(path.terminals)), FEATURE)
    state = State(path.terminals, path.items, frontier, np.array([len(path.items), len(frontier), -1]))
    at = emit_inference(numbering, state, Run(i, j, h), np.empty(CUTS, np.int64), out)
    return set(out[:at].tolist())


@settings(max_examples=40, deadline=None)
@given(seen=trees(max_words=3), tree=trees(), choice=st.randoms(use_true_random=False))
def test_values_never_seen_in_training_give_no_feature_and_no_error(seen: Tree, tree: Tree, choice) -> None:
    space = FeatureSpace(build_vocabulary([seen], ENGLISH))
    path = gold_path(tree, space.vocabulary, Strategy.r2l)
    walk = Walk(tree, ENGLISH, "r2l")
    number = {id(item): at for at, item in enumerate(walk.terminals)}
    number |= {id(item): len(path.items) - 1 - at for at, item in enumerate(walk.gold)}  # r2l: pre-order backwards
    state = choice.choice(walk.states)
    frontier = np.array([number[id(item)] for item in state.frontier], ITEM)
    i = choice.randrange(len(frontier))
    j = choice.randrange(i, len(frontier))
    h = choice.randint(i, j)
    names = {space.name(feature) for feature in emitted(space.numbering(), path, frontier, i, j, h)}
    assert names == features(walk.terminals, state.frontier, i, j, h, known_values([seen], ENGLISH), ENGLISH)


def test_a_sentence_of_nothing_known_still_has_its_lengths() -> None:
    space = FeatureSpace(build_vocabulary([parse_tree("(TOP (NP (NNP Ann)))")], ENGLISH))
    path = gold_path(parse_tree("(TOP (ADVP (UH zounds) (FW hola)))"), space.vocabulary, Strategy.r2l)
    names = {space.name(feature) for feature in emitted(space.numbering(), path, np.arange(2, dtype=ITEM), 0, 1, 0)}
    assert all(name.startswith("len(") for name in names)
    assert {"len(all)=2", "len(children)>1", "len(words(afterhead))=1", "len(left)=0"} <= names


def test_there_are_91_groups_named_as_in_the_definitions() -> None:
    frontier = terminal_items([("rain", "NN")])
    counted = list(counted_groups(frontier, 0, 0, 0))
    expected = [*counted, *(f"words({name})" for name in counted), *other_groups(frontier, frontier, 0, 0, 0)]
    assert len(GROUPS) == 91
    assert sorted(group.name for group in GROUPS) == sorted(expected)
    assert {group.name for group in GROUPS if group.counted} == {*counted, *(f"words({name})" for name in counted)}
    assert COLUMN_STARTS[-1] == len(GROUPS)


def test_numbers_and_names_of_features_are_one_to_one() -> None:
    space = FeatureSpace(build_vocabulary([parse_tree("(TOP (NP (NNP Ann) (, ,) (NN rain)))")], ENGLISH))
    names = [space.name(number) for number in range(space.size)]
    assert len(set(names)) == space.size == 69 * 13 + 22 * (13 + 32)  # 4 symbols, 3 words, 3 tags, 3 classes
    group, prop, value = space.place(np.arange(space.size))
    base = space.base[group, prop]
    np.testing.assert_array_equal(base + value, np.arange(space.size))
    assert prop.max() == LENGTH
