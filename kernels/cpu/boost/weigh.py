"""Weights of sampled examples, as reals."""

from gpuparse.jit import vectorised


@vectorised
def weigh(importance, odds, kept, tau, weights):
    """weights[n] = the weight max(w, tau) of example kept[n]; returns the greatest."""
    greatest = 0.0
    for n in range(kept.size):
        i = kept[n]
        weight = max(importance[i] / (1.0 + odds[i]), tau)
        weights[n] = weight
        greatest = max(greatest, weight)
    return greatest
