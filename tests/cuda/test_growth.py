"""The nodes of a growing tree are the same on the device and on the CPU, wave after wave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpuparse.boost.postings import Postings
from gpuparse.boost.team import Team
from gpuparse.kernels import cpu
from gpuparse.kernels.packing import as_negative, as_positive
from tests.boost.problems import Problem, problem
from tests.cuda.twins import assert_equal

HUGE = 2**31


class Twins:
    """A Growth of each kind over the same sample; `both`: their histograms keep both sums."""

    def __init__(self, cuda: Any, case: Problem, seed: int = 0, both: bool = False) -> None:
        rows = case.task.rows
        weights = np.random.default_rng(seed).integers(-(2**20), 2**20, len(rows))
        packed = np.where(weights > 0, as_positive(weights), as_negative(-weights))
        self.case, self.growths, self.packed = case, [], int(packed.sum())
        for kernels in (cpu, cuda):
            matrix = kernels.hold(case.matrix)
            growth = kernels.Growth(matrix, Postings.of(matrix, kernels), Team(1), both)
            growth.plant(kernels.to_device(rows), kernels.to_device(packed))
            self.growths.append(growth)

    def ask(self, method: str, *arguments: Any) -> Any:
        """What both say, which has to be the same."""
        ours, theirs = (getattr(growth, method)(*arguments) for growth in self.growths)
        if method == "extremes":  # where there is no feature the sum means nothing
            for extremes in (ours, theirs):
                extremes[extremes[:, 0] < 0, 1] = 0
                extremes[extremes[:, 2] < 0, 3] = 0
        assert_equal(_plain(ours), _plain(theirs))
        return ours


def _plain(answer: Any) -> Any:
    return tuple(answer) if isinstance(answer, tuple) else answer


def all_sums(twins: Twins, node: int) -> list[int]:
    n = len(twins.case.matrix.column)
    return twins.ask("entries", [node] * n, list(range(n))).tolist()


CASE = {
    "narrow": problem(7, 40, 9, 3, density=0.8),
    "wide": problem(8, 30, 60, 2, density=0.15),
    "one row": problem(1, 1, 3, 1),
}


@pytest.mark.parametrize("name", CASE)
def test_histograms_of_all_nodes_are_the_same_down_to_the_leaves(cuda: Any, name: str) -> None:
    twins = Twins(cuda, CASE[name])
    wave, splits = [0], 0
    while wave and splits < 12:
        for node in wave:
            all_sums(twins, node)
        extremes = twins.ask("extremes", wave, [-1] * len(wave), [1] * len(wave), [], [])  # 0 is nobody's extreme
        features = np.maximum(extremes[:, 0], 0).tolist()
        first, _ = twins.ask("split", wave, features)
        splits += len(wave)
        splittable = [(n + splits) % 3 != 0 for n in range(2 * len(wave))]  # both, either and neither child of a node
        twins.ask("descend", wave, first, splittable)
        wave = [first + n for n in range(2 * len(features)) if splittable[n]]
        dropped = wave[4:]
        twins.ask("release", dropped)
        wave = wave[:4]


@pytest.mark.parametrize("name", CASE)
def test_the_purest_splits_are_the_same_down_to_the_leaves_and_both_sums_have_the_same_differences(
    cuda: Any, name: str
) -> None:
    twins, signed = Twins(cuda, CASE[name], both=True), Twins(cuda, CASE[name])
    wave = [(0, twins.packed)]
    for _ in range(3):
        nodes = [node for node, _ in wave]
        for node in nodes:
            assert all_sums(twins, node) == all_sums(signed, node)
        best = twins.ask("purest", nodes, [packed for _, packed in wave])
        features = np.maximum(best[:, 0], 0).tolist()
        first, weights = twins.ask("split", nodes, features)
        assert weights[best[:, 0] >= 0].tolist() == best[best[:, 0] >= 0, 1].tolist()
        for both in (twins, signed):
            if both is signed:
                both.ask("split", nodes, features)
            both.ask("descend", nodes, first, [True] * (2 * len(nodes)))
        halves = [(yes, packed - yes) for (_, packed), yes in zip(wave, weights.tolist(), strict=True)]
        wave = [(first + n, packed) for n, packed in enumerate(half for pair in halves for half in pair)]


def test_features_set_aside_count_as_nothing_and_come_back(cuda: Any) -> None:
    twins = Twins(cuda, CASE["narrow"])
    before = all_sums(twins, 0)
    aside = [int(np.argmin(before)), int(np.argmax(before))]
    extremes = twins.ask("extremes", [0], [0], [0], [0, 0], aside)
    assert not {int(extremes[0, 0]), int(extremes[0, 2])} & set(aside)
    assert all_sums(twins, 0) == before


def test_of_equal_sums_the_lowest_feature_is_the_extreme(cuda: Any) -> None:
    case = CASE["narrow"]
    column = np.append(case.matrix.column, [0, 0]).astype(np.uint8)  # two features that no row has: their sums are 0
    twins = Twins(cuda, case._replace(matrix=case.matrix._replace(column=column)))
    at = twins.ask("extremes", [0], [HUGE], [-HUGE], [0] * 9, list(range(9)))
    assert at.tolist() == [[0, 0, 0, 0]]


def test_a_limit_forgets_features_that_are_too_light_to_win(cuda: Any) -> None:
    twins = Twins(cuda, CASE["wide"])
    sums = all_sums(twins, 0)
    twins.ask("limit", 2.0**20, 5)
    low, high = twins.ask("extremes", [0], [HUGE], [-HUGE], [], [])[0, [1, 3]]
    assert (low, high) == (min(sums), max(sums))
    twins.ask("split", [0], [int(np.argmin(sums))])
    twins.ask("descend", [0], 1, [True, True])
    twins.ask("extremes", [1, 2], [-(2**20), -(2**20)], [2**20, 2**20], [], [])


def test_a_wave_costs_few_launches_and_one_wait_for_each_question(cuda: Any) -> None:
    twins = Twins(cuda, CASE["wide"])
    growth = twins.growths[1]
    first = growth.split([0], [0]).first
    growth.descend([0], first, [True, True])
    before = dict(vars(cuda.traffic))
    growth.extremes([1, 2], [HUGE, HUGE], [-HUGE, -HUGE], [], [])
    first = growth.split([1, 2], [1, 2]).first
    growth.descend([1, 2], first, [True, True, True, True])
    spent = cuda.traffic.since(before)
    assert spent["waits"] == 2
    assert spent["launches"] <= 8
    assert spent["to_host"] <= 64
