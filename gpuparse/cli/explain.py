"""`gpuparse explain`: a sentence's tree, why each constituent is in it, and what lost to it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpuparse.cli.arguments import Device, Json
from gpuparse.cli.parse import InputName, SearchName
from gpuparse.errors import InputError, UsageError

if TYPE_CHECKING:
    from gpuparse.explain import Explanation
    from gpuparse.model.model import Model
    from gpuparse.trees import Sentence

FILE_WIDTH = 100  # columns of an explanation that goes to a file


class Form(StrEnum):
    """How an explanation is given."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    SVG = "svg"


def explain_command(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] SENTENCE",
            help="A model, by its name or path, and the sentence; - is the standard input. "
            "Unless told: the English model that comes along.",
        ),
    ],
    kind: Annotated[
        InputName, typer.Option("--input", help="What the sentence is: text, tokens, tagged words, or a tree's words.")
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
        SearchName.GREEDY
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
    from gpuparse.model.bundled import find_model
    from gpuparse.model.file import load_model
    from gpuparse.search.parser import Method, SearchOptions

    wanted = _form(form, as_json, output)
    name, text = split_arguments(arguments)
    model = load_model(find_model(name))
    short = wanted is Form.TEXT
    amount = Amount(
        rules=(3 if short else 10) if rules is None else rules,
        facts=(5 if short else 8) if facts is None else facts,
        rivals=rivals,
    )
    options = SearchOptions(method=Method[search.value.replace("-", "_")], limit=limit, batch=1)
    explainer = Explainer(model, find_device(device).kernels, lambda_)
    sentences = list(read_sentence(text, kind.value, model))
    _write([explainer.explain(sentence, options, amount) for sentence in sentences], wanted, output)


def _form(form: Form | None, as_json: bool, output: Path | None) -> Form:
    if as_json:
        if form not in (None, Form.JSON):
            raise UsageError(f"--json and --format {form} can't both be had.")
        return Form.JSON
    endings = {f".{each}": each for each in (Form.JSON, Form.HTML, Form.SVG)}
    return form or endings.get(output.suffix if output else "", Form.TEXT)


def split_arguments(arguments: Sequence[str]) -> tuple[str | None, str]:
    """The model that is named, if one is, and the sentence.

    >>> split_arguments(["my.model", "A dog barks."]), split_arguments(["A dog barks."])
    (('my.model', 'A dog barks.'), (None, 'A dog barks.'))
    """
    from gpuparse.model.bundled import names_model

    first, *rest = arguments
    if rest:
        return first, " ".join(rest)
    return (first, "-") if names_model(first) else (None, first)


def read_sentence(text: str, kind: str, model: Model) -> Iterator[Sentence]:
    """The sentences of a text, which is mostly one, as `parse` reads them from a file."""
    from gpuparse.parsing import InputKind, detect_kind, read_tagged, read_text, read_tokens, read_words_of_trees
    from gpuparse.trees import parse_trees

    if text == "-":
        text = sys.stdin.read()
    if not text.strip():
        raise InputError("there is no sentence to explain. Give one, in quotes: gpuparse explain MODEL 'A dog barks.'")
    source, language = "the sentence", model.vocabulary.language
    found = detect_kind(text) if kind == InputKind.AUTO else InputKind(kind)
    if found == InputKind.TREES:
        return read_words_of_trees(parse_trees(text, source), language)
    if found == InputKind.TAGGED:
        return read_tagged(text.splitlines(), source, language)
    if model.tagger is None:
        raise InputError("the model has no tagger. Give each word its tag: gpuparse explain MODEL 'A/DT dog/NN'")
    return (read_text if found == InputKind.TEXT else read_tokens)(text.splitlines(), model.tagger, language)


def _write(explanations: Sequence[Explanation], form: Form, output: Path | None) -> None:
    if form is Form.TEXT:
        _write_text(explanations, output)
        return
    content = laid_out(explanations, form)
    if output is None:
        print(content)
    else:
        output.write_text(content + "\n", encoding="utf-8")


def laid_out(explanations: Sequence[Explanation], form: Form) -> str:
    """Explanations for programs, one a line; as a page; or their tree as an image."""
    from gpuparse.explain.page import page
    from gpuparse.trees.svg import draw_svg

    if form is Form.JSON:
        return "\n".join(json.dumps(explanation.as_json(), ensure_ascii=False) for explanation in explanations)
    if form is Form.HTML:
        return page(explanations)
    if len(explanations) != 1:
        raise UsageError(f"an image shows one sentence, and these are {len(explanations)}.")
    return draw_svg(explanations[0].tree)


def _write_text(explanations: Sequence[Explanation], output: Path | None) -> None:
    from rich.console import Console

    from gpuparse.cli.explain_display import print_explanation

    console = Console(highlight=False) if output is None else Console(file=StringIO(), width=FILE_WIDTH)
    if output is None and console.is_terminal:
        for explanation in explanations:
            print_explanation(explanation, console)
        return
    with console.capture() as captured:
        for explanation in explanations:
            print_explanation(explanation, console)
    plain = "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())  # what fills up a line goes
    if output is None:
        print(plain, end="")
    else:
        output.write_text(plain, encoding="utf-8")
