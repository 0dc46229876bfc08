"""`gpuparse synth`: a synthetic treebank, to try things without a real one."""

from __future__ import annotations

from typing import Annotated

import typer

from gpuparse.cli.arguments import Output, Seed


def synth_command(
    number: Annotated[int, typer.Argument(metavar="N", min=0, help="The number of trees.")],
    seed: Seed = 0,
    output: Output = None,
) -> None:
    """Print a synthetic treebank, one tree per line."""
    from gpuparse.cli.output import results_to
    from gpuparse.cli.progress import Progress, terminal_is_taken
    from gpuparse.trees.synthetic import synthetic_treebank

    taken = terminal_is_taken(writes_results=output is None)
    with results_to(output) as write, Progress("tree", total=number, quiet=taken) as progress:
        for tree in progress.through(synthetic_treebank(number, seed)):
            write(f"{tree}\n")
