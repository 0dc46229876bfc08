"""`gpuparse bench features`: what the matrix of a treebank costs to build and to keep, and what a candidate costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gpuparse.cli.arguments import Json, MaxWords, OptionalTreebanks, StrategyOption
from gpuparse.cli.bench.measuring import Step, measuring, no_step
from gpuparse.cli.prepare import prepared_trees, tell_folders
from gpuparse.cli.tables import print_json, print_table
from gpuparse.options import Strategy, TrainingOptions

if TYPE_CHECKING:
    from gpuparse.parse.features.examples import TrainingData
    from gpuparse.parse.logic.vocabulary import Vocabulary
    from gpuparse.trees import Tree

TREES_WALKED = 3_000
PARSED_SENTENCES = 200  # sentences whose candidates are timed


def features_command(
    treebanks: OptionalTreebanks = None,
    max_words: MaxWords = None,
    strategy: StrategyOption = TrainingOptions.strategy,
    as_json: Json = False,
) -> None:
    """Measure the feature matrix, and features during a search."""
    tell_folders(treebanks or [])
    trees = _trees(treebanks or [], max_words)
    with measuring(len(trees), "sentence") as progress:
        figures = features_cost(trees, strategy, progress.advance)
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
    prepared = [prepare(tree, english) for tree in synthetic_treebank(TREES_WALKED, seed=0)]
    return [
        sentence.tree
        for sentence in prepared
        if sentence.tree and (max_words is None or count_words(sentence.sentence.tokens, english) <= max_words)
    ]


def features_cost(trees: Sequence[Tree], strategy: Strategy = Strategy.r2l, step: Step = no_step) -> dict[str, Any]:
    """The size of the matrix, the CPU time and memory it took, and the time a candidate takes at parse time.

    `nonzeros` counts the entries of the matrix, `stored_nonzeros` those that are kept, since rows share segments.

    >>> from gpuparse.trees import parse_tree
    >>> figures = features_cost([parse_tree("(TOP (NP (NNP Ann)))")])
    >>> figures["rows"], figures["examples"], figures["examples_of_label"]
    (2, 3, {'NP': 1, 'TOP': 2})
    """
    from gpuparse.parse.features.examples import Source, build_training_data
    from gpuparse.parse.logic.vocabulary import build_vocabulary
    from gpuparse.parse.needs import peak_memory
    from gpuparse.trees import load_language

    order = strategy
    vocabulary = build_vocabulary(trees, load_language())
    build_training_data(Source([tree for tree in trees if len(tree) > 1][:1], vocabulary, order))  # compiles
    start = time.process_time()
    training = build_training_data(Source(trees, vocabulary, order), lambda _: step())
    cpu_seconds = time.process_time() - start
    return {
        **_sizes(training, vocabulary),
        "cpu_seconds": cpu_seconds,
        "peak_rss_bytes": peak_memory(),
        **_extraction_cost([tree for tree in trees if len(tree) > 1][:PARSED_SENTENCES], vocabulary, order),
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


def _extraction_cost(trees: Sequence[Tree], vocabulary: Vocabulary, strategy: Any) -> dict[str, Any]:
    """CPU time to compute every feature of a candidate, one head for each, over the states of gold paths."""
    import numpy as np

    from gpuparse.dtypes import FEATURE
    from gpuparse.parse.features.extraction import segment_capacity
    from gpuparse.parse.features.groups import Column
    from gpuparse.parse.features.space import FeatureSpace
    from gpuparse.parse.logic.goldpath import gold_path
    from gpuparse.parse.logic.state import make_state
    from gpuparse.parse.logic.strategy import make_logic

    extract = _compiled_extraction()
    logic, numbering = make_logic(vocabulary, strategy, 5), FeatureSpace(vocabulary).numbering()
    paths = [gold_path(tree, vocabulary, strategy, [0, number]) for number, tree in enumerate(trees)]
    states = [make_state(path.terminals, path.items) for path in paths]
    out = np.empty(len(Column) * segment_capacity(max(len(path.terminals) for path in paths)), FEATURE)
    extract(states[0], logic, numbering, out)  # compiles
    start = time.process_time()
    counts = [extract(state, logic, numbering, out) for state in states]
    seconds = time.process_time() - start
    candidates = sum(count for count, _ in counts)
    return {
        "extracted_candidates": candidates,
        "written_per_candidate": sum(written for _, written in counts) / max(candidates, 1),
        "nanoseconds_per_candidate": seconds / max(candidates, 1) * 1e9,
    }


def _compiled_extraction() -> Callable[..., tuple[int, int]]:
    """Compiled code that computes all features of all candidates of a gold path, and counts both."""
    import numpy as np

    from gpuparse.jit import kernel
    from gpuparse.parse.features.extraction import emit_inference
    from gpuparse.parse.features.runs import CUTS
    from gpuparse.parse.logic.headtable import head_index
    from gpuparse.parse.logic.state import N_FRONTIER, Run, begin_frontier, find_children, put_over
    from gpuparse.parse.logic.strategy import allows_children

    @kernel
    def extract(state: Any, logic: Any, numbering: Any, out: Any) -> tuple[int, int]:
        cuts = np.empty(CUTS, np.int64)
        candidates, written = 0, 0
        begin_frontier(state)
        for gold in range(len(state.terminals), len(state.items)):
            size = state.extent[N_FRONTIER]
            for i in range(size):
                for j in range(i, min(i + logic.max_children, size)):
                    if allows_children(logic, state, i, j):
                        run = Run(i, j, head_index(logic.heads, 0, state, i, j))
                        written += emit_inference(numbering, state, run, cuts, out)
                        candidates += 1
            left, right = find_children(state, gold)
            put_over(state, gold, left, right)
        return candidates, written

    return extract
