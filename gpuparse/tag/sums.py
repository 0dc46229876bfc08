"""The probabilities of tags: sums over all sequences of a sentence's candidates, forward and backward.

The probability of a sentence's tags is exp(their score) over the sum of the same for all sequences of candidates.
`factors` are exp(weights) of the last rows, those of "tag-1 tag-2", which all sums use.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, eventual
from gpuparse.tag.lattice import score, viterbi
from gpuparse.tag.templates import PARTS, VALUE_BITS, Table, rows_of_one_word


@compiled(allocates=True)
def _total(table):
    """The sum of all entries; loops, as below, since Numba is slow to compile and to load the functions of NumPy."""
    total = 0.0
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            total += table[row, column]
    return total


@compiled(allocates=True)
def _divide(table, by):
    """Divide all entries."""
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            table[row, column] /= by


@compiled(allocates=True)
def sum_forward(positions, table, factors, lattice, forward, scale):
    """forward[at, b, c]: the weight of all sequences up to b, c. Pair scores become exp(scale times score) on the way.

    Each position is scaled to sum to one; the scale cancels in every probability.
    """
    forward[1, 0, 0] = 1.0
    for at in range(2, positions):
        pair = lattice.pair[at, : lattice.width[at - 1], : lattice.width[at]]
        sums = forward[at, : lattice.width[at - 1], : lattice.width[at]]
        greatest = pair[0, 0]
        for middle in range(lattice.width[at - 1]):
            for candidate in range(lattice.width[at]):
                greatest = max(greatest, pair[middle, candidate])
        total = 0.0
        for middle in range(lattice.width[at - 1]):
            sums[middle] = 0.0
            for before in range(lattice.width[at - 2]):
                after = factors_after(at, before, middle, table, factors, lattice)
                for candidate in range(lattice.width[at]):
                    sums[middle, candidate] += forward[at - 1, before, middle] * after[lattice.tags[at, candidate]]
            for candidate in range(lattice.width[at]):
                pair[middle, candidate] = np.exp((pair[middle, candidate] - greatest) * scale)
                sums[middle, candidate] *= pair[middle, candidate]
                total += sums[middle, candidate]
        _divide(sums, total)


@compiled(allocates=True)
def sum_backward(positions, table, factors, lattice, backward):
    """backward[at, b, c]: the weight of all continuations after b, c, scaled as above."""
    last = positions - 1
    backward[last, : lattice.width[last - 1], : lattice.width[last]] = 1.0
    for at in range(last, 1, -1):
        sums = backward[at - 1, : lattice.width[at - 2], : lattice.width[at - 1]]
        for before in range(lattice.width[at - 2]):
            for middle in range(lattice.width[at - 1]):
                after = factors_after(at, before, middle, table, factors, lattice)
                sums[before, middle] = 0.0
                for candidate in range(lattice.width[at]):
                    leaving = lattice.pair[at, middle, candidate] * backward[at, middle, candidate]
                    sums[before, middle] += after[lattice.tags[at, candidate]] * leaving
        _divide(sums, _total(sums))


@compiled(allocates=True)
def factors_after(at, before, middle, table, factors, lattice):
    """exp(score) of each tag after two candidates."""
    row = table.last_two_tags[lattice.tags[at - 1, middle], lattice.tags[at - 2, before]]
    return factors[row - (len(table.keys) + 1 - len(factors))]


@compiled(allocates=True)
def to_probabilities(positions, lattice, forward, backward):
    """probability[at, b, c]: of two neighbours. It takes the place of the backward sums."""
    for at in range(2, positions):
        both = backward[at, : lattice.width[at - 1], : lattice.width[at]]
        for middle in range(lattice.width[at - 1]):
            for candidate in range(lattice.width[at]):
                both[middle, candidate] *= forward[at, middle, candidate]
        _divide(both, _total(both))
    return backward


def first_pair_row(table: Table) -> int:
    """The first row of the template "tag-1 tag-2", the last of the templates."""
    return int(np.searchsorted(table.keys, (len(table.patterns.parts) - 1) << (PARTS * VALUE_BITS)))


class ScaledModel(NamedTuple):
    """A tagger whose weights are whole numbers."""

    table: Table
    weights: np.ndarray  # int16[rows + 1, tags]
    factors: np.ndarray  # float64: exp(weights times scale) of the last rows
    scale: float  # what a weight of 1 is worth


class Verdicts(NamedTuple):
    """What is written of each word."""

    tags: np.ndarray  # int16
    odds: np.ndarray  # float64: their probabilities
    rivals: np.ndarray  # int16: the most probable other tags, -1 where there is none
    rival_odds: np.ndarray  # float64


@eventual
def judge_sentences(words, model, lattice, verdicts, are_given):
    """The tags of all words with their probabilities, and of each word the most probable other tag with its own.

    Tags that are not given already are those of `tag_sentences`: scores are whole numbers, which sums of floating point
    keep exactly.
    """
    best = np.empty(lattice.pair.shape, lattice.pair.dtype)
    back = np.empty(lattice.pair.shape, np.int16)
    forward = np.zeros(lattice.pair.shape)
    backward = np.zeros(lattice.pair.shape)
    table = model.table
    one_word_rows = rows_of_one_word(words.attributes, table.patterns, table.keys, table.slots)
    for sentence in range(len(words.starts) - 1):
        positions = score(words, one_word_rows, sentence, table, model.weights, lattice)
        first, end = words.starts[sentence], words.starts[sentence + 1]
        if not are_given:
            viterbi(positions, table, model.weights, lattice, best, back, verdicts.tags[first:end])
        sum_forward(positions, table, model.factors, lattice, forward, model.scale)
        sum_backward(positions, table, model.factors, lattice, backward)
        probability = to_probabilities(positions, lattice, forward, backward)
        for at in range(2, positions):
            _compare(at, first + at - 2, lattice, probability, verdicts)


@compiled(allocates=True)
def _compare(at, word, lattice, probability, verdicts):
    """Write the probability of a word's tag, and its strongest rival."""
    verdicts.rivals[word] = -1
    verdicts.rival_odds[word] = 0.0
    for candidate in range(lattice.width[at]):
        share = 0.0
        for middle in range(lattice.width[at - 1]):
            share += probability[at, middle, candidate]
        if lattice.tags[at, candidate] == verdicts.tags[word]:
            verdicts.odds[word] = share
        elif verdicts.rivals[word] < 0 or share > verdicts.rival_odds[word]:
            verdicts.rivals[word] = lattice.tags[at, candidate]
            verdicts.rival_odds[word] = share
