"""`gpuparse bench`: the project's benchmarks, one file per benchmark."""

from __future__ import annotations

import typer

from gpuparse.cli.bench import features, learn, parse, read, start, tag, train
from gpuparse.cli.help import Command

app = typer.Typer(
    name="bench",
    help="Measure speed and accuracy on this machine.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.command("read", cls=Command)(read.read_command)
app.command("features", cls=Command)(features.features_command)
app.command("learn", cls=Command)(learn.learn_command)
app.command("train", cls=Command)(train.train_command)
app.command("parse", cls=Command)(parse.parse_command)
app.command("tag", cls=Command)(tag.tag_command)
app.command("start", cls=Command)(start.start_command)


@app.callback()
def benchmarks() -> None:
    """Measure speed and accuracy on this machine."""
