"""`memsum bench`: what this machine does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memsum.cli.options import Model, Threads


def bench(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Documents to measure with.", show_default="generated ones"),
    ] = None,
    model: Model = "default",
    threads: Threads = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure this machine: start-up, milliseconds per document, documents per second, memory. Takes about ten seconds.

    memsum bench
    """
    import json
    from dataclasses import asdict

    from memsum.bench import generate_texts, measure, table
    from memsum.document import read_document
    from memsum.summarizer import Summarizer

    summarizer = Summarizer.load(model, threads=threads)
    if files:
        texts = {path.name: read_document(path).text for path in files}
    else:
        texts = generate_texts(summarizer.runtime.encoder.vectors.vocabulary)
    measures = measure(summarizer, texts, model, threads)
    typer.echo(json.dumps(asdict(measures), indent=2) if as_json else table(measures))
