"""Learning the weights: stochastic gradient descent on the log-likelihood of the right tags of whole sentences.

The model is log-linear over sequences: the probability of a sentence's tags is exp(their score) over the sum of the
same for all sequences of candidates. The gradient of a weight is the expected number of its feature less the number
under the right tags; expectations are computed by forward and backward sums. Each weight has its own rate (AdaGrad).

In every pass some words, by chance, stand for unknown ones: what a word is like, and what is around it, must then do
without the word itself, as in text of another kind.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, kernel
from gpuparse.tag.lattice import make_lattice, score
from gpuparse.tag.options import TaggerOptions
from gpuparse.tag.sums import factors_after, first_pair_row, sum_backward, sum_forward, to_probabilities
from gpuparse.tag.templates import Table, Words, rows_of_one_word


class Lessons(NamedTuple):
    """What is learned from."""

    words: Words  # with strangers
    gold: np.ndarray  # int16[words of all sentences]: tags, each among the candidates of its word
    importance: np.ndarray  # float32[sentences]: what a sentence counts


class Learned(NamedTuple):
    """What came of it; the last row stands for features without weights."""

    weights: np.ndarray  # float32[rows + 1, tags], the last row zeros
    evidence: np.ndarray  # float32[rows + 1, tags]: 1 + the sum of the squares of a weight's gradients


def learn_weights(lessons: Lessons, tag_count: int, table: Table, options: TaggerOptions) -> Learned:
    """The weight of each feature and tag."""
    weights = np.zeros((len(table.keys) + 1, tag_count), np.float32)
    descent = Descent(
        np.ones_like(weights),
        np.ones((len(table.keys) + 1 - first_pair_row(table), tag_count), np.float64),
        first_pair_row(table),
        *(np.float32(setting) for setting in (options.rate, options.decay, options.negligible)),
    )
    lengths, widths = np.diff(lessons.words.starts), np.diff(lessons.words.candidate_starts)
    lattice = make_lattice(int(lengths.max(initial=0)), int(widths.max()), table.patterns, np.float64)
    random = np.random.default_rng(options.seed)
    numbers, distinct = lessons.words.numbers, len(widths) // 2
    for _ in range(options.epochs):
        strange = random.random(len(numbers)) < options.strange
        words = lessons.words._replace(numbers=np.where(strange, numbers + distinct, numbers).astype(np.int32))
        order = random.permutation(len(lengths))
        _epoch(order, lessons._replace(words=words), table, weights, descent, lattice)
    return Learned(weights, descent.squares)


class Descent(NamedTuple):
    """The state of the descent, and its settings."""

    squares: np.ndarray  # float32[rows + 1, tags]: 1 + the sum of the squares of a weight's gradients
    factors: np.ndarray  # float64: exp(weights) of the last rows, those of "tag-1 tag-2", which all sums use
    first: int  # the first of those rows
    rate: np.float32
    decay: np.float32
    negligible: np.float32


class Expected(NamedTuple):
    """What a sentence teaches: its right tags, and how probable its candidates are."""

    right: np.ndarray  # int64[positions]: which candidate is the right one
    importance: np.float32  # what the sentence counts
    probability: np.ndarray  # float64[positions, candidates, candidates]: of two neighbours
    forward: np.ndarray  # the same shape: forward sums


@kernel
def _epoch(order, lessons, table, weights, descent, lattice):
    forward = np.zeros(lattice.pair.shape)
    backward = np.zeros(lattice.pair.shape)
    words = lessons.words
    one_word_rows = rows_of_one_word(words.attributes, table.patterns, table.keys, table.slots)
    for sentence in order:
        positions = score(words, one_word_rows, sentence, table, weights, lattice)
        right = _right_candidates(lessons.gold[words.starts[sentence] : words.starts[sentence + 1]], lattice)
        sum_forward(positions, table, descent.factors, lattice, forward, 1.0)
        sum_backward(positions, table, descent.factors, lattice, backward)
        probability = to_probabilities(positions, lattice, forward, backward)
        expected = Expected(right, lessons.importance[sentence], probability, forward)
        for at in range(2, positions):
            _learn_words(at, expected, weights, descent, lattice)
            _learn_last_tags(at, expected, table, weights, descent, lattice)
            _learn_last_two_tags(at, expected, table, weights, descent, lattice)
        _refresh(positions, expected, table, weights, descent, lattice)


@compiled(allocates=True)
def _right_candidates(gold, lattice):
    """Which candidate of each position is the right one."""
    right = np.zeros(len(gold) + 2, np.int64)
    for at in range(2, len(right)):
        right[at] = np.searchsorted(lattice.tags[at, : lattice.width[at]], gold[at - 2])
    return right


@compiled(allocates=True)
def _learn_words(at, expected, weights, descent, lattice):
    """Change the weights of features of words alone at a position."""
    for candidate in range(lattice.width[at]):
        gradient = -1.0 if candidate == expected.right[at] else 0.0
        for middle in range(lattice.width[at - 1]):
            gradient += expected.probability[at, middle, candidate]
        for row in lattice.rows[at]:
            _descend(row, lattice.tags[at, candidate], gradient, expected.importance, weights, descent)


@compiled(allocates=True)
def _learn_last_tags(at, expected, table, weights, descent, lattice):
    """Change the weights of features with the last tag at a position."""
    for middle in range(lattice.width[at - 1]):
        for candidate in range(lattice.width[at]):
            tag = lattice.tags[at, candidate]
            gradient = expected.probability[at, middle, candidate]
            gradient -= 1.0 if _is_right(at, middle, candidate, expected) else 0.0
            _descend(table.last_tag[lattice.tags[at - 1, middle]], tag, gradient, expected.importance, weights, descent)
            for row in lattice.tag_rows[at, middle]:
                _descend(row, tag, gradient, expected.importance, weights, descent)


@compiled(allocates=True)
def _learn_last_two_tags(at, expected, table, weights, descent, lattice):
    """Change the weights of the last two tags at a position.

    P(a, b, c) = P(b, c) * P(a | b, c), and P(a | b, c) is proportional to forward[at - 1, a, b] * factor(a, b, c).
    """
    forward = expected.forward
    for middle in range(lattice.width[at - 1]):
        for candidate in range(lattice.width[at]):
            if _is_negligible(at, middle, candidate, expected, descent):
                continue
            is_right = _is_right(at, middle, candidate, expected)
            probability = expected.probability[at, middle, candidate]
            tag = lattice.tags[at, candidate]
            arriving = 0.0
            for before in range(lattice.width[at - 2]):
                factor = factors_after(at, before, middle, table, descent.factors, lattice)[tag]
                arriving += forward[at - 1, before, middle] * factor
            for before in range(lattice.width[at - 2]):
                factor = factors_after(at, before, middle, table, descent.factors, lattice)[tag]
                gradient = probability * forward[at - 1, before, middle] * factor / arriving
                gradient -= 1.0 if is_right and before == expected.right[at - 2] else 0.0
                row = table.last_two_tags[lattice.tags[at - 1, middle], lattice.tags[at - 2, before]]
                _descend(row, tag, gradient, expected.importance, weights, descent)


@compiled(allocates=True)
def _is_right(at, middle, candidate, expected):
    """Whether two neighbouring candidates are both right."""
    return middle == expected.right[at - 1] and candidate == expected.right[at]


@compiled(allocates=True)
def _is_negligible(at, middle, candidate, expected, descent):
    """Whether the gradients of all tags before two wrong neighbours are negligible."""
    is_right = _is_right(at, middle, candidate, expected)
    return not is_right and expected.probability[at, middle, candidate] <= descent.negligible


@compiled(allocates=True)
def _descend(row, tag, change, importance, weights, descent):
    """One step of one weight; the last row, which stands for features without weights, stays zero."""
    if abs(change) <= descent.negligible or row == len(weights) - 1:
        return
    gradient = importance * change
    descent.squares[row, tag] += gradient * gradient
    step = descent.rate / np.sqrt(descent.squares[row, tag])
    weights[row, tag] -= step * (gradient + descent.decay * weights[row, tag])


@compiled(allocates=True)
def _refresh(positions, expected, table, weights, descent, lattice):
    """Bring the factors up to date where weights may have changed."""
    for at in range(2, positions):
        for middle in range(lattice.width[at - 1]):
            for candidate in range(lattice.width[at]):
                if not _is_negligible(at, middle, candidate, expected, descent):
                    for before in lattice.tags[at - 2, : lattice.width[at - 2]]:
                        row, tag = (
                            table.last_two_tags[lattice.tags[at - 1, middle], before],
                            lattice.tags[at, candidate],
                        )
                        descent.factors[row - descent.first, tag] = np.exp(weights[row, tag])
