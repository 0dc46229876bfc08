"""Arguments and options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpuparse.options import MOST_CHILDREN, TAG_SEQUENCES, Effort, Method, Strategy

Treebanks = Annotated[
    list[str], typer.Argument(metavar="TREEBANK...", help="Treebank files or folders; - is the standard input.")
]
OptionalTreebanks = Annotated[
    list[str] | None,
    typer.Argument(metavar="[TREEBANK...]", help="Files or folders, - for stdin. [default: synthetic trees]"),
]
ModelOption = Annotated[
    str | None, typer.Option("--model", metavar="MODEL", help="The model, if it is not the first argument.")
]
LanguageFile = Annotated[
    Path | None,
    typer.Option("--language", metavar="FILE", help="A language file (TOML). [default: English]"),
]
MaxWords = Annotated[int | None, typer.Option(min=1, metavar="N", help="Only sentences of at most N words.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave out malformed trees, and say how many.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="The file to write. [default: stdout]"),
]
AllText = Annotated[bool, typer.Option("--text", help="The arguments are text, not names of files.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="The seed of random choices.")]
DEVICE_HELP = "auto, cpu, or a GPU such as 0."
DeviceOption = Annotated[str, typer.Option("--device", metavar="DEVICE", help=DEVICE_HELP)]
StrategyOption = Annotated[
    Strategy,
    typer.Option("--strategy", metavar="r2l|l2r|bu", help="Right to left, left to right, or bottom-up."),
]
MaxChildren = Annotated[
    int, typer.Option(min=1, max=MOST_CHILDREN, metavar="N", help="The most children of an inferred constituent.")
]
SEARCH_PANEL = "Search"  # the heading in the help of options that few people need
Tags = Annotated[
    int | None,
    typer.Option(
        "--tags",
        min=1,
        metavar="N",
        rich_help_panel=SEARCH_PANEL,
        help=f"Sequences of tags to parse where the tagger is not sure. [default: {TAG_SEQUENCES}]",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        min=1,
        max=1_000_000_000,
        metavar="N",
        rich_help_panel=SEARCH_PANEL,
        help="The most partial parses to score. [default: by --effort]",
    ),
]
EffortOption = Annotated[
    Effort,
    typer.Option("--effort", metavar="EFFORT", help="Search time: fast, normal or thorough."),
]
SearchMethod = Annotated[
    Method,
    typer.Option(
        "--search", metavar="METHOD", rich_help_panel=SEARCH_PANEL, help="promising, greedy, best-first or beam."
    ),
]
LAMBDA_HELP = "Use the model as it was at this lambda. [default: its own]"
Lambda = Annotated[
    float | None, typer.Option("--lambda", min=0.0, metavar="X", rich_help_panel=SEARCH_PANEL, help=LAMBDA_HELP)
]
