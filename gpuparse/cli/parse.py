"""`gpuparse parse`: trees for sentences."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpuparse.cli import prepare
from gpuparse.cli.arguments import Device

if TYPE_CHECKING:
    from gpuparse.api import ParsedTree
    from gpuparse.model.model import Model
    from gpuparse.search.parser import SearchOptions
    from gpuparse.trees import Sentence


class Format(StrEnum):
    """How trees are printed."""

    BRACKETS = "brackets"
    PRETTY = "pretty"
    DRAWN = "drawn"
    JSON = "json"
    SVG = "svg"


class SearchName(StrEnum):
    """The names of the search methods."""

    PROMISING = "promising"
    GREEDY = "greedy"
    BEST_FIRST = "best-first"
    BEAM = "beam"


class InputName(StrEnum):
    """What the input is."""

    AUTO = "auto"
    TEXT = "text"
    TOKENS = "tokens"
    TAGGED = "tagged"
    TREES = "trees"


def parse_command(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL] [FILE|TEXT]...",
            help="The first is the model if it is the name of one that comes along (gpuparse models), ends in .model, "
            "or is a model file; else the English model parses. Of the others a file or folder that is there is read, "
            "- is the standard input, and what has a blank in it or ends in . ? or ! is text to parse. None: the "
            "standard input.",
        ),
    ] = None,
    kind: Annotated[
        InputName,
        typer.Option(
            "--input",
            help="text: running text; tokens: cut by blanks, a sentence a line; tagged: word/TAG, a sentence a line; "
            "trees: words and tags of a treebank; auto: a guess, never tokens.",
        ),
    ] = InputName.AUTO,
    tagger: Annotated[
        bool, typer.Option("--tagger", help="Tag the words of trees and tagged input anew, with the model's tagger.")
    ] = False,
    layout: Annotated[
        Format, typer.Option("--format", help="A tree a line, indented, drawn, JSON lines, or an SVG image a line.")
    ] = Format.BRACKETS,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to. Unless told: the standard output. Until all is parsed the trees are in FILE.part, and an "
            "older FILE stays.",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=1_000_000_000, help="Partial parses scored for a sentence, at most.")
    ] = 100_000,
    max_words: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Longer sentences get a flat tree; punctuation and brackets are not words."
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="For a sentence; after that, the best tree found so far is given. The one option with which results "
            "depend on how fast the machine is.",
        ),
    ] = None,
    search: Annotated[SearchName, typer.Option(help="The order in which partial parses are looked at.")] = (
        SearchName.PROMISING
    ),
    max_min: Annotated[
        bool, typer.Option("--max-min", help="Maximise the least confidence, not the sum of costs.")
    ] = False,
    k: Annotated[int, typer.Option("--k", min=1, help="How many trees for a sentence; JSON has their costs.")] = 1,
    lambda_: Annotated[
        float | None,
        typer.Option(
            "--lambda", min=0.0, help="Cut the model at this lambda. Unless told: the one that training chose."
        ),
    ] = None,
    device: Device = "auto",
    batch: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Sentences searched side by side. With 1 each is answered before the next is read. "
            "Unless told: 1 on a CPU, 256 on a GPU.",
        ),
    ] = None,
) -> None:
    """Parse sentences. Every token of the input comes back, in order, and every sentence gets a tree.

    With the English model that comes along: gpuparse parse "She saw the man."

    With another: gpuparse parse my.model text.txt

    A test section: gpuparse parse my.model wsj/23 --input trees > 23.parsed

    The status of a tree (--format json): optimal, proved that none is cheaper; limit or timeout, the best found until
    then; fallback, no tree within the limit, a partial one was finished; long, more than --max-words; flat, no words.
    """
    from gpuparse.cli.compilation import tell_compilation
    from gpuparse.cli.counter import Counter
    from gpuparse.cli.devices import chosen_device
    from gpuparse.cli.output import results_to
    from gpuparse.model.file import load_model
    from gpuparse.search.parser import Method, SearchOptions

    method = Method[search.value.replace("-", "_")]
    options = SearchOptions(method, max_min, limit, k, batch=batch, max_words=max_words, timeout=timeout)
    model, sources = sort_arguments(arguments or [])
    tell_compilation()
    parsed = parse_sources(load_model(model), sources, kind.value, options, lambda_, chosen_device(device).name, tagger)
    with results_to(output) as write, Counter("sentences") as counter:
        for tree in parsed:
            write(laid_out(tree, layout))
            counter.count(tree.status)


@dataclass(frozen=True)
class Source:
    """Something to parse: a file, or a text that was given as an argument."""

    name: str  # of the file; - is the standard input
    text: str | None = None  # None: what the file holds


TEXT = "<text>"  # the name of a text that was given as an argument
_ENDS_OF_TEXT = (".", "?", "!", "…")


def sort_arguments(arguments: Sequence[str]) -> tuple[Path, list[Source]]:
    """The model that parses, and what it parses; see the help of the command for the rule.

    >>> model, sources = sort_arguments(["She saw the man."])
    >>> model.name, sources
    ('english.model', [Source(name='<text>', text='She saw the man.')])
    """
    from gpuparse.model.bundled import find_model, names_model

    named = bool(arguments) and names_model(arguments[0])
    model = find_model(arguments[0] if named else None)
    return model, [_source(argument) for argument in arguments[named:]] or [Source("-")]


def _source(argument: str) -> Source:
    from gpuparse.errors import UsageError
    from gpuparse.model.bundled import names_model

    if names_model(argument):
        raise UsageError(f"{argument}: this is a model. There can be one, and it comes before what it is to parse.")
    if argument == "-" or os.path.exists(argument):
        return Source(argument)
    if not argument.isascii() and any("\ud800" <= letter <= "\udfff" for letter in argument):
        raise UsageError(f"{argument!r}: this is neither the name of a file nor UTF-8 text.")
    if len(argument.split()) > 1 or argument.endswith(_ENDS_OF_TEXT) or not argument.strip():
        return Source(TEXT, argument)
    raise UsageError(
        f"{argument}: there is no such file or folder, and no model of this name comes along (see gpuparse models). "
        "Text to parse has a blank in it or ends in . ? or !; a single word can come through the standard input."
    )


def parse_sources(
    model: Model,
    sources: Sequence[Source],
    kind: str,
    options: SearchOptions,
    lambda_: float | None = None,
    device: str = "auto",
    retag: bool = False,
) -> Iterator[ParsedTree]:
    """Parse the sentences of sources, in order; `retag` gives words that have tags those of the model's tagger."""
    from gpuparse.api import LoadedParser
    from gpuparse.errors import UsageError

    if retag and model.tagger is None:
        raise UsageError("--tagger: the model has none. It was trained with --no-tagger.")
    parser = LoadedParser(model, options, lambda_, device)
    return parser.parse_prepared(_tell_unknown_tags(read_sentences(sources, kind, model, retag), model))


