"""Trains the English model on GUM's documents of freely licensed genres, measures it, and writes its card.

Run by scripts/train-english. Every figure of the card is measured here; no sentence of the treebank leaves it.
"""

from __future__ import annotations

import argparse
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuparse.device import find_device
from gpuparse.evaluate import Evaluation, evaluate
from gpuparse.options import SearchOptions
from gpuparse.parse.input import parse_sentences, read_words_of_trees, tag_anew
from gpuparse.parse.model.file import load_model
from gpuparse.parse.model.model import Model
from gpuparse.parse.search.parser import Parser
from gpuparse.pretrained.bundled import FENCE, FOLDER
from gpuparse.trees import TOP, Tree, count_words, read_trees, strip
from gpuparse.version import VERSION

SOURCES = {  # the genres to learn from, as GUM's LICENSE.txt tells the licences of their texts
    "academic": "CC BY 4.0 (DH2017, Linguistic Society of America, PLOS)",
    "bio": "CC BY-SA 3.0 (Wikipedia)",
    "court": "CC BY 4.0 (several public sources)",
    "interview": "CC BY 2.5 (Wikinews)",
    "news": "CC BY 2.5 (Wikinews)",
    "speech": "not told by LICENSE.txt; see the metadata of the documents",
    "textbook": "not told by LICENSE.txt; see the metadata of the documents",
    "vlog": "not told by LICENSE.txt; see the metadata of the documents",
    "voyage": "CC BY-SA 3.0 (Wikivoyage)",
}
LICENCE = "CC BY-SA 4.0 as far as it derives from its texts; annotations CC BY 4.0"
MOST_WORDS = (15, 40, None)  # words; punctuation is none, as for gpuparse eval --max-words
WORST = 6  # labels shown as those it is worst at
FREQUENT = 20  # brackets that a label has in the gold trees, at least, to be among them

CARD = """{fence}
name: {name}
language: English
data: GUM ({genres})
licence: {licence}
trained_on: {sentences} sentences of {learned}
f1: {f1}
f1_tagger: {f1_tagger}
gpuparse: {version}
{fence}

# {name}: an English model

Written by `scripts/train-english`, which made every figure here. To make it again:

    scripts/train-english {arguments}

which calls

    {command}

## What it learned from

{documents} documents of the [Georgetown University Multilayer corpus](https://gucorpling.org/gum/) (GUM), its part for
training, in genres that its LICENSE.txt does not restrict to non-commercial use. The model keeps no sentence of them:
their words in sorted lists, and rules.

| genre | documents | licence of the texts |
|---|---|---|
{sources}

The annotations of GUM are licensed under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/). They were made by
the annotators listed at <https://gucorpling.org/gum/>. For scholarly work cite: Zeldes, Amir (2017), "The GUM Corpus:
Creating Multilayer Resources in the Classroom", Language Resources and Evaluation 51(3), 581-612. As far as this model
is a work derived from texts under CC BY-SA, its licence is [CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/).

## Its size

{size}

## How well it parses

All of `gum/dev` ({dev} sentences, genres it did not learn from included), with COLLINS.prm's rules; F1 in percent.

| sentences | gold tags | the tagger's tags |
|---|---|---|
{lengths}

{tagging} {outcomes}

## How fast

{speed}

## What it is bad at

{bad}
"""


@dataclass(frozen=True)
class Parsed:
    """The trees of the development set, and what it took to find them."""

    trees: list[Tree]
    statuses: Counter[str]
    seconds: float  # of CPU time


def main() -> None:
    """Train, measure, and put the model and its card in place."""
    options, passed = read_arguments(sys.argv[1:])
    documents = chosen_documents(options.treebank / "train", options.genres)
    trained = options.work / f"{options.name}.model"
    trained.parent.mkdir(parents=True, exist_ok=True)
    training = subprocess.run([*training_command(trained, passed), *map(str, documents)], check=False)
    if training.returncode:
        sys.exit(training.returncode)
    card = describe(options, [option for option in passed if option != "--resume"], documents, trained)
    options.folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(trained, options.folder / trained.name)
    (options.folder / f"{options.name}.md").write_text(card, encoding="utf-8")
    print(card)


