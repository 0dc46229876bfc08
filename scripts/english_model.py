"""Trains the English model on treebanks and tagged text that may be used for it, measures it, and writes its card.

Run by scripts/train-english. What it learns from is listed in english-treebanks.toml and english-tagged.toml; from the
words of both, classes of words are induced first. Every figure of the card is measured here; no sentence of the corpora
leaves it.
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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuparse.device import find_device
from gpuparse.evaluate import Evaluation, evaluate
from gpuparse.options import SearchOptions
from gpuparse.parse.input import parse_sentences, read_words_of_trees, tag_anew
from gpuparse.parse.model.file import load_model
from gpuparse.parse.model.model import Model
from gpuparse.parse.overruling import Overruler
from gpuparse.parse.search.parser import Parser
from gpuparse.parse.sources import Convention, read_list
from gpuparse.pretrained.bundled import FENCE, FOLDER
from gpuparse.trees import TOP, Tree, count_words, read_trees, strip, treebank_files
from gpuparse.version import VERSION

TREEBANKS, TAGGED = "english-treebanks.toml", "english-tagged.toml"  # the lists, beside this file
PROGRAM = str(Path(sys.executable).with_name("gpuparse"))
CLASSES = "english.classes"  # of words, induced from the texts of both lists
GRANULARITIES = "512,128,32"
GENRES = {  # of GUM: the licences of their texts, as its LICENSE.txt says
    "academic": "CC BY 4.0 (DH2017, Linguistic Society of America, PLOS)",
    "bio": "CC BY-SA 3.0 (Wikipedia)",
    "court": "CC BY 4.0 (several public sources)",
    "interview": "CC BY 2.5 (Wikinews)",
    "news": "CC BY 2.5 (Wikinews)",
    "voyage": "CC BY-SA 3.0 (Wikivoyage)",
}
CORPORA = {  # the folders that the lists name, but for GUM's, and their licences
    "masc": "MASC I, the Manually Annotated Sub-Corpus of the American National Corpus; trees made by hand; free for "
    "any use, says its publisher",
    "amalgum": "AMALGUM (Gessler et al. 2020), words and tags alone, tagged by machine; annotations CC BY 4.0; texts "
    "CC BY 4.0 (academic), CC BY-SA 3.0 (Wikipedia, Wikivoyage), CC BY 2.5 (Wikinews), public domain (fiction)",
}
DEV = ("gum/dev", "masc/dev", "plain")  # what is measured, where it is there; the first gives the figures of the list
LICENCE = "CC BY-SA 4.0 as far as it derives from its texts; annotations CC BY 4.0"
MOST_WORDS = (15, 40, None)  # words; punctuation is none, as for gpuparse eval --max-words
WORST = 6  # labels shown as those it is worst at
FREQUENT = 20  # brackets that a label has in the gold trees, at least, to be among them

CARD = """{fence}
name: {name}
language: English
data: GUM ({genres}), MASC I; tags: AMALGUM
licence: {licence}
trained_on: {sentences} sentences of {learned}
f1: {f1}
f1_tagger: {f1_tagger}
gpuparse: {version}
{fence}

# {name}: an English model

Written by `scripts/train-english`, which made every figure here. `corpora` is a folder with the folders that the lists
beside the script name. To make it again:

    scripts/train-english {arguments}

which calls, with links to both lists in that folder,

    {classes}
    {command}

## What it learned from

The model keeps no sentence of any corpus: their words in sorted lists, and rules.

| trees | files | licence |
|---|---|---|
{sources}

Its tagger learned from the words and tags of these trees, and of other text:

- `amalgum`: {amalgum}.

The classes of words, which its tagger and its rules ask for, were induced from the words of all of this.

The constituents of GUM are the output of a parser over tags made by hand; those of MASC were made by hand. The
annotations of GUM are licensed under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/). They were made by
the annotators listed at <https://gucorpling.org/gum/>. For scholarly work cite: Zeldes, Amir (2017), "The GUM Corpus:
Creating Multilayer Resources in the Classroom", Language Resources and Evaluation 51(3), 581-612. As far as this model
is a work derived from texts under CC BY-SA, its licence is [CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/).

