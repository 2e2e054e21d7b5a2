"""`memsum locate`: are quotes of others really there?"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from memsum.cli.console import FAILED, say, warn
from memsum.cli.options import FORMATS, Language, Output
from memsum.cli.summarize import STANDARD, is_watched, open_writer, read_file
from memsum.files import check_output, json_line
from memsum.printable import escaped

Quotes = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Quotes: JSON, a text with quotation marks such as an assistant's answer, or one per line; `-`: stdin.",
    ),
]
_MOST_BYTES = 10 * 2**20  # of a file of quotes


def locate(
    file: Annotated[str, typer.Argument(metavar="FILE", help=f"{FORMATS}; `-` is standard input.")],
    *,
    quote: Annotated[list[str] | None, typer.Option("--quote", "-q", help="A quote; may be repeated.")] = None,
    quotes: Quotes = None,
    format_: Annotated[Literal["text", "json"], typer.Option("--format", "-f", help="Output format.")] = "text",
    output: Output = None,
    language: Language = None,
) -> None:
    """Tell if quotes are really in a document, word for word, and where.

    A quote is there exactly, with the same words (set in another way), edited (with the difference), or not found. The
    exit status is 0 if all are there with their words, and 1 otherwise.

        memsum locate paper.pdf --quote "we observed no effect on sleep"

        memsum locate paper.pdf --quotes answer.txt
    """
    from memsum.errors import MemsumError
    from memsum.query.locate import locate as find
    from memsum.query.located import quotes_record, summary_line

    if file == STANDARD == quotes:
        raise MemsumError("Standard input is either the document or the quotes.", "Name a file for one of them.")
    if output is not None:
        check_output(output)
    wanted = [*(quote or ()), *(read_quotes(quotes) if quotes is not None else ())]
    if not wanted:
        raise MemsumError("There are no quotes.", 'Give --quote "…" or --quotes FILE.')
    document = read_file(file, language)
    for warning in document.warnings:
        warn(warning)
    found = find(document, wanted)
    watched = is_watched(output)
    with open_writer(output) as write:
        if format_ == "json":
            line = json_line(quotes_record(file, found))
            write(escaped(line) if watched else line)
        else:
            color = watched and "NO_COLOR" not in os.environ
            write("\n".join(one.to_text(color=color) for one in found))
    say(summary_line(found))
    if not all(one.is_found for one in found):
        raise typer.Exit(FAILED)


def read_quotes(file: str) -> list[str]:
    """Read the quotes that a file holds."""
    from memsum.errors import MemsumError
    from memsum.query.located import find_quotes

    content = sys.stdin.buffer.read(_MOST_BYTES + 1) if file == STANDARD else Path(file).read_bytes()
    if len(content) > _MOST_BYTES:
        raise MemsumError(f"The file of quotes is larger than {_MOST_BYTES // 2**20} MB.")
    return find_quotes(content.decode("utf-8-sig", "replace"))
