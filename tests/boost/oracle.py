"""The learner, straight from the equations: dense, one example at a time, sets of literals; slow and plain.

It is given the trees kept so far and says what the next attempt has to be.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gpuparse.boost import Ensemble, GrownTree, Options
from gpuparse.boost.sample import sampling_key
from gpuparse.boost.task import Task

Compound = frozenset[tuple[int, bool]]
MASK = 2**64 - 1


class Expected(NamedTuple):
    lambda_: float
    leaves: dict[Compound, float]  # the change of each leaf's parameter
    fall: float  # of the risk
    loss: float  # after it


def uniform(key: int, example: int) -> float:
    z = (key + (example + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    z ^= z >> 31
    return ((z >> 11) + 1) / 2**53


def score_of_trees(ensemble: Ensemble, features: set[int], lambda_: float = 0.0) -> float:
    """h(x) of an example with these features: the sum of the leaves it falls in."""
    total = 0.0
    for tree in ensemble.trees(lambda_):
        node = 0
        while tree.feature[node] >= 0:
            node = (tree.yes if int(tree.feature[node]) in features else tree.no)[node]
        total += float(tree.value[node])
    return total


def parameters(trees: list[GrownTree]) -> dict[Compound, float]:
    theta: dict[Compound, float] = {}
    for tree in trees:
        for leaf, path in tree.conjunctions().items():
            theta[frozenset(path)] = theta.get(frozenset(path), 0.0) + float(tree.value[leaf])
    return {compound: value for compound, value in theta.items() if value != 0.0}


def slope_of(loss: str, mu: np.ndarray) -> np.ndarray:
    """Minus the derivative of the loss of a margin."""
    return 1 / (1 + np.exp(mu)) if loss == "logistic" else np.exp(-mu)


def value_of(loss: str, mu: np.ndarray) -> np.ndarray:
    return np.logaddexp(0, -mu) if loss == "logistic" else np.exp(-mu)


class Oracle:
    def __init__(self, label: str, dense: np.ndarray, task: Task, options: Options) -> None:
        self.label, self.options = label, options
        self.x = dense[task.rows]
        self.y, self.b = task.signs.astype(float), task.importance

    def members(self, compound: Compound) -> np.ndarray:
        """The examples for which every literal holds."""
        having = np.ones(len(self.x), bool)
        for feature, there in compound:
            having &= self.x[:, feature] == there
        return np.flatnonzero(having)

    def margins(self, theta: dict[Compound, float]) -> np.ndarray:
        h = np.zeros(len(self.y))
        for compound, value in theta.items():
            h[self.members(compound)] += value
        return self.y * h

    def sample(self, w: np.ndarray, attempt: int) -> tuple[np.ndarray, np.ndarray]:
        """(examples, weights)"""
        if len(w) <= self.options.sample:
            return np.arange(len(w)), w
        key = int(sampling_key(self.options.seed, self.label, attempt))
        q = [w[i] / uniform(key, i) for i in range(len(w))]
        order = sorted(range(len(w)), key=lambda i: (-q[i], i))
        kept = np.array(sorted(order[: self.options.sample]))
        return kept, np.maximum(w[kept], q[order[self.options.sample]])

    def next(self, trees: list[GrownTree], lambda_: float, attempt: int) -> Expected:
        options = self.options
        theta = parameters(trees)
        mu = self.margins(theta)
        kept, weights = self.sample(self.b * slope_of(options.loss, mu), attempt)
        total = sum(weights.tolist())
        scale = 2.0 ** (30 - math.frexp(total)[1]) if total > 0 else 1.0
        units = np.zeros(len(self.y), np.int64)
        units[kept] = (self.y[kept] * np.floor(weights * scale + 0.5)).astype(np.int64)
        sampled = np.zeros(len(self.y), bool)
        sampled[kept] = True

        atoms: list[Compound] = [frozenset()]
        atoms += [frozenset({(a, there)}) for a in range(self.x.shape[1]) for there in (True, False)]
        steepest = max(abs(int(units[self.members(c)].sum())) for c in atoms) / scale
        lambda_ = min(lambda_, options.eta * steepest)
        if lambda_ < options.min_lambda or lambda_ == 0:
            return Expected(lambda_, {}, 0.0, 0.0)

        def gain(compound: Compound) -> float:
            g = -int(units[self.members(compound)].sum())
            t, penalty = theta.get(compound, 0.0), lambda_ * scale
            if options.gain == "unregularized":
                return float(abs(g))
            if options.penalty == "l2":
                return abs(g + 2 * penalty * t)
            return abs(g + penalty * math.copysign(1, t)) if t != 0 else max(abs(g) - penalty, 0.0)

        def root_of_product(compound: Compound) -> float:
            at = units[self.members(compound)]
            return math.sqrt(int(at[at > 0].sum()) * -int(at[at < 0].sum()))

        def best_split(f: Compound) -> int | None:
            best, split = None, None
            for a in range(self.x.shape[1]):
                yes, no = f | {(a, True)}, f | {(a, False)}
                if options.splitter == "impurity":
                    v = -2.0 * (root_of_product(yes) + root_of_product(no))
                else:
                    v = gain(yes) + gain(no)
                if best is None or v > best:
                    best, split = v, a
            here = -2.0 * root_of_product(f) if options.splitter == "impurity" else gain(f)
            return split if best is not None and best > here + options.split_margin * (lambda_ * scale) else None

        leaves: list[Compound] = []
        waiting: list[Compound] = [frozenset()]
        while waiting:
            f = waiting.pop()
            split = None if options.stumps and f else best_split(f)
            if split is None:
                leaves.append(f)
            else:
                waiting += [f | {(split, True)}, f | {(split, False)}]

        steps = {f: self.step(self.members(f), mu, theta.get(f, 0.0), lambda_) for f in leaves}
        after = {f: theta.get(f, 0.0) + steps.get(f, 0.0) for f in theta.keys() | steps.keys()}
        fall = self.risk(theta, lambda_) - self.risk(after, lambda_)
        return Expected(lambda_, steps, fall, self.risk(after, 0.0))

    def risk(self, theta: dict[Compound, float], lambda_: float) -> float:
        loss = float(np.sum(self.b * value_of(self.options.loss, self.margins(theta))))
        powers = (abs(t) if self.options.penalty == "l1" else t * t for t in theta.values())
        return loss + (lambda_ * sum(powers) if lambda_ else 0.0)

    def step(self, members: np.ndarray, mu: np.ndarray, theta: float, lambda_: float) -> float:
        """The minimiser by bisection of the (sub)derivative, which rises with the step."""
        y, b, mu = self.y[members], self.b[members], mu[members]

        def slope(step: float) -> float:
            return -float(np.sum(y * b * slope_of(self.options.loss, mu + y * step)))

        if self.options.penalty == "l2":
            return bisect(lambda d: slope(d) + 2 * lambda_ * (theta + d), -64, 64)
        if abs(slope(-theta)) <= lambda_:
            return -theta
        if slope(-theta) < 0:
            return bisect(lambda d: slope(d) + lambda_, -theta, -theta + 64)
        return bisect(lambda d: slope(d) - lambda_, -theta - 64, -theta)


def bisect(rising, low: float, high: float) -> float:
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
