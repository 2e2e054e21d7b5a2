"""`memsum summarize`: files in, summaries out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memsum.cli.console import FAILED, fail, say, warn
from memsum.cli.options import FORMATS, Language, Model, Output, Threads

if TYPE_CHECKING:
    from memsum.document import Document
    from memsum.options import SummaryOptions
    from memsum.reading import Reading
    from memsum.summary import Summary

STANDARD = "-"
_WIDEST = 100


def summarize(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help=f"{FORMATS}; `-` is standard input.",
            show_default=False,
        ),
    ],
    *,
    format_: Annotated[
        Literal["text", "json", "markdown", "html"],
        typer.Option("--format", "-f", help="JSON is one line per document, HTML one page with the document."),
    ] = "text",
    output: Output = None,
    together: Annotated[bool, typer.Option("--together", help="Make one summary of all files.")] = False,
    options: SummaryOptions,
    language: Language = None,
    model: Model = "default",
    threads: Threads = None,
) -> None:
    """Quote the sentences of a document that say the most.

    The model decides how many; or choose --sentences, --words, --characters or --ratio.

        memsum summarize paper.txt

        memsum summarize report.md --words 150 --format markdown

        memsum summarize minutes.txt --about "what the crane costs" --about "when will it come?"

        memsum summarize first.pdf second.pdf --together
    """
    from memsum.errors import MemsumError
    from memsum.files import check_output
    from memsum.summarizer import Summarizer

    if format_ == "html" and len(files) > 1 and not together:
        raise MemsumError("A page of HTML shows one document.", "Give one file, another format, or --together.")
    if format_ == "html" and len(options.questions) > 1:
        raise MemsumError("A page of HTML answers one question.", "Choose another format.")
    if output is not None:
        check_output(output)
    summarizer = Summarizer.load(model, threads=threads)
    several, failed = len(files) > 1 and not together, False
    with _writer(output) as write:
        if together:
            documents, failed = _readable(files, language)
            reading = summarizer.read_together(list(documents.values()), ids=list(documents))
            _show_each(reading, options, write, format_, _is_watched(output))
            files = []
        for index, file in enumerate(files):
            try:
                reading = summarizer.read(_source(file, language), id=file)
            except MemsumError as error:
                if not several:
                    raise
                failed = True
                fail(error.message, error.hint)
                if format_ == "json":
                    write(_json({"id": file, "error": error.message}))
                continue
            if several and format_ != "json":
                write(_header(file, format_, is_first=index == 0))
            _show_each(reading, options, write, format_, _is_watched(output), file if several else None)
    if failed:
        raise typer.Exit(FAILED)


def _show_each(
    reading: Reading,
    options: SummaryOptions,
    write: Callable[[str], None],
    form: str,
    for_reader: bool,
    name: str | None = None,
) -> None:
    """Show the summary of a document, or an answer to each question, under it if there are several."""
    questions = options.each()
    for index, one in enumerate(questions):
        if len(questions) > 1 and form != "json":
            write(_header(str(one.about), form, is_first=index == 0))
        _show(reading.summarize(one), write, form, for_reader=for_reader, name=name)


def _show(
    summary: Summary, write: Callable[[str], None], form: str, *, for_reader: bool, name: str | None = None
) -> None:
    for warning in summary.warnings:
        warn(f"{name}: {warning}" if name else warning)
    if not summary.found:
        nearest = "" if summary.sentences else " The nearest ones: --nearest"
        say(f"{f'{name}: ' if name else ''}No relevant sentence found.{nearest}")
    if text := _render(summary, form, for_reader=for_reader):
        write(text)


def _is_watched(output: Path | None) -> bool:
    return output is None and sys.stdout.isatty()


def _render(summary: Summary, form: str, *, for_reader: bool) -> str:
    from memsum.printable import escaped

    if form == "json":
        line = _json(summary.to_dict())
        return escaped(line) if for_reader else line
    if form == "markdown":
        return summary.to_markdown()
    if form == "html":
        return summary.to_html()
    if not for_reader:
        return summary.to_text()
    import os
    import shutil

    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return summary.to_text(width, colour="NO_COLOR" not in os.environ)


def _json(record: dict[str, object]) -> str:
    from memsum.files import json_line

    return json_line(record)


def _header(file: str, form: str, *, is_first: bool) -> str:
    from memsum.printable import one_line

    gap = "" if is_first else "\n"
    name = one_line(file)
    return f"{gap}<!-- {name} -->\n" if form == "markdown" else f"{gap}==> {name} <==\n"


def _readable(files: list[str], language: str | None) -> tuple[dict[str, Document], bool]:
    """Return the readable documents by name, and report the others; the second value tells if there were any."""
    from memsum.document.source import with_sentences
    from memsum.errors import MemsumError

    documents: dict[str, Document] = {}
    errors: list[MemsumError] = []
    for file in dict.fromkeys(files):
        try:
            documents[file] = _source(file, language)
            with_sentences(documents[file])
        except MemsumError as error:
            documents.pop(file, None)
            errors.append(error)
    if not documents:
        raise errors[0]
    for unreadable in errors:
        fail(unreadable.message, unreadable.hint)
    return documents, bool(errors)


def _source(file: str, language: str | None) -> Document:
    from memsum.document import read_document
    from memsum.document.source import refuse_address

    if file != STANDARD:
        refuse_address(file)
        return read_document(Path(file), language=language)
    if sys.stdin.isatty():
        say("Type or paste the text, and end it with Ctrl-D.")
    return read_document(sys.stdin.buffer.read(), name="standard input", language=language)


@contextmanager
def _writer(output: Path | None) -> Iterator[Callable[[str], None]]:
    """Give a function that writes lines, to stdout at once or to a file that appears when it is complete."""
    if output is None:
        yield lambda text: typer.echo(_encodable(text))
        return
    from memsum.files import atomic_file

    with atomic_file(output) as file:

        def write(text: str) -> None:
            file.write(f"{text}\n".encode("utf-8", "replace"))

        yield write


def _encodable(text: str) -> str:
    """Replace what the encoding of stdout cannot write."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)