## Its size

{size}

## How well it parses

With COLLINS.prm's rules; F1 in percent, and in brackets the number of sentences. Tags and labels are changed as in the
trees that it learned from (`map`, `labels` and `removed` in the list); trees that can't be read are left out. In
`gum/dev`, whose trees are a parser's, are genres that it did not learn from; `plain` are sentences as people type them,
parsed by hand. Where the tagger is not sure of its tags, the parser may overrule it.

| treebank | sentences | gold tags | the tagger's tags |
|---|---|---|---|
{lengths}

{outcomes}

## How well it tags

The same sentences, with punctuation; per cent of the tokens. A word is known if the tagger has it on its list.

| treebank | tokens | right | of known words | of unknown words |
|---|---|---|---|---|
{tagging}

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


@dataclass(frozen=True)
class Measured:
    """A development treebank, and how the model did on it."""

    name: str
    gold: list[Tree]
    documents: list[str]  # of each tree, the name of its file
    parsed: dict[bool, Parsed]  # with the tagger's tags, or the treebank's
    scores: dict[bool, Evaluation]

    @classmethod
    def of(cls, model: Model, name: str, folder: Path, convention: Convention, limit: int | None) -> Measured:
        """Parse the treebank of a folder, whose tags and labels follow the same convention as in training."""
        language, trees = model.vocabulary.language, []
        for file in treebank_files([str(folder)]):
            converted = (convention.converted(tree, language) for tree in read_trees(file, skip_bad=True))
            trees += [(tree, file.stem) for tree in converted if tree is not None]
        gold = [tree for tree, _ in trees]
        parsed = {retag: parse_words(model, gold, retag, limit) for retag in (False, True)}
        scores = {retag: evaluate(gold, answer.trees) for retag, answer in parsed.items()}
        return cls(name, gold, [document for _, document in trees], parsed, scores)


def main() -> None:
    """Train, measure, and put the model and its card in place."""
    options, passed = read_arguments(sys.argv[1:])
    lists = place_lists(options.corpora, options.work)
    trained = options.work / f"{options.name}.model"
    classes = options.work / CLASSES
    commands = (
        [] if classes.exists() and "--resume" in passed else [classes_command(classes, lists, options.granularities)]
    )
    for command in [*commands, training_command(trained, classes, lists, passed)]:
        done = subprocess.run(command, check=False)
        if done.returncode:
            sys.exit(done.returncode)
    card = describe(options, [option for option in passed if option != "--resume"], lists, trained)
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
    folders = ", ".join(["gum", *CORPORA])
    parser.add_argument("corpora", type=Path, help=f"the folder of the corpora, with the folders {folders}")
    parser.add_argument("--name", default="english", help="the name of the model (english)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where to put it (the package's folder)")
    work = Path(tempfile.gettempdir(), "gpuparse-english")
    parser.add_argument(
        "--work", type=Path, default=work, help="where to train, so that --resume can go on (%(default)s)"
    )
    parser.add_argument("--granularities", default=GRANULARITIES, help="of the classes of words (%(default)s)")
    parser.add_argument("--limit", type=int, default=SearchOptions().limit, help="of the search while it is measured")
    return parser.parse_known_args(arguments)


def place_lists(corpora: Path, work: Path) -> Path:
    """A folder with the lists, beside links to the folders that they name."""
    place = work / "lists"
    place.mkdir(parents=True, exist_ok=True)
    for name in ("gum", *CORPORA):
        if not (corpora / name).is_dir():
            sys.exit(f"{corpora}: there is no folder {name}")
        link = place / name
        link.unlink(missing_ok=True)
        link.symlink_to((corpora / name).resolve())
    for name in (TREEBANKS, TAGGED):
        shutil.copy(Path(__file__).with_name(name), place)
    return place


