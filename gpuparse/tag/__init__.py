"""Text in: sentences and tokens of raw text, and a POS tagger that learns from the treebank."""

from gpuparse.tag.options import TaggerOptions
from gpuparse.tag.sentences import Passage, Stretch, split_sentences, stream_sentences, whole_lines
from gpuparse.tag.tagger import Tagger, jackknife, train_tagger
from gpuparse.tag.tokens import TextToken, TokenStyle, originals_of, tokenise, tokenise_text

__all__ = [
    "Passage",
    "Stretch",
    "Tagger",
    "TaggerOptions",
    "TextToken",
    "TokenStyle",
    "jackknife",
    "originals_of",
    "split_sentences",
    "stream_sentences",
    "tokenise",
    "tokenise_text",
    "train_tagger",
    "whole_lines",
]
