"""Classes of words at several granularities: each class of a coarser one is made of whole classes of the finer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpuparse.words.options import ClassOptions

UNKNOWN = 0  # the class of a word that has none
NAMED_BY = 3  # words


@dataclass(frozen=True, eq=False)
class WordClasses:
    """Words and their classes, which are numbered from 1, those with more tokens first."""

    granularities: tuple[int, ...]  # the greatest number of a class, falling
    words: tuple[str, ...]  # sorted
    classes: np.ndarray  # int32[words, granularities]
    ranks: np.ndarray  # int32[words]: the place of each by frequency in the text, from 0
    fold: bool  # whether the words are in lower case

    @classmethod
    def of_clusters(
        cls, words: Sequence[str], counts: np.ndarray, clusters: np.ndarray, options: ClassOptions
    ) -> WordClasses:
        """From words, the most frequent first, how often each occurs, and its clusters, which have any numbers."""
        numbered = [_numbered(clusters[:, place], counts) for place in range(clusters.shape[1])]
        order = np.array(sorted(range(len(words)), key=words.__getitem__), np.int32)
        classes = np.stack(numbered, axis=1).astype(np.int32)[order]
        return cls(options.granularities, tuple(words[place] for place in order), classes, order, options.fold)

    def of(self, word: str) -> tuple[int, ...]:
        """The class of a word at each granularity; all 0 for an unknown word.

        A word that is unknown as it is written has the class of the word in lower case.
        """
        row = self._rows.get(word, -1)
        if row < 0:
            row = self._rows.get(word.lower(), -1)
        return self._unknown if row < 0 else tuple(self.classes[row].tolist())

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of all that they are."""
        parts = ("\n".join(self.words).encode("utf-8", "surrogatepass"), self.classes.tobytes(), self.ranks.tobytes())
        digest = hashlib.sha256(f"{self.granularities} {self.fold}".encode())
        for part in parts:
            digest.update(hashlib.sha256(part).digest())
        return digest.hexdigest()

    @cached_property
    def _unknown(self) -> tuple[int, ...]:
        return (UNKNOWN,) * len(self.granularities)

    def members(self, place: int, number: int) -> list[str]:
        """The words of a class of the granularity at this place, the most frequent first."""
        return [self.words[row] for row in self._rows_by_class[place].get(number, ())]

    def name(self, place: int, number: int) -> str:
        """A class for people: its most frequent words, or `no class`."""
        examples = self.examples(place, number)
        return f"like: {examples}" if examples else "no class"

    def examples(self, place: int, number: int) -> str:
        """The most frequent words of a class. No two classes of a granularity have the same ones, since each word is
        in one class, and none has a blank in it.
        """
        return self._examples[place].get(number, "")

    @cached_property
    def _examples(self) -> list[dict[int, str]]:
        return [
            {number: ", ".join(self.words[row] for row in rows[:NAMED_BY]) for number, rows in by_class.items()}
            for by_class in self._rows_by_class
        ]

    @cached_property
    def _rows_by_class(self) -> list[dict[int, np.ndarray]]:
        """For each granularity the rows of each class, the most frequent words first."""
        by_rank = np.argsort(self.ranks)
        return [dict(_grouped(self.classes[by_rank, place], by_rank)) for place in range(len(self.granularities))]


def _grouped(classes: np.ndarray, rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    order = np.argsort(classes, kind="stable")
    numbers, starts = np.unique(classes[order], return_index=True)
    return zip(numbers.tolist(), np.split(rows[order], starts[1:]), strict=True)


def _numbered(clusters: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The clusters numbered from 1 by falling size, those of equal size by their most frequent word."""
    _, firsts, of_words = np.unique(clusters, return_index=True, return_inverse=True)
    sizes = np.zeros(len(firsts), np.int64)
    np.add.at(sizes, of_words, counts)
    numbers = np.empty(len(firsts), np.int64)
    numbers[np.lexsort((firsts, -sizes))] = np.arange(1, len(firsts) + 1)
    return numbers[of_words]
