"""`memsum adapt`: fine-tune a model on one's own documents."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated

import typer

from memsum.cli.console import warn
from memsum.cli.options import Device, Processes

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from memsum.training.corpus import Example
    from memsum.training.learning.adapt import Adaptation
    from memsum.training.report.table import Table

_LOG_SECONDS = 5.0
_LANGUAGE = "en"  # of the networks: documents in other languages are summarized without them


def adapt(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="Corpus of a few dozen documents with summaries, or keys: documents with what one would quote.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write the adapted model to.")],
    model: Annotated[str, typer.Option(help="Model to start from: a name or a folder.")] = "default",
    minutes: Annotated[float, typer.Option(metavar="N", help="Time for all of it, from reading to judging.")] = 2.0,
    votes: Annotated[
        Path | None,
        typer.Option(metavar="STUDY", help="Learn from the summaries preferred in a study or in its records."),
    ] = None,
    documents: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The files that keys name.", show_default="documents, beside DATA"),
    ] = None,
    validation: Annotated[
        Path | None,
        typer.Option(help="Documents to validate on; by default a fifth of DATA is held out."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the split and the training.")] = 0,
    processes: Processes = None,
    device: Device = "auto",
    restart: Annotated[
        bool, typer.Option("--restart", help="Discard an unfinished adaptation in the output folder.")
    ] = False,
) -> None:
    """Fine-tune a model on a hundred of your own documents, in two minutes.

    What does not fit into the time is left out: blocks of long documents, some of many documents. The table compares
    the model before and after on documents it did not learn from, with the interval of the difference; if they
    score no better, the output is the model as it was. If interrupted, the same command goes on.

        memsum adapt my-papers.jsonl --output my-model

    From the sentences that you would have quoted of thirty documents (lines of name, kind, file, points, poor):

        memsum adapt keys.jsonl --documents folder --output my-model

    From the votes of a blind study:

        memsum adapt --votes study.db --output my-model
    """
    import os
    import sys

    from rich.console import Console

    from memsum.errors import MemsumError
    from memsum.model import resolve_model
    from memsum.training.corpus.keys import holds_keys, read_keys
    from memsum.training.learning.adapt import adapt as adapt_model
    from memsum.training.learning.adapt_keys import adapt_to_keys, key_examples, read_sources, values_readers

    if data is None and votes is None:
        raise MemsumError("There is nothing to learn from.", "Give a corpus, keys, or --votes of a study.")
    folder = resolve_model(model)
    console = Console(file=sys.stderr, quiet=os.environ.get("RANK", "0") != "0")  # torchrun's first process speaks
    examples = []
    if data is not None and holds_keys(data):
        sources = read_sources(list(read_keys(data)), documents or data.parent / "documents")
        if votes is None and validation is None and values_readers(sources, folder):
            _announce(console, model, len(sources), minutes, "in turn, each third is judged by what the others teach")
            with _Display(console) as display:
                keyed = adapt_to_keys(sources, folder, output, minutes=minutes, seed=seed, report=display.report)
            _print(console, keyed, "Points that as many quotes convey, in %", output)
            return
        examples = key_examples(sources)
    elif data is not None:
        examples = _usable(data)
    if votes is not None:
        from memsum.study.preferences import read_votes

        examples += read_votes(votes)
    held_out = _usable(validation) if validation is not None else None
    judges = "a fifth of them is held out to judge by" if held_out is None else f"{len(held_out)} others judge it"
    _announce(console, model, len(examples), minutes, judges)
    with _Display(console) as display:
        result = adapt_model(
            examples,
            folder,
            output,
            held_out=held_out,
            minutes=minutes,
            seed=seed,
            processes=processes or 0,
            device=device,
            restart=restart,
            report=display.report,
        )
    if not console.quiet:
        from memsum.training.rouge import rouge_signature

        _print(console, result, rouge_signature("rouge1/2/Lsum"), output)


def _usable(path: Path) -> list[Example]:
    """Read a corpus without the documents that nothing can be learned from; say which these are."""
    from memsum.training.corpus.check import check_corpus, usable_examples

    check = check_corpus(path, _LANGUAGE)
    check.require_usable()
    for sentence in check.sentences():
        warn(f"Left out: {sentence}")
    return list(usable_examples(path, check))


def _announce(console: Console, model: str, documents: int, minutes: float, judges: str) -> None:
    console.print(
        f"Adapting {model} to {documents} documents, in at most about {_duration(60 * minutes)}: {judges}. "
        "Ctrl-C stops it, and the same command goes on.",
        highlight=False,
        soft_wrap=True,
    )


def _print(console: Console, result: Adaptation, note: str, output: Path) -> None:
    from memsum.training.report.table import as_text, terminal

    typer.echo(as_text(_comparison(result, note), **terminal()))
    said = "The adapted model" if result.kept else "It is no better, so this is the model as it was"
    console.print(f"{said}: {output}", highlight=False, soft_wrap=True)


class _Display:
    """What is being done and the time left: one line that ticks on a terminal, a line every few seconds in a log."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live

        self._console = console
        self._what, self._left, self._at, self._logged = "starting", 0.0, time.monotonic(), 0.0
        self._live = Live(get_renderable=self._line, console=console, refresh_per_second=2, transient=True)

    def __enter__(self) -> _Display:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def report(self, what: str, left: float) -> None:
        """Take note of what is being done, and of the seconds that all of it still takes."""
        self._what, self._left, self._at = what, left, time.monotonic()
        if not self._console.is_terminal and self._at - self._logged >= _LOG_SECONDS:
            self._logged = self._at
            self._console.print(self._line(), highlight=False)

    def _line(self) -> Text:
        from rich.text import Text

        left = max(0.0, self._left - (time.monotonic() - self._at))
        return Text(f"{_duration(left)} left · {self._what}")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes and rest else f"{minutes} min" if minutes else f"{rest} s"


def _comparison(result: Adaptation, note: str) -> Table:
    from memsum.training.report.table import Number, Row, Table

    rows: list[Row] = []
    for name, scores in (("before", result.before), ("after", result.after)):
        values = (Number(100 * value) for value in scores.values.mean(axis=0).tolist())
        rows.append((name, *values, Number(scores.sentences, digits=1)))
    rows.append(("difference", *(Number.difference(gain, 100) for gain in result.gains), ""))
    title = f"Adapted on {result.trained_on} documents, judged on {result.judged_on} that it did not learn from"
    return Table("adaptation", title, ("", *result.measures, "sentences"), tuple(rows), (note,))
