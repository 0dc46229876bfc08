"""Tables on a terminal, where they are rich, and colours that NO_COLOR turns off."""

from __future__ import annotations

import io
import sys

import pytest

from gpuparse.cli.tables import print_table


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown_on_terminal(monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    print_table("By label", ["label", "f1"], [["[b]", "91.20"]])
    return terminal.getvalue()


def test_a_table_on_a_terminal_is_styled_and_has_every_cell_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_on_terminal(monkeypatch)
    assert "[b]" in shown
    assert "91.20" in shown
    assert "\x1b[" in shown


def test_a_dumb_terminal_gets_no_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_on_terminal(monkeypatch, TERM="dumb")
    assert "91.20" in shown
    assert "\x1b" not in shown
