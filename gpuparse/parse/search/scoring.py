"""The scores of a round's candidates, from whatever device computes them."""

from __future__ import annotations

from functools import cache

from gpuparse.jit import Kernel
from gpuparse.kernels import RowScorer, RuleWeights, ScoreOps
from gpuparse.parse.model.rules import Rules
from gpuparse.parse.search.expansion import Batch, rows_of
from gpuparse.parse.search.memory import Memory, known_rows


class Scorer:
    """Adds up the rules that fire. What rules weigh is copied to the device once, the rows of a round together.

    >>> import numpy as np
    >>> from gpuparse.parse.features.space import FeatureSpace
    >>> from gpuparse.kernels import cpu
    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.boost.compounds import Compounds
    >>> from gpuparse.parse.model.rules import lay_out
    >>> from gpuparse.parse.search.expansion import make_batch
    >>> from gpuparse.trees import load_language, parse_tree
    >>> space = FeatureSpace(build_vocabulary([parse_tree("(TOP (NP (NNP Ann)))")], load_language()))
    >>> compounds = Compounds.of({((3, False),): 1.0, (): 0.5})
    >>> rules = lay_out({0: compounds}, 1, space, np.zeros(space.size))
    >>> batch = make_batch(1, rules.blocks, 1)
    >>> batch.filled[0], batch.fires[0] = 1, 1
    >>> Scorer(cpu, rules)(batch)
    >>> batch.scores.tolist() == [[1.5 * 2**44]]
    True
    """

    def __init__(self, kernels: ScoreOps, rules: Rules) -> None:
        self._kernels, self._constant = kernels, rules.constant
        self._labels, self._weights = kernels.to_device(rules.label), kernels.to_device(rules.weight)

    def __call__(self, batch: Batch, memory: Memory | None = None) -> None:
        """Score the candidates of a batch."""
        kernels, n = self._kernels, int(batch.filled[0])
        scores = batch.scores[:n]
        scores[:] = self._constant
        sums = kernels.to_device(scores)
        kernels.score(kernels.to_device(batch.fires[:n]), self._labels, self._weights, sums)
        if sums is not scores:
            scores[:] = kernels.to_host(sums)


def weights_of(rules: Rules) -> RuleWeights:
    """What the host adds up."""
    return RuleWeights(rules.label, rules.weight)


@cache
def _callable(score_rows: RowScorer) -> Kernel[..., None]:
    """A row scorer, which compiled code calls, for Python to call."""

    def score(weights, rows, earlier):
        score_rows(weights, rows, earlier)

    return Kernel(score)


class HostScorer:
    """The same by difference from what is remembered, as a search does where all of it is compiled code."""

    def __init__(self, score_rows: RowScorer, rules: Rules) -> None:
        self._score_rows, self._weights = _callable(score_rows), weights_of(rules)

    def __call__(self, batch: Batch, memory: Memory) -> None:
        """Score the candidates of a batch."""
        self._score_rows(self._weights, rows_of(batch), known_rows(memory))
