"""`gpuparse parse`: trees for sentences."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from gpuparse.cli import prepare
from gpuparse.cli.arguments import Device

if TYPE_CHECKING:
    from gpuparse.model.model import Model
    from gpuparse.parsing import ParsedSentence
    from gpuparse.search.parser import SearchOptions
    from gpuparse.trees import Sentence


class Format(StrEnum):
    """How trees are printed."""

    BRACKETS = "brackets"
    PRETTY = "pretty"
    DRAWN = "drawn"
    JSON = "json"


class SearchName(StrEnum):
    """The names of the search methods."""

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
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model that gpuparse train wrote.")],
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE...]", help="What to parse; - or none is the standard input.")
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
        Format, typer.Option("--format", help="A tree a line, indented, drawn, or JSON lines.")
    ] = Format.BRACKETS,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to. Unless told: the standard output.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Partial parses scored for a sentence, at most.")] = 100_000,
    search: Annotated[SearchName, typer.Option(help="The order in which partial parses are looked at.")] = (
        SearchName.GREEDY
    ),
    max_min: Annotated[
        bool, typer.Option("--max-min", help="Maximise the least confidence, not the sum of costs.")
    ] = False,
    k: Annotated[int, typer.Option("--k", min=1, help="How many trees for a sentence.")] = 1,
    lambda_: Annotated[
        float | None,
        typer.Option(
            "--lambda", min=0.0, help="Cut the model at this lambda. Unless told: the one that training chose."
        ),
    ] = None,
    device: Device = "auto",
    batch: Annotated[int, typer.Option(min=1, help="Sentences searched side by side.")] = 2,
) -> None:
    """Parse sentences. Every token of the input comes back, in order, and every sentence gets a tree.

    A test section is parsed with: gpuparse parse MODEL wsj/23 --input trees > 23.parsed
    """
    from gpuparse.cli.counter import Counter
    from gpuparse.model.file import load_model
    from gpuparse.search.parser import Method, SearchOptions

    options = SearchOptions(
        method=Method[search.value.replace("-", "_")], max_min=max_min, limit=limit, k=k, batch=batch
    )
    trained = load_model(model)
    with _opened(output) as out, Counter("sentences") as counter:
        for parsed in parse_files(trained, files or ["-"], kind.value, options, lambda_, device, tagger):
            out.write(laid_out(parsed, layout) + "\n")
            counter.count(parsed.status)


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[str]]:
    if output is None:
        yield sys.stdout
        sys.stdout.flush()
    else:
        with output.open("w", encoding="utf-8") as file:
            yield file


def parse_files(
    model: Model,
    files: Sequence[str],
    kind: str,
    options: SearchOptions,
    lambda_: float | None = None,
    device: str = "auto",
    retag: bool = False,
) -> Iterator[ParsedSentence]:
    """Parse the sentences of files, in order; `retag` gives words that have tags those of the model's tagger."""
    from gpuparse.device import find_device
    from gpuparse.errors import UsageError
    from gpuparse.parsing import parse_sentences
    from gpuparse.search.parser import Parser

    if retag and model.tagger is None:
        raise UsageError("--tagger: the model has none. It was trained with --no-tagger.")
    kernels = find_device(device).kernels
    parser = Parser(model.vocabulary, model.rules(lambda_), model.strategy, model.max_children, kernels)
    sentences = _tell_unknown_tags(read_sentences(files, kind, model, retag), model)
    return parse_sentences(parser, sentences, options)


def read_sentences(files: Sequence[str], kind: str, model: Model, retag: bool = False) -> Iterator[Sentence]:
    """The sentences of files; `auto` looks at the start of each."""
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

    for file in files:
        if kind == InputKind.TREES or (kind == InputKind.AUTO and Path(file).is_dir()):
            yield from given(read_words_of_trees(read_trees([file]), language))
            continue
        with _lines(file) as lines:
            first = next((line for line in lines if line.strip()), "")
            found = detect_kind(first) if kind == InputKind.AUTO else InputKind(kind)
            text = chain([first], lines)
            if found == InputKind.TREES:
                yield from given(read_words_of_trees(parse_trees("".join(text), file), language))
            elif found == InputKind.TAGGED:
                yield from given(read_tagged(text, file, language))
            elif tagger is not None:
                yield from (read_text if found == InputKind.TEXT else read_tokens)(text, tagger, language)
            else:
                raise InputError(
                    f"{file}: this is {found}, and the model has no tagger. Give each word its tag (word/TAG, a "
                    "sentence a line), or a treebank with --input trees."
                )


@contextmanager
def _lines(file: str) -> Iterator[Iterator[str]]:
    from gpuparse.errors import InputError

    try:
        if file == "-":
            sys.stdin.reconfigure(encoding="utf-8-sig")  # type: ignore[union-attr]  # stdin is a text file here
            yield iter(sys.stdin)
        else:
            with open(file, encoding="utf-8-sig") as opened:
                yield iter(opened)
    except UnicodeDecodeError as error:
        name = "the standard input" if file == "-" else file
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


def laid_out(parsed: ParsedSentence, layout: Format) -> str:
    """A parsed sentence as text: its best trees, one after the other."""
    if layout is Format.JSON:
        return json.dumps(as_json(parsed), ensure_ascii=False)
    return "\n".join(prepare.laid_out(tree, prepare.Layout(layout.value)) for tree in parsed.trees())


def as_json(parsed: ParsedSentence) -> dict[str, Any]:
    """A parsed sentence for a program."""
    trees = parsed.trees()
    result = parsed.result
    found: dict[str, Any] = {
        "tokens": [token.word for token in parsed.sentence.tokens],
        "tags": [token.tag for token in parsed.sentence.tokens],
        "tree": str(trees[0]),
        "spans": [list(span) for span in trees[0].spans()],
        "cost": None if result is None else result.cost,
        "status": parsed.status,
        "optimal": result is None or result.optimal,
        "scored": 0 if result is None else result.scored,
    }
    if result is not None and len(trees) > 1:
        found["k_best"] = [
            {"tree": str(tree), "cost": parse.cost} for tree, parse in zip(trees, result.parses, strict=True)
        ]
    return found
