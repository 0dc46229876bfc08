"""The lambda path of one task: tree after tree under a falling penalty, until nothing is left to gain."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost.ensemble import Ensemble
from gpuparse.boost.fixed_point import Magnitude
from gpuparse.boost.grower import Grower, flatten
from gpuparse.boost.impurity import SPLITTERS
from gpuparse.boost.leaves import Leaves
from gpuparse.boost.log import Attempt, TaskLog
from gpuparse.boost.loss import LOSSES
from gpuparse.boost.matrix import Matrix
from gpuparse.boost.options import Options
from gpuparse.boost.parameters import Parameters, compound
from gpuparse.boost.penalty import PENALTIES
from gpuparse.boost.percolation import Percolator
from gpuparse.boost.postings import Postings
from gpuparse.boost.sample import Sample, Sampler
from gpuparse.boost.splitter import Ground
from gpuparse.boost.task import Task
from gpuparse.boost.team import Team
from gpuparse.boost.tree import GrownTree
from gpuparse.kernels import GrowthOps, packing


class History(NamedTuple):
    """What was tried and kept for a task. A prefix of what was kept is the model at a greater lambda."""

    task: str
    kept: list[Attempt]  # those whose trees were kept, in order
    tried: int  # how many were tried
    end: str  # why the path ended: "lambda", "trees", "time", "nothing falls", or "stopped"

    def at(self, lambda_: float) -> list[GrownTree]:
        """The trees of the model at a lambda: those built under one that is no less."""
        return [a.tree for a in self.kept if a.tree is not None and a.lambda_ >= lambda_]

    def ensemble(self, matrix: Matrix) -> Ensemble:
        """The trees that were kept, in the caller's feature ids."""
        return Ensemble.of(self.at(0.0), [attempt.lambda_ for attempt in self.kept], matrix.numbers)


class Workplace:
    """Where tasks are learned one after the other: a device that holds the matrix, and memory that is used again."""

    def __init__(
        self, matrix: Matrix, postings: Postings, kernels: Any, team: Team, features: np.ndarray | None = None
    ) -> None:
        self.matrix, self.postings, self.kernels, self.team = matrix, postings, kernels, team
        self._features = features  # ascending: the number that each has in the whole matrix; None: this is the whole
        self._growths: dict[bool, GrowthOps] = {}
        self.marks = kernels.arrays.zeros(len(matrix.starts) - 1, np.uint64)  # for percolation

    @classmethod
    def on(cls, matrix: Matrix, kernels: Any, threads: int = 1, features: np.ndarray | None = None) -> Workplace:
        """A workplace of its own for a matrix, which may be an excerpt of another, with these of its features."""
        held, team = kernels.hold(matrix), Team(threads)
        return cls(held, Postings.of(held, kernels, team), kernels, team, features)

    def growth(self, both: bool) -> GrowthOps:
        """What grows trees here; `both`: its histograms keep the positive and the negative sums."""
        if both not in self._growths:
            self._growths[both] = self.kernels.Growth(self.matrix, self.postings, self.team, both)
        return self._growths[both]

    def outward(self, tree: GrownTree) -> GrownTree:
        """A tree that was grown here, in the numbers of the whole matrix."""
        if self._features is None:
            return tree
        return tree._replace(feature=np.where(tree.feature < 0, -1, self._features[tree.feature]).astype(np.int32))

    def inward(self, tree: GrownTree) -> GrownTree:
        """And back."""
        if self._features is None:
            return tree
        place = np.searchsorted(self._features, tree.feature)
        return tree._replace(feature=np.where(tree.feature < 0, -1, place).astype(np.int32))


def learn_task(
    name: str,
    task: Task,
    place: Workplace,
    options: Options,
    log: TaskLog | None = None,
    on_tree: Callable[[str, Attempt], None] | None = None,
    stop: threading.Event | None = None,
) -> History:
    """Learn one task; with a log, go on where it stopped.

    >>> from gpuparse.kernels import cpu
    >>> matrix = Matrix.from_csr((np.array([0, 1, 1]), np.array([3]), 10))
    >>> task = Task(np.array([0, 1], np.int32), np.array([1, -1], np.int8), np.ones(2))
    >>> history = learn_task("NP", task, Workplace.on(matrix, cpu), Options(max_trees=1))
    >>> history.ensemble(matrix).feature.tolist()
    [3, -1, -1]
    """
    path = LambdaPath(name, task, place, options)
    for attempt in log.attempts if log is not None else ():
        path.repeat(attempt)
    end = path.follow(log, on_tree, stop)
    if log is not None and end not in ("stopped", "time"):
        log.finish(end, options)
    return History(name, path.kept, path.tried, end)


