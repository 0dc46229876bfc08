"""The nodes of a growing tree on the CPU against a dense table, on empty, tiny and ragged input too."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.boost.postings import Postings
from gpuparse.boost.team import Team
from gpuparse.kernels import cpu
from gpuparse.kernels.cpu.boost.growth.tuning import Tuning
from gpuparse.kernels.packing import as_negative, as_positive, negative, positive
from tests.boost.problems import Problem, problems

HUGE = 2**31
TUNINGS = {
    "by segment": Tuning(frequent=256, pull_share=2.0, sparse=1 << 40),
    "rare features by postings": Tuning(frequent=256, pull_share=0.0, sparse=1 << 40),
    "small nodes with a support": Tuning(frequent=256, sparse=0),
    "many blocks": Tuning(frequent=8, block=4, pull_share=2.0, sparse=1 << 40),
    "many blocks by postings": Tuning(frequent=8, block=4, pull_share=0.0),
    "shared by threads": Tuning(
        frequent=256, large_child=0, sums_to_move=1, ids_to_share=1, rows_to_sum=0, rows_to_divide=0
    ),
}


class Dense(NamedTuple):
    """The same as a table: which of the sampled rows have which features, and their weights."""

    table: np.ndarray  # bool[rows, features]
    plus: np.ndarray  # int64[rows]
    minus: np.ndarray

    def sums(self, members: np.ndarray) -> list[tuple[int, int]]:
        """The positive and the negative weight of each feature."""
        columns = self.table[members].T.astype(np.int64)
        return list(zip((columns @ self.plus[members]).tolist(), (columns @ self.minus[members]).tolist(), strict=True))


def least_and_greatest(sums: list[int]) -> list[int]:
    """The first feature of each, with the sum; what has no features has none."""
    if not sums:
        return [-1, -1]
    return [sums.index(min(sums)), min(sums), sums.index(max(sums)), max(sums)]


def check_node(growth: object, node: int, sums: list[tuple[int, int]], both: bool, whole: tuple[int, int]) -> None:
    features = list(range(len(sums)))
    signed = [p - n for p, n in sums]
    assert growth.entries([node] * len(features), features).tolist() == signed
    aside = [f for f in features if f % 5 == 3]
    kept = [0 if f in aside else h for f, h in zip(features, signed, strict=True)]
    least_sum, greatest_sum = min([*kept, -1]), max([*kept, 1])
    anything = [(HUGE, -HUGE)] * (node == 0)  # below the root, a feature that no example has may be passed over
    for low, high in [(-1, 1), (-50, 50), (least_sum, greatest_sum), (least_sum - 1, greatest_sum + 1), *anything]:
        f, least, g, greatest = growth.extremes([node], [low], [high], [node] * len(aside), aside)[0].tolist()
        expected = least_and_greatest(kept)
        assert (f, least) == (tuple(expected[:2]) if kept and min(kept) <= low else (-1, least))
        assert (g, greatest) == (tuple(expected[2:]) if kept and max(kept) >= high else (-1, greatest))
    if both:
        feature, packed = growth.purest([node], [as_positive(whole[0]) + as_negative(whole[1])])[0].tolist()
        left = [math.sqrt(p * n) + math.sqrt((whole[0] - p) * (whole[1] - n)) for p, n in sums]
        assert feature == min((f for f in features if any(sums[f])), key=lambda f: (left[f], f), default=-1)
        assert feature < 0 or (positive(packed), negative(packed)) == sums[feature]


@pytest.mark.parametrize("both", [False, True], ids=["differences", "both sums"])
@pytest.mark.parametrize("tuning", TUNINGS)
@given(problems(), st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_the_nodes_of_a_tree_are_what_a_dense_table_says(tuning: str, both: bool, case: Problem, seed: int) -> None:
    chance = np.random.default_rng(seed)
    rows, n = case.task.rows, len(case.matrix.column)
    weights = chance.integers(-1000, 1000, len(rows))
    dense = Dense(case.dense[rows], np.maximum(weights, 0), np.maximum(-weights, 0))
    packed = as_positive(dense.plus) + as_negative(dense.minus)
    with Team(2 if tuning == "shared by threads" else 1) as team:
        growth = cpu.Growth(case.matrix, Postings.of(case.matrix, cpu), team, both, tuning=TUNINGS[tuning])
        for _ in range(2):  # one tree after the other, in the same memory
            growth.plant(rows, packed)
            wave = {0: np.arange(len(rows))}
            for _ in range(4):
                for node, members in wave.items():
                    whole = int(dense.plus[members].sum()), int(dense.minus[members].sum())
                    check_node(growth, node, dense.sums(members), both, whole)
                if not wave or n == 0:
                    break
                features = chance.integers(0, n, len(wave)).tolist()
                first, weight = growth.split(list(wave), features)
                children = {}
                for i, (members, feature) in enumerate(zip(wave.values(), features, strict=True)):
                    having = dense.table[members, feature]
                    assert weight[i] == packed[members[having]].sum()
                    children |= {first + 2 * i: members[having], first + 2 * i + 1: members[~having]}
                splittable = (chance.random(len(children)) < 0.7).tolist()
                growth.descend(list(wave), first, splittable)
                wave = {child: members for child, members in children.items() if splittable[child - first]}
                if len(wave) > 3:
                    growth.release(list(wave)[3:])
                    wave = dict(list(wave.items())[:3])
