"""Weights of sampled examples, as reals."""

from ..memory import arrays, to_host


def weigh(importance, odds, kept, tau, weights):
    """weights[n] = the weight max(w, tau) of example kept[n]; returns the greatest."""
    if len(kept) == 0:
        return 0.0
    weights[:] = arrays.maximum(importance[kept] / (1.0 + odds[kept]), tau)
    return float(to_host(weights.max()))
