"""`gpuparse tag`: from text to words with their POS tags, how sure each is, and what else it could be."""

from __future__ import annotations

import json
from enum import StrEnum
from itertools import count, pairwise
from typing import TYPE_CHECKING, Annotated

import typer

from gpuparse.cli.arguments import AllText, Json, ModelOption, Output
from gpuparse.cli.parse import meter_of, needs_no_display, read_sentences, sort_arguments
from gpuparse.errors import UsageError
from gpuparse.options import InputKind

if TYPE_CHECKING:
    from gpuparse.trees import Sentence


class TagFormat(StrEnum):
    """The formats of tagged sentences."""

    TAGGED = "tagged"
    CONLLU = "conllu"
    JSON = "json"


def tag_command(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL] [FILE|TEXT]...",
            help="The model, by default the English one; then files, folders, or text in quotes; by default stdin (-).",
        ),
    ] = None,
    kind: Annotated[
        InputKind,
        typer.Option("--input", metavar="KIND", help="As for parse: text, lines, tokens, tagged, trees or auto."),
    ] = InputKind.AUTO,
    layout: Annotated[
        TagFormat | None,
        typer.Option("--format", metavar="FORMAT", help="tagged (word/TAG), conllu or json. [default: tagged]"),
    ] = None,
    as_json: Json = False,
    output: Output = None,
    model: ModelOption = None,
    all_text: AllText = False,
) -> None:
    """Tag words with their parts of speech, and do not parse.

    With --json and in CoNLL-U each tag has its odds, and the runner-up with its own. For example:
    gpuparse tag "Time flies like an arrow." --json

    Words that come with tags are tagged again, except punctuation.
    """
    from gpuparse.cli.output import results_to
    from gpuparse.cli.progress import Progress
    from gpuparse.parse.model.file import load_model

    if as_json and layout not in (None, TagFormat.JSON):
        raise UsageError(f"--json and --format {layout} exclude each other.")
    layout = TagFormat.JSON if as_json else layout or TagFormat.TAGGED
    if all_text and kind is InputKind.AUTO:
        kind = InputKind.TEXT
    path, sources = sort_arguments(arguments or [], model, all_text)
    loaded = load_model(path)
    if loaded.tagger is None:
        raise UsageError(f"{path}: this model has no tagger. It was trained with --no-tagger.")
    meter = meter_of(sources)
    sentences = read_sentences(sources, kind, loaded, retag=True, meter=meter)
    quiet = needs_no_display(sources, output)
    with results_to(output) as write, Progress("sentence", share=meter.share, quiet=quiet) as progress:
        for number, sentence in zip(count(1), progress.through(sentences), strict=False):
            write(laid_out(sentence, layout, number))


def laid_out(sentence: Sentence, layout: TagFormat, number: int = 1) -> str:
    """A tagged sentence as text.

    >>> from gpuparse.trees import TagOdds, Token
    >>> from gpuparse.trees.preparation import Sentence
    >>> sentence = Sentence((Token("Go", "VB"),), (0,), odds=(TagOdds(0.75, "NN", 0.25),))
    >>> laid_out(sentence, TagFormat.TAGGED)
    'Go/VB\\n'
    >>> laid_out(sentence, TagFormat.JSON)
    '{"tokens": ["Go"], "tags": ["VB"], "tag_odds": [0.75], "runner_up_tags": ["NN"], "runner_up_odds": [0.25]}\\n'
    """
    match layout:
        case TagFormat.TAGGED:
            return " ".join(f"{token.word}/{token.tag}" for token in sentence.tokens) + "\n"
        case TagFormat.CONLLU:
            return _conllu(sentence, number)
        case TagFormat.JSON:
            return json.dumps(_as_json(sentence), ensure_ascii=False) + "\n"


def _as_json(sentence: Sentence) -> dict[str, object]:
    from gpuparse.parse.parsed_tree import odds_by_name

    content: dict[str, object] = {"tokens": [token.word for token in sentence.tokens]}
    if sentence.originals:
        content["originals"] = [original.text for original in sentence.originals]
        content["offsets"] = [[original.start, original.end] for original in sentence.originals]
    return content | {"tags": [token.tag for token in sentence.tokens]} | odds_by_name(sentence.odds)


def _conllu(sentence: Sentence, number: int) -> str:
    """In CoNLL-U, with the tag as XPOS and its odds under MISC."""
    words = [original.text for original in sentence.originals] or [token.word for token in sentence.tokens]
    touching = _touching(sentence)
    text = "".join(word if touches else f"{word} " for word, touches in zip(words, touching, strict=True))
    lines = [f"# sent_id = {number}", f"# text = {text.strip()}"]
    for place, (word, token, odds, touches) in enumerate(
        zip(words, sentence.tokens, sentence.odds, touching, strict=True), 1
    ):
        notes = ["SpaceAfter=No"] if touches else []
        notes.append(f"Odds={odds.odds:.4f}")
        if odds.runner_up is not None:
            notes.append(f"RunnerUp={odds.runner_up}|RunnerUpOdds={odds.runner_up_odds:.4f}")
        lines.append(f"{place}\t{word}\t_\t_\t{token.tag}\t_\t_\t_\t_\t{'|'.join(notes)}")
    return "".join(f"{line}\n" for line in lines) + "\n"


def _touching(sentence: Sentence) -> list[bool]:
    """Of each token whether the next follows it without a blank."""
    originals = sentence.originals
    touching = [first.end == second.start for first, second in pairwise(originals)]
    return [*touching, False] if originals else [False] * len(sentence.tokens)
