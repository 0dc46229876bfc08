"""`gpuparse classes`: classes of words, induced from text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpuparse.cli.arguments import Json, SkipBad
from gpuparse.cli.tables import print_json, print_table
from gpuparse.errors import InputError, UsageError
from gpuparse.options import InputKind
from gpuparse.words.options import MOST_CLASSES, ClassOptions

if TYPE_CHECKING:
    from gpuparse.errors import TreebankError
    from gpuparse.trees import Meter
    from gpuparse.words.induction import Induced

_TAGGED = re.compile(r"(.+)[/_]([^/_]+)")


def _granularities(numbers: str) -> tuple[int, ...]:
    """Numbers of classes as people write them.

    >>> _granularities("512,128,32")
    (512, 128, 32)
    """
    sizes = tuple(int(number) for number in numbers.split(",")) if re.fullmatch(r"\d+(,\d+)*", numbers) else ()
    if not sizes or sorted(set(sizes), reverse=True) != list(sizes) or sizes[0] > MOST_CLASSES or sizes[-1] < 2:
        raise typer.BadParameter(
            f"{numbers!r}: write one or several numbers of classes from {MOST_CLASSES} down to 2, as in 512,128,32."
        )
    return sizes


def classes_command(
    texts: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT...", help="Running text, tagged text, treebanks or lists of them; - is the standard input."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file of classes to write.")],
    kind: Annotated[
        InputKind,
        typer.Option("--input", metavar="KIND", help="auto, text, lines, tokens, tagged or trees."),
    ] = InputKind.AUTO,
    granularities: Annotated[
        str, typer.Option(metavar="N,N...", help="How many classes, from fine to coarse.")
    ] = ",".join(map(str, ClassOptions.granularities)),
    least: Annotated[
        int, typer.Option("--min-count", min=1, metavar="N", help="Rarer words have no class.")
    ] = ClassOptions.least,
    keep_case: Annotated[
        bool, typer.Option("--keep-case", help="Keep capitals. [default: all in lower case]")
    ] = not ClassOptions.fold,
    sweeps: Annotated[int, typer.Option(min=1, metavar="N", help="The most passes over all words.")] = (
        ClassOptions.sweeps
    ),
    skip_bad: SkipBad = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file of classes, if any.")] = False,
    as_json: Json = False,
) -> None:
    """Induce classes of words: words among the same neighbours.

    Prints the coarsest classes with their most frequent words.
    """
    options = ClassOptions(_granularities(granularities), least, not keep_case, sweeps)
    from gpuparse.words import save_classes
    from gpuparse.words.file import check_place

    check_place(output, overwrite)
    induced = induce(texts, kind, options, skip_bad)
    save_classes(induced.classes, output)
    if as_json:
        print_json(figures(induced))
    else:
        print_coarsest(induced)
    summary = f"{len(induced.classes.words):,} words in classes, {induced.covered / induced.tokens:.1%} of the tokens"
    print(f"gpuparse: {summary}; {induced.sweeps} sweeps: {output}", file=sys.stderr)


def induce(texts: Sequence[str], kind: InputKind, options: ClassOptions, skip_bad: bool = False) -> Induced:
    """The classes of the words of files, with a display of the progress."""
    from gpuparse.cli.prepare import tell_folders
    from gpuparse.cli.progress import Progress
    from gpuparse.trees import Meter
    from gpuparse.words.induction import induce_classes

    tell_folders(texts)
    files = text_files(texts)
    meter = Meter(Path(file) for file in files)
    skipped: list[TreebankError] = []
    with Progress("sentence", share=meter.share) as reading:
        sentences = list(reading.through(read_sentences(files, kind, meter, skipped if skip_bad else None)))
    if skipped:
        print(f"gpuparse: {len(skipped)} malformed trees left out; the first: {skipped[0]}", file=sys.stderr)
    done = 0.0

    def report(share: float) -> None:
        nonlocal done
        done = share
        sweeping.advance()

    with Progress("step", share=lambda: done) as sweeping:
        return induce_classes(sentences, options, report)


def text_files(paths: Sequence[str]) -> list[str]:
    """The files that paths stand for: a folder stands for its treebanks, a list of sources for their files.

    >>> text_files(["-"])
    ['-']
    """
    from gpuparse.parse.sources import is_list, read_list
    from gpuparse.trees import treebank_files

    files: list[str] = []
    for path in paths:
        if is_list(path):
            files += [str(source.path) for source in read_list(Path(path))]
        else:
            files += [str(file) for file in treebank_files(path)] if Path(path).is_dir() else [path]
    for file in files:
        if file != "-" and not Path(file).exists():
            raise UsageError(f"{file}: no such file or folder")
    return files


def read_sentences(
    files: Sequence[str], kind: InputKind, meter: Meter | None = None, skipped: list[TreebankError] | None = None
) -> Iterator[list[str]]:
    """The words of the sentences of files; `auto` looks at the start of each.

    A malformed tree is an error, unless `skipped` takes it.
    """
    from gpuparse.cli.parse import InputSource, lines_of, metered, until_words
    from gpuparse.parse.input import detect_kind
    from gpuparse.text import stream_sentences, tokenise
    from gpuparse.trees import parse_trees, read_trees, strip

    for file in files:
        with lines_of(InputSource(file)) as lines:
            beginning = until_words(lines)
            form = detect_kind("".join(beginning[-1:])) if kind == InputKind.AUTO else kind
            text = metered(chain(beginning, lines), meter)
            match form:
                case InputKind.TREES:
                    trees = (
                        parse_trees("".join(text), "<stdin>")
                        if file == "-"
                        else read_trees(file, skip_bad=skipped is not None, skipped=skipped, meter=meter)
                    )
                    yield from ([token.word for token in strip(tree).tokens()] for tree in trees)
                case InputKind.TAGGED:
                    yield from _untagged(text, file)
                case InputKind.TOKENS:
                    yield from filter(None, (line.split() for line in text))
                case InputKind.LINES:
                    yield from filter(None, ([token.word for token in tokenise(line)] for line in text))
                case _:
                    for sentence in stream_sentences(text):
                        yield [token.word for token in tokenise(sentence.text)]


def _untagged(lines: Iterator[str], file: str) -> Iterator[list[str]]:
    """The words of tagged text."""
    for number, line in enumerate(lines, 1):
        words = []
        for piece in line.split():
            match = _TAGGED.fullmatch(piece)
            if match is None:
                raise InputError(f"{file}, line {number}: {piece!r} has no tag; write word/TAG or word_TAG")
            words.append(match[1])
        if words:
            yield words


def print_coarsest(induced: Induced) -> None:
    """A table of the classes of the coarsest granularity."""
    classes = induced.classes
    last = len(classes.granularities) - 1
    shown = [(number, classes.members(last, number)) for number in range(1, classes.granularities[last] + 1)]
    rows = [[str(number), f"{len(words):,}", classes.name(last, number)] for number, words in shown if words]
    print_table("Classes", ["class", "words", "most frequent"], rows, figures=False)


def figures(induced: Induced) -> dict[str, object]:
    """What came of it, as numbers."""
    return {
        "granularities": list(induced.classes.granularities),
        "words": len(induced.classes.words),
        "tokens": induced.tokens,
        "tokens_in_classes": induced.covered,
        "sweeps": induced.sweeps,
        "likelihoods": [round(likelihood, 3) for likelihood in induced.likelihoods],
    }
