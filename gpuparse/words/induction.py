"""From sentences to classes: count, exchange, merge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gpuparse.errors import InputError
from gpuparse.words.classes import WordClasses
from gpuparse.words.exchange import Partition, exchange, first_partition, likelihood, make_scratch, make_tables
from gpuparse.words.likelihood import UNIT
from gpuparse.words.merging import Mergers
from gpuparse.words.options import ClassOptions
from gpuparse.words.text import Text, count_text

AT_ONCE = 1000  # words between two reports, rare ones: it can be interrupted there
ROWS_AT_ONCE = 32  # of the table of mergers

Report = Callable[[float], None]


@dataclass(frozen=True)
class Induced:
    """Classes, and how they came about."""

    classes: WordClasses
    tokens: int
    covered: int  # tokens whose words have classes
    sweeps: int
    likelihoods: tuple[float, ...]  # at the start and after each sweep, in nats, but for a constant


def induce_classes(
    sentences: Iterable[Sequence[str]], options: ClassOptions | None = None, report: Report | None = None
) -> Induced:
    """Classes of the words of sentences; `report` hears what share of the work is done.

    >>> sentences = [[who, does, "."] for who in ("Ann", "Bob", "Cid") for does in ("sings", "waits")]
    >>> induced = induce_classes(sentences, ClassOptions(granularities=(3, 2), least=1))
    >>> [induced.classes.of(word)[0] for word in ("Ann", "Bob", "sings", "waits", "never")]
    [3, 3, 2, 2, 0]
    """
    options, report = options or ClassOptions(), report or (lambda share: None)
    words, text = count_text(sentences, options.least, options.fold)
    finest = options.granularities[0]
    if len(words) < finest:
        raise InputError(
            f"{len(words):,} words occur {options.least} times or more, too few for {finest:,} classes. Give more "
            "text, or ask for fewer classes."
        )
    partition = first_partition(text, finest)
    likelihoods = sweep(text, partition, options.sweeps, report)
    rows = np.stack([partition.classes[:-2], *_merged(partition, options.granularities[1:])], axis=1)
    classes = WordClasses.of_clusters(words, text.counts[:-2], rows, options)
    tokens, covered = int(text.counts[:-1].sum()), int(text.counts[:-2].sum())
    return Induced(classes, tokens, covered, len(likelihoods) - 1, tuple(f / UNIT for f in likelihoods))


def sweep(text: Text, partition: Partition, most: int, report: Report) -> list[int]:
    """Exchange until a sweep moves nothing, or so often; the likelihoods, in units."""
    tables, words = make_tables(), len(text.counts) - 2
    scratch = make_scratch(len(partition.sizes) - 2)
    likelihoods = [int(likelihood(partition, tables.n_ln_n))]
    for number in range(most):
        moved = 0
        for first in range(0, words, AT_ONCE):
            report((number + first / words) / most)
            moved += int(exchange(first, min(first + AT_ONCE, words), text, partition, tables, scratch))
        likelihoods.append(int(likelihood(partition, tables.n_ln_n)))
        if not moved:
            break
    return likelihoods


def _merged(partition: Partition, granularities: Sequence[int]) -> list[np.ndarray]:
    """The class of each word at coarser granularities."""
    merged: list[np.ndarray] = []
    mergers = Mergers(partition, make_tables().n_ln_n)
    while granularities and not mergers.prepare(ROWS_AT_ONCE):
        pass
    for classes in granularities:
        while mergers.classes > classes:
            mergers.merge()
        merged.append(mergers.into[partition.classes[:-2]])
    return merged
