"""Models that come with gpuparse, each beside its card: the data, the licence, the figures, and how it was made."""
