"""`gpuparse bench features`: what the matrix of a treebank costs to build and to keep, and what a candidate costs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gpuparse.cli.arguments import Json, MaxWords, OptionalTreebanks, StrategyOption
from gpuparse.cli.prepare import prepared_trees
from gpuparse.cli.tables import print_json, print_table
from gpuparse.options import Strategy

if TYPE_CHECKING:
    from gpuparse.parse.features.examples import TrainingData
    from gpuparse.parse.logic.vocabulary import Vocabulary
    from gpuparse.trees import Tree

SYNTHETIC_TREES = 3_000
PARSED = 200  # sentences whose candidates are timed


def features_command(
    treebanks: OptionalTreebanks = None,
    max_words: MaxWords = None,
    strategy: StrategyOption = Strategy.r2l,
    as_json: Json = False,
) -> None:
    """Measure the feature matrix, and features during a search."""
    figures = features_cost(_trees(treebanks or [], max_words), strategy)
    if as_json:
        print_json(figures)
    else:
        shown = [[name, f"{value:,.4g}"] for name, value in figures.items() if not isinstance(value, dict)]
        print_table("Features", ["figure", "value"], shown)


def _trees(treebanks: Sequence[str], max_words: int | None) -> list[Tree]:
    from gpuparse.trees import count_words, load_language, prepare
    from gpuparse.trees.synthetic import synthetic_treebank

    if treebanks:
        return list(prepared_trees(treebanks, max_words))
    english = load_language()
    prepared = [prepare(tree, english) for tree in synthetic_treebank(SYNTHETIC_TREES, seed=0)]
    return [
        sentence.tree
        for sentence in prepared
        if sentence.tree and (max_words is None or count_words(sentence.sentence.tokens, english) <= max_words)
    ]


def features_cost(trees: Sequence[Tree], strategy: Strategy = Strategy.r2l) -> dict[str, Any]:
    """The size of the matrix, the CPU time and memory it took, and the time a candidate takes at parse time.

    `nonzeros` counts the entries of the matrix, `stored_nonzeros` those that are kept, since rows share segments.

    >>> from gpuparse.trees import parse_tree
    >>> figures = features_cost([parse_tree("(TOP (NP (NNP Ann)))")])
    >>> figures["rows"], figures["examples"], figures["examples_of_label"]
    (2, 3, {'NP': 1, 'TOP': 2})
    """
    from gpuparse.parse.features.examples import build_training_data
    from gpuparse.parse.logic.vocabulary import build_vocabulary
    from gpuparse.trees import load_language

    order = strategy
    vocabulary = build_vocabulary(trees, load_language())
    build_training_data([tree for tree in trees if len(tree) > 1][:1], vocabulary, order)  # compiles
    start = time.process_time()
    training = build_training_data(trees, vocabulary, order)
    cpu_seconds = time.process_time() - start
    return {
        **_sizes(training, vocabulary),
        "cpu_seconds": cpu_seconds,
        "peak_rss_bytes": _peak_memory(),
        **_extraction_cost([tree for tree in trees if len(tree) > 1][:PARSED], vocabulary, order),
    }


def _sizes(training: TrainingData, vocabulary: Vocabulary) -> dict[str, Any]:
    import numpy as np

    from gpuparse.parse.features.walk import NOT_ALLOWED

    candidates, matrix = training.candidates, training.matrix
    of_label = np.count_nonzero(candidates.choices != NOT_ALLOWED, axis=0).tolist()
    rows, examples, nonzeros = len(matrix.segments), sum(of_label), matrix.nonzeros()
    return {
        "sentences": len(np.unique(candidates.sentences)),
        "states": len(candidates.sentences),
        "candidates": len(candidates.states),
        "rows": rows,
        "examples": examples,
        "examples_of_label": dict(zip(vocabulary.labels, of_label, strict=True)),
        "rows_per_example": rows / max(examples, 1),
        "features": len(training.matrix.numbers),
        "nonzeros": nonzeros,
        "nonzeros_per_row": nonzeros / max(rows, 1),
        "stored_nonzeros": len(matrix.features),
        "nonzeros_per_stored": nonzeros / max(len(matrix.features), 1),
        "bytes": matrix.bytes() + sum(array.nbytes for array in candidates),
        "matrix_bytes": matrix.bytes(),
        "uninferable": training.uninferable,
    }


def _peak_memory() -> int:
    """The most memory that this process has used, in bytes."""
    import resource  # only Unix has it, and the other commands must not need it

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _extraction_cost(trees: Sequence[Tree], vocabulary: Vocabulary, strategy: Any) -> dict[str, Any]:
    """CPU time to compute every feature of a candidate, one head for each, over the states of gold paths."""
    import numpy as np

    from gpuparse.dtypes import FEATURE, ITEM
    from gpuparse.parse.features.extraction import segment_capacity
    from gpuparse.parse.features.groups import Column
    from gpuparse.parse.features.space import FeatureSpace
    from gpuparse.parse.logic.goldpath import gold_path
    from gpuparse.parse.logic.headtable import compile_heads

    extract = _compiled_extraction()
    heads, numbering = compile_heads(vocabulary), FeatureSpace(vocabulary).numbering()
    paths = [gold_path(tree, vocabulary, strategy, [0, number]) for number, tree in enumerate(trees)]
    most_words = max(len(path.terminals) for path in paths)
    frontier = np.empty(most_words, ITEM)
    out = np.empty(len(Column) * segment_capacity(most_words), FEATURE)
    extract(paths[0], int(strategy), 5, heads, numbering, frontier, out)  # compiles
    start = time.process_time()
    counts = [extract(path, int(strategy), 5, heads, numbering, frontier, out) for path in paths]
    seconds = time.process_time() - start
    candidates = sum(count for count, _ in counts)
    return {
        "extracted_candidates": candidates,
        "written_per_candidate": sum(written for _, written in counts) / max(candidates, 1),
        "nanoseconds_per_candidate": seconds / max(candidates, 1) * 1e9,
    }


def _compiled_extraction() -> Callable[..., tuple[int, int]]:
    """Compiled code that computes all features of all candidates of a gold path, and counts both."""
    from gpuparse.jit import kernel
    from gpuparse.parse.features.extraction import emit_segment
    from gpuparse.parse.features.walk import N_COLUMNS, infer
    from gpuparse.parse.logic.headtable import head_index
    from gpuparse.parse.logic.strategy import allows_children

    @kernel
    def extract(
        path: Any, strategy: int, max_children: int, heads: Any, numbering: Any, frontier: Any, out: Any
    ) -> tuple[int, int]:
        terminals, items, _, _ = path
        size, last, candidates, written = terminals.shape[0], -1, 0, 0
        for at in range(size):
            frontier[at] = at
        for gold in range(size, items.shape[0]):
            for i in range(size):
                for j in range(i, min(i + max_children, size)):
                    if allows_children(strategy, last, items, terminals, frontier, i, j):
                        h = head_index(heads, 0, items, terminals, frontier, i, j)
                        at = 0
                        for column in range(N_COLUMNS):
                            at = emit_segment(column, numbering, items, terminals, frontier, size, i, j, h, out, at)
                        candidates += 1
                        written += at
            last, children = infer(items, frontier, size, gold)
            size -= children - 1
        return candidates, written

    return extract
