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
    with Progress("function", total=sum(telling.FUNCTIONS.values())) as progress:
        shown = 0

        def show(compiled: int) -> None:
            nonlocal shown
            for _ in range(compiled - shown):
                progress.advance()
            shown = max(shown, compiled)

        Background.here().compile_all(show)
        show(telling.FUNCTIONS["parse"])
        with telling.told_to(show):
            practise_explaining()
            practise_training()
        show(sum(telling.FUNCTIONS.values()))  # some were compiled before, or are used by several commands
    print(f"gpuparse: compiled, in {Store.here().folder}", file=sys.stderr)
