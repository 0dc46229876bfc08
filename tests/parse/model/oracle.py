"""The layout of rules written as it is defined: one rule, one leaf, one literal at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gpuparse.boost.compounds import Literals
from gpuparse.boost.ensemble import Ensemble
from gpuparse.dtypes import FEATURE
from gpuparse.parse.features.groups import Column
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.model.rules import BLOCK, FIXED_POINT, PART_COLUMNS, Layout, Marks, Part, Rules


def compounds(ensemble: Ensemble, lambda_: float = 0.0) -> dict[Literals, float]:
    """Each compound feature with the sum of its leaves; zeros are left out."""
    theta: dict[Literals, float] = {}
    for tree in ensemble.trees(lambda_):
        for leaf, path in tree.paths().items():
            literals = tuple(sorted(set(path)))
            possible = len({feature for feature, _ in literals}) == len(literals)
            if tree.value[leaf] != 0.0 and possible:
                theta[literals] = theta.get(literals, 0.0) + float(tree.value[leaf])
    return {literals: value for literals, value in theta.items() if value != 0.0}


class _Rule(NamedTuple):
    """A rule in the order of the layout; features are the model's."""

    part: int
    needed: int  # how many features it must have
    label: int
    literals: tuple[tuple[int, bool], ...]
    weight: int


def compile_rules(
    compounds: Mapping[int, Mapping[Literals, float]], n_labels: int, space: FeatureSpace, frequency: np.ndarray
) -> Rules:
    """Lay out the parameters of each label. `frequency[feature]` helps to order rules; it changes no score.

    Rules that share frequent features stand side by side, so that such a feature sets bits in few words.
    """
    features = sorted({feature for theta in compounds.values() for literals in theta for feature, _ in literals})
    number = {feature: n for n, feature in enumerate(features)}
    columns = space.columns[space.place(np.array(features, FEATURE))[0]] if features else np.empty(0, np.uint8)
    constant = np.zeros(n_labels, np.int64)
    rules = []
    for label, theta in compounds.items():
        for literals, value in theta.items():
            weight = round(value * FIXED_POINT)
            if not literals:
                constant[label] += weight
            elif weight:
                local = tuple((number[feature], there) for feature, there in literals)
                used = {Column(columns[feature]) for feature, _ in local}
                part = next(part for part, held in PART_COLUMNS.items() if used <= held)
                rules.append(_Rule(int(part), sum(there for _, there in local), label, local, weight))
    often = [-int(frequency[feature]) for feature in features]
    rules.sort(
        key=lambda rule: (*rule[:3], sorted((often[feature], feature, there) for feature, there in rule.literals))
    )
    places = _places(rules)
    layout = _lay_out(rules, places)
    return Rules(
        features=np.array(features, FEATURE),
        constant=constant,
        label=np.array([rule.label for rule in rules], np.int32),
        weight=np.array([rule.weight for rule in rules], np.int64),
        marks=_collect_marks(rules, places, layout, len(features)),
        layout=layout,
    )


def _places(rules: Sequence[_Rule]) -> list[int]:
    """Number the rules; another part or number of needs begins a new block, another label a new eight."""
    places: list[int] = []
    for rule, before in zip(rules, (None, *rules), strict=False):
        place = places[-1] + 1 if places else 0
        if before is not None and rule[:3] != before[:3]:
            step = 8 if rule[:2] == before[:2] else BLOCK
            place = -(-place // step) * step
        places.append(place)
    return places


def _lay_out(rules: Sequence[_Rule], places: Sequence[int]) -> Layout:
    groups: dict[tuple[int, int], int] = {}  # part and needs; the first block of each
    runs: dict[tuple[int, int], list[int]] = {}  # part and label; the eights of each
    weight = np.zeros((places[-1] // 8 + 1 if places else 0, 8), np.int64)
    for rule, place in zip(rules, places, strict=True):
        groups.setdefault((rule.part, rule.needed), place // BLOCK)
        eights = runs.setdefault((rule.part, rule.label), [])
        if not eights or eights[-1] != place // 8:
            eights.append(place // 8)
        weight[place // 8, place % 8] = rule.weight
    ordered = sorted(runs)
    eights = [eight for run in ordered for eight in runs[run]]
    blocks = [*groups.values(), places[-1] // BLOCK + 1 if places else 0]
    words = np.diff(blocks) * np.array([1 + needed for _, needed in groups], np.int64)
    fires = np.arange(16)[:, None] >> np.arange(4) & 1
    parts = np.arange(len(Part) + 1)
    return Layout(
        part_groups=np.searchsorted([part for part, _ in groups], parts).astype(np.int32),
        group_blocks=np.array(blocks, np.int32),
        group_words=np.cumsum([0, *words]).astype(np.int32),
        part_runs=np.searchsorted([part for part, _ in ordered], parts).astype(np.int32),
        run_eights=np.cumsum([0, *(len(runs[run]) for run in ordered)]).astype(np.int32),
        run_label=np.array([label for _, label in ordered], np.int32),
        eights=np.array(eights, np.int32),
        sums=weight[np.array(eights, np.int64)].reshape(-1, 4) @ fires.T,
    )


def _collect_marks(rules: Sequence[_Rule], places: Sequence[int], layout: Layout, n_features: int) -> Marks:
    """What each feature sets: a word of a block for rules that must not have it, another for those that must."""
    marks: list[dict[int, int]] = [{} for _ in range(n_features)]
    group_of = np.searchsorted(layout.group_blocks, np.array(places, np.int64) // BLOCK, side="right") - 1
    for rule, place, group in zip(rules, places, group_of.tolist(), strict=True):
        first, last = layout.group_blocks[group : group + 2].tolist()
        ruled_out = int(layout.group_words[group]) + place // BLOCK - first
        met = ruled_out
        for feature, there in rule.literals:
            met += there * (last - first)
            word = met if there else ruled_out
            marks[feature][word] = marks[feature].get(word, 0) | 1 << place % BLOCK
    listed = [mark for of_feature in marks for mark in sorted(of_feature.items())]
    return Marks(
        np.cumsum([0, *map(len, marks)]).astype(np.uint32),
        np.array(listed, np.uint64).reshape(-1, 2),
        layout.group_words[layout.part_groups[:-1]],
    )