def classes_command(classes: Path, lists: Path, granularities: str) -> list[str]:
    """The command that induces classes of words."""
    corpora = [str(lists / TREEBANKS), str(lists / TAGGED)]
    return [PROGRAM, "classes", *corpora, "--output", str(classes), "--granularities", granularities, "--overwrite"]


def training_command(model: Path, classes: Path, lists: Path, passed: Sequence[str]) -> list[str]:
    """The command that trains."""
    corpora = [str(lists / TREEBANKS), "--tagged", str(lists / TAGGED), "--classes", str(classes)]
    return [PROGRAM, "train", *corpora, "--output", str(model), *passed]


def describe(options: argparse.Namespace, passed: Sequence[str], lists: Path, file: Path) -> str:
    """The card of a model."""
    model = load_model(file)
    there = [name for name in DEV if (options.corpora / name).is_dir()]
    conventions = conventions_of(lists)
    measured = [
        Measured.of(
            model, name, options.corpora / name, conventions.get(name.split("/")[0], Convention()), options.limit
        )
        for name in there
    ]
    first = measured[0]
    return CARD.format(
        fence=FENCE,
        name=options.name,
        genres=", ".join(GENRES),
        licence=LICENCE,
        sentences=_number(model.configuration["positive_examples"][TOP]),
        learned=_lengths(model.configuration["max_words"]),
        f1=f"{first.scores[False].overall.f1:.2f}",
        f1_tagger=f"{first.scores[True].overall.f1:.2f}",
        version=VERSION,
        arguments=shlex.join(["corpora", *_own_arguments(options), *passed]),
        classes=shlex.join(["gpuparse", *classes_command(Path(CLASSES), Path(), options.granularities)[1:]]),
        command=shlex.join(["gpuparse", *training_command(Path(file.name), Path(CLASSES), Path(), passed)[1:]]),
        sources=source_table(lists),
        amalgum=CORPORA["amalgum"],
        size=size_of(model, file),
        lengths="\n".join(row for one in measured for row in length_rows(model, one)),
        tagging="\n".join(tagging_row(model, one) for one in measured),
        outcomes=outcomes(first),
        speed=speed(first.parsed[False]),
        bad=weaknesses(measured),
    )


def _own_arguments(options: argparse.Namespace) -> list[str]:
    defaults = {"name": "english", "granularities": GRANULARITIES, "limit": SearchOptions().limit}
    changed = {name: getattr(options, name) for name, value in defaults.items() if getattr(options, name) != value}
    return [piece for name, value in changed.items() for piece in (f"--{name}", str(value))]


def parse_words(model: Model, gold: Sequence[Tree], retag: bool, limit: int | None) -> Parsed:
    """Parse the words of trees, with their tags or with the tagger's."""
    language, tagger = model.vocabulary.language, model.tagger
    sentences = list(read_words_of_trees(gold, language))
    if retag and tagger is not None:
        sentences = list(tag_anew(sentences, tagger, language))
    kernels = find_device("cpu").kernels
    parser = Parser(model.vocabulary, model.rules(), model.strategy, model.max_children, kernels)
    options = SearchOptions(limit=limit)
    overruler = Overruler.of(tagger, language, None, options)
    list(parse_sentences(parser, sentences[:3], options, overruler=overruler))  # so that everything is compiled
    start = time.process_time()
    parsed = list(parse_sentences(parser, sentences, options, overruler=overruler))
    seconds = time.process_time() - start
    return Parsed([one.tree for one in parsed], Counter(one.status for one in parsed), seconds)


def source_table(lists: Path) -> str:
    """What the trees come from, with their licences, as rows of a table."""
    files = Counter(_source_of(file.path.relative_to(lists)) for file in read_list(lists / TREEBANKS))
    licences = {f"gum, {genre}": licence for genre, licence in GENRES.items()} | CORPORA
    return "\n".join(f"| {name} | {number} | {licences[name]} |" for name, number in sorted(files.items()))


