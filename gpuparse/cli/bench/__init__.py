"""`gpuparse bench`: the project's benchmarks, one file per benchmark."""

from __future__ import annotations

import sys
from typing import Any

import typer

from gpuparse.cli.bench import features, learn, parse, read, start, tag, train
from gpuparse.cli.help import Command


class Benchmark(Command):
    """A command that says, at a terminal, why nothing seems to happen."""

    def invoke(self, ctx: Any) -> Any:
        if sys.stderr.isatty():
            print("gpuparse: measuring, for up to some minutes; a bar would be measured too", file=sys.stderr)
        return super().invoke(ctx)


app = typer.Typer(
    name="bench",
    help="Measure speed and accuracy on this machine.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("read", cls=Benchmark)(read.read_command)
app.command("features", cls=Benchmark)(features.features_command)
app.command("learn", cls=Benchmark)(learn.learn_command)
app.command("train", cls=Benchmark)(train.train_command)
app.command("parse", cls=Benchmark)(parse.parse_command)
app.command("tag", cls=Benchmark)(tag.tag_command)
app.command("start", cls=Benchmark)(start.start_command)


@app.callback()
def benchmarks() -> None:
    """Measure speed and accuracy on this machine."""
