"""Text in: sentences and tokens of raw text, and a POS tagger that learns from the treebank."""
