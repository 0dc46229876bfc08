"""`gpuparse explain`: a sentence's tree, why each constituent is in it, and what lost to it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from enum import StrEnum
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpuparse.cli.arguments import (
    DEVICE_HELP,
    SEARCH_PANEL,
    AllText,
    Json,
    Lambda,
    Limit,
    ModelOption,
    SearchMethod,
    Tags,
)
from gpuparse.cli.output import results_to
from gpuparse.cli.parse import meter_of, needs_no_display, read_sentences, sort_arguments
from gpuparse.errors import InputError, UsageError
from gpuparse.options import SHORT_AMOUNT, Amount, InputKind, SearchOptions

if TYPE_CHECKING:
    from gpuparse.parse.explain import Explanation

PLAIN_WIDTH = 100  # characters per line by default; COLUMNS in the environment sets another width


class ExplanationFormat(StrEnum):
    """The formats of an explanation."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    SVG = "svg"


FORMAT_BY_SUFFIX = {
    "": ExplanationFormat.TEXT,
    ".txt": ExplanationFormat.TEXT,
    ".json": ExplanationFormat.JSON,
    ".html": ExplanationFormat.HTML,
    ".svg": ExplanationFormat.SVG,
}


def explain_command(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL] [FILE|TEXT]...",
            help="The model, by default the English one; then files, folders, or text in quotes; by default stdin (-).",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write; .html, .json, .svg or .txt sets the format. [default: stdout]",
        ),
    ] = None,
    form: Annotated[
        ExplanationFormat | None,
        typer.Option("--format", metavar="FORMAT", help="text, json, html or svg (the tree alone). [default: text]"),
    ] = None,
    as_json: Json = False,
    rules: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help=f"Rules per constituent. [default: {SHORT_AMOUNT.rules}; json, html: {Amount.rules}]",
        ),
    ] = None,
    facts: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help=f"Facts per constituent. [default: {SHORT_AMOUNT.facts}; json, html: {Amount.facts}]",
        ),
    ] = None,
    rivals: Annotated[int, typer.Option(min=0, metavar="N", help="Rivals per constituent.")] = Amount.rivals,
    model: ModelOption = None,
    kind: Annotated[
        InputKind,
        typer.Option("--input", metavar="KIND", help="As for parse: text, lines, tokens, tagged, trees or auto."),
    ] = InputKind.AUTO,
    all_text: AllText = False,
    tags: Tags = None,
    device: Annotated[
        str, typer.Option("--device", metavar="DEVICE", rich_help_panel=SEARCH_PANEL, help=DEVICE_HELP)
    ] = "auto",
    limit: Limit = SearchOptions.limit,
    search: SearchMethod = SearchOptions.method,
    lambda_: Lambda = None,
) -> None:
    """Explain a parse: why each constituent won, and over what.

    As a page: gpuparse explain "The old man saw the dog." --output why.html
    """
    from gpuparse.cli.progress import Progress
    from gpuparse.device import find_device
    from gpuparse.parse.explain import Explainer
    from gpuparse.parse.model.file import load_model
    from gpuparse.parse.overruling import Overruler

    chosen_format = _choose_format(form, as_json, output)
    path, sources = sort_arguments(arguments or [], model, all_text)
    loaded = load_model(path)
    usual = SHORT_AMOUNT if chosen_format is ExplanationFormat.TEXT else Amount()
    amount = Amount(
        rules=usual.rules if rules is None else rules,
        facts=usual.facts if facts is None else facts,
        rivals=rivals,
    )
    options = SearchOptions(method=search, limit=limit, batch=1)
    meter = meter_of(sources)
    sentences = read_sentences(sources, kind, loaded, meter=meter)
    overruler = Overruler.of(loaded.tagger, loaded.vocabulary.language, tags, options)
    explainer = Explainer(loaded, find_device(device).kernels, lambda_)
    explanations = (explainer.explain(sentence, options, amount, overruler) for sentence in sentences)
    quiet = needs_no_display(sources, output)
    with results_to(output) as write, Progress("sentence", share=meter.share, quiet=quiet) as progress:
        for piece in _pieces(progress.through(_at_least_one(explanations)), chosen_format):
            write(piece)


def _at_least_one(explanations: Iterator[Explanation]) -> Iterator[Explanation]:
    first = next(explanations, None)
    if first is None:
        raise InputError("there is no sentence to explain. Give one, in quotes: gpuparse explain 'A dog barks.'")
    yield from chain([first], explanations)


def _pieces(explanations: Iterator[Explanation], form: ExplanationFormat) -> Iterator[str]:
    """What is written in one go: each explanation as soon as it is known, but a page or an image as a whole."""
    if form in (ExplanationFormat.TEXT, ExplanationFormat.JSON):
        return (laid_out([explanation], form) for explanation in explanations)
    return iter([laid_out(list(explanations), form)])


def _choose_format(form: ExplanationFormat | None, as_json: bool, output: Path | None) -> ExplanationFormat:
    if as_json:
        if form not in (None, ExplanationFormat.JSON):
            raise UsageError(f"--json and --format {form} exclude each other.")
        return ExplanationFormat.JSON
    suffix = output.suffix.lower() if output else ""
    if form is None and suffix not in FORMAT_BY_SUFFIX:
        suffixes = ", ".join(filter(None, FORMAT_BY_SUFFIX))
        raise UsageError(f"{output}: there is no format for {suffix}. Use {suffixes}, or say --format.")
    return form or FORMAT_BY_SUFFIX[suffix]


def laid_out(explanations: Sequence[Explanation], form: ExplanationFormat) -> str:
    """Explanations as text, as JSON lines, as a page, or as an image of the tree."""
    match form:
        case ExplanationFormat.JSON:
            return "".join(json.dumps(one.as_json(), ensure_ascii=False) + "\n" for one in explanations)
        case ExplanationFormat.HTML:
            from gpuparse.parse.explain.page import page

            return page(explanations)
        case ExplanationFormat.SVG:
            from gpuparse.trees.svg import draw_svg

            if len(explanations) != 1:
                raise UsageError(f"an image shows one sentence, and these are {len(explanations)}.")
            return draw_svg(explanations[0].parsed.tree) + "\n"
        case _:
            return _plain(explanations)


def _plain(explanations: Sequence[Explanation]) -> str:
    """Text for people, without colours or trailing blanks: the same at a terminal as in a file."""
    from rich.console import Console

    from gpuparse.cli.explain_display import print_explanation

    width = None if os.environ.get("COLUMNS", "").isdigit() else PLAIN_WIDTH
    console = Console(file=StringIO(), width=width, color_system=None)
    with console.capture() as captured:
        for explanation in explanations:
            print_explanation(explanation, console)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())
