"""Messages of commands beside their results: one sentence on stderr, and the exit status."""

from __future__ import annotations

import signal

import typer

FAILED = 1
INTERRUPTED = 128 + signal.SIGINT


def fail(message: str, hint: str | None = None) -> None:
    """Report an error, in one sentence and a hint."""
    typer.secho(f"memsum: {message}", fg="red", err=True)
    if hint:
        typer.secho(f"        {hint}", err=True)


def warn(message: str) -> None:
    """Report a warning about a result."""
    typer.secho(f"memsum: {message}", fg="yellow", err=True)


def say(message: str) -> None:
    """Report what was done or is being done."""
    typer.echo(message, err=True)
