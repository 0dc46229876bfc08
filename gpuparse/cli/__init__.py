"""The command line: one file a command. Each has a thin function that takes the arguments and a plain one that works.

Only this folder imports typer and rich; whatever is slow to import is imported inside the commands, so that `--help` is
quick.
"""
