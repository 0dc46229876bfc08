"""`gpuparse train`: from a treebank to a model."""

from __future__ import annotations

import os
import shutil
import signal
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpuparse.cli.arguments import (
    Device,
    Json,
    LanguageFile,
    MaxChildren,
    MaxWords,
    Seed,
    SkipBad,
    StrategyName,
    StrategyOption,
)
from gpuparse.errors import UsageError

if TYPE_CHECKING:
    from gpuparse.device import Device as FoundDevice
    from gpuparse.model.model import Model
    from gpuparse.training import Observer, TrainingOptions
    from gpuparse.trees import Tree

SYNTHETIC_SENTENCES = 1000
GPU_JOBS = 4


class Penalty(StrEnum):
    """The names of the penalties."""

    L1 = "l1"
    L2 = "l2"


def _read_config(context: typer.Context, file: Path | None) -> Path | None:
    """Take the defaults of the options from a TOML file; what the command line says still wins."""
    if file is None:
        return None
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{file}: can't be read as TOML: {error}") from error
    known = {parameter.name for parameter in context.command.params} - {"config", "treebanks"}
    settings = {name.replace("-", "_"): value for name, value in settings.items()}
    unknown = sorted(set(settings) - {str(name) for name in known})
    if unknown:
        raise UsageError(f"{file}: there is no option {unknown[0]!r}; gpuparse train --help lists them")
    context.default_map = {**(context.default_map or {}), **settings}
    return file


