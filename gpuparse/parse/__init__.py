"""The task of parsing: what a state is, its features, the model, the search, and why a parse is what it is."""
