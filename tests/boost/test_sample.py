"""Priority sampling: by weight, without bias, the same everywhere; and weights as integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.boost import Options
from gpuparse.boost.loss import LOSSES
from gpuparse.boost.sample import Sample, Sampler, sampling_key
from gpuparse.boost.task import Task
from gpuparse.boost.team import Team
from gpuparse.kernels import cpu
from gpuparse.kernels.packing import difference
from tests.boost.oracle import uniform


def sampler(importance: np.ndarray, y: np.ndarray, size: int, seed: int, label: str = "NP") -> Sampler:
    task = Task(np.arange(len(importance), dtype=np.int32), y, importance)
    return Sampler(label, task, Options(sample=size, seed=seed), LOSSES["logistic"], cpu, Team(1))


def signed(sample: Sample) -> np.ndarray:
    """Each sampled example's y times its weight."""
    return difference(sample.packed) / sample.scale


def test_sums_over_any_subset_are_right_on_average() -> None:
    rng = np.random.default_rng(0)
    n, repeats = 60, 3000
    importance, odds = rng.exponential(1, n) ** 2, np.exp(rng.normal(0, 1, n))
    y = rng.choice([-1, 1], n).astype(np.int8)
    truth = y * importance / (1 + odds)
    estimates = np.zeros((repeats, n))
    drawer = sampler(importance, y, 15, seed=0)
    for attempt in range(repeats):
        sample = drawer.draw(odds, attempt)
        estimates[attempt, sample.kept] = signed(sample)
    for subset in (slice(None), slice(0, 10), y > 0, y < 0, np.argsort(importance)[-3:], np.argsort(importance)[:30]):
        sums = estimates[:, subset].sum(axis=1)
        error = sums.std() / np.sqrt(repeats)
        assert abs(sums.mean() - truth[subset].sum()) < 4 * error + 1e-6


def test_heavy_examples_are_kept_more_often_than_light_ones() -> None:
    importance = np.repeat([1.0, 0.01], 50)
    drawer = sampler(importance, np.ones(100, np.int8), 20, seed=1)
    heavy = [np.count_nonzero(drawer.draw(np.ones(100), attempt).kept < 50) for attempt in range(50)]
    assert np.mean(heavy) > 19


def test_the_draw_depends_on_seed_label_and_tree_and_on_nothing_else() -> None:
    importance, y = np.random.default_rng(2).random(80), np.ones(80, np.int8)

    def kept(seed: int, label: str, attempt: int) -> list[int]:
        return sampler(importance, y, 20, seed, label).draw(np.ones(80), attempt).kept.tolist()

    assert kept(0, "NP", 3) == kept(0, "NP", 3)
    others = [kept(1, "NP", 3), kept(0, "VP", 3), kept(0, "NP", 4)]
    assert all(other != kept(0, "NP", 3) for other in others)


def test_no_more_examples_than_the_sample_are_all_taken_as_they_are() -> None:
    importance, y = np.array([0.5, 0.25, 0.0]), np.array([1, -1, 1], np.int8)
    sample = sampler(importance, y, 3, seed=0).draw(np.ones(3), 0)
    assert sample.kept.tolist() == [0, 1, 2]
    assert signed(sample).tolist() == [0.25, -0.125, 0.0]


@given(st.lists(st.just(0.0) | st.floats(1e-200, 1e6), min_size=1, max_size=50), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_integers_are_the_weights_to_a_billionth_of_the_total(importances: list[float], seed: int) -> None:
    importance = np.array(importances)
    y = np.random.default_rng(seed).choice([-1, 1], len(importance)).astype(np.int8)
    sample = sampler(importance, y, 50, seed=0).draw(np.ones(len(importance)), 0)
    assert sample.positive + sample.negative <= 2**30 + len(importance)
    assert signed(sample) == pytest.approx(y * importance / 2, abs=importance.sum() / 2**29)
    assert sample.positive - sample.negative == round(signed(sample).sum() * sample.scale)


def test_uniform_draws_are_the_published_generator_and_lie_in_the_half_open_interval() -> None:
    key = sampling_key(0, "NP", 0)
    draws = [cpu.uniform(key, i) for i in range(2000)]
    assert draws == [uniform(int(key), i) for i in range(2000)]
    assert all(0 < u <= 1 for u in draws)
    assert np.mean(draws) == pytest.approx(0.5, abs=0.02)


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5]), min_size=2, max_size=40), st.data())
@settings(max_examples=60, deadline=None)
def test_selection_keeps_the_highest_and_of_equals_the_earlier(priorities: list[float], data) -> None:
    count = data.draw(st.integers(1, len(priorities) - 1))
    kept, tau = cpu.select(np.array(priorities), count)
    order = sorted(range(len(priorities)), key=lambda i: (-priorities[i], i))
    assert kept.tolist() == sorted(order[:count])
    assert tau == priorities[order[count]]