def train_command(
    model: Annotated[Path, typer.Option("--model", metavar="OUT", help="Where to write the model.")],
    treebanks: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TREEBANK...]", help="Files or folders to learn from. Without any: a synthetic treebank."
        ),
    ] = None,
    dev: Annotated[
        list[str] | None, typer.Option("--dev", metavar="TREEBANK", help="Trees to choose lambda by; may be repeated.")
    ] = None,
    tune_fraction: Annotated[
        float, typer.Option(min=0.0, max=0.5, help="Without --dev: the part of the treebank kept for that.")
    ] = 0.04,
    device: Device = "auto",
    strategy: StrategyOption = StrategyName.R2L,
    max_words: MaxWords = None,
    max_children: MaxChildren = 5,
    split_margin: Annotated[float, typer.Option(min=0.0, help="The part of lambda that a split must gain.")] = 0.03,
    penalty: Annotated[Penalty, typer.Option(help="The penalty on the parameters.")] = Penalty.L1,
    stumps: Annotated[bool, typer.Option("--stumps", help="Trees of one split: no conjunctions.")] = False,
    sample: Annotated[int, typer.Option(min=1, help="Examples that a tree is grown on.")] = 100_000,
    eta: Annotated[float, typer.Option(help="How fast lambda falls.")] = 0.9,
    min_lambda: Annotated[float, typer.Option(min=0.0, help="Where lambda stops: less is larger and slower.")] = 0.1,
    max_trees: Annotated[int | None, typer.Option(min=1, help="The most trees of a label.")] = None,
    max_seconds: Annotated[float | None, typer.Option(min=0.0, help="The most time for a label.")] = None,
    no_tagger: Annotated[
        bool, typer.Option("--no-tagger", help="No POS tagger: the model parses only words that come with tags.")
    ] = False,
    retag: Annotated[
        bool,
        typer.Option(
            "--retag",
            help="Learn to parse on the tags that a tagger gives, errors included: those of training by ten-fold "
            "cross-validation, those for tuning by the model's tagger. Where the treebank or the tagger says "
            "punctuation or quote, the treebank's tag stays, so that the same tokens are parsed.",
        ),
    ] = False,
    seed: Seed = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Labels side by side. Unless told: as many as there are cores; 4 a GPU.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a run with the same --model stopped.")] = False,
    cache: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep the feature matrix here, for other runs too.")
    ] = None,
    language: LanguageFile = None,
    skip_bad: SkipBad = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", callback=_read_config, is_eager=True, help="Options from a file."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn to parse from a treebank, and to tag, so that the model can parse text.

    The tagger learns from all sentences but the tuning ones, also from those that --max-words leaves out.

    Beside OUT a folder OUT.training keeps a log of every tree, the feature matrix, and a report as report.html. A run
    that was stopped goes on from there with --resume.
    """
    from gpuparse.cli.devices import chosen_devices
    from gpuparse.cli.tables import print_json
    from gpuparse.cli.training_display import TrainingDisplay
    from gpuparse.learn import Options
    from gpuparse.logic.strategy import Strategy
    from gpuparse.training import TrainingOptions

    if retag and no_tagger:
        raise UsageError(
            "--retag prepares the parser for the tags of the model's tagger: it can't go with --no-tagger."
        )
    devices = chosen_devices(device)
    options = TrainingOptions(
        strategy=Strategy[strategy.value],
        max_words=max_words,
        max_children=max_children,
        tune_fraction=tune_fraction,
        seed=seed,
        jobs=jobs or _jobs_for(devices[0]),
        tagger=not no_tagger,
        retag=retag,
        learn=Options(
            penalty=penalty.value,
            stumps=stumps,
            split_margin=split_margin,
            sample=sample,
            eta=eta,
            min_lambda=min_lambda,
            max_trees=max_trees,
            max_seconds=max_seconds,
            seed=seed,
        ),
    )
    with TrainingDisplay(options.learn.min_lambda) as display:
        names = ",".join(found.name for found in devices)
        trained = train_model(treebanks, dev, model, options, names, language, skip_bad, resume, cache, display)
        display.summary(trained, model)
    if as_json:
        print_json(display.figures(trained, model))


def _jobs_for(device: FoundDevice) -> int:
    """Labels side by side, unless told: a GPU needs few to be busy, and each takes memory."""
    return GPU_JOBS if device.number is not None else os.cpu_count() or 1


def train_model(
    treebanks: Sequence[str] | None,
    dev: Sequence[str] | None,
    out: Path,
    options: TrainingOptions,
    device: str = "auto",
    language_file: Path | None = None,
    skip_bad: bool = False,
    resume: bool = False,
    cache: Path | None = None,
    observer: Observer | None = None,
) -> Model:
    """Train on treebanks, or on the synthetic one, and write the model and its report."""
    from gpuparse.cli.report import write_report
    from gpuparse.device import find_devices
    from gpuparse.learn import read_attempts
    from gpuparse.model.file import check_place, save_model
    from gpuparse.training import Observer, split_corpus, train
    from gpuparse.trees import load_language, read_trees, synthetic_treebank

    check_place(out)
    observer = observer or Observer()
    kernels, *others = [found.kernels for found in find_devices(device)]
    language = load_language(language_file)
    observer.stage("reading", 0)
    skipped: list[Any] = []

    def read(paths: Sequence[str]) -> list[Tree]:
        return list(read_trees(paths, skip_bad=skip_bad, skipped=skipped))

    treebank = read(treebanks) if treebanks else list(synthetic_treebank(SYNTHETIC_SENTENCES, options.seed))
    corpus = split_corpus(treebank, read(dev) if dev else None, language, options)
    observer.corpus(corpus, len(skipped))
    folder = out.with_name(out.name + ".training")
    if not resume:
        shutil.rmtree(folder / "labels", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)  # fails now, and not after hours, where nothing can be written
    with _termination_interrupts():
        matrix = cache or folder / "matrix"
        model = train(corpus, language, options, folder / "labels", kernels, matrix, observer, others=others)
    save_model(model, out)
    write_report(model, read_attempts(folder / "labels"), folder / "report.html")
    return model


@contextmanager
def _termination_interrupts() -> Iterator[None]:
    """A polite request to end (SIGTERM) is treated as Ctrl-C: the logs are whole, and --resume goes on."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
