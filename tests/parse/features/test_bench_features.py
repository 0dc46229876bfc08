"""`gpuparse bench features`: its figures agree with the training data that they are about."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from gpuparse.options import Strategy
from gpuparse.parse.features.examples import Source, build_training_data
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.trees import load_language, parse_tree

TREES = [
    parse_tree("(TOP (S (NP (DT the) (NN rain)) (VP (VBZ falls))))"),
    parse_tree("(TOP (S (NP (NNP Ann)) (VP (VBZ sings) (NP (JJ old) (NNS hymns)))))"),
]


def test_the_figures_are_those_of_the_training_data(tmp_path: Path) -> None:
    treebank = tmp_path / "two.mrg"
    treebank.write_text("\n".join(map(str, TREES)))
    command = [str(Path(sys.executable).with_name("gpuparse")), "bench", "features", str(treebank), "--json"]
    answer = subprocess.run([*command, "--strategy", "l2r"], capture_output=True, text=True, check=True)
    figures = json.loads(answer.stdout)
    vocabulary = build_vocabulary(TREES, load_language())
    training = build_training_data(Source(TREES, vocabulary, Strategy.l2r))
    per_label = {label: len(training.candidates.of_label(at).signs) for at, label in enumerate(vocabulary.labels)}
    rows = [len(training.matrix.row(row)) for row in range(len(training.matrix.segments))]
    assert figures["examples_of_label"] == per_label
    assert figures["examples"] == sum(per_label.values())
    assert (figures["rows"], figures["nonzeros"]) == (len(rows), sum(rows))
    assert figures["features"] == len(np.unique(training.matrix.features))
    assert figures["stored_nonzeros"] < figures["nonzeros"]
    assert figures["extracted_candidates"] == figures["candidates"] == len(training.candidates.states)
    assert min(figures[key] for key in ("bytes", "cpu_seconds", "peak_rss_bytes", "nanoseconds_per_candidate")) > 0
