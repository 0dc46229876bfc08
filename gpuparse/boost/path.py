"""The lambda path of one label: tree after tree under a falling penalty, until nothing is left to gain."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost.grower import Grower, flatten
from gpuparse.boost.leaves import Leaves
from gpuparse.boost.log import Attempt, Log
from gpuparse.boost.matrix import Matrix
from gpuparse.boost.objective import Objective
from gpuparse.boost.options import Options
from gpuparse.boost.parameters import Parameters, compound
from gpuparse.boost.postings import Postings
from gpuparse.boost.sample import Sample, Sampler
from gpuparse.boost.task import Task
from gpuparse.boost.team import Team
from gpuparse.boost.tree import GrownTree
from gpuparse.errors import TrainingError


class Ensemble(NamedTuple):
    """What was learned for a label. A prefix of it is the model at a greater lambda."""

    label: str
    kept: list[Attempt]  # the trees that were kept, in order
    tried: int  # how many were tried
    end: str  # why the path ended: "lambda", "trees", "time", "nothing falls", or "stopped"

    def at(self, lambda_: float) -> list[GrownTree]:
        """The trees of the model at a lambda: those built under one that is no less."""
        return [a.tree for a in self.kept if a.tree is not None and a.lambda_ >= lambda_]


def train_label(
    label: str,
    examples: Task,
    matrix: Matrix,
    options: Options,
    kernels: Any,
    postings: Postings | None = None,
    log: Log | None = None,
    on_tree: Callable[[str, Attempt], None] | None = None,
    stop: threading.Event | None = None,
) -> Ensemble:
    """Learn one label; with a log, go on where it stopped. With postings, the matrix is one that `kernels` holds.

    >>> from gpuparse.kernels import cpu
    >>> matrix = Matrix(
    ...     np.array([[1], [0]], np.int32), np.array([0, 0, 1]), np.array([0], np.int32), np.zeros(1, np.uint8)
    ... )
    >>> examples = Task(np.array([0, 1], np.int32), np.array([1, -1], np.int8), np.ones(2))
    >>> ensemble = train_label("NP", examples, matrix, Options(max_trees=1), cpu)
    >>> ensemble.kept[0].tree.feature.tolist()
    [0, -1, -1]
    """
    if postings is None:
        matrix = kernels.hold(matrix)
        postings = Postings.of(matrix, kernels)
    with Team(options.threads) as team:
        path = Path(label, examples, matrix, postings, options, kernels, team)
        for attempt in log.attempts if log is not None else ():
            path.repeat(attempt)
        end = path.follow(log, on_tree, stop)
    if log is not None and end not in ("stopped", "time"):
        log.finish(end, options)
    return Ensemble(label, path.kept, path.tried, end)


class Path:
    """The state of one label along its path: the examples of the host, the matrix and postings of the device."""

    def __init__(
        self, label: str, examples: Task, matrix: Matrix, postings: Postings, options: Options, kernels: Any,
        team: Team,
    ) -> None:  # fmt: skip
        _check(label, examples, matrix)
        self._label, self._matrix, self._options = label, matrix, options
        total_importance, largest_importance = (
            math.fsum(examples.importance),
            float(examples.importance.max(initial=0.0)),
        )
        examples = Task(*map(kernels.to_device, examples))
        self._sampler = Sampler(label, examples, options, kernels, team)
        self._growth = kernels.Growth(matrix, postings, team)
        self.leaves = Leaves(examples, matrix, postings, options, kernels, team, total_importance, largest_importance)
        self._odds = kernels.arrays.ones(len(examples.rows))  # exp(margin): every score begins at 0
        self._parameters = Parameters()
        self._loss = math.log(2.0) * total_importance
        self._lambda = math.inf
        self._idle = 0  # trees in a row that were no use
        self._seconds = 0.0
        self.tried = 0
        self.kept: list[Attempt] = []

    def follow(
        self,
        log: Log | None,
        on_tree: Callable[[str, Attempt], None] | None,
        stop: threading.Event | None,
    ) -> str:
        """Try trees until the path ends; returns why."""
        while True:
            if stop is not None and stop.is_set():
                return "stopped"
            end = self._budget_spent()
            if end is not None:
                return end
            attempt = self._try_tree()
            if attempt is None:
                return "lambda" if self._lambda > 0 else "nothing falls"
            self._note(attempt)
            if log is not None:
                log.add(attempt)
            if on_tree is not None:
                on_tree(self._label, attempt)

    def repeat(self, attempt: Attempt) -> None:
        """Go through an attempt of an earlier run again."""
        if attempt.tree is not None:
            leaf = self.leaves.percolate(attempt.tree)
            _, counts = self.leaves.sums(leaf, self._odds, len(attempt.tree.feature))
            moving = np.flatnonzero(attempt.tree.value)
            movers = self.leaves.movers(leaf, self._odds, counts, moving)
            self.leaves.move(movers, attempt.tree.value[moving])
            self.leaves.put_back(movers, self._odds)
            self._add(attempt.tree)
        self._note(attempt)

    def _note(self, attempt: Attempt) -> None:
        self.tried += 1
        self._seconds += attempt.seconds
        self._idle = 0 if attempt.kept else self._idle + 1
        self._lambda = attempt.lambda_ if attempt.kept else attempt.lambda_ * self._options.eta
        self._loss = attempt.loss
        if attempt.kept:
            self.kept.append(attempt)

    def _budget_spent(self) -> str | None:
        options = self._options
        if self._idle >= options.patience or len(self._odds) == 0:
            return "nothing falls"
        if options.max_trees is not None and len(self.kept) >= options.max_trees:
            return "trees"
        if options.max_seconds is not None and self._seconds >= options.max_seconds:
            return "time"
        return None

    def _try_tree(self) -> Attempt | None:
        """One tree, kept or not; None where lambda has come to its end."""
        began = time.perf_counter()
        sample = self.begin()
        self._lambda = min(self._lambda, self._options.eta * self._steepest(sample))
        if self._lambda < self._options.min_lambda or self._lambda == 0.0:
            return None
        tree = self.grow(sample, self._lambda)
        leaf = self.leaves.percolate(tree)
        fall, loss, tree = self.rate(tree, leaf, self._lambda)
        kept = fall > self._options.epsilon
        if kept:
            self._add(tree)
        loss = loss if kept else self._loss
        risk = loss + self._lambda * self._parameters.size(self._options.penalty)
        return Attempt(
            self.tried, kept, self._lambda, risk, loss, tree.leaves(), len(self._parameters),
            round(time.perf_counter() - began, 6), tree if kept else None,
        )  # fmt: skip

    def begin(self) -> Sample:
        """The sample of the next tree, its root planted."""
        sample = self._sampler.draw(self._odds, self.tried)
        self._growth.plant(sample.rows, sample.packed)
        return sample

    def grow(self, sample: Sample, lambda_: float) -> GrownTree:
        """The tree that grows from the root, its values still 0."""
        objective = Objective.under(self._options, lambda_, sample.scale)
        self._growth.limit(objective.least_weight(), self._parameters.last_feature)
        grower = Grower(self._growth, self._parameters, objective, len(self._matrix.column))
        return flatten(grower.grow(sample.positive, sample.negative, self._options.stumps))

    def rate(self, tree: GrownTree, leaf: np.ndarray, lambda_: float) -> tuple[float, float, GrownTree]:
        """Search along each leaf's parameter: by how much the risk falls, the loss, and the tree with its values.

        The odds change only if the risk falls by more than epsilon.
        """
        options, size = self._options, len(tree.feature)
        sums, counts = self.leaves.sums(leaf, self._odds, size)
        theta = np.zeros(size)
        for node, path in tree.paths().items():
            theta[node] = self._parameters.theta(compound(path))
        threshold = lambda_ if options.penalty == "l1" else 0.0
        moving = np.flatnonzero((tree.feature < 0) & ((np.abs(sums) > threshold) | (theta != 0.0)))
        movers = self.leaves.movers(leaf, self._odds, counts, moving)
        steps = self.leaves.steps(movers, theta[moving], lambda_)
        change = self.leaves.move(movers, steps)
        before, after = theta[moving], theta[moving] + steps
        size_change = np.abs(after) - np.abs(before) if options.penalty == "l1" else after**2 - before**2
        fall = -(change + lambda_ * math.fsum(size_change))
        if fall > options.epsilon:
            self.leaves.put_back(movers, self._odds)
        value = np.zeros(size)
        value[moving] = steps + 0.0  # no negative zeros
        return fall, self._loss + change, tree._replace(value=value)

    def _steepest(self, sample: Sample) -> float:
        """The greatest |gradient| of the root, of an atomic feature, or of the negation of one, on the sample."""
        total = sample.positive - sample.negative
        f, low, g, high = self._growth.extremes([0], [1 << 31], [-(1 << 31)], [], [])[0].tolist()
        sums = [total, *([low, total - low] if f >= 0 else []), *([high, total - high] if g >= 0 else [])]
        return max(abs(s) for s in sums) / sample.scale

    def _add(self, tree: GrownTree) -> None:
        paths = tree.paths()
        for node in np.flatnonzero(tree.value):
            self._parameters.add(paths[int(node)], float(tree.value[node]))


def _check(label: str, examples: Task, matrix: Matrix) -> None:
    rows, y, importance = examples
    if not len(rows) == len(y) == len(importance):
        raise TrainingError(
            f"{label}: {len(rows)} rows, {len(y)} signs and {len(importance)} importances do not go together"
        )
    if len(rows) and (rows.min() < 0 or rows.max() >= len(matrix.segments)):
        raise TrainingError(f"{label}: an example's row is outside the matrix of {len(matrix.segments)} rows")
    if not np.isfinite(importance).all() or (importance < 0).any():
        raise TrainingError(f"{label}: the importances must be finite and not negative")
