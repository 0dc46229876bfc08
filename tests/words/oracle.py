"""Word classes in plain Python: the likelihood counted again, from the sentences, for every move and every merger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import chain, combinations, pairwise

from gpuparse.words.likelihood import n_ln_n, n_ln_n_table

Sentences = Sequence[Sequence[str]]
Classes = dict[str, int]

RARE, EDGE = "rare", "edge"  # the classes that are fixed


def frequent_words(sentences: Sentences, least: int) -> list[str]:
    """The words that occur so often, the most frequent first, equals by spelling."""
    counts = Counter(chain.from_iterable(sentences))
    return sorted((word for word in counts if counts[word] >= least), key=lambda word: (-counts[word], word))


def likelihood(sentences: Sentences, classes: Classes) -> int:
    """Of the class bigram model, in units, but for the term that no classes change."""
    tokens: list[Hashable] = [EDGE]
    for sentence in sentences:
        tokens += [*(classes.get(word, RARE) for word in sentence), EDGE]
    pairs, sizes = Counter(pairwise(tokens)), Counter(tokens[1:])
    table = n_ln_n_table()

    def total(counts: Counter[Hashable]) -> int:
        return sum(int(n_ln_n(count, table)) for count in counts.values())

    return total(pairs) - 2 * total(sizes)  # type: ignore[arg-type]  # pairs are hashable, too


def exchange(sentences: Sentences, least: int, number: int, sweeps: int) -> tuple[Classes, list[int]]:
    """The classes from 0 on, and the likelihoods at the start and after each sweep."""
    words = frequent_words(sentences, least)
    classes = {word: place % number for place, word in enumerate(words)}
    likelihoods = [likelihood(sentences, classes)]
    for _ in range(sweeps):
        before = dict(classes)
        for word in words:
            tried = {new: likelihood(sentences, classes | {word: new}) for new in range(number)}
            best = max(tried.values())
            if tried[classes[word]] < best:
                classes[word] = min(new for new in tried if tried[new] == best)
        likelihoods.append(likelihood(sentences, classes))
        if classes == before:
            break
    return classes, likelihoods


def merge(sentences: Sentences, classes: Classes, most: int, number: int) -> Classes:
    """Classes merged until so many are left of those from 0 to most - 1."""
    left = list(range(most))
    while len(left) > number:
        losses = {
            (first, second): -likelihood(sentences, {w: first if c == second else c for w, c in classes.items()})
            for first, second in combinations(left, 2)
        }
        first, second = min(losses, key=lambda pair: (losses[pair], pair))
        classes = {word: first if of == second else of for word, of in classes.items()}
        left.remove(second)
    return classes
