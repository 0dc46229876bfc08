"""`gpuparse inspect`: what a model is made of, how it came about, and its rules in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpuparse.cli.arguments import LAMBDA_HELP, Json, ModelOption
from gpuparse.cli.tables import print_json, print_table
from gpuparse.errors import UsageError

if TYPE_CHECKING:
    from gpuparse.parse.model.model import Model
    from gpuparse.parse.model.words import WordedRule
    from gpuparse.tag import Tagger

LARGEST = 5  # labels whose rules the overview shows
RULES_EACH = 3
BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class LabelFigures:
    """How large the model of one label is."""

    label: str
    trees: int
    leaves: int
    compounds: int  # with a parameter that is not zero
    positive_examples: int | None  # if the model's configuration has it


def inspect_command(
    argument: Annotated[
        str | None,
        typer.Argument(metavar="[MODEL]", help="A model file, or the name of a bundled one. [default: english]"),
    ] = None,
    label: Annotated[str | None, typer.Option(metavar="LABEL", help="The rules of this label, such as NP.")] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="How many rules of the label.")] = 20,
    lambda_: Annotated[float | None, typer.Option("--lambda", min=0.0, metavar="X", help=LAMBDA_HELP)] = None,
    as_json: Json = False,
    model: ModelOption = None,
) -> None:
    """Show what a model holds: sizes, lambda curve, heaviest rules."""
    from gpuparse.parse.model.file import load_model
    from gpuparse.pretrained.bundled import find_model
    from gpuparse.printable import printable

    if argument is not None and model is not None:
        raise UsageError(f"{argument} and --model {model}: there can be one model.")
    file = find_model(argument or model)
    loaded = load_model(file)
    at = loaded.lambda_ if lambda_ is None else lambda_
    if not math.isfinite(at):
        raise UsageError(f"--lambda takes a number from 0 on, not {at}.")
    if label is not None and label not in loaded.ensembles:
        labels = ", ".join(map(printable, loaded.vocabulary.labels))
        raise UsageError(f"{file} has no label {label!r}. Its labels are {labels}.")
    rules = heaviest(loaded, at, label, top)
    if as_json:
        print_json({**overview(loaded, at), "file_bytes": file.stat().st_size, "rules": as_plain(rules)})
        return
    if label is None:
        print_overview(loaded, at, file)
    for name, worded in rules.items():
        print_rules(name, worded)


def heaviest(model: Model, at: float, label: str | None, top: int) -> dict[str, list[WordedRule]]:
    """The heaviest rules of a label, or a few of each of the labels with the most compound features."""
    from gpuparse.parse.model.words import heaviest_rules

    if label is not None:
        return {label: heaviest_rules(model.ensembles[label], model.space, top, at)}
    largest = sorted(model.ensembles, key=lambda name: -len(model.ensembles[name].compounds(at)))[:LARGEST]
    return {name: heaviest_rules(model.ensembles[name], model.space, RULES_EACH, at) for name in largest}


def label_figures(model: Model, at: float) -> list[LabelFigures]:
    """The sizes of every label at a lambda, the largest first."""
    counts = model.configuration.get("positive_examples")
    positive = {k: n for k, n in counts.items() if isinstance(n, int)} if isinstance(counts, dict) else {}
    figures = []
    for label, ensemble in model.ensembles.items():
        trees = ensemble.trees_at(at)
        leaves = int((ensemble.feature[: ensemble.starts[trees]] < 0).sum())
        figures.append(LabelFigures(label, trees, leaves, len(ensemble.compounds(at)), positive.get(label)))
    return sorted(figures, key=lambda label: (-label.compounds, label.label))


def overview(model: Model, at: float) -> dict[str, Any]:
    """Everything but the rules, by name, for programs."""
    vocabulary = model.vocabulary
    curve = [{name.rstrip("_"): figure for name, figure in asdict(point).items()} for point in model.curve]
    sizes = {name: len(getattr(vocabulary, name)) for name in ("labels", "tags", "words")}
    return {
        "lambda": at,
        "strategy": model.strategy.name,
        "max_children": model.max_children,
        "vocabulary": {**sizes, "features": model.space.size},
        "labels": [asdict(figures) for figures in label_figures(model, at)],
        "curve": curve,
        "tagger": None if model.tagger is None else tagger_sizes(model.tagger),
        "configuration": model.configuration,
    }


def tagger_sizes(tagger: Tagger) -> dict[str, int]:
    """How large a tagger is."""
    lexicon = tagger.lexicon
    return {
        "tags": len(lexicon.tags),
        "words": len(lexicon.words),
        "features": len(tagger.keys),
        "weights": len(tagger.row_weights),
    }


def as_plain(rules: Mapping[str, list[WordedRule]]) -> dict[str, list[dict[str, Any]]]:
    """Rules by label, for programs."""
    return {label: [{"weight": rule.weight, "rule": rule.words} for rule in worded] for label, worded in rules.items()}


def print_overview(model: Model, at: float, path: Path) -> None:
    """Print sizes, configuration, labels and the curve for people."""
    vocabulary = model.vocabulary
    facts = {
        "file": f"{path}, {path.stat().st_size / 1e6:.2f} MB",
        "lambda": f"{at:.4g}" + ("" if at == model.lambda_ else f" (the model's own is {model.lambda_:.4g})"),
        "strategy": f"{model.strategy.name}, at most {model.max_children} children",
        "vocabulary": f"{len(vocabulary.words):,} words, {len(vocabulary.tags)} tags, {model.space.size:,} features",
        "tagger": _tagger_in_words(model.tagger),
        **{name: value for name, value in settings(model.configuration) if name != "tagger"},
    }
    print_table("Model", ["what", "value"], [[name, value] for name, value in facts.items()], figures=False)
    print()
    figures = label_figures(model, at)
    total = LabelFigures(
        label="all",
        trees=sum(label.trees for label in figures),
        leaves=sum(label.leaves for label in figures),
        compounds=sum(label.compounds for label in figures),
        positive_examples=sum(label.positive_examples or 0 for label in figures) or None,
    )
    print_table("Labels", ["label", "trees", "leaves", "compounds", "positive"], [_row(f) for f in [*figures, total]])
    print()
    if model.curve:
        print_curve(model)


def _tagger_in_words(tagger: Tagger | None) -> str:
    if tagger is None:
        return "none: words must come with their tags"
    return ", ".join(f"{size:,} {name}" for name, size in tagger_sizes(tagger).items())


def _row(figures: LabelFigures) -> list[str]:
    from gpuparse.printable import printable

    positive = figures.positive_examples
    numbers = (figures.trees, figures.leaves, figures.compounds)
    return [
        printable(figures.label),
        *(f"{number:,}" for number in numbers),
        "-" if positive is None else f"{positive:,}",
    ]


def settings(configuration: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """The single settings of a configuration, one per line; tables by label are shown elsewhere.

    >>> dict(settings({"seed": 0, "learn": {"eta": 0.9}, "max_words": None, "positive_examples": {"NP": 3}}))
    {'seed': '0', 'learn.eta': '0.9'}
    """
    from gpuparse.printable import printable

    for name, value in configuration.items():
        if isinstance(value, dict):
            if name != "positive_examples":
                yield from settings(value, f"{prefix}{name}.")
        elif value is not None and prefix + name not in ("strategy", "max_children"):
            yield printable(prefix + name), printable(f"{value:.6g}" if isinstance(value, float) else str(value))


def print_curve(model: Model) -> None:
    """Print the lambda curve as a table; bars go from the least to the greatest F1, * marks the model's lambda."""
    points = model.curve
    least, greatest = min(point.f1 for point in points), max(point.f1 for point in points)
    rows = []
    for point in points:
        height = (point.f1 - least) / (greatest - least) if greatest > least else 1.0
        bar = BARS[round(height * (len(BARS) - 1))] + (" *" if point.lambda_ == model.lambda_ else "  ")
        scores = [f"{score:.2f}" for score in (point.precision, point.recall, point.f1)]
        rows.append([f"{point.lambda_:.4g}", f"{point.trees:,}", f"{point.compounds:,}", *scores, bar])
    print_table(
        "The tuning set by lambda", ["lambda", "trees", "compounds", "precision", "recall", "F1", "curve"], rows
    )
    print()


def print_rules(label: str, rules: list[WordedRule]) -> None:
    """Print the rules of a label, one per line: weight and words."""
    from gpuparse.printable import printable

    rows = [[f"{rule.weight:+.3f}", rule.words] for rule in rules]
    print_table(f"The heaviest rules of {printable(label)}", ["weight", "rule"], rows, figures=False)
    print()
