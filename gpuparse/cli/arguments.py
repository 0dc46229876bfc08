"""Arguments and options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class StrategyName(StrEnum):
    """The order in which the items of a tree are inferred."""

    R2L = "r2l"
    L2R = "l2r"
    BU = "bu"


Treebanks = Annotated[
    list[str], typer.Argument(metavar="TREEBANK...", help="Treebank files or folders; - is the standard input.")
]
LanguageFile = Annotated[
    Path | None,
    typer.Option("--language", metavar="FILE", help="Head rules, tag classes, punctuation (TOML). [default: English]"),
]
MaxWords = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Only sentences of at most N words; punctuation and brackets are not words."),
]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave out malformed trees, and say how many there were.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Another seed, another sequence of random choices.")]
Device = Annotated[
    str,
    typer.Option(
        "--device", help="auto, cpu, a GPU such as 0 or cuda:0, for training several such as 0,1, or sim (simulated)."
    ),
]
StrategyOption = Annotated[
    StrategyName, typer.Option("--strategy", help="Right to left, left to right, or bottom-up in any order.")
]
MaxChildren = Annotated[int, typer.Option(min=1, max=60, help="The most children that an item can be inferred over.")]
