"""`gpuparse train`: from a treebank to a model."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import signal
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
from gpuparse.options import Strategy, TrainingOptions
from gpuparse.parse.run_folder import LOG, RUN, begun_run, check_start, folder_of

if TYPE_CHECKING:
    from gpuparse.device import Device as FoundDevice
    from gpuparse.parse.model.model import Model
    from gpuparse.parse.train import Observer
    from gpuparse.trees import Language, Tree

SYNTHETIC_SENTENCES = 1000
GPU_JOBS = 4
LEARNING, TUNING = "Learning", "Tuning and tagging"  # the panels of --help
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
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{file}: can't be read as TOML: {error}") from error
    known = {parameter.name for parameter in context.command.params} - {"config", "treebanks"}
    settings = {name.replace("-", "_"): value for name, value in settings.items()}
    unknown = sorted(set(settings) - {str(name) for name in known})
    if unknown:
        raise UsageError(f"{file}: there is no option {unknown[0]!r}; gpuparse train --help lists them")
    context.default_map = {**(context.default_map or {}), **settings}
    return file


def train_command(
    treebanks: OptionalTreebanks = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The model file to write.")] = Path(
        "gpuparse.model"
    ),
    model: Annotated[Path | None, typer.Option("--model", hidden=True)] = None,
    device: Annotated[
        str, typer.Option("--device", metavar="DEVICE", help="auto, cpu, a GPU such as 0, or several: 0,1.")
    ] = "auto",
    max_words: MaxWords = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Labels in parallel. [default: one per core, or 4 per GPU]")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run of the same --output where it stopped.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the model and its training folder, if any.")
    ] = False,
    language: LanguageFile = None,
    skip_bad: SkipBad = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", callback=_read_config, is_eager=True, help="Read options from a file."),
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep the feature matrix here, for other runs too.")
    ] = None,
    as_json: Json = False,
    strategy: Annotated[
        Strategy,
        typer.Option(
            rich_help_panel=LEARNING, metavar="r2l|l2r|bu", help="Right to left, left to right, or bottom-up."
        ),
    ] = TrainingOptions.strategy,
    max_children: Annotated[
        int,
        typer.Option(
            min=1, max=60, metavar="N", rich_help_panel=LEARNING, help="The most children of an inferred constituent."
        ),
    ] = TrainingOptions.max_children,
    min_lambda: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="X", rich_help_panel=LEARNING, help="Where lambda stops; lower: larger and slower."
        ),
    ] = Options.min_lambda,
    eta: Annotated[
        float, typer.Option(metavar="X", rich_help_panel=LEARNING, help="How slowly lambda falls, from 0 to 1.")
    ] = Options.eta,
    split_margin: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="X", rich_help_panel=LEARNING, help="What a split must gain, as a share of lambda."
        ),
    ] = Options.split_margin,
    penalty: Annotated[
        Penalty, typer.Option(metavar="l1|l2", rich_help_panel=LEARNING, help="The penalty on the parameters.")
    ] = Options.penalty,
    stumps: Annotated[
        bool, typer.Option("--stumps", rich_help_panel=LEARNING, help="Trees of one split: no conjunctions.")
    ] = Options.stumps,
    sample: Annotated[
        int, typer.Option(min=1, metavar="N", rich_help_panel=LEARNING, help="The most examples to grow a tree on.")
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
            names = ",".join(found.name for found in devices)
            trained = train_model(
                treebanks, dev, out, options, names, language, skip_bad, resume, cache, display, overwrite
            )
            display.summary(trained, out)
    except KeyboardInterrupt:
        if (folder_of(out) / RUN).exists():
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


def _jobs_for(device: FoundDevice) -> int:
    """How many labels are learned in parallel by default: a GPU needs few to be busy, and each takes memory."""
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
    overwrite: bool = False,
) -> Model:
    """Train on treebanks, or on the synthetic one, and write the model and its report."""
    from gpuparse.boost import read_log
    from gpuparse.cli.report import write_report
    from gpuparse.device import find_devices
    from gpuparse.parse.features.cache import check_place as check_cache
    from gpuparse.parse.model.file import check_place, save_model
    from gpuparse.parse.train import Observer, split_corpus, train
    from gpuparse.trees import load_language, read_trees, synthetic_treebank

    check_place(out)
    check_start(out, resume, overwrite)
    if cache is not None:
        check_cache(cache)
    observer = observer or Observer()
    devices = [found.kernels for found in find_devices(device)]
    language = load_language(language_file)
    observer.stage("reading", 0)
    skipped: list[Any] = []

    def read(paths: Sequence[str]) -> list[Tree]:
        return list(read_trees(paths, skip_bad=skip_bad, skipped=skipped))

    treebank = read(treebanks) if treebanks else list(synthetic_treebank(SYNTHETIC_SENTENCES, options.seed))
    tuning = read(dev) if dev else None
    corpus = split_corpus(treebank, tuning, language, options)
    observer.corpus(corpus, len(skipped))
    settings = _settings(options, treebank, tuning, language)
    with begun_run(out, settings, resume) as folder, _termination_interrupts():
        matrix = cache or folder / "matrix"
        model = train(corpus, language, options, folder / LOG, devices, matrix, observer)
        save_model(model, out)
        write_report(model, read_log(folder / LOG), folder / "report.html")
    return model


def _settings(
    options: TrainingOptions, treebank: Sequence[Tree], tuning: Sequence[Tree] | None, language: Language
) -> dict[str, Any]:
    """All that decides what a run learns, by the names of the options; only budgets and speed may change later."""

    def digest(parts: Sequence[object]) -> str:
        return hashlib.sha256("\n".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:12]

    told = {
        "strategy": options.strategy.name,
        **{name: getattr(options, name) for name in ("max_words", "max_children", "tune_fraction", "tagger", "retag")},
        **options.learn.course(),
    }
    return {
        **{f"--{name.replace('_', '-')}": value for name, value in told.items()},
        "the treebank": f"{len(treebank)} trees ({digest(treebank)})",
        "--dev": None if tuning is None else f"{len(tuning)} trees ({digest(tuning)})",
        "--language": digest([language.text]),
    }


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
