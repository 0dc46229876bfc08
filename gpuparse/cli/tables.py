"""Tables and JSON on stdout: rich where a person looks at a terminal, plain aligned columns where a program reads."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any


def print_json(content: Any) -> None:
    """Prints one JSON document.

    >>> print_json({"f1": 88.48})
    {
      "f1": 88.48
    }
    """
    print(json.dumps(content, indent=2, ensure_ascii=False))


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], figures: bool = True) -> None:
    """Prints a table; the first column is a name, the others are figures, which line up on the right, or words.

    >>> print_table("By label", ["label", "f1"], [["NP", "91.20"], ["ADVP", "7.50"]])
    By label
    label     f1
    NP     91.20
    ADVP    7.50
    """
    if sys.stdout.isatty():
        _print_rich(title, header, rows, figures)
        return
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    sides = ["<", *(">" if figures else "<" for _ in header[1:])]
    print(title)
    for row in (header, *rows):
        cells = (f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True))
        print("  ".join(cells).rstrip())


def _print_rich(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], figures: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left")
    for number, name in enumerate(header):
        table.add_column(name, justify="right" if figures and number else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
