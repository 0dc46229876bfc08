"""Learning the weights: stochastic gradient descent on the log-likelihood of the right tags of whole sentences.

The model is log-linear over sequences: the probability of a sentence's tags is exp(their score) over the sum of the
same for all sequences of candidates. The gradient of a weight is the expected number of its feature less the number
under the right tags; expectations are computed by forward and backward sums. Each weight has its own rate (AdaGrad).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, kernel
from gpuparse.tag.lattice import make_lattice, score
from gpuparse.tag.lexicon import Lexicon
from gpuparse.tag.options import TaggerOptions
from gpuparse.tag.templates import LAST_TWO_TAGS, Table, Words, pack, rows_of_one_word


def learn_weights(words: Words, gold: np.ndarray, lexicon: Lexicon, table: Table, options: TaggerOptions) -> np.ndarray:
    """The weight of each feature and tag: float32[rows + 1, tags], the last row zeros."""
    weights = np.zeros((len(table.keys) + 1, len(lexicon.tags)), np.float32)
    descent = Descent(
        np.ones_like(weights),
        np.ones((len(table.keys) + 1 - first_pair_row(table), len(lexicon.tags)), np.float64),
        first_pair_row(table),
        *(np.float32(setting) for setting in (options.rate, options.decay, options.negligible)),
    )
    lengths, widths = np.diff(words.starts), np.diff(lexicon.dictionary_starts)
    lattice = make_lattice(int(lengths.max(initial=0)), int(widths.max()), np.float64)
    dictionary = (lexicon.dictionary_starts, lexicon.dictionary_tags)
    random = np.random.default_rng(options.seed)
    for _ in range(options.epochs):
        _epoch(random.permutation(len(lengths)), words, gold, dictionary, table, weights, descent, lattice)
    return weights


class Descent(NamedTuple):
    """The state of the descent, and its settings."""

    squares: np.ndarray  # float32[rows + 1, tags]: 1 + the sum of the squares of a weight's gradients
    factors: np.ndarray  # float64: exp(weights) of the last rows, those of "tag-1 tag-2", which all sums use
    first: int  # the first of those rows
    rate: np.float32
    decay: np.float32
    negligible: np.float32


def first_pair_row(table: Table) -> int:
    """The first row of the template "tag-1 tag-2", the last of the templates."""
    return int(np.searchsorted(table.keys, pack(LAST_TWO_TAGS, 0, 0)))


@kernel
def _epoch(order, words, gold, dictionary, table, weights, descent, lattice):
    forward = np.zeros(lattice.pair.shape)
    backward = np.zeros(lattice.pair.shape)
    one_word_rows = rows_of_one_word(words.attributes, table.keys, table.slots)
    for sentence in order:
        positions = score(words, one_word_rows, sentence, dictionary[0], dictionary[1], table, weights, lattice)
        right = _right_candidates(gold[words.starts[sentence] : words.starts[sentence + 1]], lattice)
        sum_forward(positions, table, descent, lattice, forward)
        sum_backward(positions, table, descent, lattice, backward)
        probability = to_probabilities(positions, lattice, forward, backward)
        for at in range(2, positions):
            _learn_words(at, right, weights, descent, lattice, probability)
            _learn_last_tags(at, right, table, weights, descent, lattice, probability)
            _learn_last_two_tags(at, right, table, weights, descent, lattice, probability, forward)
        _refresh(positions, right, table, weights, descent, lattice, probability)


@compiled(allocates=True)
def _right_candidates(gold, lattice):
    """Which candidate of each position is the right one."""
    right = np.zeros(len(gold) + 2, np.int64)
    for at in range(2, len(right)):
        right[at] = np.searchsorted(lattice.tags[at, : lattice.width[at]], gold[at - 2])
    return right


@compiled(allocates=True)
def sum_forward(positions, table, descent, lattice, forward):
    """forward[at, b, c]: the weight of all sequences up to b, c. Pair scores become their exponentials on the way.

    Each position is scaled to sum to one; the scale cancels in every probability.
    """
    forward[1, 0, 0] = 1.0
    for at in range(2, positions):
        pair = lattice.pair[at, : lattice.width[at - 1], : lattice.width[at]]
        sums = forward[at, : lattice.width[at - 1], : lattice.width[at]]
        greatest = pair.max()
        total = 0.0
        for middle in range(lattice.width[at - 1]):
            sums[middle] = 0.0
            for before in range(lattice.width[at - 2]):
                factors = _factors(at, before, middle, table, descent, lattice)
                for candidate in range(lattice.width[at]):
                    sums[middle, candidate] += forward[at - 1, before, middle] * factors[lattice.tags[at, candidate]]
            for candidate in range(lattice.width[at]):
                pair[middle, candidate] = np.exp(pair[middle, candidate] - greatest)
                sums[middle, candidate] *= pair[middle, candidate]
                total += sums[middle, candidate]
        sums /= total


@compiled(allocates=True)
def sum_backward(positions, table, descent, lattice, backward):
    """backward[at, b, c]: the weight of all continuations after b, c, scaled as above."""
    last = positions - 1
    backward[last, : lattice.width[last - 1], : lattice.width[last]] = 1.0
    for at in range(last, 1, -1):
        sums = backward[at - 1, : lattice.width[at - 2], : lattice.width[at - 1]]
        for before in range(lattice.width[at - 2]):
            for middle in range(lattice.width[at - 1]):
                factors = _factors(at, before, middle, table, descent, lattice)
                sums[before, middle] = 0.0
                for candidate in range(lattice.width[at]):
                    leaving = lattice.pair[at, middle, candidate] * backward[at, middle, candidate]
                    sums[before, middle] += factors[lattice.tags[at, candidate]] * leaving
        sums /= sums.sum()


@compiled(allocates=True)
def _factors(at, before, middle, table, descent, lattice):
    """exp(score) of each tag after two candidates."""
    row = table.last_two_tags[lattice.tags[at - 1, middle], lattice.tags[at - 2, before]]
    return descent.factors[row - descent.first]


@compiled(allocates=True)
def to_probabilities(positions, lattice, forward, backward):
    """probability[at, b, c]: of two neighbours. It takes the place of the backward sums."""
    for at in range(2, positions):
        both = backward[at, : lattice.width[at - 1], : lattice.width[at]]
        both *= forward[at, : lattice.width[at - 1], : lattice.width[at]]
        both /= both.sum()
    return backward


@compiled(allocates=True)
def _learn_words(at, right, weights, descent, lattice, probability):
    """Change the weights of features of words alone at a position."""
    for candidate in range(lattice.width[at]):
        gradient = -1.0 if candidate == right[at] else 0.0
        for middle in range(lattice.width[at - 1]):
            gradient += probability[at, middle, candidate]
        for row in lattice.rows[at]:
            _descend(row, lattice.tags[at, candidate], gradient, weights, descent)


@compiled(allocates=True)
def _learn_last_tags(at, right, table, weights, descent, lattice, probability):
    """Change the weights of features with the last tag at a position."""
    for middle in range(lattice.width[at - 1]):
        for candidate in range(lattice.width[at]):
            tag = lattice.tags[at, candidate]
            is_right = middle == right[at - 1] and candidate == right[at]
            gradient = probability[at, middle, candidate] - (1.0 if is_right else 0.0)
            _descend(table.last_tag[lattice.tags[at - 1, middle]], tag, gradient, weights, descent)
            for row in lattice.tag_rows[at, middle]:
                _descend(row, tag, gradient, weights, descent)


@compiled(allocates=True)
def _learn_last_two_tags(at, right, table, weights, descent, lattice, probability, forward):
    """Change the weights of the last two tags at a position.

    P(a, b, c) = P(b, c) * P(a | b, c), and P(a | b, c) is proportional to forward[at - 1, a, b] * factor(a, b, c).
    """
    for middle in range(lattice.width[at - 1]):
        for candidate in range(lattice.width[at]):
            if _is_negligible(at, middle, candidate, right, descent, probability):
                continue
            is_right = middle == right[at - 1] and candidate == right[at]
            tag = lattice.tags[at, candidate]
            arriving = 0.0
            for before in range(lattice.width[at - 2]):
                factor = _factors(at, before, middle, table, descent, lattice)[tag]
                arriving += forward[at - 1, before, middle] * factor
            for before in range(lattice.width[at - 2]):
                factor = _factors(at, before, middle, table, descent, lattice)[tag]
                gradient = probability[at, middle, candidate] * forward[at - 1, before, middle] * factor / arriving
                gradient -= 1.0 if is_right and before == right[at - 2] else 0.0
                row = table.last_two_tags[lattice.tags[at - 1, middle], lattice.tags[at - 2, before]]
                _descend(row, tag, gradient, weights, descent)


@compiled(allocates=True)
def _is_negligible(at, middle, candidate, right, descent, probability):
    """Whether the gradients of all tags before two wrong neighbours are negligible."""
    is_right = middle == right[at - 1] and candidate == right[at]
    return not is_right and probability[at, middle, candidate] <= descent.negligible


@compiled(allocates=True)
def _descend(row, tag, gradient, weights, descent):
    """One step of one weight; the last row, which stands for features without weights, stays zero."""
    if abs(gradient) <= descent.negligible or row == len(weights) - 1:
        return
    descent.squares[row, tag] += gradient * gradient
    step = descent.rate / np.sqrt(descent.squares[row, tag])
    weights[row, tag] -= step * (gradient + descent.decay * weights[row, tag])


@compiled(allocates=True)
def _refresh(positions, right, table, weights, descent, lattice, probability):
    """Bring the factors up to date where weights may have changed."""
    for at in range(2, positions):
        for middle in range(lattice.width[at - 1]):
            for candidate in range(lattice.width[at]):
                if not _is_negligible(at, middle, candidate, right, descent, probability):
                    for before in lattice.tags[at - 2, : lattice.width[at - 2]]:
                        row, tag = (
                            table.last_two_tags[lattice.tags[at - 1, middle], before],
                            lattice.tags[at, candidate],
                        )
                        descent.factors[row - descent.first, tag] = np.exp(weights[row, tag])