def conventions_of(lists: Path) -> dict[str, Convention]:
    """What becomes of the tags and labels of each corpus."""
    return {file.path.relative_to(lists).parts[0]: file.convention for file in read_list(lists / TREEBANKS)}


def _source_of(file: Path) -> str:
    """The corpus of a file, and in GUM its genre, which is the second part of a name such as GUM_news_iodine.ptb."""
    corpus = file.parts[0]
    return f"{corpus}, {file.stem.split('_')[1]}" if corpus == "gum" else corpus


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


def length_rows(model: Model, measured: Measured) -> list[str]:
    """F1 by length as rows of a table."""
    language, rows = model.vocabulary.language, []
    lengths = [count_words(strip(tree, language).tokens(), language) for tree in measured.gold]
    for most in MOST_WORDS:
        cells = []
        for scores in (measured.scores[False], measured.scores[True]):
            chosen = [score for score in scores.scores if most is None or lengths[score.id - 1] <= most]
            overall = Evaluation(chosen, scores.rules).overall
            cells.append(f"{overall.f1:.2f} ({_number(overall.valid)})")
        name = "all" if most is None else f"at most {most} words"
        rows.append(f"| {measured.name} | {name} | {' | '.join(cells)} |")
    return rows


def tagging_row(model: Model, measured: Measured) -> str:
    """How many tokens the tagger gives their tag, as a row of a table."""
    tagger = model.tagger
    if tagger is None:
        return f"| {measured.name} | it has no tagger | | | |"
    words = {*tagger.lexicon.words}
    sentences = [strip(tree, model.vocabulary.language).tokens() for tree in measured.gold]
    tagged = tagger.tag_many([token.word for token in sentence] for sentence in sentences)
    right: Counter[bool] = Counter()  # of known and of unknown words
    total: Counter[bool] = Counter()
    for sentence, answer in zip(sentences, tagged, strict=True):
        for token, guess in zip(sentence, answer, strict=True):
            is_known = token.word in words or token.word.lower() in words
            total[is_known] += 1
            right[is_known] += token == guess
    parts = [(right.total(), total.total()), (right[True], total[True]), (right[False], total[False])]
    shares = " | ".join(_percent(part, whole) for part, whole in parts)
    return f"| {measured.name} | {_number(total.total())} | {shares} |"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if whole else "-"


def outcomes(measured: Measured) -> str:
    """How the searches ended, in a sentence."""
    statuses = measured.parsed[False].statuses
    shares = ", ".join(f"{100 * n / statuses.total():.1f} % {status}" for status, n in statuses.most_common())
    return f"With the gold tags of `{measured.name}` the searches end as: {shares}."


def speed(parsed: Parsed) -> str:
    """Sentences and words per second, in a sentence."""
    sentences = len(parsed.trees) / parsed.seconds
    tokens = sum(len(tree.tokens()) for tree in parsed.trees) / parsed.seconds
    return (
        f"{sentences:.0f} sentences or {_number(round(tokens))} tokens per second on one core, sentences of all "
        f"lengths, search included and tagging not ({platform.machine()}, measured beside other work)."
    )


def weaknesses(measured: Sequence[Measured]) -> str:
    """The genres of the first treebank and the labels that it is worst at, with the tagger's tags."""
    first = measured[0]
    genres = [document.split("_")[1] if "_" in document else document for document in first.documents]
    by_genre = {}
    for name in sorted(set(genres)):
        numbers = [number for number, genre in enumerate(genres, 1) if genre == name]
        by_genre[name] = evaluate(first.gold, first.parsed[True].trees, numbers=numbers).overall.f1
    labels = {label: counts for label, counts in first.scores[True].by_label.items() if counts.gold >= FREQUENT}
    worst = sorted(labels, key=lambda label: labels[label].f1)[:WORST]
    return (
        f"Long sentences, and text unlike that it learned from. With the tagger's tags, F1 on `{first.name}` by genre: "
        + ", ".join(f"{name} {f1:.1f}" for name, f1 in sorted(by_genre.items(), key=lambda pair: pair[1]))
        + ". The labels that it is worst at there: "
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
