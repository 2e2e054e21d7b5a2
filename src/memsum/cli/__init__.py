"""The command line: one file a command group, no logic. Heavy imports happen inside the commands."""

from __future__ import annotations

from memsum.cli.app import app

__all__ = ["main"]


def main() -> None:
    """Entry point of the `memsum` command."""
    app()
