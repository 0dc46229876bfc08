"""Induced classes are those of the plain algorithm; the likelihood never falls; classes nest; the same text always
gives the same classes.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.errors import InputError
from gpuparse.words import ClassOptions
from gpuparse.words.exchange import first_partition, likelihood, make_tables, partition_of
from gpuparse.words.induction import induce_classes, sweep
from gpuparse.words.likelihood import LN2, TABLE, UNIT, n_ln_n, n_ln_n_table
from gpuparse.words.merging import Mergers
from gpuparse.words.text import count_text
from tests.words import oracle

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), min_size=1, max_size=10)


@given(SENTENCES, st.integers(1, 3), st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_classes_are_those_of_the_plain_algorithm(
    sentences: list[list[str]], least: int, number: int, sweeps: int
) -> None:
    words, text = count_text(sentences, least)
    partition = first_partition(text, number)
    likelihoods = sweep(text, partition, sweeps, lambda share: None)
    classes = dict(zip(words, partition.classes.tolist(), strict=False))
    assert (classes, likelihoods) == oracle.exchange(sentences, least, number, sweeps)
    assert all(after >= before for before, after in pairwise(likelihoods))


@given(SENTENCES, st.integers(2, 6), st.integers(1, 5))
@settings(max_examples=100, deadline=None)
def test_mergers_are_those_of_the_plain_algorithm(sentences: list[list[str]], number: int, fewer: int) -> None:
    words, text = count_text(sentences, 1)
    partition = first_partition(text, number)
    mergers = Mergers(partition, n_ln_n_table())
    while not mergers.prepare(2):
        pass
    while mergers.classes > fewer:
        mergers.merge()
    of_words = mergers.into[partition.classes[:-2]]
    classes = dict(zip(words, partition.classes.tolist(), strict=False))
    expected = oracle.merge(sentences, classes, number, fewer)
    assert dict(zip(words, of_words.tolist(), strict=True)) == expected


@given(SENTENCES, st.integers(1, 5))
@settings(max_examples=50, deadline=None)
def test_what_is_counted_stays_what_the_classes_say(sentences: list[list[str]], number: int) -> None:
    _, text = count_text(sentences, 2)
    partition = first_partition(text, number)
    sweep(text, partition, 3, lambda share: None)
    whole = partition_of(text, partition.classes, number)
    for kept, counted in zip(partition, whole, strict=True):
        np.testing.assert_array_equal(kept, counted)


@given(SENTENCES)
@settings(max_examples=30, deadline=None)
def test_the_likelihood_is_that_of_the_text(sentences: list[list[str]]) -> None:
    words, text = count_text(sentences, 2)
    partition = first_partition(text, 3)
    classes = dict(zip(words, partition.classes.tolist(), strict=False))
    assert likelihood(partition, make_tables().n_ln_n) == oracle.likelihood(sentences, classes)


def test_a_likelihood_beyond_the_tables_of_small_counts_is_that_of_the_text() -> None:
    sentences = [list("abcab"), list("bad")] * 3000
    words, text = count_text(sentences, 1)
    partition = first_partition(text, 3)
    likelihoods = sweep(text, partition, 3, lambda share: None)
    classes = dict(zip(words, partition.classes.tolist(), strict=False))
    assert (classes, likelihoods) == oracle.exchange(sentences, 1, 3, 3)


@pytest.mark.parametrize("n", [1, 2, 3, 1000, TABLE - 1, TABLE, TABLE + 1, 2 * TABLE, 3 * TABLE + 1, 10**7, 2**31 - 1])
def test_n_ln_n_is_right_to_one_in_a_hundred_million(n: int) -> None:
    assert n_ln_n(n, n_ln_n_table()) / UNIT == pytest.approx(n * math.log(n), rel=1e-8, abs=1e-6)


def test_n_ln_n_rises_and_bends_upwards_where_the_table_ends() -> None:
    values = [int(n_ln_n(n, n_ln_n_table())) for n in range(TABLE - 50, TABLE + 50)]
    rises = np.diff(values)
    assert (rises > 0).all()
    assert abs(np.diff(rises)).max() < UNIT / 1000
    assert round(math.log(2) * UNIT * 64) == LN2


def phrases() -> list[list[str]]:
    """Sentences of two kinds of names, things and deeds."""
    names, things, deeds = ("Ann", "Bob", "Cid"), ("tea", "milk", "rice"), ("likes", "buys", "sells")
    return [[name, deed, thing, "."] for name in names for deed in deeds for thing in things]


def test_words_among_the_same_neighbours_are_in_one_class() -> None:
    classes = induce_classes(phrases(), ClassOptions(granularities=(4,))).classes
    members = {frozenset(classes.members(0, number)) for number in range(1, 5)}
    kinds = [{"ann", "bob", "cid"}, {"tea", "milk", "rice"}, {"likes", "buys", "sells"}, {"."}]
    assert members == set(map(frozenset, kinds))


@given(SENTENCES)
@settings(max_examples=50, deadline=None)
def test_coarser_classes_are_made_of_whole_finer_ones(sentences: list[list[str]]) -> None:
    options = ClassOptions(granularities=(4, 3, 2), least=1)
    if len(set().union(*sentences)) < 4:
        with pytest.raises(InputError, match=r"too few for 4 classes\. Give more text, or ask for fewer classes\."):
            induce_classes(sentences, options)
        return
    classes = induce_classes(sentences, options).classes
    for place in (0, 1):
        pairs = {(row[place], row[place + 1]) for row in classes.classes.tolist()}
        assert len(pairs) == len({finer for finer, _ in pairs})
    for place, most in enumerate(options.granularities):
        numbers = set(classes.classes[:, place].tolist())
        assert numbers == set(range(1, len(numbers) + 1))
        assert len(numbers) <= most


def test_the_order_of_equal_texts_does_not_matter_and_progress_ends_below_one() -> None:
    shares: list[float] = []
    options = ClassOptions(granularities=(4, 2))
    forwards = induce_classes(phrases(), options, shares.append)
    backwards = induce_classes(reversed(phrases()), options)
    assert forwards.likelihoods == backwards.likelihoods
    np.testing.assert_array_equal(forwards.classes.classes, backwards.classes.classes)
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] < 1


def test_case_is_kept_or_folded_and_an_unknown_word_is_looked_up_in_lower_case() -> None:
    sentences = [["The", "the", "END"]] * 3
    kept = induce_classes(sentences, ClassOptions(granularities=(3,), fold=False)).classes
    assert kept.words == ("END", "The", "the")
    assert kept.of("THE") == kept.of("the") != kept.of("The")
    assert kept.of("end") == (0,)
    folded = induce_classes(sentences, ClassOptions(granularities=(2,))).classes
    assert folded.words == ("end", "the")
    assert folded.of("The") == folded.of("the") != folded.of("End")


def test_a_class_is_named_by_its_most_frequent_words() -> None:
    sentences = [["a"]] * 3 + [["b"]] * 5 + [["c"]] * 4 + [["d"]] * 3
    classes = induce_classes(sentences, ClassOptions(granularities=(2, 1))).classes
    assert classes.name(1, 1) == "like: b, c, a"
    assert classes.name(1, 0) == "no class"
