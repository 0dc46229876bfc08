"""`gpuparse prepare`: the trees of a treebank as the parser learns them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpuparse.cli.arguments import LanguageFile, MaxWords, Output, SkipBad, Treebanks

if TYPE_CHECKING:
    from gpuparse.errors import TreebankError
    from gpuparse.trees import Meter, Tree


class TreeFormat(StrEnum):
    """How a tree is printed."""

    BRACKETS = "brackets"
    PRETTY = "pretty"
    DRAWN = "drawn"


def prepare_command(
    treebanks: Treebanks,
    max_words: MaxWords = None,
    language: LanguageFile = None,
    skip_bad: SkipBad = False,
    layout: Annotated[
        TreeFormat, typer.Option("--format", metavar="FORMAT", help="brackets, one tree per line; pretty; or drawn.")
    ] = TreeFormat.BRACKETS,
    output: Output = None,
) -> None:
    """Print trees as the parser learns them.

    They have no function tags, traces, quotation marks or outer punctuation, and inner punctuation is raised.

    A sentence of nothing but punctuation is printed as (()).
    """
    from gpuparse.cli.output import results_to
    from gpuparse.cli.progress import Progress, terminal_is_taken
    from gpuparse.trees import Meter, treebank_files

    skipped: list[TreebankError] = []
    tell_folders(treebanks)
    meter = Meter(treebank_files(treebanks))
    taken = terminal_is_taken(writes_results=output is None, reads_input="-" in treebanks)
    end = "\n" if layout == TreeFormat.BRACKETS else "\n\n"
    with results_to(output) as write, Progress("tree", share=meter.share, quiet=taken) as progress:
        for tree in progress.through(
            prepared_trees(treebanks, max_words, language, skipped if skip_bad else None, meter)
        ):
            write(laid_out(tree, layout) + end)
    if skipped:
        print(f"gpuparse: {len(skipped)} malformed trees left out; the first: {skipped[0]}", file=sys.stderr)


def laid_out(tree: Tree, layout: TreeFormat) -> str:
    """A tree as text.

    >>> from gpuparse.trees import parse_tree
    >>> laid_out(parse_tree("(NP (NN rain))"), TreeFormat.BRACKETS)
    '(NP (NN rain))'
    """
    match layout:
        case TreeFormat.BRACKETS:
            return str(tree)
        case TreeFormat.PRETTY:
            return tree.indented()
        case TreeFormat.DRAWN:
            return tree.drawn()


def tell_folders(paths: Sequence[str]) -> None:
    """Say on stderr how many files of each folder are read, and how many are not treebanks by their suffix."""
    from gpuparse.trees import treebank_files

    for path in paths:
        if Path(path).is_dir():
            number = len(treebank_files(path))
            ignored = sum(file.is_file() for file in Path(path).rglob("*")) - number
            print(
                f"gpuparse: {path}: {number} file{'' if number == 1 else 's'} read, {ignored} ignored", file=sys.stderr
            )


def prepared_trees(
    treebanks: Sequence[str],
    max_words: int | None = None,
    language: Path | None = None,
    skipped: list[TreebankError] | None = None,
    meter: Meter | None = None,
) -> Iterator[Tree]:
    """The trees of a treebank as the parser learns them; malformed ones are an error, unless `skipped` takes them."""
    from gpuparse.trees import UNPARSED, count_words, load_language, prepare, read_trees

    rules = load_language(language)
    for tree in read_trees(treebanks, skip_bad=skipped is not None, skipped=skipped, meter=meter):
        prepared = prepare(tree, rules)
        if max_words is None or count_words(prepared.sentence.tokens, rules) <= max_words:
            yield prepared.tree or UNPARSED
