"""A model: what was learned, and all that is needed to parse with it and to say how it came about."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gpuparse.boost.ensemble import Ensemble
from gpuparse.options import Strategy
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.parse.model.laid_out import kept_rules
from gpuparse.parse.model.rules import Rules, lay_out
from gpuparse.tag import Tagger


@dataclass(frozen=True)
class CurvePoint:
    """The model at one lambda: how large it is, and how well it parsed the tuning set."""

    lambda_: float
    trees: int
    compounds: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Model:
    """Ensembles over a vocabulary."""

    vocabulary: Vocabulary
    strategy: Strategy
    max_children: int
    ensembles: dict[str, Ensemble]  # one per label
    rarity: dict[int, int]  # for each feature that the trees test, its rank by frequency in training
    lambda_: float  # where the ensembles are cut by default
    curve: tuple[CurvePoint, ...] = ()  # from calibration, lambda falling
    configuration: dict[str, Any] = field(default_factory=dict)  # the options of training, and what came of it
    tagger: Tagger | None = None  # without one, words must come with their tags
    checksum: str | None = field(
        default=None, init=False, compare=False
    )  # of the file that it was read from; a changed copy has none

    @cached_property
    def space(self) -> FeatureSpace:
        """The feature space of the vocabulary."""
        return FeatureSpace(self.vocabulary)

    def rules(self, lambda_: float | None = None) -> Rules:
        """The compiled model at a lambda, by default the model's own."""
        at = float(self.lambda_ if lambda_ is None else lambda_)
        if self.checksum is None:
            return self._lay_out(at)
        return kept_rules(f"{self.checksum}-{at.hex()}", lambda: self._lay_out(at))

    def _lay_out(self, lambda_: float) -> Rules:
        labels = self.vocabulary.labels
        parameters = {number: self.ensembles[label].parameters(lambda_) for number, label in enumerate(labels)}
        frequency = np.zeros(self.space.size, np.int64)
        frequency[list(self.rarity)] = -np.array(list(self.rarity.values()), np.int64)
        return lay_out(parameters, len(labels), self.space, frequency)
