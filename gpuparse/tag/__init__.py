"""A POS tagger that learns from the treebank."""

from gpuparse.tag.options import TaggerOptions
from gpuparse.tag.tagger import Tagger, jackknife, train_tagger

__all__ = ["Tagger", "TaggerOptions", "jackknife", "train_tagger"]
