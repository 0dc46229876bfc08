"""`gpuparse bench tag`: how well and how fast the tagger tags, with known and unknown words apart."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpuparse.cli.arguments import Json, OptionalTreebanks, Seed
from gpuparse.cli.tables import print_json, print_table

if TYPE_CHECKING:
    from gpuparse.trees import Token

SYNTHETIC_TREES = 2_000
REPEATS = 3


def tag_command(
    treebanks: OptionalTreebanks = None,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", metavar="TREEBANK", help="Trees to tag. [default: the last tenth of the others]"),
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Measure how well and how fast the tagger tags."""
    figures = tagging_figures(*_sentences(treebanks or [], test or [], seed), seed)
    if as_json:
        print_json(figures)
    else:
        shown = [[name, "-" if value is None else f"{value:,.2f}"] for name, value in figures.items()]
        print_table("Tagging", ["figure", "value"], shown)


def _sentences(treebanks: Sequence[str], test: Sequence[str], seed: int) -> tuple[list[list[Token]], list[list[Token]]]:
    """What to learn from and what to tag."""
    from gpuparse.trees import read_trees, strip, synthetic_treebank

    trees = read_trees(treebanks) if treebanks else synthetic_treebank(SYNTHETIC_TREES, seed)
    sentences = [strip(tree).tokens() for tree in trees]
    if test:
        return sentences, [strip(tree).tokens() for tree in read_trees(test)]
    cut = len(sentences) - len(sentences) // 10
    return sentences[:cut], sentences[cut:]


def tagging_figures(train: Sequence[Sequence[Token]], test: Sequence[Sequence[Token]], seed: int) -> dict[str, Any]:
    """Accuracy in per cent, speed and size of a tagger trained on one and tested on the other.

    >>> from gpuparse.trees import Token
    >>> sentences = [[Token("Dogs", "NNS"), Token("bark", "VBP")]] * 9
    >>> tagging_figures(sentences, sentences, seed=0)["accuracy"]
    100.0
    """
    from gpuparse.tag import TaggerOptions, train_tagger

    train_tagger(train[:1])  # compiles
    start = time.process_time()
    tagger = train_tagger(train, TaggerOptions(seed=seed))
    training = time.process_time() - start
    words = [[token.word for token in sentence] for sentence in test]
    tagged = list(tagger.tag_many(words))
    tagging = min(_seconds(tagger, words) for _ in range(REPEATS))
    known = {token.word for sentence in train for token in sentence}
    tokens = sum(map(len, test))
    return {
        "train_tokens": sum(map(len, train)),
        "test_tokens": tokens,
        **_accuracy(test, tagged, known),
        "train_cpu_s": training,
        "tokens_per_cpu_second": tokens / max(tagging, 1e-9),
        "features": len(tagger.keys),
        "weights": len(tagger.row_weights),
        "array_bytes": sum(array.nbytes for array in tagger.arrays().values()),
    }


def _accuracy(
    gold: Sequence[Sequence[Token]], tagged: Sequence[Sequence[Token]], known: set[str]
) -> dict[str, float | None]:
    """Per cent of the tokens tagged right: of all, of those with known words and of the others."""
    right = [
        (token == given, token.word in known)
        for sentence, result in zip(gold, tagged, strict=True)
        for token, given in zip(sentence, result, strict=True)
    ]

    def share(of: list[bool]) -> float | None:
        return 100 * sum(of) / len(of) if of else None

    return {
        "accuracy": share([is_right for is_right, _ in right]),
        "accuracy_known": share([is_right for is_right, is_known in right if is_known]),
        "accuracy_unknown": share([is_right for is_right, is_known in right if not is_known]),
        "unknown": share([not is_known for _, is_known in right]),
    }


def _seconds(tagger: Any, words: Sequence[Sequence[str]]) -> float:
    from gpuparse.jit import wait_until_compiled

    wait_until_compiled()
    start = time.process_time()
    for _ in tagger.tag_many(words):
        pass
    return time.process_time() - start
