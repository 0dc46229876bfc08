"""`gpuparse train`: from a treebank to a model."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import signal
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpuparse.boost.options import Options, Penalty
from gpuparse.cli.arguments import (
    Json,
    LanguageFile,
    MaxWords,
    OptionalTreebanks,
    SkipBad,
)
from gpuparse.errors import UsageError
from gpuparse.options import MOST_CHILDREN, Strategy, TrainingOptions
from gpuparse.parse.run_folder import LOG, RUN_FILE, begun_run, check_start, folder_of

if TYPE_CHECKING:
    from gpuparse.device import Device
    from gpuparse.parse.model.model import Model
    from gpuparse.parse.sources import SourceFile, WeightedTree
    from gpuparse.parse.train import Observer
    from gpuparse.tag import TaggedSource
    from gpuparse.trees import Language, Tree

SYNTHETIC_SENTENCES = 1000
GPU_JOBS = 4
RESOURCES, LEARNING, TUNING = "Memory and disk", "Learning", "Tuning and tagging"  # the panels of --help
DECISIVE = ("max_words", "max_children", "tune_fraction", "tagger", "retag", "memory", "keep_all")  # besides learning
SYNTHETIC = (
    f"gpuparse: NO TREEBANK WAS GIVEN: training on {SYNTHETIC_SENTENCES} synthetic sentences of invented words. The "
    "model is good for a try, not for real text."
)


def _read_config(context: typer.Context, file: Path | None) -> Path | None:
    """Take the defaults of the options from a TOML file; the command line takes precedence."""
    if file is None:
        return None
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file}: can't be read: {error.strerror}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{file}: can't be read as TOML: {error}.") from error
    names = {parameter.name for parameter in context.command.params} - {"config", "treebanks"}
    settings = {name.replace("-", "_"): value for name, value in settings.items()}
    unknown = sorted(set(settings) - {str(name) for name in names})
    if unknown:
        raise UsageError(f"{file}: there is no option {unknown[0]!r}; gpuparse train --help lists them")
    context.default_map = {**(context.default_map or {}), **settings}
    return file


def _bytes(size: str) -> int:
    """A number of bytes as people write it.

    >>> _bytes("8G"), _bytes("1.5 gb"), _bytes("500M")
    (8000000000, 1500000000, 500000000)
    """
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?", size.strip(), re.IGNORECASE)
    if match is None or float(match[1]) == 0:
        raise typer.BadParameter(f"{size!r} is not a size. Write it as a number of bytes, or as in 8G or 500M.")
    return int(float(match[1]) * 1000 ** " KMGT".index(match[2].upper() or " "))


def train_command(
    treebanks: OptionalTreebanks = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The model file to write.")] = Path(
        "gpuparse.model"
    ),
    model: Annotated[Path | None, typer.Option("--model", hidden=True)] = None,
    device: Annotated[
        str, typer.Option("--device", metavar="DEVICE", help="A GPU such as 0, or 0,1; or cpu.")
    ] = "auto",
    max_words: MaxWords = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Labels in parallel. [default: one per core]")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run of the same --output where it stopped.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the model and its training folder, if any.")
    ] = False,
    language: LanguageFile = None,
    classes: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Classes of words, from gpuparse classes, as features."),
    ] = None,
    skip_bad: SkipBad = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", callback=_read_config, is_eager=True, help="Read options from a file."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", rich_help_panel=RESOURCES, help="Keep the feature matrix here, for other runs too."
        ),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(
            metavar="SIZE",
            parser=_bytes,
            rich_help_panel=RESOURCES,
            help="The most memory, as in 8G. [default: 80 % of free]",
        ),
    ] = TrainingOptions.memory,
    keep_all: Annotated[
        bool,
        typer.Option(
            "--keep-all", rich_help_panel=RESOURCES, help="Learn from every inference, however large the treebank."
        ),
    ] = TrainingOptions.keep_all,
    as_json: Json = False,
    strategy: Annotated[
        Strategy,
        typer.Option(rich_help_panel=LEARNING, metavar="r2l|l2r|bu", help="The order of inferences."),
    ] = TrainingOptions.strategy,
    max_children: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_CHILDREN,
            metavar="N",
            rich_help_panel=LEARNING,
            help="The most children of a constituent.",
        ),
    ] = TrainingOptions.max_children,
    min_lambda: Annotated[
        float,
        typer.Option(min=0.0, metavar="X", rich_help_panel=LEARNING, help="Where lambda stops."),
    ] = Options.min_lambda,
    eta: Annotated[
        float, typer.Option(metavar="X", rich_help_panel=LEARNING, help="How slowly lambda falls.")
    ] = Options.eta,
    split_margin: Annotated[
        float,
        typer.Option(min=0.0, metavar="X", rich_help_panel=LEARNING, help="What a split must gain, in lambdas."),
    ] = Options.split_margin,
    penalty: Annotated[
        Penalty, typer.Option(metavar="l1|l2", rich_help_panel=LEARNING, help="The penalty on the parameters.")
    ] = Options.penalty,
    stumps: Annotated[
        bool, typer.Option("--stumps", rich_help_panel=LEARNING, help="Trees of one split: no conjunctions.")
    ] = Options.stumps,
    sample: Annotated[
        int, typer.Option(min=1, metavar="N", rich_help_panel=LEARNING, help="The most examples for a tree.")
    ] = Options.sample,
    max_trees: Annotated[
        int | None, typer.Option(min=1, metavar="N", rich_help_panel=LEARNING, help="The most trees per label.")
    ] = Options.max_trees,
    max_seconds: Annotated[
        float | None, typer.Option(min=0.0, metavar="S", rich_help_panel=LEARNING, help="The most time per label.")
    ] = Options.max_seconds,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", rich_help_panel=LEARNING, help="The seed of random choices.")
    ] = TrainingOptions.seed,
    dev: Annotated[
        list[str] | None,
        typer.Option(
            "--dev", metavar="TREEBANK", rich_help_panel=TUNING, help="Trees to choose lambda by; may be repeated."
        ),
    ] = None,
    tune_fraction: Annotated[
        float,
        typer.Option(
            min=0.0, max=0.5, metavar="X", rich_help_panel=TUNING, help="Without --dev: the share kept for that."
        ),
    ] = TrainingOptions.tune_fraction,
    tagged: Annotated[
        list[str] | None,
        typer.Option(
            "--tagged",
            metavar="FILE",
            rich_help_panel=TUNING,
            help="More tagged text (word/TAG, CoNLL-U, trees, a list).",
        ),
    ] = None,
    no_tagger: Annotated[
        bool,
        typer.Option(
            "--no-tagger", rich_help_panel=TUNING, help="Learn no tagger: the model parses tagged words only."
        ),
    ] = False,
    retag: Annotated[
        bool,
        typer.Option("--retag", rich_help_panel=TUNING, help="Learn to parse the tags of a tagger, errors included."),
    ] = False,
) -> None:
    """Learn a model from a treebank: a parser, and a tagger.

    The folder OUT.training keeps logs, the feature matrix and an HTML report.
    """
    from gpuparse.cli.devices import chosen_devices
    from gpuparse.cli.tables import print_json
    from gpuparse.cli.training_display import TrainingDisplay

    if retag and no_tagger:
        raise UsageError(
            "--retag prepares the parser for the tags of the model's tagger: it can't go with --no-tagger."
        )
    if tagged and no_tagger:
        raise UsageError("--tagged is text for the tagger to learn from: it can't go with --no-tagger.")
    out = model or output
    check_start(out, resume, overwrite)
    devices = chosen_devices(device)
    if not treebanks:
        print(SYNTHETIC, file=sys.stderr)
    options = TrainingOptions(
        strategy=strategy,
        max_words=max_words,
        max_children=max_children,
        tune_fraction=tune_fraction,
        seed=seed,
        jobs=jobs or _jobs_for(devices[0]),
        memory=memory,
        keep_all=keep_all,
        tagger=not no_tagger,
        retag=retag,
        learn=Options(
            penalty=penalty,
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
    try:
        with TrainingDisplay(options.learn.min_lambda) as display:
            run = TrainingRun(out, treebanks, dev, tagged, classes, language, skip_bad, cache, resume, overwrite)
            trained = train_model(run, options, ",".join(device.name for device in devices), display)
            display.summary(trained, out)
    except KeyboardInterrupt:
        if (folder_of(out) / RUN_FILE).exists():
            command = continuing_command(sys.argv)
            print(f"gpuparse: what was learned is kept. To continue:\n  {command}", file=sys.stderr)
        raise
    if as_json:
        print_json(display.figures(trained, out))


def continuing_command(arguments: Sequence[str]) -> str:
    """The shell command that continues a run that was started with these arguments.

    >>> continuing_command(["-c", "train", "my trees", "--overwrite"]).partition("; ")[2]
    "run()' train --resume 'my trees'"
    """
    program, command, *rest = arguments
    words = [
        *_program(program),
        command,
        "--resume",
        *(word for word in rest if word not in ("--resume", "--overwrite")),
    ]
    return shlex.join(words)


def _program(program: str) -> list[str]:
    """How to start this program in a shell: by its name if the shell finds it, else its path, else its Python."""
    name = Path(program).name
    if not os.access(program, os.X_OK):
        return [sys.executable, "-c", "from gpuparse.cli.main import run; run()"]
    return [name if shutil.which(name) == os.path.abspath(program) else program]


def _jobs_for(device: Device) -> int:
    """How many labels are learned in parallel by default: a GPU needs few to be busy, and each takes memory."""
    return GPU_JOBS if device.number is not None else os.cpu_count() or 1


@dataclass(frozen=True)
class TrainingRun:
    """What a run reads, and where it keeps what it learns."""

    out: Path  # the model file
    treebanks: Sequence[str] | None = None  # None: the synthetic one
    dev: Sequence[str] | None = None  # None: a part of the treebank
    tagged: Sequence[str] | None = None  # other tagged text, for the tagger
    classes: Path | None = None  # of words
    language: Path | None = None  # None: English
    skip_bad: bool = False  # leave out malformed trees
    cache: Path | None = None  # of the feature matrix; None: beside the model
    resume: bool = False
    overwrite: bool = False


def train_model(
    run: TrainingRun, options: TrainingOptions, device: str = "auto", observer: Observer | None = None
) -> Model:
    """Train, and write the model and its report."""
    from gpuparse.boost import read_log
    from gpuparse.cli.prepare import tell_folders
    from gpuparse.cli.report import write_report
    from gpuparse.device import find_devices
    from gpuparse.parse.features.cache import check_place as check_cache
    from gpuparse.parse.model.file import check_place, save_model
    from gpuparse.parse.sources import WeightedTree, read_treebanks, source_files
    from gpuparse.parse.tagged_text import read_sources
    from gpuparse.parse.train import Observer, split_corpus, train
    from gpuparse.trees import Meter, load_language, synthetic_treebank
    from gpuparse.words import load_classes

    check_place(run.out)
    check_start(run.out, run.resume, run.overwrite)
    if run.cache is not None:
        check_cache(run.cache)
    observer = observer or Observer()
    devices = [each.kernels for each in find_devices(device)]
    language = load_language(run.language)
    classes = None if run.classes is None else load_classes(run.classes)
    tell_folders([*(run.treebanks or []), *(run.dev or [])])
    treebank_files, dev_files = source_files(run.treebanks or []), source_files(run.dev or [])
    meter = Meter([file.path for file in (*treebank_files, *dev_files)])
    observer.reading(meter.share)
    skipped: list[Any] = []

    def read(files: Sequence[SourceFile]) -> list[WeightedTree]:
        trees = []
        for tree in read_treebanks(files, language, run.skip_bad, skipped, meter):
            trees.append(tree)
            observer.step()
        return trees

    if run.treebanks:
        treebank = read(treebank_files)
    else:
        treebank = [WeightedTree(tree) for tree in synthetic_treebank(SYNTHETIC_SENTENCES, options.seed)]
    tuning = [tree for tree, _ in read(dev_files)] if run.dev else None
    sources = read_sources(run.tagged or [], language)
    corpus = replace(split_corpus(treebank, tuning, language, options), sources=sources, classes=classes)
    observer.corpus(corpus, len(skipped))
    settings = _settings(options, treebank, tuning, language) | _settings_of_sources(sources)
    settings["--classes"] = None if classes is None else classes.digest[:12]
    with begun_run(run.out, settings, run.resume) as folder, _termination_interrupts():
        matrix = run.cache or folder / "matrix"
        model = train(corpus, language, options, folder / LOG, devices, matrix, observer)
        save_model(model, run.out)
        write_report(model, read_log(folder / LOG), folder / "report.html")
    return model


def _settings(
    options: TrainingOptions, treebank: Sequence[WeightedTree], tuning: Sequence[Tree] | None, language: Language
) -> dict[str, Any]:
    """All that decides what a run learns, by the names of the options; only budgets and speed may change later."""

    def digest(parts: Sequence[object]) -> str:
        return hashlib.sha256("\n".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:12]

    choices = {
        "strategy": options.strategy.name,
        **{name: getattr(options, name) for name in DECISIVE},
        **options.learn.course(),
    }
    weights = [weight for _, weight in treebank if weight != 1.0]
    return {
        **{f"--{name.replace('_', '-')}": value for name, value in choices.items()},
        "the treebank": f"{len(treebank)} trees ({digest([*(tree for tree, _ in treebank), *weights])})",
        "--dev": None if tuning is None else f"{len(tuning)} trees ({digest(tuning)})",
        "--language": digest([language.text]),
    }


def _settings_of_sources(sources: Sequence[TaggedSource]) -> dict[str, Any]:
    """Other tagged text, by its content and weights."""
    digest = hashlib.sha256()
    for source in sources:
        digest.update(f"{source.weight}\n{source.sentences}\n".encode("utf-8", "surrogatepass"))
    number = sum(len(source.sentences) for source in sources)
    return {"--tagged": f"{number} sentences ({digest.hexdigest()[:12]})" if sources else None}


@contextmanager
def _termination_interrupts() -> Iterator[None]:
    """SIGTERM is treated like Ctrl-C: the logs are complete, and --resume continues."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
