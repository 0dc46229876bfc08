"""`gpuparse prepare`: the trees of a treebank as the parser learns them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpuparse.cli.arguments import LanguageFile, MaxWords, SkipBad, Treebanks

if TYPE_CHECKING:
    from gpuparse.errors import TreebankError
    from gpuparse.trees import Tree


class Layout(StrEnum):
    """How a tree is printed."""

    BRACKETS = "brackets"
    PRETTY = "pretty"
    DRAWN = "drawn"


def prepare_command(
    treebanks: Treebanks,
    max_words: MaxWords = None,
    language: LanguageFile = None,
    skip_bad: SkipBad = False,
    layout: Annotated[Layout, typer.Option("--format", help="One tree a line, indented, or drawn.")] = Layout.BRACKETS,
) -> None:
    """Print the prepared trees: no function tags, traces, quotes or outer punctuation; punctuation raised.

    A sentence of nothing but punctuation is printed as (()).
    """
    skipped: list[TreebankError] = []
    for tree in prepared_trees(treebanks, max_words, language, skipped if skip_bad else None):
        print(laid_out(tree, layout), end="\n" if layout == Layout.BRACKETS else "\n\n")
    if skipped:
        print(f"gpuparse: {len(skipped)} malformed trees left out; the first: {skipped[0]}", file=sys.stderr)


def laid_out(tree: Tree, layout: Layout) -> str:
    """A tree as text.

    >>> from gpuparse.trees import parse_tree
    >>> laid_out(parse_tree("(NP (NN rain))"), Layout.BRACKETS)
    '(NP (NN rain))'
    """
    match layout:
        case Layout.BRACKETS:
            return str(tree)
        case Layout.PRETTY:
            return tree.indented()
        case Layout.DRAWN:
            return tree.drawn()


def prepared_trees(
    treebanks: Sequence[str],
    max_words: int | None = None,
    language: Path | None = None,
    skipped: list[TreebankError] | None = None,
) -> Iterator[Tree]:
    """The trees of a treebank as the parser learns them; malformed ones are an error, unless `skipped` takes them."""
    from gpuparse.trees import UNPARSED, count_words, load_language, prepare, read_trees

    rules = load_language(language)
    for tree in read_trees(treebanks, skip_bad=skipped is not None, skipped=skipped):
        prepared = prepare(tree, rules)
        if max_words is None or count_words(prepared.sentence.tokens, rules) <= max_words:
            yield prepared.tree or UNPARSED
