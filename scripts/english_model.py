"""Trains the English model on GUM's documents of freely licensed genres, measures it, and writes its card.

Run by scripts/train-english. Every figure of the card is measured here; no sentence of the treebank leaves it. The
tagger also learns from the tagged text of english-tagged.toml.
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
    "voyage": "CC BY-SA 3.0 (Wikivoyage)",
}
LICENCE = "CC BY-SA 4.0 as far as it derives from its texts; annotations CC BY 4.0"
TAGGED_TEXT = {  # what the tagger learns from besides: folders, as english-tagged.toml names them, and their licences
    "masc": "the Manually Annotated Sub-Corpus of the American National Corpus, tagged by hand; free for any use",
    "amalgum": "AMALGUM (Gessler et al. 2020), tagged by machine; annotations CC BY 4.0, texts CC BY 4.0 (academic), "
    "CC BY-SA 3.0 (Wikipedia, Wikivoyage), CC BY 2.5 (Wikinews), and fiction in the public domain",
}
TAGGED_LIST = Path(__file__).with_name("english-tagged.toml")
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

{tagged_text}

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

{outcomes}

## How well it tags

The same sentences, with punctuation; per cent of the tokens. A word is known if the tagger has it on its list.

| genre | tokens | right | of known words | of unknown words |
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


def main() -> None:
    """Train, measure, and put the model and its card in place."""
    options, passed = read_arguments(sys.argv[1:])
    documents = chosen_documents(options.treebank / "train", options.genres)
    if options.tagged_text is not None:
        passed += ["--tagged", str(place_tagged_text(options.tagged_text, options.work))]
    trained = options.work / f"{options.name}.model"
    trained.parent.mkdir(parents=True, exist_ok=True)
    training = subprocess.run([*training_command(trained, passed), *map(str, documents)], check=False)
    if training.returncode:
        sys.exit(training.returncode)
    card = describe(options, passed_as_shown(passed), documents, trained)
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
    parser.add_argument(
        "--tagged-text",
        type=Path,
        metavar="FOLDER",
        help=f"the folder with {' and '.join(TAGGED_TEXT)}, whose words and tags the tagger learns from too",
    )
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


def place_tagged_text(folder: Path, work: Path) -> Path:
    """The list of tagged text, beside links to the folders that it names."""
    place = work / "tagged"
    place.mkdir(parents=True, exist_ok=True)
    for name in TAGGED_TEXT:
        if not (folder / name).is_dir():
            sys.exit(f"{folder}: there is no folder {name}")
        link = place / name
        link.unlink(missing_ok=True)
        link.symlink_to((folder / name).resolve())
    return Path(shutil.copy(TAGGED_LIST, place))


def passed_as_shown(passed: Sequence[str]) -> list[str]:
    """Options of `gpuparse train` as the card shows them: without what one run alone needs, and without its folders."""
    return [Path(option).name if option.startswith("/") else option for option in passed if option != "--resume"]


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
        arguments=shlex.join(["gum", *_own_arguments(options), *_without_tagged(passed)]),
        command=f"gpuparse train gum/train/GUM_{{{','.join(options.genres)}}}_*.ptb --output {file.name} "
        + shlex.join(passed),
        documents=len(documents),
        sources=source_table(documents, options.genres),
        tagged_text=tagged_text(options.tagged_text is not None),
        size=size_of(model, file),
        dev=_number(len(gold)),
        lengths=length_table(scores, lengths),
        tagging=tagging_table(model, gold, genres),
        outcomes=outcomes(by_tags[False].statuses),
        speed=speed(by_tags[False]),
        bad=weaknesses(scores[True], gold, by_tags[True].trees, genres),
    )


def _without_tagged(passed: Sequence[str]) -> list[str]:
    """The options without the list that --tagged-text brings."""
    shown = list(passed)
    if TAGGED_LIST.name in shown:
        place = shown.index(TAGGED_LIST.name)
        del shown[place - 1 : place + 1]
    return shown


def _own_arguments(options: argparse.Namespace) -> list[str]:
    own = [] if options.tagged_text is None else ["--tagged-text", "."]
    defaults = {"name": "english", "genres": list(SOURCES), "limit": SearchOptions().limit}
    changed = {name: getattr(options, name) for name, value in defaults.items() if getattr(options, name) != value}
    return own + [
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


def tagged_text(learned: bool) -> str:
    """What the tagger learned from besides the treebank."""
    if not learned:
        return "Its tagger learned from the same documents and from nothing else."
    told = "\n".join(f"- `{name}`: {licence}." for name, licence in TAGGED_TEXT.items())
    return f"Its tagger learned from the words and tags of other text too, of which no tree is used:\n\n{told}"


def tagging_table(model: Model, gold: Sequence[Tree], genres: Sequence[str]) -> str:
    """How many tokens the tagger gives their tag, by genre and in all, as rows of a table."""
    tagger = model.tagger
    if tagger is None:
        return "| it has no tagger | | | | |"
    words = {*tagger.lexicon.words}
    sentences = [strip(tree, model.vocabulary.language).tokens() for tree in gold]
    tagged = tagger.tag_many([token.word for token in sentence] for sentence in sentences)
    right: dict[str, Counter[bool]] = {}  # of known and of unknown words
    total: dict[str, Counter[bool]] = {}
    for name, sentence, answer in zip(genres, sentences, tagged, strict=True):
        for token, given in zip(sentence, answer, strict=True):
            known = token.word in words or token.word.lower() in words
            for key in (name, "all"):
                total.setdefault(key, Counter())[known] += 1
                right.setdefault(key, Counter())[known] += token == given
    return "\n".join(
        f"| {name} | {_number(of.total())} | {_percent(right[name].total(), of.total())} | "
        f"{_percent(right[name][True], of[True])} | {_percent(right[name][False], of[False])} |"
        for name, of in sorted(total.items(), key=lambda item: (item[0] == "all", item[0]))
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if whole else "-"


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
