"""How to learn: one frozen dataclass, each choice with its reason."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from gpuparse.errors import UsageError

_BUDGETS = ("min_lambda", "max_trees", "max_seconds", "patience", "threads")


class LossKind(StrEnum):
    """What a wrong score costs: see loss.py."""

    LOGISTIC = "logistic"
    EXPONENTIAL = "exponential"


class Penalty(StrEnum):
    """What the parameters cost: see penalty.py."""

    L1 = "l1"
    L2 = "l2"


class GainKind(StrEnum):
    """The gradient of what decides a split, where SplitKind.GAIN does."""

    REGULARIZED = "regularized"  # of the risk
    UNREGULARIZED = "unregularized"  # of the loss alone


class SplitKind(StrEnum):
    """What decides a split: see splitter.py and impurity.py."""

    GAIN = "gain"  # how much the gradient exceeds the penalty
    IMPURITY = "impurity"  # how far positive and negative examples are apart


@dataclass(frozen=True)
class Options:
    """The options of the learner.

    >>> Options(penalty=Penalty.L2).gain
    <GainKind.REGULARIZED: 'regularized'>
    """

    penalty: Penalty = Penalty.L1  # l1 leaves most parameters exactly zero: a small model that can be read
    gain: GainKind = GainKind.REGULARIZED
    loss: LossKind = LossKind.LOGISTIC  # exponential never forgives a wrong label, but its line searches cost nothing
    splitter: SplitKind = SplitKind.GAIN  # impurity knows neither parameters nor the penalty, and looks at all features
    stumps: bool = False  # split the root only: no conjunctions
    split_margin: float = 0.03  # the part of lambda by which a split must gain; with 0 trees peel off single examples
    sample: int = 100_000  # examples a tree is grown on, drawn by weight; the leaves always see all of them
    eta: float = 0.9  # lambda is this fraction of the greatest gradient, and decays by it when a tree is no use
    epsilon: float = 1e-4  # by how much the risk must fall for a tree to be kept
    min_lambda: float = 0.1  # where the path ends
    max_trees: int | None = None  # the most trees to keep for a task; None: no limit
    max_seconds: float | None = None  # the most time for a task; None: no limit. A machine's speed decides the result
    patience: int = 50  # a task ends after so many trees in a row that were no use
    seed: int = 0  # of the sampling
    threads: int = 1  # for one task; several tasks in parallel use a machine better

    def __post_init__(self) -> None:
        """Refuse what can't be meant."""
        wrong = [
            (self.penalty not in [*Penalty], "the penalty is l1 or l2"),
            (self.gain not in [*GainKind], "the gain is regularized or unregularized"),
            (self.loss not in [*LossKind], "the loss is logistic or exponential"),
            (self.splitter not in [*SplitKind], "the splitter is gain or impurity"),
            (not 0 < self.eta < 1, "eta lies between 0 and 1"),
            (not self.split_margin >= 0, "split_margin is not negative"),
            (not self.epsilon > 0, "epsilon is positive"),
            (not self.min_lambda >= 0, "min_lambda is not negative"),
            (self.max_trees is not None and self.max_trees < 0, "max_trees is not negative"),
            (self.max_seconds is not None and not self.max_seconds >= 0, "max_seconds is not negative"),
            (self.sample < 1, "the sample has at least one example"),
            (self.threads < 1, "there is at least one thread"),
            (self.patience < 1, "patience is at least 1"),
        ]
        for is_wrong, rule in wrong:
            if is_wrong:
                raise UsageError(f"learning options: {rule}")

    def course(self) -> dict[str, Any]:
        """The options that decide which trees are grown; the others only decide where to stop, or how fast.

        >>> "threads" in Options().course()
        False
        """
        return {name: value for name, value in asdict(self).items() if name not in _BUDGETS}

    def budgets(self) -> dict[str, Any]:
        """The options that decide where to stop.

        >>> Options(max_trees=3).budgets()["max_trees"]
        3
        """
        return {name: getattr(self, name) for name in _BUDGETS if name != "threads"}
