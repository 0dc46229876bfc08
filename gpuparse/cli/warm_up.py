"""`gpuparse warm-up`: compile everything now, for images and clusters, so that nobody waits later."""

from __future__ import annotations


def warm_up_command() -> None:
    """Compile now for this machine, so that nothing waits later.

    All that parsing, explaining and training on the CPU need is compiled. Without it, parsing compiles in the
    background while it works slowly, and training waits until it is done. What is compiled is kept in GPUPARSE_CACHE,
    or in the user's cache folder.
    """
    import os
    import sys

    from gpuparse.cli.progress import Progress
    from gpuparse.jit import telling
    from gpuparse.jit.background import Background
    from gpuparse.jit.settings import COMPILE_VARIABLE
    from gpuparse.jit.store import Store
    from gpuparse.practice import practise_explaining, practise_training

    os.environ[COMPILE_VARIABLE] = "wait"
    total = telling.FOR_THE_REST if Background.here().is_done() else telling.FOR_EVERYTHING
    with Progress("function", total=total) as progress:
        shown = 0

        def show(compiled: int) -> None:
            nonlocal shown
            for _ in range(compiled - shown):
                progress.advance()
            shown = max(shown, compiled)

        Background.here().compile_all(show)
        with telling.told_to(show):
            practise_explaining()
            practise_training()
        show(total)  # some were compiled before
    print(f"gpuparse: compiled, in {Store.here().folder}", file=sys.stderr)
