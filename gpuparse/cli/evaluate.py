"""`gpuparse eval`: how well test trees agree with gold trees, in EVALB's figures."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpuparse.cli.arguments import Json, LanguageFile, MaxWords, Seed
from gpuparse.cli.tables import print_json, print_table
from gpuparse.errors import UsageError
from gpuparse.printable import printable

if TYPE_CHECKING:
    from gpuparse.evaluate import Evaluation, ScoringRules
    from gpuparse.evaluate.significance import Difference
    from gpuparse.trees import Language, Tree


def evaluate_command(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The trees that are right: a file, a folder, or -.")],
    test: Annotated[str, typer.Argument(metavar="TEST", help="The trees to score, in the same order.")],
    max_words: MaxWords = None,
    params: Annotated[
        Path | None, typer.Option(metavar="FILE.prm", help="EVALB's parameter file. [default: COLLINS.prm]")
    ] = None,
    by_tokens: Annotated[
        bool,
        typer.Option(
            "--by-tokens",
            help="Only GOLD's tags decide what is punctuation. EVALB leaves out sentences whose tags disagree.",
        ),
    ] = False,
    as_json: Json = False,
    per_sentence: Annotated[bool, typer.Option("--per-sentence", help="Print a line per sentence too.")] = False,
    compare: Annotated[
        str | None,
        typer.Option(metavar="OTHER", help="Another parser's trees, to test the difference."),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, metavar="N", help="Shuffles for --compare.")] = 100_000,
    seed: Seed = 0,
    language: LanguageFile = None,
) -> None:
    """Score trees against gold trees, with the figures of EVALB.

    The words that --max-words counts are gold tokens other than punctuation and brackets (`notwords` in the language
    file). EVALB's lengths, as in len<=40, count punctuation.
    """
    from gpuparse.trees import load_language

    trees = _read_all([path for path in (gold, test, compare) if path is not None])
    loaded = load_language(language)
    rules = _rules(loaded, params, by_tokens)
    numbers = _short_sentences(trees[0], max_words, loaded)
    evaluations = [evaluation_of(trees[0], candidate, rules, numbers) for candidate in trees[1:]]
    differences = _compare(evaluations[0], evaluations[1], trials, seed) if compare else []
    for name, evaluation in zip((test, compare), evaluations, strict=False):
        if warning := evaluation.warning():
            print(printable(f"gpuparse: WARNING: {name}: {warning}"), file=sys.stderr)
    if as_json:
        content = evaluations[0].as_json(per_sentence)
        if compare:
            measures = {difference.measure: difference.as_json() for difference in differences}
            content["compare"] = {**measures, "trials": trials, "not_scored": evaluations[1].not_scored_as_json()}
        print_json(content)
        return
    print_evaluation(evaluations[0], per_sentence)
    if compare:
        _print_differences(differences, trials)
    for name, evaluation in zip(("TEST", "OTHER"), evaluations, strict=False):
        _print_not_scored(name, evaluation)
    print(f"Rules: {evaluations[0].rules}")


def evaluation_of(
    gold: Sequence[Tree], test: Sequence[Tree], rules: ScoringRules, numbers: Sequence[int] | None = None
) -> Evaluation:
    """The evaluation of the sentences `numbers` (by default all)."""
    from gpuparse.cli.progress import Progress
    from gpuparse.evaluate import evaluate

    if len(gold) != len(test):
        return evaluate(gold, test, rules)  # it raises the error that says what is wrong
    sentences = range(1, len(gold) + 1) if numbers is None else numbers
    with Progress("sentence", total=len(sentences)) as progress:
        return evaluate(gold, test, rules, progress.through(sentences))


def _rules(language: Language, params: Path | None, by_tokens: bool) -> ScoringRules:
    """The rules of a parameter file, by default those of the language."""
    from gpuparse.evaluate import read_rules, rules_of

    return replace(read_rules(params, language) if params else rules_of(language), by_tokens=by_tokens)


def _compare(first: Evaluation, second: Evaluation, trials: int, seed: int) -> list[Difference]:
    from gpuparse.evaluate.significance import compare

    return compare(first.scores, second.scores, trials, seed)


def _read_all(paths: Sequence[str]) -> list[list[Tree]]:
    from gpuparse.cli.prepare import tell_folders
    from gpuparse.cli.progress import Progress, terminal_is_taken
    from gpuparse.trees import Meter, read_trees, treebank_files

    if paths.count("-") > 1:
        raise UsageError("Only one of the treebanks can be the standard input (-).")
    tell_folders(paths)
    meter = Meter(treebank_files(paths))
    with Progress("tree", share=meter.share, quiet=terminal_is_taken(False, reads_input="-" in paths)) as progress:
        return [list(progress.through(read_trees(path, meter=meter))) for path in paths]


def _short_sentences(gold: Sequence[Tree], max_words: int | None, language: Language) -> list[int] | None:
    """The numbers of the sentences with at most so many words; None for all."""
    from gpuparse.trees import count_words, strip

    if max_words is None:
        return None
    return [n for n, tree in enumerate(gold, 1) if count_words(strip(tree, language).tokens(), language) <= max_words]


def print_evaluation(evaluation: Evaluation, per_sentence: bool = False) -> None:
    """Prints an evaluation for people: EVALB's tables, then those by label and by length."""
    from gpuparse.evaluate.listing import HEADER, RULE, sentence_line, summary_lines, total_line

    if per_sentence:
        print(HEADER)
        for score in evaluation.scores:
            print(sentence_line(score))
        print(RULE)
        print(total_line(evaluation.overall))
        print("=== Summary ===\n")
    for title, summary in (("All", evaluation.overall), (f"len<={evaluation.rules.cutoff}", evaluation.short)):
        print("\n".join(summary_lines(title, summary)), end="\n\n")
    _print_breakdown(evaluation)


def _print_not_scored(name: str, evaluation: Evaluation) -> None:
    from gpuparse.evaluate import ScoreStatus

    for status in (ScoreStatus.ERROR, ScoreStatus.SKIPPED):
        for score in evaluation.with_status(status):
            print(f"{name}, {status.name.lower()}: sentence {score.id}: {score.problem}")


def _print_breakdown(evaluation: Evaluation) -> None:
    exact = evaluation.overall.figures()["exact_match"]
    print(f"Exact match (brackets and tags) = {exact:.2f}\n")
    measures = ["recall", "precision", "f1"]
    labels = {label: counts.figures() for label, counts in evaluation.by_label.items()}
    print_table(
        "By label",
        ["label", "gold", "test", *measures],
        [
            [label, str(f["gold"]), str(f["test"]), *(f"{f[measure]:.2f}" for measure in measures)]
            for label, f in labels.items()
        ],
    )
    print()
    measures.append("complete_match")
    lengths = {lengths: summary.figures() for lengths, summary in evaluation.by_length.items()}
    print_table(
        "By length",
        ["length", "sentences", *(measure.replace("_", " ") for measure in measures)],
        [
            [length, str(f["sentences"]), *(f"{f[measure]:.2f}" for measure in measures)]
            for length, f in lengths.items()
        ],
    )
    print()


def _print_differences(differences: Sequence[Difference], trials: int) -> None:
    print_table(
        f"Compared on the sentences valid in both ({trials} trials of stratified shuffling)",
        ["measure", "test", "other", "difference", "p"],
        [[d.measure, f"{d.first:.2f}", f"{d.second:.2f}", f"{d.size:+.2f}", f"{d.p:.5f}"] for d in differences],
    )
    print()
