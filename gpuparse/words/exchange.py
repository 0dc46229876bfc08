"""The exchange algorithm: each word in turn moves to the class where the likelihood is greatest, until none moves.

The likelihood is a sum over pairs of neighbouring classes. A word changes only the pairs of its own class and of its
new one with the classes around it, so what each class would gain is a sum over the classes around the word, with one
look at a table for each. Of equal classes the lowest wins, and a word stays unless another class is better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, inlined, kernel
from gpuparse.words.likelihood import n_ln_n, n_ln_n_table
from gpuparse.words.text import Text

WIDTH = 1024  # counts of pairs below are looked up at once
RISES = 64  # so are rises of a count below


class Partition(NamedTuple):
    """Classes of words. After the classes come two more, in which nothing moves: the rare words, and the edge."""

    classes: np.ndarray  # int32[words + 2]: the class of each word
    sizes: np.ndarray  # int64[classes + 2]: how many tokens it has
    follows: np.ndarray  # int32[classes + 2, classes + 2]: how often a token of the second follows one of the first
    precedes: np.ndarray  # the same, transposed


class Tables(NamedTuple):
    """Looked up for every gain."""

    n_ln_n: np.ndarray
    rises: np.ndarray  # int64[RISES, WIDTH]: (n + rise) ln(n + rise) - n ln n


class Scratch(NamedTuple):
    """Room for one word: how often it stands with which classes, and what each class would gain by it."""

    before: np.ndarray  # int32[classes + 2]
    after: np.ndarray  # int32[classes + 2]
    gains: np.ndarray  # int64[classes]


def first_partition(text: Text, classes: int) -> Partition:
    """The most frequent words in classes of their own, the others dealt out one by one."""
    words = len(text.counts) - 2
    of_words = np.arange(words + 2, dtype=np.int32)
    of_words[:words] %= classes
    of_words[words:] += classes - words
    return partition_of(text, of_words, classes)


def partition_of(text: Text, of_words: np.ndarray, classes: int) -> Partition:
    """The partition in which each word has this class."""
    follows = np.zeros((classes + 2, classes + 2), np.int32)
    firsts = np.repeat(np.arange(len(of_words)), np.diff(text.after.starts))
    np.add.at(follows, (of_words[firsts], of_words[text.after.words]), text.after.counts)
    np.add.at(follows, (of_words, of_words), text.doubled)
    sizes = np.zeros(classes + 2, np.int64)
    np.add.at(sizes, of_words, text.counts)
    return Partition(of_words, sizes, follows, np.ascontiguousarray(follows.T))


def make_tables() -> Tables:
    """The tables; they depend on nothing."""
    table = n_ln_n_table()
    return Tables(table, np.array([table[rise : rise + WIDTH] - table[:WIDTH] for rise in range(RISES)]))


def make_scratch(classes: int) -> Scratch:
    """Empty."""
    around = np.zeros(classes + 2, np.int32)
    return Scratch(around, around.copy(), np.zeros(classes, np.int64))


@kernel
def likelihood(partition, table):
    """F, in units."""
    total = 0
    for first in range(len(partition.sizes)):
        total -= 2 * n_ln_n(partition.sizes[first], table)
        for second in range(len(partition.sizes)):
            total += n_ln_n(np.int64(partition.follows[first, second]), table)
    return total


@kernel
def exchange(first, last, text, partition, tables, scratch):
    """Move each of the words `first .. last-1` to its best class; how many moved."""
    moved = 0
    for word in range(first, last):
        old = partition.classes[word]
        _look_around(word, text, partition, scratch)
        _change(word, old, -1, text, partition, scratch)
        _sum_gains(word, text, partition, tables, scratch)
        best = old
        for new in range(len(scratch.gains)):
            if scratch.gains[new] > scratch.gains[best]:
                best = new
        _change(word, best, 1, text, partition, scratch)
        partition.classes[word] = best
        moved += best != old
    return moved


@compiled
def _look_around(word, text, partition, scratch):
    """Count the classes before and after a word."""
    scratch.before[:] = 0
    scratch.after[:] = 0
    for at in range(text.before.starts[word], text.before.starts[word + 1]):
        scratch.before[partition.classes[text.before.words[at]]] += text.before.counts[at]
    for at in range(text.after.starts[word], text.after.starts[word + 1]):
        scratch.after[partition.classes[text.after.words[at]]] += text.after.counts[at]


@compiled
def _change(word, place, sign, text, partition, scratch):
    """Put a word into a class, or with the sign -1 take it out."""
    partition.sizes[place] += sign * text.counts[word]
    for other in range(len(scratch.before)):
        before, after = sign * scratch.before[other], sign * scratch.after[other]
        partition.follows[other, place] += before
        partition.precedes[place, other] += before
        partition.follows[place, other] += after
        partition.precedes[other, place] += after
    partition.follows[place, place] += sign * text.doubled[word]
    partition.precedes[place, place] += sign * text.doubled[word]


@compiled
def _sum_gains(word, text, partition, tables, scratch):
    """What each class would gain by a word that is in none."""
    table = tables.n_ln_n
    for new in range(len(scratch.gains)):
        size = partition.sizes[new]
        scratch.gains[new] = -2 * (n_ln_n(size + text.counts[word], table) - n_ln_n(size, table))
    for other in range(len(scratch.before)):
        if scratch.before[other] > 0:
            _add_rises(partition.follows[other], scratch.before[other], tables, scratch.gains)
        if scratch.after[other] > 0:
            _add_rises(partition.precedes[other], scratch.after[other], tables, scratch.gains)
    for new in range(len(scratch.gains)):  # where a class follows itself, it rises once, by all together
        before, after = np.int64(scratch.before[new]), np.int64(scratch.after[new])
        if before + after + text.doubled[word] > 0:
            count = np.int64(partition.follows[new, new])
            own = n_ln_n(count, table) + n_ln_n(count + before + after + text.doubled[word], table)
            scratch.gains[new] += own - n_ln_n(count + before, table) - n_ln_n(count + after, table)


@inlined
def _add_rises(counts, rise, tables, gains):
    """Add to the gain of each class what n ln n rises by where its count rises."""
    table = tables.n_ln_n
    if rise < RISES:
        rises = tables.rises[rise]
        for new in range(len(gains)):
            count = counts[new]
            if count < WIDTH:
                gains[new] += rises[count]
            else:
                gains[new] += n_ln_n(np.int64(count) + rise, table) - n_ln_n(np.int64(count), table)
    else:
        for new in range(len(gains)):
            gains[new] += n_ln_n(np.int64(counts[new]) + rise, table) - n_ln_n(np.int64(counts[new]), table)
