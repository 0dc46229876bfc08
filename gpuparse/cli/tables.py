"""Tables and JSON on stdout: plain aligned columns, the same bytes at a terminal as in a file or a pipe."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gpuparse.printable import printable


def print_json(content: Any) -> None:
    """Prints one JSON document.

    >>> print_json({"f1": 88.48})
    {
      "f1": 88.48
    }
    """
    print(json.dumps(content, indent=2, ensure_ascii=False))


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], figures: bool = True) -> None:
    """Prints a table; the first column is a name, the others are words or figures, which are aligned on the right.

    >>> print_table("By label", ["label", "f1"], [["NP", "91.20"], ["ADVP", "7.50"]])
    By label
    label     f1
    NP     91.20
    ADVP    7.50
    """
    title, rows = printable(title), [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    sides = ["<", *(">" if figures else "<" for _ in header[1:])]
    print(title)
    for row in (header, *rows):
        cells = (f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True))
        print("  ".join(cells).rstrip())
