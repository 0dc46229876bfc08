"""Arguments and options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
    str, typer.Option("--device", help="auto, cpu, the number of a GPU such as 0 or cuda:0, or sim (CUDA, simulated).")
]
