"""What a user sees of training: a live table on a terminal, plain lines elsewhere, and a summary with a small chart."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from gpuparse.boost import Attempt
from gpuparse.cli.progress import BETWEEN_REPORTS, in_time, live_display
from gpuparse.parse.model.model import CurvePoint, Model
from gpuparse.parse.needs import Needs, in_bytes, peak_memory
from gpuparse.parse.train import Corpus, Observer
from gpuparse.printable import printable

FEW_TO_TUNE_ON = 30  # sentences: with so few F1 hardly tells one lambda from the next


class TrainingDisplay(Observer):
    """Shows training on stderr."""

    def __init__(self, min_lambda: float) -> None:
        self._min_lambda = min_lambda
        self._console = Console(stderr=True)
        self._began = time.monotonic()
        self._stage, self._total, self._done, self._stage_began = "", 0, 0, self._began
        self._share: Callable[[], float | None] | None = None  # of the stage, if its steps can't be counted beforehand
        self._last_line = self._began
        self._first: dict[str, Attempt] = {}
        self._last: dict[str, Attempt] = {}
        self._trees: dict[str, int] = {}
        self._seconds: dict[str, float] = {}
        self._stage_seconds: dict[str, float] = {}
        self._stage_cpu: dict[str, float] = {}
        self._stage_began_cpu = 0.0
        self._rows: tuple[int, int] | None = None  # that were kept, of so many
        self._ended: set[str] = set()
        self._lock = threading.Lock()
        self._live: AbstractContextManager[object] | None = None

    def __enter__(self) -> TrainingDisplay:
        if self._console.is_terminal:
            self._live = live_display(self._console, self._screen)
            self._live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()

    def _close(self) -> None:
        if self._live is not None:
            self._live.__exit__(None, None, None)
            self._live = None

    def _say(self, line: str) -> None:
        self._last_line = time.monotonic()
        print(f"{time.monotonic() - self._began:7.1f} s  {printable(line)}", file=sys.stderr, flush=True)

    def reading(self, share: Callable[[], float | None]) -> None:
        self.stage("reading", 0)
        self._share = share

    def corpus(self, corpus: Corpus, skipped: int) -> None:
        """The treebank was read and prepared."""
        said = f"{len(corpus.training)} sentences to learn from, {len(corpus.tuning)} to tune on"
        if corpus.left_out:
            said += f"; {corpus.left_out} left out (too long, or no words)"
        self._say(said + (f"; {skipped} malformed trees skipped" if skipped else ""))
        if 0 < len(corpus.tuning) < FEW_TO_TUNE_ON:
            self._say(f"WARNING: lambda is chosen by only {len(corpus.tuning)} sentences; name more with --dev")

    def needs(self, needs: Needs, warnings: Sequence[str]) -> None:
        disk = needs.matrix + needs.logs
        self._say(f"takes about {in_bytes(needs.memory)} of memory and {in_bytes(disk)} of disk")
        for warning in warnings:
            self._say(f"WARNING: {warning}")

    def plan(self, plan: str) -> None:
        """What of the matrix fits into a device's memory."""
        self._say(plan)

    def stage(self, name: str, total: int) -> None:
        now, cpu = time.monotonic(), time.process_time()
        if self._stage:
            self._stage_seconds[self._stage] = now - self._stage_began
            self._stage_cpu[self._stage] = cpu - self._stage_began_cpu
        self._stage, self._total, self._done, self._stage_began, self._stage_began_cpu = name, total, 0, now, cpu
        self._share = None
        if name and self._live is None:
            self._say(name + (f": {total}" if total else ""))

    def step(self) -> None:
        self._done += 1
        self._say_now_and_then()

    def tree(self, task: str, attempt: Attempt) -> None:
        with self._lock:
            self._first.setdefault(task, attempt)
            self._last[task] = attempt
            self._trees[task] = self._trees.get(task, 0) + attempt.kept
            self._seconds[task] = self._seconds.get(task, 0.0) + attempt.seconds
        self._say_now_and_then()

    def _say_now_and_then(self) -> None:
        """Off a terminal: how far the stage is, once in a while."""
        if self._live is None and time.monotonic() - self._last_line >= BETWEEN_REPORTS:
            self._say(", ".join(self._how_far(time.monotonic())))

    def end(self, task: str, why: str) -> None:
        self._done += 1
        self._ended.add(task)
        if self._live is None:
            self._say(f"{self._done}/{self._total} {self._line(task)}  ({why})")

    def thinned(self, rows: int, of_rows: int, too_little_memory: bool) -> None:
        self._rows = rows, of_rows
        share = f"{100 * rows / max(of_rows, 1):.1f} %"
        self._say(f"{rows:,} rows are kept, about {share}: a pilot rejects the others with certainty (--keep-all)")
        if too_little_memory:
            self._say("WARNING: with more --memory more rows would be kept, and the model may be better")

    def point(self, point: CurvePoint) -> None:
        if self._live is None:
            self._say(
                f"lambda {point.lambda_:.4g}: {point.trees} trees, {point.compounds} compounds, F1 {point.f1:.2f}"
            )

    def _line(self, label: str) -> str:
        last = self._last.get(label)
        if last is None:
            return f"{label}: as it was"
        return (
            f"{label}: {self._trees[label]} trees, {last.nonzero} compounds, lambda {last.lambda_:.3g}, "
            f"risk {last.risk:.1f}, {self._seconds[label]:.1f} s"
        )

    def _screen(self) -> Group:
        now = time.monotonic()
        stage, *rest = self._how_far(now)
        words = (stage, in_time(now - self._began), *rest)
        cells: list[RenderableType] = [Text(word, no_wrap=True, overflow="ellipsis") for word in words]
        if 0 < (done := self._done_share()) < 1:
            cells.append(ProgressBar(total=1.0, completed=done))  # as wide as there is room
        head = Table.grid(padding=(0, 2))
        head.add_row(*cells)
        return Group(head, self._label_table()) if self._stage == "labels" and self._last else Group(head)

    def _how_far(self, now: float) -> list[str]:
        """The stage and its steps, how fast they are, and the time left."""
        count = f"  {self._done:,} of {self._total:,}" if self._total else f"  {self._done:,}" if self._done else ""
        parts = [self._stage + count]
        seconds, done = now - self._stage_began, self._done_share()
        if self._stage == "labels":
            parts.append(f"{sum(self._trees.values()) / max(seconds, 1e-9):.1f} trees per second")
        if 0 < done < 1:
            parts.append(f"{in_time(seconds * (1 - done) / done)} left")
        return parts

    def _done_share(self) -> float:
        """How much of the stage is done; labels that are being learned count by how far their lambda has come."""
        if self._share is not None:
            return self._share() or 0.0
        if not self._total:
            return 0.0
        with self._lock:
            at_work = [self._way(label) for label in self._last if label not in self._ended]
        return min(1.0, (self._done + (sum(at_work) if self._stage == "labels" else 0.0)) / self._total)

    def _label_table(self) -> Table:
        table = Table()
        for name in ("label", "trees", "leaves", "compounds", "lambda", "risk", "s", "towards min lambda"):
            table.add_column(name, justify="left" if name == "label" else "right")
        with self._lock:
            for label, last in sorted(self._last.items()):
                cells: list[RenderableType] = [
                    Text(printable(label)),
                    f"{self._trees[label]}",
                    f"{last.leaves}",
                    f"{last.nonzero}",
                    f"{last.lambda_:.3g}",
                ]
                cells += [f"{last.risk:.1f}", f"{self._seconds[label]:.0f}"]
                table.add_row(*cells, ProgressBar(total=1.0, completed=self._way(label), width=20))
        return table

    def _way(self, label: str) -> float:
        """How far lambda has come, on a logarithmic scale."""
        first, last = self._first[label].lambda_, self._last[label].lambda_
        if not 0 < self._min_lambda < first:
            return 1.0
        return min(1.0, math.log(first / last) / math.log(first / self._min_lambda))

    def figures(self, model: Model, path: Path) -> dict[str, Any]:
        """The summary for a program."""
        best = next((point for point in model.curve if point.lambda_ == model.lambda_), None)
        return {
            "model": str(path),
            "bytes": path.stat().st_size,
            "seconds": round(time.monotonic() - self._began, 1),
            "stage_seconds": {name: round(seconds, 1) for name, seconds in self._stage_seconds.items()},
            "cpu_seconds": round(time.process_time(), 1),
            "stage_cpu_seconds": {name: round(seconds, 1) for name, seconds in self._stage_cpu.items()},
            "peak_bytes": peak_memory(),
            "rows": model.configuration["rows"],
            "rows_of": self._rows[1] if self._rows else model.configuration["rows"],
            "lambda": model.lambda_,
            "trees": sum(ensemble.trees_at(model.lambda_) for ensemble in model.ensembles.values()),
            "leaves": sum(tree.leaves() for e in model.ensembles.values() for tree in e.trees(model.lambda_)),
            "compounds": sum(len(ensemble.compounds(model.lambda_)) for ensemble in model.ensembles.values()),
            "f1": None if best is None else round(best.f1, 2),
            "curve": [{name.rstrip("_"): value for name, value in vars(point).items()} for point in model.curve],
        }

    def summary(self, model: Model, path: Path) -> None:
        """Print the result."""
        self.stage("", 0)
        self._close()
        figures = self.figures(model, path)
        stages = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in figures["stage_seconds"].items())

        def say(line: str) -> None:
            self._console.print(printable(line), highlight=False, markup=False, soft_wrap=True)

        say(
            f"{path}: {figures['bytes'] / 2**20:.1f} MiB, {figures['trees']} trees, {figures['leaves']} leaves, "
            f"{figures['compounds']} compounds, in {figures['seconds']:.0f} s ({stages})"
        )
        if model.curve:
            best = max(point.f1 for point in model.curve)
            low = min(point.f1 for point in model.curve)
            say("F1 on the tuning set by lambda:")
            for point in model.curve:
                width = round(40 * (point.f1 - low) / (best - low)) if best > low else 40
                chosen = "  <- chosen" if point.lambda_ == model.lambda_ else ""
                say(f"  {point.lambda_:8.4f}  {point.compounds:6d} compounds  {point.f1:6.2f} {'█' * width}{chosen}")
        say(f"Report: {path}.training/report.html")
