"""`gpuparse bench train`: a whole training, with its CPU time by stage and its most memory, and what it is worth."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from gpuparse.cli.arguments import Json, MaxChildren, MaxWords, OptionalTreebanks, Seed
from gpuparse.cli.tables import print_json, print_table
from gpuparse.errors import TrainingError
from gpuparse.options import TrainingOptions

COMMAND = [sys.executable, "-c", "from gpuparse.cli.main import run; run()"]
SYNTHETIC_TREES, SYNTHETIC_TEST = 2_000, 300
COMMON_OPTIONS = ("--eta", "0.5", "--sample", "30000", "--no-tagger")  # as the figures of the documents are


def train_command(
    treebanks: OptionalTreebanks = None,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", metavar="TREEBANK", help="Trees to parse. [default: more synthetic ones]"),
    ] = None,
    max_words: MaxWords = None,
    min_lambda: Annotated[float, typer.Option(min=0.0, metavar="X", help="Where lambda stops.")] = 0.2,
    max_children: MaxChildren = TrainingOptions.max_children,
    memory: Annotated[str | None, typer.Option(metavar="SIZE", help="The most memory, as in 8G.")] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Learn from every inference.")] = False,
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="Labels in parallel.")] = 1,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Measure a whole training: time, memory and F1."""
    options = [
        *COMMON_OPTIONS,
        "--min-lambda",
        min_lambda,
        "--max-children",
        max_children,
        "--jobs",
        jobs,
        "--seed",
        seed,
    ]
    options += [] if max_words is None else ["--max-words", max_words]
    options += [] if memory is None else ["--memory", memory]
    options += ["--keep-all"] if keep_all else []
    if treebanks and not test:
        raise TrainingError("there is nothing to score the model on: name a treebank with --test")
    with tempfile.TemporaryDirectory() as folder:
        learned, held_out = treebanks or [_synthetic(folder, SYNTHETIC_TREES, 0)], test or []
        held_out = held_out or [_synthetic(folder, SYNTHETIC_TEST, 1)]
        figures = training_figures(learned, held_out, list(map(str, options)), max_words, Path(folder))
    if as_json:
        print_json(figures)
        return
    stages = {f"CPU s, {stage}": seconds for stage, seconds in figures.pop("stage_cpu_seconds").items()}
    rows = [[name, "-" if value is None else f"{value:,.5g}"] for name, value in {**figures, **stages}.items()]
    print_table("Training", ["figure", "value"], rows)


def _synthetic(folder: str, number: int, seed: int) -> str:
    """A file of synthetic trees."""
    from gpuparse.trees import synthetic_treebank

    file = Path(folder, f"{seed}.mrg")
    file.write_text("".join(f"{tree}\n" for tree in synthetic_treebank(number, seed)), encoding="utf-8")
    return str(file)


def training_figures(
    treebanks: list[str], test: list[str], options: list[str], max_words: int | None, folder: Path
) -> dict[str, Any]:
    """What `gpuparse train` says of itself, in a process of its own, and F1 on the test trees of at most so many words.

    The process is one that finds everything compiled.
    """
    from gpuparse.trees import count_words, load_language, read_trees, strip

    language = load_language()
    gold = [
        tree
        for tree in read_trees(test)
        if max_words is None or count_words(strip(tree, language).tokens(), language) <= max_words
    ]
    sentences, parsed = folder / "test.mrg", folder / "test.parsed"
    sentences.write_text("".join(f"{tree}\n" for tree in gold), encoding="utf-8")
    model = str(folder / "bench.model")
    _run("warm-up")
    trained = json.loads(_run("train", *treebanks, "--output", model, "--json", *options))
    _run("parse", model, str(sentences), "--input", "trees", "--output", str(parsed))
    scores = json.loads(_run("eval", str(sentences), str(parsed), "--json"))
    shown = ("cpu_seconds", "seconds", "peak_bytes", "rows", "rows_of", "trees", "compounds", "stage_cpu_seconds")
    return {**{name: trained[name] for name in shown}, "test_sentences": len(gold), "f1": scores["f1"]}


def _run(*arguments: str) -> str:
    """What a command prints; its messages go where ours go."""
    return subprocess.run([*COMMAND, *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout
