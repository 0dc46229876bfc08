"""`gpuparse parse`: trees for sentences."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpuparse.cli import prepare
from gpuparse.cli.arguments import (
    SEARCH_PANEL,
    AllText,
    DeviceOption,
    EffortOption,
    Json,
    Lambda,
    Limit,
    ModelOption,
    Output,
    SearchMethod,
    Tags,
)
from gpuparse.options import InputKind, SearchOptions

if TYPE_CHECKING:
    from gpuparse.api import LoadedParser, ParsedTree
    from gpuparse.parse.model.model import Model
    from gpuparse.trees import Meter, Sentence, Tree


class Format(StrEnum):
    """How trees are printed."""

    BRACKETS = "brackets"
    PRETTY = "pretty"
    DRAWN = "drawn"
    JSON = "json"
    SVG = "svg"


def parse_command(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL] [FILE|TEXT]...",
            help="The model, by default the English one; then files, folders, or text in quotes; by default stdin (-).",
        ),
    ] = None,
    kind: Annotated[
        InputKind,
        typer.Option(
            "--input",
            metavar="KIND",
            help="text, lines (a sentence per line), tokens (cut at blanks), tagged (word/TAG), trees; auto: text, "
            "tagged or trees.",
        ),
    ] = InputKind.AUTO,
    layout: Annotated[
        Format | None,
        typer.Option("--format", metavar="FORMAT", help="brackets, pretty, drawn, json or svg. [default: brackets]"),
    ] = None,
    as_json: Json = False,
    output: Output = None,
    k: Annotated[
        int, typer.Option("--k", min=1, metavar="N", help="The N best trees of each sentence.")
    ] = SearchOptions.k,
    effort: EffortOption = SearchOptions.effort,
    tags: Tags = None,
    model: ModelOption = None,
    all_text: AllText = False,
    tagger: Annotated[bool, typer.Option("--tagger", help="Tag the words of trees and tagged input again.")] = False,
    device: DeviceOption = "auto",
    jobs: Annotated[
        int,
        typer.Option("--jobs", min=1, metavar="N", rich_help_panel=SEARCH_PANEL, help="Cores of the CPU that parse."),
    ] = 1,
    gap: Annotated[
        float | None,
        typer.Option(
            "--gap",
            min=0.0,
            metavar="X",
            rich_help_panel=SEARCH_PANEL,
            help="With --k: only trees that cost at most X more than the best.",
        ),
    ] = None,
    limit: Limit = SearchOptions.limit,
    max_words: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", rich_help_panel=SEARCH_PANEL, help="Longer sentences are parsed in pieces."),
    ] = SearchOptions.max_words,
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            rich_help_panel=SEARCH_PANEL,
            help="Per sentence; results then depend on the machine's speed.",
        ),
    ] = None,
    search: SearchMethod = SearchOptions.method,
    width: Annotated[
        int, typer.Option(min=1, metavar="N", rich_help_panel=SEARCH_PANEL, help="Beam: the most states that wait.")
    ] = SearchOptions.width,
    max_popped: Annotated[
        int, typer.Option(min=1, metavar="N", rich_help_panel=SEARCH_PANEL, help="Beam: the most states expanded.")
    ] = SearchOptions.max_popped,
    max_min: Annotated[
        bool,
        typer.Option(
            "--max-min", rich_help_panel=SEARCH_PANEL, help="Maximise the least confidence, not the sum of costs."
        ),
    ] = False,
    lambda_: Lambda = None,
    batch: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            rich_help_panel=SEARCH_PANEL,
            help="Sentences scored at once. [default: 1, on a GPU 256]",
        ),
    ] = None,
) -> None:
    """Parse sentences of text, files or treebanks.

    For example: gpuparse parse my.model wsj/23 --input trees
    """
    from gpuparse.api import LoadedParser
    from gpuparse.cli.devices import chosen_device
    from gpuparse.cli.output import results_to
    from gpuparse.cli.progress import Progress
    from gpuparse.errors import UsageError
    from gpuparse.parse.model.file import load_model

    options = SearchOptions(
        method=search,
        max_min=max_min,
        limit=limit,
        k=k,
        width=width,
        max_popped=max_popped,
        batch=batch,
        max_words=max_words,
        timeout=timeout,
        gap=gap,
        effort=effort,
    )
    if as_json and layout not in (None, Format.JSON):
        raise UsageError(f"--json and --format {layout} exclude each other.")
    layout = Format.JSON if as_json else layout or Format.BRACKETS
    if all_text and kind is InputKind.AUTO:
        kind = InputKind.TEXT
    file, sources = sort_arguments(arguments or [], model, all_text)
    meter = meter_of(sources)
    parser = LoadedParser(load_model(file), options, lambda_, chosen_device(device).name, jobs, tags)
    parsed = parse_sources(parser, sources, kind, tagger, meter)
    quiet = needs_no_display(sources, output)
    display = Progress("sentence", share=meter.share, quiet=quiet)
    with results_to(output) as write, display as progress, closing(parsed):
        for tree in parsed:
            write(laid_out(tree, layout))
            progress.advance(tree.status)


@dataclass(frozen=True)
class InputSource:
    """Something to parse: a file, or an argument that is text."""

    name: str  # of the file; - is the standard input
    text: str | None = None  # None: the content of the file


TEXT = "<text>"  # the name of an argument that is text
_ENDS_OF_TEXT = tuple(".?!…)\"'”’")


def sort_arguments(
    arguments: Sequence[str], model: str | None = None, all_text: bool = False
) -> tuple[Path, list[InputSource]]:
    """The model that parses, and what it parses.

    With `all_text` every argument is text, except for a first one that names the model and is followed by others.

    >>> model, sources = sort_arguments(["She saw the man."])
    >>> model.name, sources
    ('english.model', [InputSource(name='<text>', text='She saw the man.')])
    """
    file, others = split_model(arguments, model, least=1 + all_text)
    return file, [_source(argument, all_text) for argument in others] or [InputSource("-")]


def split_model(arguments: Sequence[str], model: str | None = None, least: int = 1) -> tuple[Path, Sequence[str]]:
    """The model that a command reads, and its other arguments. The model is the option; else the first argument, if
    that is a model and there are at least `least` arguments; else the English one.

    >>> model, others = split_model(["english", "wsj/23"])
    >>> model.name, others
    ('english.model', ['wsj/23'])
    """
    from gpuparse.pretrained.bundled import find_model, names_model

    named = model is None and len(arguments) >= least and names_model(arguments[0])
    return find_model(arguments[0] if named else model), arguments[named:]


def looks_like_path(argument: str) -> bool:
    """Whether an argument is meant as a file: it has a slash, or ends in a suffix. A sentence that ends in a full stop,
    and words that all have tags, are text.

    >>> [looks_like_path(a) for a in ("my file.txt", "no/such", "Hello", "He and/or she left.", "A/DT dog/NN")]
    [True, True, False, False, False]
    """
    from gpuparse.parse.input import detect_kind

    words = argument.split()
    if len(words) > 1 and (argument.rstrip().endswith(_ENDS_OF_TEXT) or detect_kind(argument) == InputKind.TAGGED):
        return False
    if argument.lstrip().startswith("("):
        return False
    return "/" in argument or re.search(r"\w\.[A-Za-z]\w*$", argument) is not None


def _source(argument: str, all_text: bool = False) -> InputSource:
    from gpuparse.errors import UsageError
    from gpuparse.pretrained.bundled import names_model

    if not all_text:
        if names_model(argument):
            raise UsageError(f"{argument}: this is a model. There can be one, and it comes before what it is to parse.")
        if argument == "-" or os.path.exists(argument):
            return InputSource(argument)
    if not argument.isascii() and any("\ud800" <= letter <= "\udfff" for letter in argument):
        raise UsageError(f"{argument!r}: this is neither the name of a file nor UTF-8 text.")
    if not all_text and looks_like_path(argument):
        raise UsageError(f"{argument}: there is no such file or folder. If this is text to parse, add --text.")
    return InputSource(TEXT, argument)


def meter_of(sources: Sequence[InputSource]) -> Meter:
    """Announces folders; the meter knows how much there is to read if all sources are files or folders."""
    from gpuparse.trees import Meter, treebank_files

    prepare.tell_folders([source.name for source in sources if source.text is None])
    paths = [Path(source.name) for source in sources]
    if any(source.text is not None for source in sources):
        return Meter([])
    return Meter(file for path in paths for file in (treebank_files(path) if path.is_dir() else [path]))


def needs_no_display(sources: Sequence[InputSource], output: Path | None) -> bool:
    """Whether to show no progress: the terminal is in use, or only a few sentences come from the command line."""
    from gpuparse.cli.progress import terminal_is_taken

    few = all(source.text is not None for source in sources)
    return few or terminal_is_taken(writes_results=output is None, reads_input=InputSource("-") in sources)


def metered(lines: Iterable[str], meter: Meter | None) -> Iterator[str]:
    for line in lines:
        if meter is not None:
            meter.advance(len(line.encode()))
        yield line


def parse_sources(
    parser: LoadedParser,
    sources: Sequence[InputSource],
    kind: InputKind,
    retag: bool = False,
    meter: Meter | None = None,
) -> Generator[ParsedTree, None, None]:
    """Parse the sentences of sources, in order; with `retag` even tagged words are tagged by the model's tagger."""
    from gpuparse.errors import UsageError

    model = parser.model
    if retag and model.tagger is None:
        raise UsageError("--tagger: the model has none. It was trained with --no-tagger.")
    return parser.parse_prepared(_tell_unknown_tags(read_sentences(sources, kind, model, retag, meter), model))


