"""A POS tagger that learns from the treebank, and from other tagged text."""

from gpuparse.tag.options import TaggerOptions
from gpuparse.tag.tagger import Judged, Knowledge, TaggedSource, Tagger, TagSequence, jackknife, train_tagger

__all__ = ["Judged", "Knowledge", "TagSequence", "TaggedSource", "Tagger", "TaggerOptions", "jackknife", "train_tagger"]
