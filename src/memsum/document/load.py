"""`read_document`: a file, its bytes or a text becomes a Document, in this process or in a sandbox."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

from memsum.document.document import Block, Box, Document, Fact, Sentence, Sheet, TextLine
from memsum.document.formats import Format, find_format
from memsum.errors import DocumentError, DocumentTooLargeError, ScanError
from memsum.isolation import (
    MAX_REPLY,
    NO_MEMORY,
    SECONDS,
    Sandbox,
    SandboxDiedError,
    SandboxReply,
    ask_isolated,
    memory_for,
)

_FOLDER = (
    "To summarize each file in it: memsum batch FOLDER OUT.jsonl. For one summary, or an answer, of several files: "
    "memsum FOLDER/*.pdf --together, and --about QUESTION."
)
MAX_BYTES = 64 * 2**20
SCAN_SECONDS = 1800.0  # for one document whose pages are pictures
SCAN_MEMORY_MB = 4096  # address space, of which a fifth is used


def read_document(
    source: str | Path | bytes,
    *,
    name: str | None = None,
    format: str | None = None,  # noqa: A002
    language: str | None = None,
    isolated: bool = True,
    strict: bool = False,
) -> Document:
    """Read a file (a Path), its bytes, or a text (a str, never taken for a path); `name` is for error messages.

    `format` and `language` (such as "de") are found in the content unless they are given. Reading takes place in a
    process of its own, with limits of time and memory; `isolated=False` reads in this one, but no scans, which are read
    if the extra `ocr` is installed. Text that is certainly hidden is left out, unless it is more than a fifth of the
    prose; `strict` leaves it out even then.
    """
    if isinstance(source, Path):
        name = name or source.name or str(source)
    try:
        content: bytes | str
        main: Path | None = None  # whose included files are read with it
        if isinstance(source, Path):
            data, found = load_file(source, format)
            content, format = data, found.name  # noqa: A001
            if format == "latex" and any(command in data for command in (b"\\input", b"\\include", b"\\subfile")):
                main = source
        else:
            _check_size(len(source), MAX_BYTES)
            content = source
        if isolated:  # detection, too, reads what is not trusted
            return read_or_recognize(content, format=format, language=language, strict=strict, main=main)
        return _read(content, format, language, main, strict=strict)
    except DocumentError as error:
        raise type(error)(f"{name}: {error.message}" if name else error.message, error.hint) from None


def read_or_recognize(content: bytes | str, *, scan_seconds: float = SCAN_SECONDS, **limits: Any) -> Document:
    """Read in another process, as `read_isolated` does; a scan is recognized, if the extra `ocr` is installed."""
    try:
        return read_isolated(content, **limits)
    except ScanError:
        from memsum.document.readers.pdf import can_recognize

        if not can_recognize():
            raise
        return read_isolated(content, **{**limits, "format": None, "scan": True, "seconds": scan_seconds})


def check_language(language: str | None) -> None:
    """Refuse what is not the code of a language."""
    if language is None:
        return
    from memsum.languages.detection import is_language  # reads profiles of languages

    if not is_language(language):
        raise DocumentError(f"There is no language '{language}'.", "Give its code, such as en, de, fr, es or zh.")


def _read(content: bytes | str, name: str | None, language: str | None, main: Path | None, *, strict: bool) -> Document:
    if main is not None and isinstance(content, bytes):
        from memsum.document.readers import latex

        content = latex.with_inputs(content, main)
    found = find_format(content, name)
    check_language(language)
    document = found.read(content, language, strict=strict)
    if not document.text.strip():
        raise DocumentError("The document is empty.")
    return document


def load_file(
    path: Path,
    format: str | None = None,  # noqa: A002
    *,
    most_bytes: int = MAX_BYTES,
    opener: Callable[[Path], int] | None = None,
) -> tuple[bytes, Format]:
    """Return the content of a file, not yet read, and its format.

    What `opener` opens is what is read, whatever has the name by then.
    """
    try:
        if path.is_dir():
            raise DocumentError("This is a folder, not a file.", _FOLDER)
        if path.exists() and not path.is_file():
            raise DocumentError("This is not a file.")
        opened = opener(path) if opener else os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        with os.fdopen(opened, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise DocumentError("This is not a file.")
            _check_size(status.st_size, most_bytes)
            data = file.read(most_bytes + 1)
        _check_size(len(data), most_bytes)
    except OSError as error:
        raise DocumentError(f"The file cannot be read ({error.strerror}).") from None
    return data, find_format(data, format)


def _check_size(size: int, most_bytes: int) -> None:
    if size > most_bytes:
        raise DocumentError(f"The document is larger than {most_bytes // 2**20} MB.", "Split it into parts.")


def read_isolated(
    content: bytes | str,
    *,
    format: str | None = None,  # noqa: A002
    language: str | None = None,
    strict: bool = False,
    seconds: float = SECONDS,
    most_bytes: int = MAX_REPLY // 4,
    most_sentences: int | None = None,
    scan: bool = False,
    main: Path | None = None,
) -> Document:
    """Read in another process; raise a DocumentError if that takes too long, too much memory, or crashes.

    A document of more than `most_bytes` of text, or `most_sentences`, is refused before it leaves the process. The text
    of a `scan` is recognized by a process of its own, with `SCAN_MEMORY_MB`. What a LaTeX source includes
    is looked for beside its `main` file, by the other process, too.
    """
    header = {
        "format": format,
        "language": language,
        "strict": strict,
        "text": isinstance(content, str),
        "most_bytes": most_bytes,
        "most_sentences": most_sentences,
        "scan": scan,
        "main": None if main is None else str(main.absolute()),
    }
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    memory_mb = SCAN_MEMORY_MB if scan else memory_for(len(data))
    deadline = time.monotonic() + seconds
    try:
        try:
            return _ask(header, data, seconds)
        except SandboxDiedError as death:  # of what the document before it left behind, perhaps
            if death.status == NO_MEMORY:
                raise
            return _ask(header, data, deadline - time.monotonic())
    except TimeoutError:
        raise DocumentError(
            f"Reading the document took longer than {seconds:g} seconds.", "Split it into parts."
        ) from None
    except SandboxDiedError as death:
        if death.status == NO_MEMORY:
            raise DocumentError(f"The document needs more than {memory_mb:,} MB of memory.", "Split it.") from None
        raise DocumentError(
            f"The document cannot be read: two processes died of it (exit status {death.status}).",
            f"It is damaged or hostile, or needs more than {memory_mb:,} MB of memory.",
        ) from None


def _ask(header: dict[str, Any], data: bytes, seconds: float) -> Document:
    function = f"{__name__}:read_packed"
    if not header["scan"]:
        return unpack(ask_isolated(function, header, data, seconds)[1])
    with contextlib.closing(Sandbox(SCAN_MEMORY_MB)) as sandbox:
        return unpack(sandbox.ask(function, header, data, seconds, SCAN_MEMORY_MB)[1])


def read_packed(header: dict[str, Any], data: bytes) -> SandboxReply:
    """Read a document inside a sandbox, with the arguments of `read_isolated` as the header."""
    language = header["language"]
    if header["scan"]:
        from memsum.document.readers.pdf import read_scan

        check_language(language)
        document = read_scan(data, language)
    else:
        content = data.decode("utf-8", "surrogatepass") if header["text"] else data
        _check_size(len(content), MAX_BYTES)
        main = None if header["main"] is None else Path(header["main"])
        document = _read(content, header["format"], language, main, strict=header["strict"])
    most_bytes, most_sentences = header["most_bytes"], header["most_sentences"]
    if len(document.text.encode("utf-8", "surrogatepass")) > most_bytes:
        raise DocumentTooLargeError(f"The document has more than {most_bytes:,} bytes of text.", "Split it into parts.")
    if most_sentences is not None and len(document.sentences) > most_sentences:
        raise DocumentTooLargeError(f"The document has more than {most_sentences:,} sentences.", "Split it into parts.")
    return {}, pack(document)


def pack(document: Document) -> bytes:
    """Return a document as JSON; a section's name, which many sentences share, is sent once."""
    sentences = (*document.sentences, *document.abstract)
    sections = list(dict.fromkeys([*(one.section for one in document.blocks), *(one.section for one in sentences)]))
    numbers = {section: number for number, section in enumerate(sections)}
    data: dict[str, Any] = {
        "text": document.text,
        "title": document.title,
        "format": document.format,
        "warnings": document.warnings,
        "language": document.language,
        "sheets": document.sheets,
        "authors": document.authors,
        "facts": document.facts,
        "lines": [[start, end, *box] for start, end, box in document.lines],
        "sections": sections,
        "blocks": [
            [one.kind, one.start, one.end, numbers[one.section], one.level, one.speaker, one.reason, one.time]
            for one in document.blocks
        ],
    }
    rest = attrgetter("page", "boxes", "speaker", "is_item", "lead_in", "is_cut", "time")
    for name, members in (("sentences", document.sentences), ("abstract", document.abstract)):
        data[name] = [[one.start, one.end, numbers[one.section], *rest(one)] for one in members]
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")


def unpack(data: bytes) -> Document:
    """Return the document that `pack` wrote; the sandbox that sent it is not trusted."""
    try:
        found = json.loads(data.decode("utf-8", "surrogatepass"))
        text, sections = found["text"], found["sections"]
        sentences, abstract = (
            tuple(
                Sentence(text[start:end], start, end, sections[at], page, tuple(Box(*box) for box in boxes), *rest)
                for start, end, at, page, boxes, *rest in found[name]
            )
            for name in ("sentences", "abstract")
        )
        return Document(
            text,
            tuple(Block(kind, start, end, sections[at], *rest) for kind, start, end, at, *rest in found["blocks"]),
            sentences,
            abstract,
            found["title"],
            found["format"],
            tuple(found["warnings"]),
            found["language"],
            tuple(Sheet(*sheet) for sheet in found["sheets"]),
            tuple(map(str, found["authors"])),
            tuple(Fact(str(name), str(value), *where) for name, value, *where in found["facts"]),
            tuple(TextLine(start, end, Box(*box)) for start, end, *box in found["lines"]),
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise DocumentError("The document was read, but what came back is damaged.") from None
