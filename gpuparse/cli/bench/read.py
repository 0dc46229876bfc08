"""`gpuparse bench read`: how fast trees are read, compared with a regular expression that only cuts the same text."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from gpuparse.cli.arguments import Json, OptionalTreebanks
from gpuparse.cli.bench.measuring import Step, measuring, no_step
from gpuparse.cli.prepare import tell_folders
from gpuparse.cli.tables import print_json, print_table

TREES_READ = 5_000
READINGS = 3


def read_command(
    treebanks: OptionalTreebanks = None,
    as_json: Json = False,
) -> None:
    """Measure how fast trees are read."""
    tell_folders(treebanks or [])
    text = treebank_text(treebanks or [])
    with measuring(2 * READINGS) as progress:
        figures = reading_speed(text, progress.advance)
    if as_json:
        print_json(figures)
    else:
        print_table("Reading", ["figure", "value"], [[name, f"{value:,.2f}"] for name, value in figures.items()])


def treebank_text(treebanks: Sequence[str]) -> str:
    """The text of a treebank, by default of the synthetic one."""
    from gpuparse.trees import treebank_files
    from gpuparse.trees.synthetic import synthetic_treebank

    if not treebanks:
        return "\n".join(map(str, synthetic_treebank(TREES_READ, seed=0)))
    return "\n".join(
        sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig", errors="replace")
        for path in treebank_files(treebanks)
    )


def reading_speed(text: str, step: Step = no_step) -> dict[str, Any]:
    """Tokens (words of the trees) read per second, and the ratio to `re.findall` over the same text: the best of three.

    >>> reading_speed("(NP (DT the) (NN rain))")["tokens"]
    2
    """
    from gpuparse.trees import parse_trees

    tokens = sum(len(tree.tokens()) for tree in parse_trees(text))
    reading = _best_time(lambda: sum(1 for _ in parse_trees(text)), step)
    cutting = _best_time(lambda: len(re.findall(r"[()]|[^\s()]+", text)), step)
    return {
        "tokens": tokens,
        "seconds": reading,
        "tokens_per_second": tokens / reading,
        "findall_tokens_per_second": tokens / cutting,
        "ratio_to_findall": cutting / reading,
    }


def _best_time(work: Callable[[], object], step: Step) -> float:
    """The least CPU time of a few runs."""
    times = []
    for _ in range(READINGS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
        step()
    return max(min(times), 1e-9)
