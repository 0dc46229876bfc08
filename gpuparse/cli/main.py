"""The `gpuparse` command: its subcommands, and what a user sees when something goes wrong."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gpuparse.cli.help import Command
from gpuparse.errors import GpuparseError
from gpuparse.printable import printable
from gpuparse.version import VERSION

INTERRUPTED = 130
COMPLETION = ("install_completion", "show_completion")  # typer's own options
NEW_OBJECTS = 200_000  # between garbage collections: a start makes hundreds of thousands, which all stay alive


# The commands as they are listed, and their modules in this package: each has a function NAME_command or an `app`.
MODULES = {
    "train": "train",
    "parse": "parse",
    "tag": "tag",
    "classes": "classes",
    "prepare": "prepare",
    "eval": "evaluate",
    "examples": "examples",
    "explain": "explain",
    "inspect": "inspect",
    "models": "models",
    "synth": "synth",
    "devices": "devices",
    "warm-up": "warm_up",
    "bench": "bench",
}


class OnDemand(Mapping[str, Any]):
    """The subcommands by name. Only those that are looked at are imported, which makes up for much of a quick start."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _command(name, MODULES[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


def _command(name: str, module_name: str) -> Any:
    module = import_module(f"gpuparse.cli.{module_name}")
    if hasattr(module, "app"):
        return typer.main.get_command(module.app)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=Command)(getattr(module, f"{module_name}_command"))
    return typer.main.get_command(alone)


class Commands(TyperGroup):
    """The program. Failures are reported here, before typer handles some of them in its own way."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = OnDemand()  # type: ignore[assignment]  # nothing is added to it

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)
        for param in params:
            param.hidden = param.hidden or param.name in COMPLETION  # so that the commands fit a terminal of 24 lines
        return params

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        with _failures_told():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        with _failures_told():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(value: bool) -> None:
    if value:
        print(f"gpuparse {VERSION}")
        raise typer.Exit()


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Learn to parse from a treebank, and parse: gpuparse parse "She left early." """


def run() -> None:
    """The entry point: runs the command of `sys.argv` and ends the process with its exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")  # treebanks are UTF-8, whatever the terminal
    gc.set_threshold(NEW_OBJECTS)
    with _failures_told():
        try:
            app()
        except Exception as error:
            _tell_internal_error(error)
        finally:
            sys.stdout.flush()
            gc.freeze()  # what is left need not be searched for garbage when the process ends


@contextmanager
def _failures_told() -> Iterator[None]:
    """Ends the process with a message and an exit code if the wrapped code raises an error that a user can meet."""
    try:
        yield
        sys.stdout.flush()
    except GpuparseError as error:
        _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:  # the reader has closed the pipe, as in `gpuparse synth 1000 | head`: not a failure
        _drop_output()
        sys.exit(0)
    except MemoryError:
        _fail("there is not enough memory for this. Shorter sentences (--max-words) or fewer --jobs take less.", 1)
    except OSError as error:
        _drop_output()
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror or error}", 1)


def _drop_output() -> None:
    """Discards what is still in the buffer of stdout, which would only fail again when the process ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def _fail(message: str, exit_code: int) -> None:
    print("gpuparse: " + "\n".join(map(printable, message.split("\n"))), file=sys.stderr)
    sys.exit(exit_code)


def _tell_internal_error(error: Exception) -> None:
    if os.environ.get("GPUPARSE_TRACEBACK"):
        traceback.print_exception(error)
    _fail(
        f"internal error: {type(error).__name__}: {error}\nThis is a fault of gpuparse, not yours; with "
        "GPUPARSE_TRACEBACK=1 in the environment it shows where.",
        1,
    )