def read_sentences(
    sources: Sequence[InputSource], kind: InputKind, model: Model, retag: bool = False, meter: Meter | None = None
) -> Iterator[Sentence]:
    """The sentences of sources; `auto` looks at the start of each."""
    from gpuparse.errors import InputError
    from gpuparse.parse.input import (
        detect_kind,
        read_lines,
        read_tagged,
        read_text,
        read_tokens,
        read_words_of_trees,
        tag_anew,
    )
    from gpuparse.trees import parse_trees, read_trees

    language, tagger = model.vocabulary.language, model.tagger

    def retagged(sentences: Iterator[Sentence]) -> Iterator[Sentence]:
        return tag_anew(sentences, tagger, language) if retag and tagger is not None else sentences

    for source in sources:
        folder = kind == InputKind.AUTO and Path(source.name).is_dir()
        if source.text is None and (kind == InputKind.TREES or folder):
            yield from retagged(read_words_of_trees(read_trees([source.name], meter=meter), language))
            continue
        with lines_of(source) as lines:
            beginning = until_words(lines)
            kind_here = detect_kind("".join(beginning[-1:])) if kind == InputKind.AUTO else kind
            text = metered(chain(beginning, lines), meter)  # blank lines too: errors count lines as an editor does
            if kind_here == InputKind.TREES:
                is_file = source.text is None and Path(source.name).is_file()
                trees = read_trees(source.name, meter=meter) if is_file else parse_trees("".join(text), source.name)
                yield from retagged(read_words_of_trees(_guessed_trees(trees, kind), language))
            elif kind_here == InputKind.TAGGED:
                yield from retagged(read_tagged(text, source.name, language))
            elif tagger is not None:
                if kind_here == InputKind.TOKENS:
                    yield from read_tokens(text, tagger, language)
                elif kind_here == InputKind.LINES or (source.name == "-" and sys.stdin.isatty()):
                    yield from read_lines(text, tagger, language, one_each=kind_here == InputKind.LINES)
                else:
                    yield from read_text(text, tagger, language)
            else:
                raise InputError(
                    f"{source.name}: this is {kind_here}, and the model has no tagger. Give each word its tag "
                    "(word/TAG, a sentence per line), or a treebank with --input trees."
                )


