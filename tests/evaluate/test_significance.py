"""Stratified shuffling against the count of all swaps there are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gpuparse.errors import ScoringError
from gpuparse.evaluate import ScoreStatus, SentenceScore
from gpuparse.evaluate.significance import compare
from tests.work import calls_of


def scores(counts: list[tuple[int, int, int]]) -> list[SentenceScore]:
    return [
        SentenceScore(number, 10, ScoreStatus.VALID, matched=matched, gold=gold, test=test)
        for number, (matched, gold, test) in enumerate(counts, 1)
    ]


FIRST = [(5, 6, 6), (3, 4, 5), (8, 9, 9), (2, 6, 7), (4, 4, 4), (6, 7, 9), (1, 2, 2), (7, 8, 8)]
SECOND = [(4, 6, 6), (3, 4, 4), (6, 9, 8), (3, 6, 9), (3, 4, 5), (5, 7, 7), (1, 2, 3), (5, 8, 9)]


def measures(counts: list[tuple[int, int, int]]) -> tuple[float, float, float]:
    matched, gold, test = (sum(column) for column in zip(*counts, strict=True))
    return matched / gold, matched / test, 2 * matched / (gold + test)


def test_p_tends_to_the_share_of_all_swaps_whose_difference_is_as_great() -> None:
    actual = [abs(a - b) for a, b in zip(measures(FIRST), measures(SECOND), strict=True)]
    as_great = np.zeros(3)
    for swaps in product([False, True], repeat=len(FIRST)):
        ours = [b if swap else a for a, b, swap in zip(FIRST, SECOND, swaps, strict=True)]
        theirs = [a if swap else b for a, b, swap in zip(FIRST, SECOND, swaps, strict=True)]
        differences = [abs(a - b) for a, b in zip(measures(ours), measures(theirs), strict=True)]
        as_great += [difference >= least - 1e-12 for difference, least in zip(differences, actual, strict=True)]
    exact = as_great / 2 ** len(FIRST)
    assert exact[0] < 0.5  # a case that is not trivial
    sampled = [difference.p for difference in compare(scores(FIRST), scores(SECOND), trials=40_000, seed=1)]
    assert sampled == pytest.approx(exact, abs=0.01)


def test_equal_systems_do_not_differ() -> None:
    assert [difference.p for difference in compare(scores(FIRST), scores(FIRST), trials=100)] == [1, 1, 1]


def test_the_seed_decides() -> None:
    first, again, other = (
        [difference.p for difference in compare(scores(FIRST), scores(SECOND), trials=999, seed=seed)]
        for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


def test_only_sentences_valid_in_both_count() -> None:
    broken = [scores(SECOND)[0]._replace(status=ScoreStatus.ERROR, matched=0), *scores(SECOND)[1:]]
    recall, _, _ = compare(scores(FIRST), broken, trials=10)
    assert recall.first == pytest.approx(100 * measures(FIRST[1:])[0])


def test_nothing_valid_in_both_is_an_error() -> None:
    with pytest.raises(ScoringError, match="nothing to compare"):
        compare(scores(FIRST[:1]), [SentenceScore(1, 10, ScoreStatus.SKIPPED)], trials=10)


def test_trials_are_made_many_at_once() -> None:
    first, second, trials = scores(FIRST * 125), scores(SECOND * 125), 20_000
    once = calls_of(lambda: compare(first, second, trials=1))
    assert calls_of(lambda: compare(first, second, trials)) - once < trials / 100