def read_sentences(sources: Sequence[Source], kind: str, model: Model, retag: bool = False) -> Iterator[Sentence]:
    """The sentences of sources; `auto` looks at the start of each."""
    from gpuparse.errors import InputError
    from gpuparse.parsing import (
        InputKind,
        detect_kind,
        read_tagged,
        read_text,
        read_tokens,
        read_words_of_trees,
        tag_anew,
    )
    from gpuparse.trees import parse_trees, read_trees

    language, tagger = model.vocabulary.language, model.tagger

    def given(sentences: Iterator[Sentence]) -> Iterator[Sentence]:
        return tag_anew(sentences, tagger, language) if retag and tagger is not None else sentences

    for source in sources:
        folder = kind == InputKind.AUTO and Path(source.name).is_dir()
        if source.text is None and (kind == InputKind.TREES or folder):
            yield from given(read_words_of_trees(read_trees([source.name]), language))
            continue
        with _lines(source) as lines:
            beginning = _until_words(lines)
            found = detect_kind("".join(beginning[-1:])) if kind == InputKind.AUTO else InputKind(kind)
            text = chain(beginning, lines)  # blank lines too, so that errors count lines as an editor does
            if found == InputKind.TREES:
                yield from given(read_words_of_trees(parse_trees("".join(text), source.name), language))
            elif found == InputKind.TAGGED:
                yield from given(read_tagged(text, source.name, language))
            elif tagger is not None:
                yield from (read_text if found == InputKind.TEXT else read_tokens)(text, tagger, language)
            else:
                raise InputError(
                    f"{source.name}: this is {found}, and the model has no tagger. Give each word its tag (word/TAG, a "
                    "sentence a line), or a treebank with --input trees."
                )


def _until_words(lines: Iterator[str]) -> list[str]:
    """The lines up to the first that is not blank."""
    beginning = []
    for line in lines:
        beginning.append(line)
        if line.strip():
            break
    return beginning


@contextmanager
def _lines(source: Source) -> Iterator[Iterator[str]]:
    from gpuparse.errors import InputError

    try:
        if source.text is not None:
            yield iter(source.text.splitlines(keepends=True))
        elif source.name == "-":
            if sys.stdin.isatty():
                print("gpuparse: reading from the terminal; Ctrl-D ends the input", file=sys.stderr)
            sys.stdin.reconfigure(encoding="utf-8-sig")  # type: ignore[union-attr]  # stdin is a text file here
            yield iter(sys.stdin)
        else:
            with open(source.name, encoding="utf-8-sig") as opened:
                yield iter(opened)
    except UnicodeDecodeError as error:
        name = "the standard input" if source.name == "-" else source.name
        raise InputError(
            f"{name}: this is not UTF-8 text ({error.reason}). Convert it first, with iconv say."
        ) from error


def _tell_unknown_tags(sentences: Iterable[Sentence], model: Model) -> Iterator[Sentence]:
    """Pass sentences on, and say once of each tag that training never saw it."""
    from gpuparse.logic.unknown import UnknownReport

    report = UnknownReport(model.vocabulary, lambda told: print(f"gpuparse: {told}", file=sys.stderr))
    for sentence in sentences:
        report.meet_tokens(sentence.tokens[index] for index in sentence.kept)
        yield sentence


def laid_out(tree: ParsedTree, layout: Format) -> str:
    """A parsed sentence as lines of text: its best trees, one after the other."""
    trees = [parse.tree for parse in tree.k_best]
    match layout:
        case Format.JSON:
            return json.dumps(tree.to_dict(), ensure_ascii=False) + "\n"
        case Format.SVG:
            from gpuparse.trees.svg import draw_svg

            return "".join(draw_svg(one).replace("\n", " ") + "\n" for one in trees)
        case Format.BRACKETS:
            return "".join(f"{one}\n" for one in trees)
        case _:
            return "".join(prepare.laid_out(one, prepare.Layout(layout.value)) + "\n\n" for one in trees)
