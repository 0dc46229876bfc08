"""`gpuparse bench`: the project's benchmarks, one file a benchmark."""

from __future__ import annotations

import typer

from gpuparse.cli.bench import features, learn, parse, read, tag

app = typer.Typer(help="The project's benchmarks.", no_args_is_help=True)
app.command("read")(read.read_command)
app.command("features")(features.features_command)
app.command("learn")(learn.learn_command)
app.command("parse")(parse.parse_command)
app.command("tag")(tag.tag_command)


@app.callback()
def benchmarks() -> None:
    """The project's benchmarks."""
