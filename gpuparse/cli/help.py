"""What `--help` prints: short enough for a screen, the common options first, the others grouped under headings.

An option's heading is its `rich_help_panel`; its placeholder, such as FILE, its `metavar`.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

ARGUMENTS, OPTIONS = "Arguments", "Options"
NAMES_WIDTH = 24  # columns; longer names have a line of their own
PLAINER = {  # what the library that checks values says of a wrong one, in words for people
    "Value error, ": "",
    "Input should be a valid integer, unable to parse string as an integer": "this is not a whole number.",
    "Input should be a valid number, unable to parse string as a number": "this is not a number.",
    "Input should be greater than or equal to": "the least is",
    "Input should be less than or equal to": "the most is",
}


class Command(TyperCommand):
    """A subcommand whose help is plain text, one line for most options."""

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        try:
            return super().make_context(*arguments, **options)
        except typer.BadParameter as error:
            error.message = in_plain_words(error.message)
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["[OPTIONS]", *(str(param.metavar) for param in self.get_params(ctx) if _is_argument(param))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        sections: dict[str, list[tuple[str, str]]] = {ARGUMENTS: [], OPTIONS: []}
        for param in self.get_params(ctx):
            if not getattr(param, "hidden", False):
                heading = getattr(param, "rich_help_panel", None) or (ARGUMENTS if _is_argument(param) else OPTIONS)
                sections.setdefault(heading, []).append(_row(param))
        for heading, rows in sections.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows, col_max=NAMES_WIDTH)


def in_plain_words(message: str) -> str:
    """What is wrong with the value of an option.

    >>> in_plain_words("Input should be greater than or equal to 1")
    'the least is 1'
    """
    for technical, plain in PLAINER.items():
        message = message.replace(technical, plain)
    return message


def _is_argument(param: Any) -> bool:
    return bool(param.param_type_name == "argument")


def _row(param: Any) -> tuple[str, str]:
    """A parameter's names and what it is for, with the default where it says something."""
    if _is_argument(param):
        return str(param.metavar), param.help or ""
    names = ", ".join(sorted(param.opts, key=len))
    if param.is_flag:
        return names, param.help or ""
    default = "" if param.default is None else f" [default: {param.default}]"
    return f"{names} {param.metavar}", f"{param.help or ''}{default}"
