"""`gpuparse examples`: what the parser learns from, one inference per line, with its features in words."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpuparse.cli.arguments import (
    LanguageFile,
    MaxChildren,
    MaxWords,
    Output,
    Seed,
    StrategyOption,
    Treebanks,
)
from gpuparse.cli.prepare import prepared_trees
from gpuparse.options import TrainingOptions

if TYPE_CHECKING:
    from gpuparse.parse.features.examples import Source, TrainingData
    from gpuparse.parse.logic.vocabulary import Vocabulary

SENTENCES_AT_ONCE = 100  # sentences that are walked before their examples are printed


def examples_command(
    treebanks: Treebanks,
    strategy: StrategyOption = TrainingOptions.strategy,
    with_features: Annotated[
        bool, typer.Option("--features", help="Give the features of each example in words.")
    ] = False,
    sentence: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Only the N-th prepared sentence, counted from 0.")
    ] = None,
    max_words: MaxWords = None,
    max_children: MaxChildren = TrainingOptions.max_children,
    seed: Seed = 0,
    language: LanguageFile = None,
    output: Output = None,
) -> None:
    """Print what the parser learns from in a treebank, as JSON lines.

    Each example is an inference that a state along the gold path allows, and whether it is correct.
    """
    from gpuparse.cli.output import results_to
    from gpuparse.cli.prepare import tell_folders
    from gpuparse.cli.progress import Progress, terminal_is_taken
    from gpuparse.parse.features.examples import Source
    from gpuparse.parse.logic.vocabulary import build_vocabulary
    from gpuparse.trees import Meter, load_language, treebank_files

    tell_folders(treebanks)
    meter = Meter(treebank_files(treebanks))
    with Progress("tree", share=meter.share, quiet=terminal_is_taken(False, reads_input="-" in treebanks)) as reading:
        trees = list(reading.through(prepared_trees(treebanks, max_words, language, meter=meter)))
    vocabulary = build_vocabulary(trees, load_language(language))
    uninferable = 0
    total = len(trees) if sentence is None else 1
    taken = terminal_is_taken(writes_results=output is None)
    with results_to(output) as write, Progress("sentence", total=total, quiet=taken) as progress:
        done = 0
        source = Source(trees, vocabulary, strategy, max_children, seed)
        for training in walked(source, sentence):
            uninferable += training.uninferable
            for example in described(training, vocabulary, with_features):
                write(json.dumps(example, ensure_ascii=False) + "\n")
            for _ in range(min(SENTENCES_AT_ONCE, total - done)):
                progress.advance()
                done += 1
    if uninferable:
        why = f"they have more than {max_children} children, or are a TOP over several items"
        print(f"gpuparse: {uninferable} gold items can't be inferred: {why}", file=sys.stderr)


def walked(source: Source, sentence: int | None = None) -> Iterator[TrainingData]:
    """The training data of prepared trees, or of one of them, a hundred sentences at a time."""
    from gpuparse.errors import UsageError
    from gpuparse.parse.features.examples import ExampleBuilder

    size = len(source.trees)
    if sentence is not None and sentence >= size:
        raise UsageError(f"there is no sentence {sentence}: the treebank has {size}, counted from 0")
    numbers = range(size) if sentence is None else [sentence]
    for start in range(0, len(numbers), SENTENCES_AT_ONCE):
        builder = ExampleBuilder(source)
        for number in numbers[start : start + SENTENCES_AT_ONCE]:
            builder.add(number)
        yield builder.finish()


def described(training: TrainingData, vocabulary: Vocabulary, with_features: bool = False) -> Iterator[dict[str, Any]]:
    """Each example as `gpuparse examples` prints it, state by state.

    >>> from gpuparse.parse.features.examples import Source
    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> tree = parse_tree("(TOP (NP (NNP Ann)))")
    >>> vocabulary = build_vocabulary([tree], load_language())
    >>> [(example["state"], example["label"], example["correct"], example["bias"])
    ...  for training in walked(Source([tree], vocabulary)) for example in described(training, vocabulary)]
    [(0, 'NP', True, 0.5), (0, 'TOP', False, 0.5), (1, 'TOP', True, 0.5)]
    """
    from gpuparse.parse.features.space import FeatureSpace
    from gpuparse.parse.features.walk import NOT_ALLOWED

    candidates, matrix = training.candidates, training.matrix
    space = FeatureSpace(vocabulary)
    names = [space.name(number) for number in training.matrix.numbers] if with_features else []
    first_states: dict[int, int] = {}  # of each sentence
    for state, sentence in enumerate(candidates.sentences.tolist()):
        first_states.setdefault(sentence, state)

    def of_row(row: int) -> dict[str, Any]:
        about: dict[str, Any] = {"n_features": matrix.row_length(row)}
        if with_features:
            about["features"] = sorted(names[feature] for feature in matrix.row(row))
        return about

    for at, state in enumerate(candidates.states.tolist()):
        sentence = int(candidates.sentences[state])
        gold, first_row = int(candidates.gold[at]), int(candidates.first_rows[at])
        start, end = candidates.spans[at].tolist()
        children = candidates.children[at].tolist()
        rows: dict[int, dict[str, Any]] = {}  # what labels that share a row have in common
        for label, choice in enumerate(candidates.choices[at].tolist()):
            if choice == NOT_ALLOWED:
                continue
            row = first_row + choice
            if row not in rows:
                rows[row] = of_row(row)
            yield {
                "sentence": sentence,
                "state": state - first_states[sentence],
                "label": vocabulary.labels[label],
                "start": start,
                "end": end,
                "children": children,
                "head": int(candidates.heads[row]),
                "correct": label == gold,
                "bias": 0.5 / int((candidates.correct if label == gold else candidates.incorrect)[state]),
                **rows[row],
            }
