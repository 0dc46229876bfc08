"""Training on the device grows the trees that the CPU grew when the fingerprints were recorded."""

from __future__ import annotations

import pytest

from tests import fingerprints


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("strategy", ["r2l", "l2r", "bu"])
def test_a_tiny_training_grows_the_trees_that_were_recorded(
    strategy: str, penalty: str, pytestconfig: pytest.Config
) -> None:
    device = pytestconfig.getoption("--device") or "sim"
    models = {
        name: fingerprints.trained(fingerprints.short_trees(3, most=5), strategy, penalty, name, max_trees=1)
        for name in ("cpu", device)
    }
    prints = {name: fingerprints.of_model(model) for name, model in models.items()}
    assert prints["cpu"] == prints[device]
    fingerprints.check(f"tiny training {strategy} {penalty}", prints[device])
