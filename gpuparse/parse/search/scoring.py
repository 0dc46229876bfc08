"""The scores of a round's rows, from whatever device computes them."""

from __future__ import annotations

import numpy as np

from gpuparse.kernels import ScoreOps
from gpuparse.parse.model.rules import Layout, Rules


class Scorer:
    """Scores rows by rules. The rules are copied to the device once, the rows of a round together.

    >>> from gpuparse.parse.features.space import FeatureSpace
    >>> from gpuparse.kernels import cpu
    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.parse.model.rules import compile_rules
    >>> from gpuparse.trees import load_language, parse_tree
    >>> space = FeatureSpace(build_vocabulary([parse_tree("(TOP (NP (NNP Ann)))")], load_language()))
    >>> rules = compile_rules({0: {((3, False),): 1.0}}, 1, space, np.zeros(space.size))
    >>> scores = np.zeros((1, 1), np.int64)
    >>> part = np.searchsorted(rules.layout.part_groups, 1) - 1
    >>> Scorer(cpu, rules)(np.zeros((1, rules.words), np.uint64), np.array([part], np.uint8), scores)
    >>> scores.tolist() == [[2**44]]
    True
    """

    def __init__(self, kernels: ScoreOps, rules: Rules) -> None:
        self._kernels = kernels
        self._layout = Layout(*map(kernels.to_device, rules.layout))

    def __call__(self, bits: np.ndarray, parts: np.ndarray, scores: np.ndarray) -> None:
        """Add to `scores[row, label]` what the rules that fire on a row weigh; see kernels/cpu/score.py."""
        kernels, sums = self._kernels, self._kernels.to_device(scores)
        kernels.score(kernels.to_device(bits), kernels.to_device(parts), *self._layout, sums)
        if sums is not scores:
            scores[:] = kernels.to_host(sums)