def read_arguments(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options of this script, and those that go to `gpuparse train`."""
    parser = argparse.ArgumentParser(
        prog="scripts/train-english",
        allow_abbrev=False,
        description="Train the English model that comes with gpuparse. Options not named here go to gpuparse train: "
        "--max-words 25 --eta 0.8 --min-lambda 0.1 --sample 100000 --jobs 2 ...",
    )
    parser.add_argument("treebank", type=Path, help="the folder of GUM, with its folders train and dev")
    parser.add_argument("--genres", nargs="+", choices=SOURCES, default=list(SOURCES), help="genres to learn from")
    parser.add_argument("--name", default="english", help="the name of the model (english)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where to put it (the package's folder)")
    work = Path(tempfile.gettempdir(), "gpuparse-english")
    parser.add_argument(
        "--work", type=Path, default=work, help="where to train, so that --resume can go on (%(default)s)"
    )
    parser.add_argument("--limit", type=int, default=SearchOptions().limit, help="of the search while it is measured")
    return parser.parse_known_args(arguments)


def chosen_documents(folder: Path, genres: Sequence[str]) -> list[Path]:
    """The documents of these genres; the genre is the second part of a name such as GUM_news_iodine.ptb."""
    documents = sorted(path for path in folder.glob("GUM_*.ptb") if genre(path) in genres)
    if not documents:
        sys.exit(f"{folder}: no documents named GUM_genre_name.ptb of the genres {', '.join(genres)}")
    return documents


def genre(document: Path) -> str:
    """The genre of a document."""
    return document.stem.split("_")[1]


def training_command(model: Path, passed: Sequence[str]) -> list[str]:
    """The command that trains, but for the documents."""
    return [str(Path(sys.executable).with_name("gpuparse")), "train", "--output", str(model), *passed]


def describe(options: argparse.Namespace, passed: Sequence[str], documents: Sequence[Path], file: Path) -> str:
    """The card of a model."""
    model = load_model(file)
    dev = sorted((options.treebank / "dev").glob("GUM_*.ptb"))
    gold = [tree for document in dev for tree in read_trees(document)]
    genres = [genre(document) for document in dev for _ in read_trees(document)]
    by_tags = {retag: parse_words(model, gold, retag, options.limit) for retag in (False, True)}
    language = model.vocabulary.language
    lengths = [count_words(strip(tree, language).tokens(), language) for tree in gold]
    scores = {retag: evaluate(gold, parsed.trees) for retag, parsed in by_tags.items()}
    return CARD.format(
        fence=FENCE,
        name=options.name,
        genres=", ".join(options.genres),
        licence=LICENCE,
        sentences=_number(model.configuration["positive_examples"][TOP]),
        learned=_lengths(model.configuration["max_words"]),
        f1=f"{scores[False].overall.f1:.2f}",
        f1_tagger=f"{scores[True].overall.f1:.2f}",
        version=VERSION,
        arguments=shlex.join(["gum", *_own_arguments(options), *passed]),
        command=f"gpuparse train gum/train/GUM_{{{','.join(options.genres)}}}_*.ptb --output {file.name} "
        + shlex.join(passed),
        documents=len(documents),
        sources=source_table(documents, options.genres),
        size=size_of(model, file),
        dev=_number(len(gold)),
        lengths=length_table(scores, lengths),
        tagging=tagging(scores[True]),
        outcomes=outcomes(by_tags[False].statuses),
        speed=speed(by_tags[False]),
        bad=weaknesses(scores[True], gold, by_tags[True].trees, genres),
    )


def _own_arguments(options: argparse.Namespace) -> list[str]:
    defaults = {"name": "english", "genres": list(SOURCES), "limit": SearchOptions().limit}
    changed = {name: getattr(options, name) for name, value in defaults.items() if getattr(options, name) != value}
    return [
        piece
        for name, value in changed.items()
        for piece in (f"--{name}", *(value if isinstance(value, list) else [str(value)]))
    ]


def parse_words(model: Model, gold: Sequence[Tree], retag: bool, limit: int) -> Parsed:
    """Parse the words of trees, with their tags or with the tagger's."""
    language, tagger = model.vocabulary.language, model.tagger
    sentences = list(read_words_of_trees(gold, language))
    if retag and tagger is not None:
        sentences = list(tag_anew(sentences, tagger, language))
    kernels = find_device("cpu").kernels
    parser = Parser(model.vocabulary, model.rules(), model.strategy, model.max_children, kernels)
    options = SearchOptions(limit=limit)
    list(parse_sentences(parser, sentences[:3], options))  # so that everything is compiled
    start = time.process_time()
    parsed = list(parse_sentences(parser, sentences, options))
    seconds = time.process_time() - start
    return Parsed([one.tree for one in parsed], Counter(one.status for one in parsed), seconds)


def source_table(documents: Iterable[Path], genres: Sequence[str]) -> str:
    """The genres as rows of a table."""
    numbers = Counter(map(genre, documents))
    return "\n".join(f"| {name} | {numbers[name]} | {SOURCES[name]} |" for name in genres)


def size_of(model: Model, file: Path) -> str:
    """What the model is made of, in a sentence."""
    trees = sum(ensemble.trees_at(model.lambda_) for ensemble in model.ensembles.values())
    compounds = sum(len(ensemble.compounds(model.lambda_)) for ensemble in model.ensembles.values())
    words = len(model.vocabulary.words)
    tagger = f"; its tagger has {_number(len(model.tagger.row_weights))} weights" if model.tagger else ""
    return (
        f"{file.stat().st_size / 1e6:.1f} MB: {len(model.ensembles)} labels, {_number(trees)} trees and "
        f"{_number(compounds)} rules at lambda {model.lambda_:.4g}, {_number(words)} words{tagger}."
    )


def length_table(scores: dict[bool, Evaluation], lengths: Sequence[int]) -> str:
    """F1 by length as rows of a table."""
    rows = []
    for most in MOST_WORDS:
        cells = []
        for retag in (False, True):
            chosen = [score for score in scores[retag].scores if most is None or lengths[score.id - 1] <= most]
            overall = Evaluation(chosen, scores[retag].rules).overall
            cells.append(f"{overall.f1:.2f} ({_number(overall.valid)} sentences)")
        name = "all" if most is None else f"at most {most} words"
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def tagging(scores: Evaluation) -> str:
    """How good the tagger's tags are, in a sentence."""
    overall = scores.overall
    share = 100 * overall.correct_tags / max(overall.words, 1)
    left_out = (
        f" ({overall.errors} sentences whose punctuation it tagged otherwise are left out)" if overall.errors else ""
    )
    return f"The tagger gives {share:.2f} % of the words their tag{left_out}."


def outcomes(statuses: Counter[str]) -> str:
    """How the searches ended, in a sentence."""
    total = sum(statuses.values())
    told = ", ".join(f"{100 * number / total:.1f} % {status}" for status, number in statuses.most_common())
    return f"With gold tags the searches end as: {told}."


def speed(parsed: Parsed) -> str:
    """Sentences and words a second, in a sentence."""
    sentences = len(parsed.trees) / parsed.seconds
    tokens = sum(len(tree.tokens()) for tree in parsed.trees) / parsed.seconds
    return (
        f"{sentences:.0f} sentences, {tokens:.0f} tokens a second of one core, "
        f"all lengths, search included and tagging not ({platform.machine()}, measured beside other work)."
    )


def weaknesses(scores: Evaluation, gold: Sequence[Tree], test: Sequence[Tree], genres: Sequence[str]) -> str:
    """The genres and the labels that it is worst at, with the tagger's tags."""
    by_genre: dict[str, float] = {}
    for name in sorted(set(genres)):
        numbers = [number for number, of in enumerate(genres, 1) if of == name]
        by_genre[name] = evaluate(gold, test, numbers=numbers).overall.f1
    labels = {label: counts for label, counts in scores.by_label.items() if counts.gold >= FREQUENT}
    worst = sorted(labels, key=lambda label: labels[label].f1)[:WORST]
    return (
        "Long sentences, and text unlike that it learned from. With the tagger's tags, F1 by genre: "
        + ", ".join(f"{name} {f1:.1f}" for name, f1 in sorted(by_genre.items(), key=lambda pair: pair[1]))
        + ". The labels that it is worst at: "
        + ", ".join(f"{label} {labels[label].f1:.1f}" for label in worst)
        + "."
    )


def _lengths(max_words: int | None) -> str:
    """The lengths of the sentences it learned from."""
    return "any length" if max_words is None else f"at most {max_words} words"


def _number(value: Any) -> str:
    return f"{value:,}"


if __name__ == "__main__":
    main()
