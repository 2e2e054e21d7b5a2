"""The root command and what holds for all commands: one-sentence errors, `--debug`, `--version`."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from memsum._version import __version__
from memsum.cli import corpus, model, study
from memsum.cli.adapt import adapt
from memsum.cli.batch import batch
from memsum.cli.bench import bench
from memsum.cli.evaluate import evaluate
from memsum.cli.experiment import experiment
from memsum.cli.highlight import highlight
from memsum.cli.serve import serve
from memsum.cli.summarize import summarize
from memsum.cli.train import train
from memsum.cli.tune import tune
from memsum.errors import MemsumError, MissingExtraError

FAILED = 1
# Which extra brings a module that is not there.
_EXTRAS = {
    **dict.fromkeys(("torch", "onnx", "numba", "nltk", "gensim", "scipy"), "train"),
    **dict.fromkeys(("fastapi", "uvicorn", "anyio", "starlette", "python_multipart"), "serve"),
    **dict.fromkeys(("huggingface_hub", "datasets"), "hub"),
    **dict.fromkeys(("ray", "pyarrow"), "cluster"),
    "matplotlib": "plots",
}
INTERRUPTED = 128 + signal.SIGINT


def fail(message: str, hint: str | None = None) -> None:
    """Say what went wrong on stderr, in one sentence and a hint."""
    typer.secho(f"memsum: {message}", fg="red", err=True)
    if hint:
        typer.secho(f"        {hint}", err=True)


class Root(TyperGroup):
    """Turns memsum's errors into one sentence and an exit status; `--debug` shows the traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and answer for its errors."""
        try:
            return super().invoke(ctx)
        except MemsumError as error:
            if ctx.params.get("debug"):
                raise
            fail(error.message, error.hint)
        except ModuleNotFoundError as error:
            extra = _EXTRAS.get((error.name or "").partition(".")[0])
            if extra is None or ctx.params.get("debug"):
                raise
            missing = MissingExtraError(f"`memsum {ctx.invoked_subcommand}`", extra)
            fail(missing.message, missing.hint)
        except BrokenPipeError:
            # The reader of our output went away (`| head`): not an error, but stdout must not be flushed again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except KeyboardInterrupt:
            fail("stopped; what was finished is kept.")
            raise SystemExit(INTERRUPTED) from None
        except OSError as error:
            if ctx.params.get("debug"):
                raise
            fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.")
        raise SystemExit(FAILED)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memsum {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=Root,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(summarize)
app.command()(highlight)
app.command()(serve)
app.command()(batch)
app.command()(bench)
app.add_typer(model.app, name="model")
app.add_typer(corpus.app, name="corpus")
app.add_typer(study.app, name="study")
app.command()(train)
app.command()(adapt)
app.command()(evaluate)
app.command()(tune)
app.command()(experiment)


@app.callback()
def root(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Faithful summaries of long documents: the sentences that say the most, quoted with their place."""
