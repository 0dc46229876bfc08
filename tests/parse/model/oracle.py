"""The layout of rules written as it is defined: one rule, one leaf, one literal at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gpuparse.boost.compounds import Literals
from gpuparse.boost.ensemble import Ensemble
from gpuparse.dtypes import FEATURE
from gpuparse.parse.features.groups import GROUPS
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.model.rules import BLOCK, FIXED_POINT, Layout, Marks, Rules, View, view_of


def compounds(ensemble: Ensemble, lambda_: float = 0.0) -> dict[Literals, float]:
    """Each compound feature with the sum of its leaves; zeros are left out."""
    theta: dict[Literals, float] = {}
    for tree in ensemble.trees(lambda_):
        for leaf, path in tree.conjunctions().items():
            literals = tuple(sorted(set(path)))
            possible = len({feature for feature, _ in literals}) == len(literals)
            if tree.value[leaf] != 0.0 and possible:
                theta[literals] = theta.get(literals, 0.0) + float(tree.value[leaf])
    return {literals: value for literals, value in theta.items() if value != 0.0}


class _Rule(NamedTuple):
    """A rule in the order of the layout; features are the model's."""

    label: int
    literals: tuple[tuple[int, bool], ...]
    weight: int


def compile_rules(
    compounds: Mapping[int, Mapping[Literals, float]], n_labels: int, space: FeatureSpace, frequency: np.ndarray
) -> Rules:
    """Lay out the parameters of each label. `frequency[feature]` helps to order rules; it changes no score.

    Rules that need the most children come first; then rules that share frequent features stand next to each other.
    """
    features = sorted({feature for theta in compounds.values() for literals in theta for feature, _ in literals})
    number = {feature: n for n, feature in enumerate(features)}
    groups = space.place(np.array(features, FEATURE))[0].tolist() if features else []
    views = [view_of(GROUPS[group]) for group in groups]
    constant = np.zeros(n_labels, np.int64)
    rules = []
    for label, theta in compounds.items():
        for literals, value in theta.items():
            weight = round(value * FIXED_POINT)
            if not literals:
                constant[label] += weight
            elif weight:
                rules.append(_Rule(label, tuple((number[feature], there) for feature, there in literals), weight))
    often = [-int(frequency[feature]) for feature in features]
    rules.sort(
        key=lambda rule: (
            -sum(there and views[feature] == View.CHILDREN for feature, there in rule.literals),
            sorted((often[feature], feature, there) for feature, there in rule.literals),
            rule.label,
        )
    )
    layout, marks = _lay_out(rules, views, n_labels)
    return Rules(
        features=np.array(features, FEATURE),
        constant=constant,
        label=np.array([rule.label for rule in rules], np.int32),
        weight=np.array([rule.weight for rule in rules], np.int64),
        marks=marks,
        layout=layout,
    )


def _lay_out(rules: Sequence[_Rule], views: Sequence[View], n_labels: int) -> tuple[Layout, Marks]:
    words = max(1, -(-len(rules) // BLOCK))
    of_label = np.zeros((n_labels, words), np.uint64)
    bits: dict[tuple[int, int, int], int] = {}  # view, plane, word: the bits of rules with something in the plane
    of_feature: list[dict[tuple[int, int, int], int]] = [{} for _ in views]  # the same, of each feature
    for place, rule in enumerate(rules):
        word, bit = place // BLOCK, 1 << place % BLOCK
        of_label[rule.label, word] |= np.uint64(bit)
        needs = dict.fromkeys(View, 0)
        for feature, there in rule.literals:
            view = views[feature]
            needs[view] += there
            key = (int(view), needs[view] if there else 0, word)
            for some in (bits, of_feature[feature]):
                some[key] = some.get(key, 0) | bit
    most = max((plane for _, plane, _ in bits), default=0)
    widths = np.zeros((len(View), most + 1), np.int32)
    widths[:, 0] = words
    for view, plane, word in bits:
        widths[view, plane] = max(widths[view, plane], word + 1)
    planes = np.zeros((len(View), most + 2), np.int32)
    planes[:, 1:] = np.cumsum(widths, axis=1)
    blank = np.zeros((len(View), planes[:, -1].max()), np.uint64)
    for view in View:
        blank[view, planes[view, 1] : planes[view, -1]] = 2**64 - 1
    for (view, plane, word), some in bits.items():
        if plane:
            blank[view, planes[view, plane] + word] &= np.uint64(2**64 - 1 - some)
    marks = [
        sorted((int(planes[view, plane]) + word, some) for (view, plane, word), some in of.items()) for of in of_feature
    ]
    pairs = [mark for of in marks for mark in of]
    starts = np.cumsum([0, *map(len, marks)]).astype(np.uint32)
    return Layout(planes, blank, of_label), Marks(starts, np.array(pairs, np.uint64).reshape(-1, 2))