def _guessed_trees(trees: Iterator[Tree], kind: InputKind) -> Iterator[Tree]:
    """Pass trees on; where nobody said that the input is trees, the error says how to have it read as text."""
    from gpuparse.errors import TreebankError

    try:
        yield from trees
    except TreebankError as error:
        if kind != InputKind.AUTO:
            raise
        problem = f"{error.problem}. If this is text: --input text."
        raise TreebankError(error.source, error.line, problem) from error


def until_words(lines: Iterator[str]) -> list[str]:
    """The lines up to the first that is not blank."""
    beginning = []
    for line in lines:
        beginning.append(line)
        if line.strip():
            break
    return beginning


@contextmanager
def lines_of(source: InputSource) -> Iterator[Iterator[str]]:
    from gpuparse.errors import InputError

    try:
        if source.text is not None:
            yield iter(source.text.splitlines(keepends=True))
        elif source.name == "-":
            if sys.stdin.isatty():
                print(
                    "gpuparse: reading from the terminal: each line is answered at once, Ctrl-D ends the input",
                    file=sys.stderr,
                )
            sys.stdin.reconfigure(encoding="utf-8-sig", newline="")  # type: ignore[union-attr]  # stdin is a text file here
            yield iter(sys.stdin)
        else:
            with open(source.name, encoding="utf-8-sig", newline="") as opened:  # offsets count every character
                yield iter(opened)
    except UnicodeDecodeError as error:
        name = "the standard input" if source.name == "-" else source.name
        raise InputError(
            f"{name}: this is not UTF-8 text ({error.reason}). Convert it first, with iconv say."
        ) from error


def _tell_unknown_tags(sentences: Iterable[Sentence], model: Model) -> Iterator[Sentence]:
    """Pass sentences on, and warn once of each tag that never occurred in training."""
    from gpuparse.parse.logic.unknown import UnknownReport

    report = UnknownReport(model.vocabulary, lambda warning: print(f"gpuparse: {warning}", file=sys.stderr))
    for sentence in sentences:
        report.meet(sentence.tokens[index] for index in sentence.kept)
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
            return "".join(prepare.laid_out(one, prepare.TreeFormat(layout.value)) + "\n\n" for one in trees)
