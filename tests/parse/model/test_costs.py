"""A stranger's file costs about what its size promises: crafted ones are refused before they take memory or time."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.boost import GrownTree
from gpuparse.boost.ensemble import Ensemble
from gpuparse.errors import LanguageError, ModelError
from gpuparse.jit import kernel
from gpuparse.parse.model.contents import MOST_NEEDED, Arrays, Flaw, Header, pack, unpack
from gpuparse.parse.model.preorder import children_in_preorder
from gpuparse.tag import Tagger
from gpuparse.tag.tagger import MOST_PROBES
from gpuparse.tag.templates import (
    MULTIPLIER,
    find_row,
    longest_probe,
    make_table,
    parse_templates,
)
from gpuparse.trees import parse_language
from tests.small_model import small_model, small_tagger


def chain(depth: int, yes: bool, of_leaves: float = 0.01) -> GrownTree:
    """A tree whose inner nodes follow each other down one side, and whose leaves all have this value."""
    features = np.full(2 * depth + 1, -1)
    features[slice(0, depth) if yes else slice(0, 2 * depth, 2)] = np.arange(depth)
    children = children_in_preorder(features >= 0, np.array([len(features)]))
    return GrownTree.of(features, *children, np.where(features < 0, of_leaves, 0.0))


def crafted_of(tree: GrownTree) -> tuple[Header, Arrays]:
    """A model in which each label has this tree alone."""
    model = small_model()
    ensembles = {label: Ensemble.of([tree], [1.0]) for label in model.ensembles}
    return pack(replace(model, ensembles=ensembles))


@pytest.mark.parametrize(("depth", "yes", "sound"), [(MOST_NEEDED, True, True), (300, True, False), (300, False, True)])
def test_a_rule_that_needs_hundreds_of_features_is_refused(depth: int, yes: bool, sound: bool) -> None:
    if sound:
        unpack(*crafted_of(chain(depth, yes)))
    else:
        with pytest.raises(Flaw, match="too deep"):
            unpack(*crafted_of(chain(depth, yes)))


def test_leaves_that_make_no_rule_may_be_as_deep_as_training_makes_them() -> None:
    with pytest.raises(Flaw, match="too deep"):
        unpack(*crafted_of(chain(9_000, yes=False)))
    header, arrays = crafted_of(chain(9_000, yes=False, of_leaves=0.0))
    assert unpack(header, arrays).rules().blocks == 1


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 20_000 + " = 1",
        "x = {a" + ".a" * 100 + " = 1}",
        '"\u2028".' * 8000 + "a = 1",  # which is a line break to Python and none to TOML
        "# x\n" * 30_000,
        "".join(f"[a{number}{'.a' * 50}]\n" for number in range(6000)),
    ],
    ids=["a key", "a key in a table", "other line breaks", "length", "many tables"],
)
def test_language_data_that_takes_far_more_memory_than_its_size_is_refused(text: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(LanguageError, match=r"at most|dots in a line"):
            parse_language(text, "crafted")
        assert tracemalloc.get_traced_memory()[1] < 20 * len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("text", ["x = " + "[" * 20_000, "x = " + "{a = " * 15_000, "x = " + "1" * 5000])
def test_language_data_that_python_gives_up_on_is_refused(text: str) -> None:
    with pytest.raises(LanguageError, match=r"nested too deeply|not valid TOML"):
        parse_language(text, "crafted")


def test_starts_that_wrap_around_are_out_of_order() -> None:
    tagger = small_tagger()
    arrays = tagger.arrays()
    starts = arrays["row_starts"].copy()
    starts[1], starts[2] = 2**31 - 1, -(2**31)  # their difference is 1 in 32 bits
    with pytest.raises(ModelError, match="not in order"):
        Tagger.from_parts(arrays | {"row_starts": starts}, tagger.settings())


def home(keys: np.ndarray, slots: int) -> np.ndarray:
    mixed = keys.astype(np.uint64) * np.uint64(MULTIPLIER)
    return ((mixed ^ (mixed >> np.uint64(29))) & np.uint64(slots - 1)).astype(np.int64)


find = kernel(find_row)


@settings(max_examples=200, deadline=None)
@given(some=st.sets(st.integers(0, 2**53)), crowd=st.integers(0, 60), seed=st.integers(0, 99))
def test_a_key_is_found_where_the_table_put_it(some: set[int], crowd: int, seed: int) -> None:
    candidates = np.random.default_rng(seed).integers(0, 2**53, 4000)
    last = candidates[home(candidates, 64) == 63][:crowd]  # which come out beyond the last slot
    keys = np.array(sorted({*some, *last.tolist()}), np.int64)
    table = make_table(keys, parse_templates(["tag-1", "tag-1 tag-2"], []), 2)
    assert sorted(table.slots[table.slots >= 0].tolist()) == list(range(len(keys)))
    for row, key in enumerate(keys.tolist()):
        slot = int(home(keys[row : row + 1], len(table.slots))[0])
        while table.slots[slot] != row:
            assert table.slots[slot] >= 0, "an empty slot ends the search"
            slot = (slot + 1) % len(table.slots)
        assert find(table.keys, table.slots, key) == row
    around = [*table.slots, *table.slots]
    ways = [next(way for way in range(len(around)) if around[start + way] < 0) for start in range(len(table.slots))]
    assert longest_probe(keys) == max(ways)
    assert all(
        find(table.keys, table.slots, key) == len(keys)
        for key in {1, 2**52 + 1, *candidates[:50].tolist()} - {*some, *last.tolist()}
    )


def test_the_rows_of_the_last_tags_are_those_of_their_keys() -> None:
    tagger = small_tagger()
    tags = len(tagger.lexicon.tags)
    last_two_tags = len(tagger.templates) - 1
    table = make_table(tagger.keys, parse_templates(tagger.templates, tagger.lexicon.attribute_names), tags)
    row_of = {key: row for row, key in enumerate(tagger.keys.tolist())}
    for last in range(tags + 1):
        assert table.last_tag[last] == row_of.get(last_two_tags - 1 << 54 | last << 36, len(row_of))
        for before in range(tags + 1):
            key = last_two_tags << 54 | last << 36 | before << 18
            assert table.last_two_tags[last, before] == row_of.get(key, len(row_of))


def same_home(homes: np.ndarray) -> np.ndarray:
    return np.flatnonzero(homes == 7)[:2000]


def neighbouring_homes(homes: np.ndarray) -> np.ndarray:
    """Every key is found at once, and one that is not there after thousands of others."""
    _, places = np.unique(homes, return_index=True)
    return np.sort(places[:2000])


@pytest.mark.parametrize("choose", [same_home, neighbouring_homes])
def test_a_tagger_whose_keys_collide_is_refused(choose: Callable[[np.ndarray], np.ndarray]) -> None:
    tagger = small_tagger()
    words = [f"w{number}" for number in range(3000)]
    template = tagger.templates.index("lower-1 lower+0")
    first, second = np.divmod(np.arange(len(words) ** 2), len(words))
    keys = template << 54 | first << 36 | second << 18
    keys = keys[choose(home(keys, 4096))]
    assert len(keys) == 2000
    assert longest_probe(keys) > MOST_PROBES
    empty = np.zeros(0, np.int16)
    crafted = {"keys": keys, "row_starts": np.zeros(len(keys) + 1, np.int32), "row_tags": empty, "row_weights": empty}
    with pytest.raises(ModelError, match="collide"):
        Tagger.from_parts(tagger.arrays() | crafted, tagger.settings() | {"words": words})


def test_a_large_tagger_with_every_pair_of_tags_is_read() -> None:
    tags = np.arange(1000)
    assert longest_probe((99 << 54 | tags[:, None] << 36 | tags << 18).ravel()) < MOST_PROBES / 2
