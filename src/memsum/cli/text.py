"""`memsum text` and `memsum schema`: what the offsets of quotes point into, and what the JSON of all commands holds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from memsum.cli.console import warn
from memsum.cli.options import FORMATS, Language, Output, Strict
from memsum.cli.summarize import is_watched, open_writer, read_file
from memsum.files import check_output, json_line
from memsum.printable import escaped, printable


def text(
    file: Annotated[str, typer.Argument(metavar="FILE", help=f"{FORMATS}; `-` is standard input.")],
    *,
    format_: Annotated[
        Literal["text", "json"],
        typer.Option("--format", "-f", help="JSON has the text, its blocks, sentences and pages, with their offsets."),
    ] = "text",
    boxes: Annotated[bool, typer.Option("--boxes", help="Add where they stand on the pages of a PDF to JSON.")] = False,
    output: Output = None,
    language: Language = None,
    strict: Strict = False,
) -> None:
    """Print the text of a document as it was read: what the offsets of quotes point into.

    memsum text paper.pdf

    memsum text paper.pdf --format json --boxes
    """
    from memsum.document.source import with_abstract

    if output is not None:
        check_output(output)
    document = with_abstract(read_file(file, language, strict=strict))
    for warning in document.warnings:
        warn(warning)
    watched = is_watched(output)
    with open_writer(output) as write:
        if format_ == "json":
            line = json_line(document.to_dict(boxes=boxes))
            write(escaped(line) if watched else line)
        else:
            write(printable(document.text) if watched else document.text)


def schema(output: Output = None) -> None:
    """Print the JSON Schema of all that memsum writes as JSON: summaries, answers, quotes, texts, failures.

    memsum schema --output memsum.schema.json
    """
    import json

    from memsum.errors import needs_extra

    with needs_extra("serve", "The schema"):
        from pydantic import TypeAdapter
    from memsum.document.records import DocumentRecord
    from memsum.query.located import QuotesRecord
    from memsum.summary.records import AnswersRecord, FailureRecord, SummaryRecord

    every: Any = SummaryRecord | AnswersRecord | QuotesRecord | DocumentRecord | FailureRecord
    described = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memsum",
        **TypeAdapter(every).json_schema(mode="serialization"),
    }
    with open_writer(output) as write:
        write(json.dumps(described, indent=2, ensure_ascii=False))
