"""`memsum summarize`: files in, summaries out."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memsum.cli.console import FAILED, fail, say, warn
from memsum.cli.options import FORMATS, Language, Model, Output, Strict, Threads
from memsum.files import atomic_file, check_output, json_line
from memsum.printable import escaped, one_line

if TYPE_CHECKING:
    from memsum.document import Document
    from memsum.options import SummaryOptions
    from memsum.reading import Reading

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
    strict: Strict = False,
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
    from memsum.isolation import start_sandbox

    start_sandbox()  # it starts while the rest is imported
    from memsum.summarizer import Summarizer

    if format_ == "html" and len(files) > 1 and not together:
        raise MemsumError("A page of HTML shows one document.", "Give one file, another format, or --together.")
    if format_ == "html" and len(options.questions) > 1:
        raise MemsumError("A page of HTML answers one question.", "Choose another format.")
    if output is not None:
        check_output(output)
    load = cache(lambda: Summarizer.load(model, threads=threads))  # when a document has been read
    several, watched, failed = len(files) > 1 and not together, is_watched(output), False
    with open_writer(output) as write:
        if together:
            documents, failed = _read_all(files, language, strict=strict)
            reading = load().read_together(list(documents.values()), ids=list(documents))
            _show(reading, options, write, format_, watched=watched)
            files = []
        for index, file in enumerate(files):
            try:
                document = read_file(file, language, strict=strict)
                reading = load().read(document, id=file)
            except MemsumError as error:
                if not several:
                    raise
                failed = True
                fail(error.message, error.hint)
                if format_ == "json":
                    write(json_line({"id": file, "error": error.message}))
                continue
            if several and format_ != "json":
                write(_header(file, format_, index))
            _show(reading, options, write, format_, watched=watched, name=file if several else None)
    if failed:
        raise typer.Exit(FAILED)


def is_watched(output: Path | None) -> bool:
    """Tell if somebody reads the output as it is written."""
    return output is None and sys.stdout.isatty()


def _show(
    reading: Reading,
    options: SummaryOptions,
    write: Callable[[str], object],
    form: str,
    *,
    watched: bool,
    name: str | None = None,
) -> None:
    """Write the summary of a document, or an answer to each question, under it if there are several."""
    questions = options.each()
    about = f"{name}: " if name else ""
    for index, one in enumerate(questions):
        if len(questions) > 1 and form != "json":
            write(_header(str(one.about), form, index))
        summary = reading.summarize(one)
        for warning in summary.warnings:
            warn(f"{about}{warning}")
        if not summary.found:
            nearest = "" if summary.sentences else " The nearest ones: --nearest"
            say(f"{about}No relevant sentence found.{nearest}")
        if form == "json":
            line = json_line(summary.to_dict())
            text = escaped(line) if watched else line
        elif form != "text":
            text = summary.to_markdown() if form == "markdown" else summary.to_html()
        elif watched:
            width = min(shutil.get_terminal_size().columns, _WIDEST)
            text = summary.to_text(width, color="NO_COLOR" not in os.environ)
        else:
            text = summary.to_text()
        if text:
            write(text)


def _header(name: str, form: str, index: int) -> str:
    gap = "\n" if index else ""
    return f"{gap}<!-- {one_line(name)} -->\n" if form == "markdown" else f"{gap}==> {one_line(name)} <==\n"


def _read_all(files: list[str], language: str | None, *, strict: bool) -> tuple[dict[str, Document], bool]:
    """Return the readable documents by name, and report the others; the second value tells if there were any."""
    from memsum.document.source import with_sentences
    from memsum.errors import MemsumError

    documents: dict[str, Document] = {}
    errors: list[MemsumError] = []
    for file in dict.fromkeys(files):
        try:
            documents[file] = read_file(file, language, strict=strict)
            with_sentences(documents[file])
        except MemsumError as error:
            documents.pop(file, None)
            errors.append(error)
    if not documents:
        raise errors[0]
    for unreadable in errors:
        fail(unreadable.message, unreadable.hint)
    return documents, bool(errors)


def read_file(file: str, language: str | None, *, strict: bool = False) -> Document:
    """Read a file, or standard input."""
    from memsum.document import read_document
    from memsum.document.source import refuse_address

    if file != STANDARD:
        refuse_address(file)
        return read_document(Path(file), language=language, strict=strict)
    if sys.stdin.isatty():
        say("Type or paste the text, and end it with Ctrl-D.")
    return read_document(sys.stdin.buffer.read(), name="standard input", language=language, strict=strict)


@contextmanager
def open_writer(output: Path | None) -> Iterator[Callable[[str], object]]:
    """Give a function that writes lines, to stdout at once or to a file that appears when it is complete."""
    if output is None:
        encoding = sys.stdout.encoding or "utf-8"  # what it cannot write is replaced
        yield lambda text: typer.echo(text.encode(encoding, "replace").decode(encoding))
        return
    with atomic_file(output) as file:
        yield lambda text: file.write(f"{text}\n".encode("utf-8", "replace"))
