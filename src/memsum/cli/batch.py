"""`memsum batch`: a file of documents in, a file of summaries out, line by line."""

from __future__ import annotations

from typing import Annotated

import typer

from memsum.cli.summarize import (
    BlockTrigrams,
    Characters,
    Explain,
    MaxSentences,
    MinSentences,
    Model,
    Order,
    Ratio,
    Sentences,
    StopThreshold,
    Threads,
    Words,
)


def batch(
    documents: Annotated[
        str,
        typer.Argument(metavar="IN", help='JSON lines with "text": a string or a list of sentences (.gz, .zst, `-`).'),
    ],
    summaries: Annotated[str, typer.Argument(metavar="OUT", help="JSON lines, in the order of IN (.gz, .zst, `-`).")],
    sentences: Sentences = None,
    words: Words = None,
    characters: Characters = None,
    ratio: Ratio = None,
    stop_threshold: StopThreshold = None,
    max_sentences: MaxSentences = None,
    min_sentences: MinSentences = 1,
    order: Order = "document",
    block_trigrams: BlockTrigrams = False,
    explain: Explain = False,
    model: Model = "default",
    threads: Threads = None,
) -> None:
    """Summarise many documents: IN has one JSON object a line, OUT the summary of each.

    A document keeps its "id", or gets the number of its line. One that cannot be summarised has an "error" instead.

        memsum batch papers.jsonl summaries.jsonl --sentences 5
    """
    from memsum.batch import summarize_lines
    from memsum.cli.app import FAILED
    from memsum.corpus.files import is_stream, open_output, read_lines
    from memsum.corpus.inputs import Lines
    from memsum.corpus.progress import progress_bar
    from memsum.corpus.records import json_line
    from memsum.summarizer import Summarizer
    from memsum.summary import Length

    length = Length(sentences, words, characters, ratio, stop_threshold, max_sentences, min_sentences)
    summarizer = Summarizer.load(model, threads=threads)
    records = summarize_lines(
        summarizer,
        read_lines(documents),
        length=length,
        order=order,
        block_trigrams=block_trigrams,
        explain=explain,
    )
    done = failed = 0
    streams = is_stream(summaries)
    with progress_bar("summarising", Lines(documents).count) as advance, open_output(summaries) as output:
        for record in records:
            output.write(json_line(record).encode() + b"\n")
            if streams:
                output.flush()
            failed += "error" in record
            done += "error" not in record
            advance(1)
    typer.echo(f"{done:,} summarised, {failed:,} failed.", err=True)
    if failed and not done:
        raise typer.Exit(FAILED)
