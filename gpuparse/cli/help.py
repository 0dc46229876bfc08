"""What `--help` prints: short enough for a screen, the common options first, the others grouped under headings.

An option's heading is its `rich_help_panel`; its placeholder, such as FILE, its `metavar`.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

ARGUMENTS, OPTIONS = "Arguments", "Options"
NAMES_WIDTH = 24  # columns; longer names have a line of their own


class Command(TyperCommand):
    """A subcommand whose help is plain text, one line for most options."""

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
