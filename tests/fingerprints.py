"""Fingerprints of what training learns and what parsing finds, to the last bit.

`tests/data/fingerprints.json` has those that were recorded. A change that is not meant to change any result leaves them
alone; one that is meant to records them again: GPUPARSE_RECORD=1 ./scripts/test tests/test_fingerprints.py
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from gpuparse.api import LoadedParser
from gpuparse.boost import Options
from gpuparse.cli.train import TrainingRun, train_model
from gpuparse.options import SearchOptions, Strategy, TrainingOptions
from gpuparse.parse.model.model import Model
from gpuparse.trees import Token, Tree, synthetic_treebank

RECORDED = Path(__file__).resolve().parent / "data" / "fingerprints.json"


def check(name: str, digest: str) -> None:
    """Compare a fingerprint with the one that was recorded, or record it."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    if os.environ.get("GPUPARSE_RECORD"):
        recorded[name] = digest
        RECORDED.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert recorded.get(name) == digest


def short_trees(number: int, most: int) -> list[Tree]:
    """The first synthetic trees of at most so many tokens."""
    return [tree for tree in synthetic_treebank(20 * number) if len(tree.tokens()) <= most][:number]


def trained(trees: Iterable[Tree], strategy: str, penalty: str, device: str, max_trees: int) -> Model:
    """A small model, without a tagger; trees are grown on samples."""
    learn = Options(penalty=penalty, max_trees=max_trees, eta=0.5, min_lambda=0.2, sample=500)  # type: ignore[arg-type]
    options = TrainingOptions(strategy=Strategy[strategy], tune_fraction=0.0, tagger=False, jobs=2, learn=learn)
    with tempfile.TemporaryDirectory() as folder:
        treebank = Path(folder, "treebank.mrg")
        treebank.write_text("\n".join(map(str, trees)), encoding="utf-8")
        return train_model(TrainingRun(Path(folder, "m.model"), [str(treebank)]), options, device)


def of_model(model: Model) -> str:
    """Every tree of every label with its values, and the lambdas."""
    digest = hashlib.sha256()
    for label in sorted(model.ensembles):
        ensemble = model.ensembles[label]
        digest.update(f"{label} {ensemble.lambdas.tobytes().hex()}\n".encode())
        for tree in ensemble.trees(0.0):
            digest.update("".join(f"{a.dtype.str} {a.tolist()}\n" for a in tree[:3]).encode())
            digest.update(tree.value.tobytes())
    return digest.hexdigest()[:32]


def of_parses(model: Model, sentences: Iterable[list[Token]], options: SearchOptions, device: str = "cpu") -> str:
    """The trees of the sentences, their costs, and what it took to find them."""
    parser = LoadedParser(model, options, None, device)
    pairs = ([(token.word, token.tag) for token in tokens] for tokens in sentences)
    digest = hashlib.sha256()
    for tree in parser.parse_many(pairs):
        costs = [(str(parse.tree), parse.cost.hex()) for parse in tree.k_best]
        digest.update(f"{tree.status} {tree.scored} {costs}\n".encode())
    return digest.hexdigest()[:32]
