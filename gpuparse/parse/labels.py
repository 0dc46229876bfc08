"""From training data to a model: one task per label, and what was learned of each put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gpuparse.boost import Ensemble, History, Task
from gpuparse.errors import TrainingError
from gpuparse.options import TrainingOptions
from gpuparse.parse.features.cache import ThinningPlan
from gpuparse.parse.features.examples import TrainingData
from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.parse.model.model import Model


class LabelTasks(Mapping[str, Task]):
    """The task of each label, made when it is asked for; those with the most correct examples come first.

    All labels have about as many examples; those with more to tell apart grow more trees.
    """

    def __init__(self, data: TrainingData, vocabulary: Vocabulary) -> None:
        self._candidates = data.candidates
        self._number = {label: number for number, label in enumerate(vocabulary.labels)}
        positive = positive_examples(data, vocabulary)
        self._order = sorted(positive, key=lambda label: (-positive[label], label))

    def __getitem__(self, label: str) -> Task:
        return self._candidates.of_label(self._number[label])

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)


def positive_examples(data: TrainingData, vocabulary: Vocabulary) -> dict[str, int]:
    """How many correct examples each label has."""
    counts = np.bincount(data.candidates.gold[data.candidates.gold >= 0], minlength=len(vocabulary.labels))
    return dict(zip(vocabulary.labels, counts.tolist(), strict=True))


def assemble(
    data: TrainingData,
    vocabulary: Vocabulary,
    histories: Mapping[str, History],
    options: TrainingOptions,
    thinning: ThinningPlan | None = None,
) -> Model:
    """The model at the end of the path of every label."""
    ensembles: dict[str, Ensemble] = {label: histories[label].ensemble(data.matrix) for label in vocabulary.labels}
    tested = np.unique(np.concatenate([ensemble.feature for ensemble in ensembles.values()]))
    tested = tested[tested >= 0]
    rarity = dict(zip(tested.tolist(), data.matrix.rank(tested).tolist(), strict=True))
    ends = [float(ensemble.lambdas[-1]) for ensemble in ensembles.values() if len(ensemble.lambdas)]
    if not ends:
        least = options.learn.min_lambda
        raise TrainingError(
            f"nothing could be learned: down to a lambda of {least:g} no tree lowers the risk of any label. "
            "A smaller minimum (--min-lambda) or a larger treebank may help."
        )
    configuration = {
        **options.as_json(),
        "positive_examples": positive_examples(data, vocabulary),
        "uninferable": data.uninferable,
        "rows": len(data.matrix.segments),
        "thinning": None if thinning is None else dict(thinning.settings),
        "features": len(data.matrix.column),
    }
    lowest = max(options.learn.min_lambda, min(ends))
    return Model(
        vocabulary, options.strategy, options.max_children, ensembles, rarity, lowest, configuration=configuration
    )
