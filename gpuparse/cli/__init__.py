"""The command line: one file per command. Each has a thin function for the arguments and a plain one for the work.

Only this folder imports typer and rich; whatever is slow to import is imported inside the commands, so that `--help` is
quick.
"""
