"""`gpuparse bench tag`: how well and how fast the tagger tags, with known and unknown words apart."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpuparse.cli.arguments import Json, OptionalTreebanks, Seed
from gpuparse.cli.bench.measuring import Step, measuring, no_step
from gpuparse.cli.prepare import tell_folders
from gpuparse.cli.tables import print_json, print_table

if TYPE_CHECKING:
    from gpuparse.tag import Knowledge
    from gpuparse.trees import Language, Token

TREES_TAGGED = 2_000
TAGGINGS = 3


def tag_command(
    treebanks: OptionalTreebanks = None,
    test: Annotated[
        list[str] | None,
        typer.Option(
            "--test",
            metavar="FILE",
            help="What to tag: trees, word/TAG or CoNLL-U; each is scored on its own. [default: a tenth of the trees]",
        ),
    ] = None,
    tagged: Annotated[
        list[str] | None,
        typer.Option("--tagged", metavar="FILE", help="More text to learn from, as for gpuparse train."),
    ] = None,
    classes: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Classes of words, made by gpuparse classes.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Measure how well and how fast the tagger tags."""
    from gpuparse.parse.tagged_text import read_sources
    from gpuparse.tag import Knowledge
    from gpuparse.trees import load_language
    from gpuparse.words import load_classes

    language = load_language()
    tell_folders([*(treebanks or []), *(test or [])])
    train, tests = _sentences(treebanks or [], test or [], seed, language)
    word_classes = None if classes is None else load_classes(classes)
    knowledge = Knowledge(read_sources(tagged or [], language), language.tag_rules, word_classes)
    with measuring(2 + len(tests) + TAGGINGS) as progress:
        figures = tagging_figures(train, tests, seed, knowledge, progress.advance)
    if as_json:
        print_json(figures)
    else:
        shown = [[name, "-" if value is None else f"{value:,.2f}"] for name, value in figures.items()]
        print_table("Tagging", ["figure", "value"], shown)


def _sentences(
    treebanks: Sequence[str], test: Sequence[str], seed: int, language: Language
) -> tuple[list[list[Token]], dict[str, list[list[Token]]]]:
    """What to learn from, and what to tag by its name; what has no name is the end of the former."""
    from gpuparse.parse.tagged_text import read_sources
    from gpuparse.trees import read_trees, strip, synthetic_treebank

    trees = read_trees(treebanks) if treebanks else synthetic_treebank(TREES_TAGGED, seed)
    sentences = [strip(tree, language).tokens() for tree in trees]
    if test:
        tests = {
            name: [list(sentence) for source in read_sources([name], language) for sentence in source.sentences]
            for name in test
        }
        return sentences, {"" if len(tests) == 1 else f"{name} ": tests[name] for name in tests}
    cut = len(sentences) - len(sentences) // 10
    return sentences[:cut], {"": sentences[cut:]}


def tagging_figures(
    train: Sequence[Sequence[Token]],
    tests: Mapping[str, Sequence[Sequence[Token]]],
    seed: int,
    knowledge: Knowledge | None = None,
    step: Step = no_step,
) -> dict[str, Any]:
    """Accuracy in per cent, speed and size of a tagger trained on one and tested on the others.

    >>> from gpuparse.trees import Token
    >>> sentences = [[Token("Dogs", "NNS"), Token("bark", "VBP")]] * 9
    >>> tagging_figures(sentences, {"": sentences}, seed=0)["accuracy"]
    100.0
    """
    from gpuparse.tag import Knowledge, TaggerOptions, train_tagger

    knowledge = knowledge or Knowledge()
    train_tagger(train[:1])  # compiles
    step()
    start = time.process_time()
    tagger = train_tagger(train, TaggerOptions(seed=seed), knowledge)
    training = time.process_time() - start
    step()
    learned = [*train, *(sentence for source in knowledge.sources for sentence in source.sentences)]
    of_treebank, of_tagger = ({token.word for sentence in text for token in sentence} for text in (train, learned))
    words = [[token.word for token in sentence] for test in tests.values() for sentence in test]
    figures: dict[str, Any] = {"train_tokens": sum(map(len, learned)), "test_tokens": sum(map(len, words))}
    for name, test in tests.items():
        texts = ([token.word for token in sentence] for sentence in test)
        accuracy = _accuracy(test, list(tagger.tag_many(texts)), of_tagger, of_treebank)
        figures |= {f"{name}{figure}": value for figure, value in accuracy.items()}
        step()
    tagging = min(_seconds(tagger, words, step) for _ in range(TAGGINGS))
    return figures | {
        "train_cpu_s": training,
        "tokens_per_cpu_second": figures["test_tokens"] / max(tagging, 1e-9),
        "features": len(tagger.keys),
        "weights": len(tagger.row_weights),
        "array_bytes": sum(array.nbytes for array in tagger.arrays().values()),
    }


def _accuracy(
    gold: Sequence[Sequence[Token]], tagged: Sequence[Sequence[Token]], of_tagger: set[str], of_treebank: set[str]
) -> dict[str, float | None]:
    """Per cent of the tokens tagged right: of all, of those with known words, of the others, and of those with words
    that are not in the treebank, in other tagged text or not; and of all tokens, how many are a verb and were taken for
    a noun, and how many the other way round; by Penn's tags, which say so.
    """
    pairs = [
        (token.tag[:1], result.tag[:1])
        for sentence, results in zip(gold, tagged, strict=True)
        for token, result in zip(sentence, results, strict=True)
    ]
    right = [
        (token == answer, token.word in of_tagger, token.word in of_treebank)
        for sentence, result in zip(gold, tagged, strict=True)
        for token, answer in zip(sentence, result, strict=True)
    ]

    def share(of: list[bool]) -> float | None:
        return 100 * sum(of) / len(of) if of else None

    return {
        "accuracy": share([is_right for is_right, _, _ in right]),
        "accuracy_known": share([is_right for is_right, is_known, _ in right if is_known]),
        "accuracy_unknown": share([is_right for is_right, is_known, _ in right if not is_known]),
        "unknown": share([not is_known for _, is_known, _ in right]),
        "accuracy_not_in_treebank": share([is_right for is_right, _, in_treebank in right if not in_treebank]),
        "not_in_treebank": share([not in_treebank for _, _, in_treebank in right]),
        "verbs_as_nouns": share([pair == ("V", "N") for pair in pairs]),
        "nouns_as_verbs": share([pair == ("N", "V") for pair in pairs]),
    }


def _seconds(tagger: Any, words: Sequence[Sequence[str]], step: Step) -> float:
    from gpuparse.jit import wait_until_compiled

    wait_until_compiled()
    start = time.process_time()
    for _ in tagger.tag_many(words):
        pass
    seconds = time.process_time() - start
    step()
    return seconds
