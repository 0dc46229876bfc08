"""`gpuparse bench parse`: sentences and partial parses per second, and where the time goes; on a CPU one thread."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpuparse.cli.arguments import DeviceOption, EffortOption, Json, Limit, MaxWords, ModelOption, SearchMethod
from gpuparse.cli.bench.learn import shown
from gpuparse.cli.bench.measuring import measuring
from gpuparse.cli.parse import split_model
from gpuparse.cli.prepare import tell_folders
from gpuparse.cli.tables import print_json, print_table
from gpuparse.errors import UsageError
from gpuparse.options import SearchOptions

if TYPE_CHECKING:
    from gpuparse.cli.progress import Progress
    from gpuparse.parse.search.parser import Parser
    from gpuparse.trees import Language, Token

SOME_LENGTHS = (5, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200)  # in words and punctuation marks
SENTENCES_OF_A_LENGTH = 10
WARM_UP = 3  # sentences parsed before the clock starts, so that everything is compiled


def parse_command(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] TREEBANK...", help="The model, by default the English one; then treebank files or folders."
        ),
    ],
    model: ModelOption = None,
    limit: Limit = SearchOptions.limit,
    effort: EffortOption = SearchOptions.effort,
    search: SearchMethod = SearchOptions.method,
    by_length: Annotated[
        bool,
        typer.Option(
            "--by-length", help=f"Also each of some lengths from {SOME_LENGTHS[0]} to {SOME_LENGTHS[-1]} words."
        ),
    ] = False,
    max_words: MaxWords = None,
    device: DeviceOption = "cpu",
    as_json: Json = False,
) -> None:
    """Measure how fast the words and tags of a treebank are parsed.

    On one thread of the CPU, or with a device that scores.
    """
    from gpuparse.device import bandwidth, find_device
    from gpuparse.parse.model.file import load_model
    from gpuparse.parse.search.parser import Parser

    file, treebanks = split_model(arguments, model)
    if not treebanks:
        raise UsageError("there is no treebank to parse: gpuparse bench parse [MODEL] TREEBANK...")
    tell_folders(treebanks)
    trained = load_model(file)
    processor = find_device(device)
    parser = Parser(trained.vocabulary, trained.rules(), trained.strategy, trained.max_children, processor.kernels)
    sentences = treebank_sentences(treebanks, trained.vocabulary.language, max_words)
    options = SearchOptions(method=search, limit=limit, effort=effort, max_words=None)
    figures = {
        "device": processor.name,
        "device_about": processor.about,
        "bandwidth_gb_s": bandwidth(processor.kernels) / 1e9,
    }
    some_lengths = SOME_LENGTHS if by_length and sentences else ()
    with measuring(2 * len(sentences) + SENTENCES_OF_A_LENGTH * len(some_lengths), "parse") as progress:
        figures |= parsing_speed(parser, sentences, options, progress)
        lengths = [speed_of_length(parser, sentences, n, options, progress) for n in some_lengths]
    if as_json:
        print_json(figures | ({"by_length": lengths} if by_length else {}))
        return
    print_table("Parsing", ["figure", "value"], [[name, shown(value)] for name, value in figures.items()])
    if lengths:
        print_table("By length", [*lengths[0]], [[shown(value) for value in row.values()] for row in lengths])


def speed_of_length(
    parser: Parser, sentences: Sequence[Sequence[Token]], n_tokens: int, options: SearchOptions, progress: Progress
) -> dict[str, Any]:
    """The speed on sentences of one length, and what the searches came to."""
    from gpuparse.parse.search.parser import Outcome

    some = sentences_of_length(sentences, n_tokens)
    start = time.process_time()
    results = list(progress.through(parser.parse(some, options)))
    seconds = max(time.process_time() - start, 1e-9)
    return {
        "length": n_tokens,
        "sentences": len(some),
        "ms_per_sentence": 1000 * seconds / len(some),
        "sentences_per_cpu_s": len(some) / seconds,
        "optimal_share": sum(result.optimal for result in results) / len(some),
        "fallback_share": sum(result.outcome is Outcome.FALLBACK for result in results) / len(some),
    }


def sentences_of_length(sentences: Sequence[Sequence[Token]], n_tokens: int) -> list[list[Token]]:
    """Some sentences of one length, spread over the treebank; if it lacks them, sentences are joined, and cut there.

    >>> ["".join(some) for some in sentences_of_length(["ab", "c", "def"], 4)[:2]]
    ['abcd', 'abcd']
    """
    own = [list(sentence) for sentence in sentences if len(sentence) == n_tokens]
    selection = own[:: max(1, len(own) // SENTENCES_OF_A_LENGTH)][:SENTENCES_OF_A_LENGTH]
    at = 0
    while len(selection) < SENTENCES_OF_A_LENGTH:
        joined: list[Token] = []
        while len(joined) < n_tokens:
            joined += sentences[at % len(sentences)]
            at += 1
        selection.append(joined[:n_tokens])
    return selection


def treebank_sentences(treebanks: Sequence[str], language: Language, max_words: int | None) -> list[list[Token]]:
    """The prepared sentences of a treebank that have words left, and no more than so many."""
    from gpuparse.parse.input import read_words_of_trees
    from gpuparse.trees import count_words, read_trees

    prepared = read_words_of_trees(read_trees(treebanks), language)
    return [
        [sentence.tokens[index] for index in sentence.kept]
        for sentence in prepared
        if sentence.kept and (max_words is None or count_words(sentence.tokens, language) <= max_words)
    ]


def parsing_speed(
    parser: Parser, sentences: Sequence[Sequence[Token]], options: SearchOptions, progress: Progress
) -> dict[str, Any]:
    """Sentences and partial parses per CPU second, the shares of the time, and how many parses are proved optimal."""
    from gpuparse.jit import wait_until_compiled

    wait_until_compiled()
    list(parser.parse(sentences[:WARM_UP], options))
    start, began = time.process_time(), time.perf_counter()
    results = list(progress.through(parser.parse(sentences, options)))
    seconds, wall = max(time.process_time() - start, 1e-9), max(time.perf_counter() - began, 1e-9)
    shares = _shares(parser, sentences, options, progress)
    scored = sum(result.scored for result in results)
    number = max(len(results), 1)
    return {
        "sentences": len(results),
        "words": sum(map(len, sentences)),
        "rules": len(parser.rules.label),
        "cpu_s": seconds,
        "wall_s": wall,
        "sentences_per_cpu_s": len(results) / seconds,
        "sentences_per_wall_s": len(results) / wall,
        "partial_parses": scored,
        "partial_parses_per_cpu_s": scored / seconds,
        **{f"{name}_share": share for name, share in shares.items()},
        "optimal_share": sum(result.optimal for result in results) / number,
        "greedy_optimal_share": sum(result.greedy_is_optimal for result in results) / number,
    }


def _shares(
    parser: Parser, sentences: Sequence[Sequence[Token]], options: SearchOptions, progress: Progress
) -> dict[str, float]:
    """How the time is divided between the steps of the search, in a run that reads the clock between them."""
    none_yet = {"features": 0.0, "scoring": 0.0, "agenda": 0.0}
    parser.seconds = dict(none_yet)
    list(parser.parse(sentences[:WARM_UP], options))  # such a run calls other compiled functions
    parser.seconds = none_yet
    for _ in progress.through(parser.parse(sentences, options)):
        pass
    total = max(sum(parser.seconds.values()), 1e-9)
    shares = {name: spent / total for name, spent in parser.seconds.items()}
    parser.seconds = None
    return shares
