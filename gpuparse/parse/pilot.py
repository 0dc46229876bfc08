"""The pilot: a small model of a few sentences, by which a large training set is thinned before it is learned from."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpuparse.boost import Options, learn
from gpuparse.device import find_device
from gpuparse.errors import UsageError
from gpuparse.jit import telling
from gpuparse.kernels import computes_on_host
from gpuparse.options import TrainingOptions
from gpuparse.parse.features.cache import cache_key
from gpuparse.parse.features.examples import Source, build_training_data
from gpuparse.parse.labels import LabelTasks, assemble
from gpuparse.parse.model.model import Model
from gpuparse.parse.needs import Needs, available_memory, estimate_needs, in_bytes
from gpuparse.parse.run_folder import THINNING
from gpuparse.parse.thinning import FLOOR, Thinner, threshold_for
from gpuparse.storage import write_atomically

EVERY = 5  # the pilot learns from every fifth sentence, or fewer:
ROWS = 3_000_000  # it takes about so many rows at most
PILOT_OPTIONS = Options(eta=0.5, min_lambda=0.3, sample=30_000)  # half-trained is good enough
SHARE_OF_FREE = 0.8  # of the memory that is free is used by default
KEPT_IDS, KEPT_ROWS = 0.2, 0.05  # of the matrix, at most, as a rule: for the estimate before there is a pilot
COARSEST = 1.0  # a threshold at which hardly anything but correct inferences is kept


class Thinning:
    """What is kept of a training set. The pilot is learned when it is first needed."""

    def __init__(self, source: Source, every: int, threshold: float, jobs: int, rows: int) -> None:
        self.threshold = threshold
        self.rows = rows  # about as many as there would be if all were kept
        self._source, self._every, self._jobs = source, every, jobs
        self._lock = threading.Lock()
        self._model: Model | None = None

    @property
    def settings(self) -> Mapping[str, Any]:
        """All that decides what is kept."""
        learn = self._options()
        return {"threshold": self.threshold, "floor": FLOOR, "every": self._every, **learn.course(), **learn.budgets()}

    def _options(self) -> Options:
        return replace(PILOT_OPTIONS, seed=self._source.seed)

    def make_thinner(self) -> Thinner:
        """For one thread."""
        kernels = find_device("cpu").kernels
        assert computes_on_host(kernels)
        return Thinner(self.model(), self.threshold, self._source.seed, kernels.score_rows)

    def model(self) -> Model:
        """The pilot."""
        with self._lock:
            if self._model is None:
                self._model = self._learn()
        return self._model

    def _learn(self) -> Model:
        source = self._source.excerpt(range(0, len(self._source.trees), self._every))
        data = build_training_data(source, threads=self._jobs)
        tasks = LabelTasks(data, source.vocabulary)
        options = TrainingOptions(strategy=source.strategy, max_children=source.max_children, learn=self._options())
        histories = learn(data.matrix, tasks, options.learn, [find_device("cpu").kernels], self._jobs)
        return assemble(data, source.vocabulary, histories, options)


def is_thinned(needs: Needs, options: TrainingOptions) -> bool:
    """Whether a training set that takes this much when it is kept whole will be thinned."""
    return needs.rows >= options.thinned_from and not options.keep_all


def needs_when_thinned(needs: Needs, options: TrainingOptions) -> Needs:
    """About what is left of the needs."""
    pilot = needs.memory * min(1.0, ROWS / needs.rows, 1 / EVERY)
    memory = min(max(pilot, needs.memory * KEPT_IDS), memory_bound(options) or needs.memory)
    return Needs(int(memory), int(needs.matrix * KEPT_IDS), needs.logs, int(needs.rows * KEPT_ROWS))


def memory_bound(options: TrainingOptions) -> int | None:
    """How many bytes training may take: what the options say, or most of what is free; None where that is unknown."""
    if options.memory is not None:
        return options.memory
    free = available_memory()
    return None if free is None else int(SHARE_OF_FREE * free)


def plan_thinning(source: Source, options: TrainingOptions, folder: Path, observer: Any) -> Thinning | None:
    """How to thin a training set; None: it is small, or all of it is to be kept.

    The threshold is as low as is useful, unless that needs more memory than there is. It is noted in the folder of the
    run, so that a run that is resumed has the same one, whatever memory there is then.
    """
    needs = estimate_needs(source)
    if not is_thinned(needs, options):
        return None
    every, threshold = max(EVERY, -(-needs.rows // ROWS)), threshold_for(options.learn.min_lambda)
    thinning = Thinning(source, every, threshold, options.jobs, needs.rows)
    key = cache_key(source, thinning)
    earlier = _noted(folder / THINNING, key)
    if earlier is not None:
        thinning.threshold = earlier
        return thinning
    telling.expect("thinned training")
    observer.stage("pilot", 0)
    _fit(thinning, source, options)
    write_atomically(folder / THINNING, json.dumps({"key": key, "threshold": thinning.threshold}).encode())
    return thinning


def _fit(thinning: Thinning, source: Source, options: TrainingOptions) -> None:
    """Double the threshold until what is kept fits into the memory, if labels are learned one after the other.

    So the number of jobs changes nothing: as many are at work as the memory that is left allows.
    """
    bound = memory_bound(options)
    while True:
        needs = estimate_needs(source, 1, thinning.make_thinner)
        if bound is None or needs.memory <= bound:
            return
        if thinning.threshold > COARSEST:
            raise UsageError(
                f"training needs about {in_bytes(needs.memory)} of memory even if hardly an incorrect inference is "
                f"kept, and may take {in_bytes(bound)}. Give it more --memory, or fewer sentences: "
                "--max-words 40 leaves out the long ones, which take most."
            )
        thinning.threshold *= 2


def _noted(path: Path, key: str) -> float | None:
    """The threshold that a run of this key has chosen."""
    try:
        noted = json.loads(path.read_bytes())
        threshold = float(noted["threshold"])
        return threshold if noted["key"] == key and threshold > 0 else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
