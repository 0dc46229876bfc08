"""`gpuparse explain`: a sentence's tree, why each constituent is in it, and what lost to it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpuparse.cli.arguments import Device, Json
from gpuparse.cli.output import results_to
from gpuparse.cli.parse import InputName, SearchName, read_sentences, sort_arguments
from gpuparse.errors import InputError, UsageError

if TYPE_CHECKING:
    from gpuparse.explain import Explanation

PLAIN_WIDTH = 100  # columns of an explanation that goes to no terminal, unless COLUMNS says otherwise


class Form(StrEnum):
    """How an explanation is given."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    SVG = "svg"


def explain_command(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL] [TEXT|FILE]...",
            help="As of gpuparse parse: the model by its name or path, unless it is the English one that comes along; "
            "then the sentence, in quotes. None, or -: the standard input.",
        ),
    ] = None,
    kind: Annotated[
        InputName, typer.Option("--input", help="What the sentence is, as of gpuparse parse.")
    ] = InputName.AUTO,
    form: Annotated[
        Form | None,
        typer.Option("--format", help="For people, for programs, a web page, or the tree as an image. [default: text]"),
    ] = None,
    as_json: Json = False,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to; its ending, such as .html, says the format unless --format does."),
    ] = None,
    rules: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Rules to list, the heaviest first. [default: 3, or 10]")
    ] = None,
    facts: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Facts to list. [default: 5, or 8 for json and html]")
    ] = None,
    rivals: Annotated[int, typer.Option(min=0, metavar="N", help="Rivals of each constituent.")] = 3,
    limit: Annotated[int, typer.Option(min=1, help="Partial parses scored, at most.")] = 100_000,
    search: Annotated[SearchName, typer.Option(help="The order in which partial parses are looked at.")] = (
        SearchName.PROMISING
    ),
    lambda_: Annotated[
        float | None,
        typer.Option("--lambda", min=0.0, help="Cut the model at this lambda. Unless told: its own."),
    ] = None,
    device: Device = "auto",
) -> None:
    """Explain a parse: the tree, the rules behind each constituent, and the best rivals that were rejected.

    A page to click on: gpuparse explain "The old man saw the dog." --output why.html
    """
    from gpuparse.device import find_device
    from gpuparse.explain import Amount, Explainer
    from gpuparse.model.file import load_model
    from gpuparse.search.parser import Method, SearchOptions

    wanted = _form(form, as_json, output)
    path, sources = sort_arguments(arguments or [])
    model = load_model(path)
    short = wanted is Form.TEXT
    amount = Amount(
        rules=(3 if short else 10) if rules is None else rules,
        facts=(5 if short else 8) if facts is None else facts,
        rivals=rivals,
    )
    options = SearchOptions(method=Method[search.value.replace("-", "_")], limit=limit, batch=1)
    sentences = list(read_sentences(sources, kind.value, model))
    if not sentences:
        raise InputError("there is no sentence to explain. Give one, in quotes: gpuparse explain 'A dog barks.'")
    explainer = Explainer(model, find_device(device).kernels, lambda_)
    explanations = [explainer.explain(sentence, options, amount) for sentence in sentences]
    if output is None and short and sys.stdout.isatty():
        _show(explanations)
        return
    with results_to(output) as write:
        write(laid_out(explanations, wanted))


def _form(form: Form | None, as_json: bool, output: Path | None) -> Form:
    if as_json:
        if form not in (None, Form.JSON):
            raise UsageError(f"--json and --format {form} can't both be had.")
        return Form.JSON
    endings = {f".{each}": each for each in (Form.JSON, Form.HTML, Form.SVG)}
    return form or endings.get(output.suffix if output else "", Form.TEXT)


def laid_out(explanations: Sequence[Explanation], form: Form) -> str:
    """Explanations in lines: as text, for programs one a line, as a page, or their tree as an image."""
    match form:
        case Form.JSON:
            return "".join(json.dumps(one.as_json(), ensure_ascii=False) + "\n" for one in explanations)
        case Form.HTML:
            from gpuparse.explain.page import page

            return page(explanations)
        case Form.SVG:
            from gpuparse.trees.svg import draw_svg

            if len(explanations) != 1:
                raise UsageError(f"an image shows one sentence, and these are {len(explanations)}.")
            return draw_svg(explanations[0].tree) + "\n"
        case _:
            return _plain(explanations)


def _show(explanations: Sequence[Explanation]) -> None:
    from rich.console import Console

    from gpuparse.cli.explain_display import print_explanation

    for explanation in explanations:
        print_explanation(explanation, Console(highlight=False))


def _plain(explanations: Sequence[Explanation]) -> str:
    """What a terminal would show, without colours and blanks at the ends of lines."""
    from rich.console import Console

    from gpuparse.cli.explain_display import print_explanation

    width = None if os.environ.get("COLUMNS", "").isdigit() else PLAIN_WIDTH
    console = Console(file=StringIO(), width=width, color_system=None)
    with console.capture() as captured:
        for explanation in explanations:
            print_explanation(explanation, console)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())