class LambdaPath:
    """The state of one task along its path."""

    def __init__(self, name: str, task: Task, place: Workplace, options: Options) -> None:
        task = task.checked(name, len(place.matrix.segments))
        kernels, team = place.kernels, place.team
        self._name, self._place, self._options = name, place, options
        self._loss_rule, self._penalty = LOSSES[options.loss], PENALTIES[options.penalty]
        self._splitter = SPLITTERS[options.splitter]
        self._growth = place.growth(self._splitter.NEEDS_BOTH)
        importance = Magnitude(math.fsum(task.importance), float(task.importance.max(initial=0.0)))
        task = Task(*map(kernels.to_device, task))
        segments = kernels.arrays.take(place.matrix.segments, task.rows, axis=0)
        self._sampler = Sampler(name, task, options, self._loss_rule, kernels, team)
        self.percolator = Percolator(segments, place.marks, place.postings, kernels, team)
        self.leaves = Leaves(task, importance, self._loss_rule, self._penalty, kernels, team)
        self._state = self._loss_rule.initial_state(kernels, len(task.rows))
        self._parameters = Parameters()
        self._loss = self._loss_rule.initial_value(importance.total)
        self._lambda = math.inf
        self._idle = 0  # trees in a row that were no use
        self._seconds = 0.0
        self.tried = 0
        self.kept: list[Attempt] = []

    def follow(
        self,
        log: TaskLog | None,
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
            if attempt.tree is not None:
                attempt = replace(attempt, tree=self._place.outward(attempt.tree))
            self._note(attempt)
            if log is not None:
                log.add(attempt)
            if on_tree is not None:
                on_tree(self._name, attempt)

    def repeat(self, attempt: Attempt) -> None:
        """Go through an attempt of an earlier run again."""
        if attempt.tree is not None:
            tree = self._place.inward(attempt.tree)
            leaf = self.percolator.percolate(tree)
            _, counts = self.leaves.sums(leaf, self._state, len(tree.feature))
            moving = np.flatnonzero(tree.value)
            movers = self.leaves.movers(leaf, self._state, counts, moving)
            self.leaves.move(movers, tree.value[moving])
            self.leaves.put_back(movers, self._state)
            self._add(tree)
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
        if self._idle >= options.patience or len(self._state) == 0:
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
        leaf = self.percolator.percolate(tree)
        fall, loss, tree = self.rate(tree, leaf, self._lambda)
        kept = fall > self._options.epsilon
        if kept:
            self._add(tree)
        loss = loss if kept else self._loss
        risk = loss + self._lambda * self._penalty.size(self._parameters.values())
        return Attempt(
            attempt=self.tried,
            kept=kept,
            lambda_=self._lambda,
            risk=risk,
            loss=loss,
            leaves=tree.leaves(),
            nonzero=len(self._parameters),
            seconds=round(time.perf_counter() - began, 6),
            tree=tree if kept else None,
        )

    def begin(self) -> Sample:
        """The sample of the next tree, its root planted."""
        sample = self._sampler.draw(self._state, self.tried)
        self._growth.plant(sample.rows, sample.packed)
        return sample

    def grow(self, sample: Sample, lambda_: float) -> GrownTree:
        """The tree that grows from the root, its values still 0."""
        n_features = len(self._place.matrix.column)
        splitter = self._splitter(
            Ground(self._growth, self._parameters, n_features, lambda_, sample.scale), self._options
        )
        return flatten(Grower(self._growth, splitter).grow(sample.total, self._options.stumps))

    def rate(self, tree: GrownTree, leaf: np.ndarray, lambda_: float) -> tuple[float, float, GrownTree]:
        """Search along each leaf's parameter: by how much the risk falls, the loss, and the tree with its values.

        The states change only if the risk falls by more than epsilon.
        """
        options, size = self._options, len(tree.feature)
        sums, counts = self.leaves.sums(leaf, self._state, size)
        theta = np.zeros(size)
        for node, literals in tree.conjunctions().items():
            theta[node] = self._parameters.theta(compound(literals))
        least = self._penalty.least_sum(lambda_)
        moving = np.flatnonzero((tree.feature < 0) & ((np.abs(sums) > least) | (theta != 0.0)))
        movers = self.leaves.movers(leaf, self._state, counts, moving)
        steps = self.leaves.steps(movers, theta[moving], lambda_)
        change = self.leaves.move(movers, steps)
        size_change = self._penalty.change(theta[moving], theta[moving] + steps)
        fall = -(change + lambda_ * math.fsum(size_change))
        if fall > options.epsilon:
            self.leaves.put_back(movers, self._state)
        value = np.zeros(size)
        value[moving] = steps + 0.0  # no negative zeros
        return fall, self._loss + change, tree._replace(value=value)

    def _steepest(self, sample: Sample) -> float:
        """The greatest |gradient| of the root, of an atomic feature, or of the negation of one, on the sample."""
        total = packing.difference(sample.total)
        f, least, g, greatest = self._growth.extremes([0], [1 << 31], [-(1 << 31)], [], [])[0].tolist()
        sums = [total]
        if f >= 0:
            sums += [least, total - least]
        if g >= 0:
            sums += [greatest, total - greatest]
        return max(abs(s) for s in sums) / sample.scale

    def _add(self, tree: GrownTree) -> None:
        conjunctions = tree.conjunctions()
        for node in np.flatnonzero(tree.value):
            self._parameters.add(conjunctions[int(node)], float(tree.value[node]))
