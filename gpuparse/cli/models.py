"""`gpuparse models`: the bundled models."""

from __future__ import annotations

from typing import Any

from gpuparse.cli.arguments import Json
from gpuparse.cli.tables import print_json, print_table
from gpuparse.pretrained.bundled import Bundled, bundled_models


def models_command(as_json: Json = False) -> None:
    """List the bundled models.

    F1 is on the development set, all lengths, with the tagger's tags.
    """
    models = bundled_models()
    if as_json:
        print_json([described(model) for model in models])
        return
    header = ["name", "language", "size", "F1", "data", "licence"]
    rows = [
        [model.name, *(model.figures.get(key, "") for key in ("language", "size", "f1_tagger", "data", "licence"))]
        for model in models
    ]
    for row, model in zip(rows, models, strict=True):
        row[header.index("size")] = f"{model.size / 1e6:.1f} MB"
    print_table("Bundled models", header, rows, figures=False)
    for model in models:
        print(f"The card of {model.name}: {model.card}")


def described(model: Bundled) -> dict[str, Any]:
    """A model for a program: the figures of its card, those that are numbers as numbers."""
    figures = {key: float(value) if key.startswith("f1") else value for key, value in model.figures.items()}
    return {**figures, "name": model.name, "bytes": model.size, "path": str(model.path), "card": str(model.card)}
