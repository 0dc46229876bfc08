"""`gpuparse synth`: a synthetic treebank, for trying things where there is no treebank."""

from __future__ import annotations

from typing import Annotated

import typer

from gpuparse.cli.arguments import Seed


def synth_command(
    number: Annotated[int, typer.Argument(metavar="N", min=0, help="How many trees.")], seed: Seed = 0
) -> None:
    """Print a synthetic treebank of N trees, one a line."""
    from gpuparse.trees.synthetic import synthetic_treebank

    for tree in synthetic_treebank(number, seed):
        print(tree)
