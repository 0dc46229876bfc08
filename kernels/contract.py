"""What a backend offers: a folder of kernels/ is a module that has every operation of BoostOps and of ScoreOps.

Arrays are on the device and C-contiguous, unless marked "host"; where an array is written, the operation fills or
changes it in place. `matrix`, `postings` and `team` are the learner's:

    matrix.segments   int32[rows, K]         the K segments of each row; segment 0 is empty
    matrix.starts     int64[segments + 1]    where the ids of each segment begin in `features`
    matrix.features   int32                  ids, ascending within a segment; the most frequent feature has id 0
    matrix.column     uint8[features]        in which of the K columns a feature occurs
    postings.begins   int64[features + 1]    where the holders of each feature begin
    postings.holders  int32                  the segments that hold it
    team.threads, team.each, team.share      the threads of the host that a label may use

An example i of a task has a sign y (+1 or -1), an importance, and a state, which its loss makes of its margin; a loss
says what the example's weight w is (LossOps). Sums that decide something are made of integers: a real times a scale, a
power of two, rounded, is a number of units. Packed weights are explained in kernels/packing.py.

mypy checks the backends against these protocols; tests/kernels/test_backends.py checks every folder it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard

import numpy as np

Array = Any  # NumPy's, CuPy's, or what stands for them in a simulator


class Children(NamedTuple):
    """What a wave of splits came to: nodes[i] has the children first + 2 i, with its feature, and first + 2 i + 1."""

    first: int
    weight: np.ndarray  # int64[nodes], host: packed weight of the child with the feature


class Examples(NamedTuple):
    """The examples of a task, on the device."""

    signs: Array  # int8[examples]
    importance: Array  # float64[examples]
    state: Array  # float64[examples]


class Members(NamedTuple):
    """Examples of the leaves that may move, gathered by side: of each leaf the positive ones, then the negative."""

    example: Array  # int32[members]: which examples they are
    importance: Array  # float64[members]
    state: Array  # float64[members]


class Cells(NamedTuple):
    """Stretches of members, begin <= i < end, each of one side of a leaf."""

    begin: Array  # int64[cells]
    end: Array  # int64[cells]
    side: Array  # int32[cells]: 2 * leaf, + 1 for its negative examples


class RuleWeights(NamedTuple):
    """What the rules add to scores."""

    labels: np.ndarray  # int32[rules]: whose score a rule adds to
    weights: np.ndarray  # int64[rules]


class BitRows(NamedTuple):
    """Rows of bits, one for each rule, and their scores. Each row has a place where it will be remembered."""

    fires: np.ndarray  # uint64[rows, blocks]: the rules that fire
    places: np.ndarray  # int64[rows]: where the row will be remembered
    alike: np.ndarray  # int64[rows]: where a row like it is remembered, which may be one before it
    scores: np.ndarray  # int64[rows, labels]: to be written


class KnownRows(NamedTuple):
    """Rows that were scored before, by their places. A place that was never used has the scores of a row of zeros."""

    fires: np.ndarray  # uint64[places, blocks]
    scores: np.ndarray  # int64[places, labels]


class MemoryOps(Protocol):
    """Arrays between host and device."""

    arrays: Any  # the module that makes arrays on the device: numpy, cupy

    def to_device(self, array: np.ndarray) -> Array:
        """An array of the host, any shape and dtype, on the device; where the device is the host, the same array."""

    def to_host(self, array: Array) -> Any:
        """An array of the device on the host, once it has been computed; where both are one, the same array."""

    def wait(self) -> None:
        """Return when the device has done all that this thread asked for."""


class GrowthOps(Protocol):
    """Grows one tree after another over a matrix. Node 0 is the root; children are numbered as they come.

    What is not marked "device" is on the host.
    """

    def plant(self, rows: Array, packed: Array) -> None:
        """Begin a tree: its root has these rows of the matrix.

        rows: int32[n], device; packed: int64[n], device, the rows' packed weights.
        """

    def limit(self, least_weight: float, last_met: int) -> None:
        """Forget the features f > last_met that have neither more positive nor more negative weight than this.

        Only a saving: what keeps both sums may keep all features.
        """

    def entries(self, nodes: Sequence[int], features: Sequence[int]) -> np.ndarray:
        """int64[n]: the sum of y w in the histogram of nodes[i] at features[i]."""

    def extremes(
        self,
        nodes: Sequence[int],
        low: Sequence[int],
        high: Sequence[int],
        aside_nodes: Sequence[int],
        aside: Sequence[int],
    ) -> np.ndarray:
        """int64[n, 4]: for each node the feature of the least sum <= low, that sum, the feature of the greatest sum
        >= high, and that sum.

        Feature -1 where there is none, and then its sum means nothing; ties go to the lowest feature. The sum at
        aside[i] counts as 0 in aside_nodes[i]. Below the root, a feature that no example has may be passed over.
        """

    def purest(self, nodes: Sequence[int], packed: Sequence[int]) -> np.ndarray:
        """int64[n, 2]: for each node the feature whose split leaves the least sqrt(P N) of its two children together,
        and the packed weight of the child that has it; P and N are the positive and the negative weight of a child.

        packed[i] is the weight of nodes[i]. Feature -1 where no example has any; ties go to the lowest feature. Only
        histograms that keep both sums know it.
        """

    def split(self, nodes: Sequence[int], features: Sequence[int]) -> Children:
        """Divide the rows of nodes[i] by features[i]."""

    def descend(self, nodes: Sequence[int], first: int, splittable: Sequence[bool]) -> None:
        """Make the histograms of the splittable children out of those of the nodes they were split from.

        splittable[2 i] and splittable[2 i + 1] are about the children first + 2 i and first + 2 i + 1 of nodes[i].
        """

    def release(self, nodes: Sequence[int]) -> None:
        """These nodes will not be split: take back their histograms."""


class LossOps(Protocol):
    """What depends on the loss: the weights of examples, and what a step of their margins does to them."""

    def priorities(self, importance: Array, state: Array, key: np.uint64, start: int, stop: int, out: Array) -> None:
        """out[i] = w / uniform(key, i) for the examples start <= i < stop.

        importance, state, out: float64[examples].
        """

    def weigh(self, importance: Array, state: Array, kept: Array, tau: float, weights: Array) -> float:
        """weights[n] = max(w, tau) of example kept[n]; returns the greatest, 0 if there is none.

        importance, state: float64[examples]; kept: int32[n]; weights: float64[n].
        """

    def leaf_sums(
        self, leaf: Array, examples: Examples, scale: float, start: int, stop: int, sums: Array, counts: Array
    ) -> None:
        """Add y w, in units, to sums[leaf[i]] and 1 to counts[leaf[i], y[i] < 0] for the examples start <= i < stop.

        leaf: int32[examples]; sums: int64[nodes]; counts: int64[nodes, 2].
        """

    def slopes(self, cells: Cells, factor: Array, scale: float, members: Members, sums: Array) -> None:
        """For each cell, with the states of its side s times factor[s]: add the sums of w and of the second derivative
        of the loss over its members, in units, to sums[0, s] and sums[1, s].

        factor: float64[sides], negative for a side to leave out; sums: int64[2, sides].
        """

    def move(self, cells: Cells, step: Array, factor: Array, scale: float, members: Members, change: Array) -> None:
        """For each cell of a side s, whose margins take step[s]: multiply the states of its members by factor[s], and
        add the change of their loss, in units, to change[0].

        step, factor: float64[sides]; change: int64[1].
        """


class BoostOps(MemoryOps, Protocol):
    """What the learner asks of a device."""

    CELL: int  # members that a cell should have
    logistic: LossOps
    exponential: LossOps

    def Growth(self, matrix: Any, postings: Any, team: Any, both: bool = False) -> GrowthOps:  # a class
        """A grower of trees over a matrix that the device holds.

        `both`: histograms keep the positive and the negative sum of each feature, not only their difference.
        """

    def plan(self, matrix: Any, working: int = 0) -> str:
        """How much of the matrix fits into the device's memory, in words; "" where it always fits. Copies nothing.

        `working`: bytes that learning needs besides. MemoryError if not even a part fits.
        """

    def hold(self, matrix: Any, working: int = 0) -> Any:
        """The matrix on the device, for as long as it is referred to; its arrays may be streamed."""

    def transpose(self, starts: Array, features: Array, n_features: int, team: Any) -> tuple[Array, Array]:
        """(begins, holders) of the postings: holders[begins[f]:begins[f + 1]] are the segments that hold feature f.

        starts: int64[segments + 1]; features: int32; begins: int64[n_features + 1]; holders: int32, as many as ids.
        """

    def uniform(self, key: np.uint64, example: int) -> float:
        """The draw of an example under a key, in (0, 1]; on a GPU for kernels alone to call."""

    def select(self, priority: Array, count: int) -> tuple[Array, float]:
        """The `count` examples of highest priority, ascending, int32[count], and the highest priority left out.

        priority: float64[examples], positive; count < examples. Of equal ones the earlier example comes first.
        """

    def total(self, weights: Array, scale: float) -> int:
        """The sum of the weights, each in units. weights: float64[n]."""

    def quantise(self, signs: Array, kept: Array, weights: Array, scale: float, packed: Array) -> int:
        """packed[n] = weights[n] in units, on the side of the y of example kept[n]; returns their sum.

        signs: int8[examples]; kept: int32[n]; weights: float64[n]; packed: int64[n].
        """

    def mark(self, feature: Array, closed: Array, begins: Array, holders: Array, marks: Array) -> None:
        """Set the bits closed[node] in the marks of all segments that hold the node's feature.

        feature: int32[nodes], -1 at a leaf; closed: uint64[nodes], 0 for a node that is not of this pass; begins,
        holders: the postings; marks: uint64[segments].
        """

    def unmark(self, feature: Array, closed: Array, begins: Array, holders: Array, marks: Array) -> None:
        """Zero the marks that `mark` set when it had the same arguments."""

    def percolate(
        self, start: int, stop: int, segments: Array, marks: Array, below: Array, exits: Array, leaf: Array
    ) -> None:
        """Send the examples start <= i < stop down from node leaf[i]: leaf[i] = the first exit that is not closed.

        segments: int32[examples, K]; marks: uint64[segments], the exits that a segment closes; below: uint64[nodes],
        the exits below a node, 0 where examples stay; exits: int32[at most 64], their nodes; leaf: int32[examples].
        """

    def collect(self, leaf: Array, examples: Examples, start: int, stop: int, place: Array, members: Members) -> None:
        """Copy the examples start <= i < stop with place[leaf[i], y[i] < 0] >= 0 to the places from there on, in any
        order; `place` moves on.

        leaf: int32[examples]; place: int64[nodes, 2].
        """

    def put_back(self, members: Members, state: Array) -> None:
        """state[members.example] = members.state.

        state: float64[examples].
        """


class ScoreOps(MemoryOps, Protocol):
    """What the parser asks of a device."""

    COMPUTES_ON_HOST: bool  # whether the backend is one of HostScoreOps: the search then stays in compiled code
    BATCH: int  # sentences that are best searched in parallel

    def score(self, fires: Array, labels: Array, weights: Array, scores: Array) -> None:
        """Add to scores[row, label] the weights of the label's rules that fire on each row.

        fires: uint64[rows, blocks], a bit for each rule, 64 to a block; labels: int32[rules]; weights: int64[rules];
        scores: int64[rows, labels].
        """


class HostScoreOps(ScoreOps, Protocol):
    """What the parser asks of a device whose memory and functions are those of the host."""

    def score_rows(self, rules: RuleWeights, rows: BitRows, earlier: KnownRows) -> None:
        """Write the scores of rows by difference from what is known of rows like them, as a function that compiled
        code can call: one of the flavour `compiled`.
        """


class Kernels(BoostOps, ScoreOps, Protocol):
    """All operations of a device."""


RowScorer = Callable[..., None]  # HostScoreOps.score_rows


def computes_on_host(kernels: ScoreOps) -> TypeGuard[HostScoreOps]:
    """Whether compiled code can call the backend's `score_rows`.

    >>> from gpuparse.kernels import cpu
    >>> computes_on_host(cpu)
    True
    """
    return kernels.COMPUTES_ON_HOST


if TYPE_CHECKING:  # each backend keeps the contract, or mypy complains
    from . import cpu, cuda

    _cpu: Kernels = cpu
    _cpu_scores: HostScoreOps = cpu
    _cuda: Kernels = cuda
    _losses: list[LossOps] = [cpu.logistic, cpu.exponential, cuda.logistic, cuda.exponential]
