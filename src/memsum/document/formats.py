"""The one list of document formats: what each is called, how its files end, how it is detected; everything derives.

A format's reader is `memsum.document.readers.NAME.read`. It is imported when a document has that format: all readers
together would slow down every start.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module

from memsum.document.document import Document
from memsum.document.refused import refuse_kind
from memsum.errors import DocumentError

HEAD_BYTES = 8192  # that detectors see
_DIRECTORY_END = 2**16 + 22  # bytes of a ZIP archive in which its directory ends
_MOST_NAMES = 10_000  # in it
_FIRST_NAME = 30  # offset of the name of its first file
_MIMETYPE = 200  # bytes in which an archive's first file may say what it is
_BYTE_ORDER_MARKS = b"\xef\xbb\xbf\xff\xfe"


@dataclass(frozen=True)
class Format:
    """A document format; `hides` where it may hide text."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    media_types: tuple[str, ...]
    detects: Callable[[bytes], object]  # takes the first bytes of a file
    hides: bool = False  # its reader takes a `Hidden`, to which it gives what is not seen

    def read(self, source: bytes | str, language: str | None = None, *, strict: bool = False) -> Document:
        """Read a document, or raise a DocumentError; a str is text that is already decoded.

        What is hidden for certain is left out, but where it is much of the prose; `strict` leaves that out, too.
        """
        reader = import_module(f"memsum.document.readers.{self.name}")
        if not self.hides:
            document: Document = reader.read(source, language)
            return document
        from memsum.document.readers.visibility import Hidden

        hidden = Hidden()
        document = reader.read(source, language, hidden)
        if not strict and hidden.is_much(document):
            hidden = Hidden(is_read=True)
            document = reader.read(source, language, hidden)
        return replace(document, warnings=(*document.warnings, *hidden.warnings(document.language)))


_ZIP = b"PK\x03\x04"
# Up to a kilobyte of anything may precede the header of a PDF. Of an archive, the names of its files follow its first
# bytes, each on a line.
_PDF = re.compile(rb"[\s\0]*(?:\xef\xbb\xbf)?%PDF-\d|(?s:.{0,1016})^%PDF-\d\.\d", re.MULTILINE)
_PPTX = re.compile(rb"PK\x03\x04(?!.*\nword/).*\nppt/", re.DOTALL)
_EPUB = re.compile(rb"PK\x03\x04(?:.{0,68}mimetypeapplication/epub\+zip|.*\nMETA-INF/container\.xml)", re.DOTALL)
_ODT = re.compile(rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument\.text", re.DOTALL)
_DOCX = re.compile(rb"PK\x03\x04.*\n(?:word/|\[Content_Types\]\.xml|docProps/|_rels/)", re.DOTALL)

_SENDER = re.compile(rb"^(?:from|sender|return-path):", re.IGNORECASE | re.MULTILINE)
_ANY_FIELD = re.compile(rb"(?:From [^\n]{1,200}\n)?[A-Za-z][A-Za-z0-9-]{1,60}:[ \t]")
_SENT = re.compile(
    rb"^(?:mime-version|message-id|received|return-path|delivered-to|dkim-signature|content-type|x-mailer):",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD_END = re.compile(rb"\r?\n[ \t]*\r?\n|\A\r?\n")


def _is_mail(head: bytes) -> bool:
    """Require fields that only a sent mail has, and a sender."""
    if not _ANY_FIELD.match(head):
        return False
    end = _HEAD_END.search(head)
    fields = head[: end.start()] if end else head
    return _SENT.search(fields) is not None and _SENDER.search(fields) is not None


# WebVTT begins with its name, SubRip with the first number and times.
_SUBTITLES = re.compile(rb"\s{0,99}(?:WEBVTT(?:[ \t\r\n]|$)|\d{1,6}[ \t]*\r?\n\d{1,3}:\d\d:\d\d[,.]\d{1,3} --> )")


def _begins_with(pattern: re.Pattern[bytes]) -> Callable[[bytes], object]:
    return lambda head: pattern.match(head.lstrip(_BYTE_ORDER_MARKS).replace(b"\0", b""))


_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body|meta|title|main|nav|header)\b", re.IGNORECASE)
_FRAGMENT = re.compile(rb"<(?:div|section|h[1-6]|p|table|ul|ol)\b", re.IGNORECASE)
_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")


def is_html(head: bytes) -> bool:
    """Detect a page, or a fragment of one in which all paragraphs are tagged, unlike Markdown that begins with tags."""
    head = _without_comments(head.lstrip(_BYTE_ORDER_MARKS).replace(b"\0", b""))
    if _PAGE.match(head):
        return True
    if not _FRAGMENT.match(head):
        return False
    paragraphs = [part.lstrip() for part in _BLANK_LINE.split(head) if not part.isspace()]
    tagged: int = sum(part.startswith(b"<") for part in paragraphs)
    return 10 * tagged > 9 * len(paragraphs)


def _without_comments(head: bytes) -> bytes:
    """Skip the XML declaration, comments and white space that a file begins with."""
    at = 0
    while True:
        while head[at : at + 1].isspace():
            at += 1
        ending = next((end for start, end in ((b"<!--", b"-->"), (b"<?xml", b">")) if head.startswith(start, at)), None)
        if ending is None:
            return head[at:]
        end = head.find(ending, at)
        at = len(head) if end < 0 else end + len(ending)


_ARTICLE = re.compile(rb"\s*(?:<\?xml\s|<!DOCTYPE\s+(?:[\w-]+:)?article\b|<(?:[\w-]+:)?article[\s>])")


_COMMAND = re.compile(
    rb"^[ \t]*\\(?:documentclass|documentstyle|begin\s*\{document\}|(?:(?:sub)*section|chapter)\*?\s*\{|title\s*[\[{])",
    re.MULTILINE,
)


def _is_latex(head: bytes) -> bool:
    """Require a command in the first line that is no comment, and one that papers have."""
    head = head.lstrip(b"\xef\xbb\xbf")
    lines = (line.strip() for line in head.split(b"\n"))
    first = next((line for line in lines if line and not line.startswith(b"%")), b"")
    return b"\0" not in head and first[:1] in (b"\\", b"{") and _COMMAND.search(head) is not None


_MARKUP = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s{0,99}---[ \t]*\r?\n(?:[^\n]*\n){0,40}?(?:---|\.\.\.)[ \t]*\r?$"  # front matter
    rb"|\A(?:\xef\xbb\xbf)?\s{0,99}\+\+\+[ \t]*\r?\n(?:[^\n]*\n){0,60}?\+\+\+[ \t]*\r?$"
    rb"|^ {0,3}#{1,6}[ \t]+\S|^#{2,6}[^\s#]|^ {0,3}(?:```|~~~)|\]\((?:https?://|[\w./#-]+\))"
    rb"|^\|?[ \t]{0,9}:?-{3,}:?[ \t]{0,9}\|[-:| \t]{3,}\r?$"
    rb"|^\S[^\n]*\n(?:={3,}|-{3,})[ \t]*\r?$|^ {0,3}\[[^\[\]\n]{1,200}\]:[ \t]+(?:https?://|/)",
    re.MULTILINE,
)
_TAG = re.compile(rb"</?[a-zA-Z][a-zA-Z0-9]*[\s/>]")


def _is_markdown(head: bytes) -> bool:
    """Detect a heading, code fence, link or front matter, or text that begins with a few tags."""
    if b"\0" in head:
        return False
    if _MARKUP.search(head):
        return True
    start = head.lstrip(b"\xef\xbb\xbf")
    begins_with_markup = start.lstrip().startswith(b"<!--") or _TAG.match(_without_comments(start)) is not None
    return begins_with_markup and not start.lstrip().startswith(b"<?xml") and not is_html(head)


_NOTEBOOK = re.compile(
    rb'(?=.*"(?:cell_type|nbformat)")\s*\{\s*"(?:cells"\s*:\s*\[|metadata"\s*:\s*\{|nbformat)', re.DOTALL
)

_RST = re.compile(
    rb"^\.\. (?:[\w-]+(?::[\w-]+)?::|_[^\n:]{1,100}:|\[[#\w]{1,20}\] |\|[^|\n]{1,60}\| \w+::)"
    rb"|(?<![`\w:]):[a-z][\w:+.-]{0,30}:`[^`\n]+`"
    rb"|(?<!`)`[^`<\n]{1,100}<[^<>`\n]{1,300}>`_|^PEP: \d",
    re.MULTILINE,
)
_RST_HEADING = re.compile(
    rb"^(?P<title>\S[^\n]{2,99})\n(?P<line>(?P<mark>[=~^\"'*+#:.`-])(?P=mark){2,99})[ \t]*\r?$", re.MULTILINE
)
_NOT_RST = re.compile(rb"^#{1,6} [A-Z]|^ {0,3}```|\]\((?:https?://|[\w./#-]+\))", re.MULTILINE)


def _is_rst(head: bytes) -> bool:
    """Require a directive, role, target or link, and more of them and of headings than marks of Markdown."""
    if b"\0" in head or not _RST.search(head):
        return False
    marks = len(_RST.findall(head)) + len(_RST_HEADING.findall(head))
    return marks > 2 * len(_NOT_RST.findall(head))


_OFFICE = "application/vnd.openxmlformats-officedocument"

# In the order in which they are tried: the first that detects the content reads it.
FORMATS = (
    Format("pdf", "PDF", (".pdf",), ("application/pdf",), _PDF.match, hides=True),
    Format("pptx", "PowerPoint", (".pptx",), (f"{_OFFICE}.presentationml.presentation",), _PPTX.match, hides=True),
    Format("epub", "EPUB", (".epub",), ("application/epub+zip",), _EPUB.match, hides=True),
    Format("odt", "OpenDocument", (".odt",), ("application/vnd.oasis.opendocument.text",), _ODT.match, hides=True),
    Format("docx", "Word", (".docx",), (f"{_OFFICE}.wordprocessingml.document",), _DOCX.match, hides=True),
    Format("subtitles", "subtitles", (".vtt", ".srt"), ("text/vtt", "application/x-subrip"), _begins_with(_SUBTITLES)),
    Format("eml", "mail", (".eml",), ("message/rfc822",), _is_mail, hides=True),
    Format("html", "HTML", (".html", ".htm", ".xhtml"), ("text/html", "application/xhtml+xml"), is_html, hides=True),
    Format("jats", "JATS XML", (".xml", ".nxml"), ("application/xml", "text/xml"), _begins_with(_ARTICLE)),
    Format("notebook", "Jupyter notebook", (".ipynb",), ("application/x-ipynb+json",), _NOTEBOOK.match, hides=True),
    Format("rst", "reStructuredText", (".rst", ".rest"), ("text/x-rst", "text/prs.fallenstein.rst"), _is_rst),
    Format("latex", "LaTeX", (".tex",), ("text/x-tex", "application/x-tex"), _is_latex),
    Format("markdown", "Markdown", (".md", ".markdown"), ("text/markdown",), _is_markdown, hides=True),
    Format("plain", "plain text", (".txt", ".text"), ("text/plain",), lambda head: True),
)

# The content decides the format; the name, whether to open a file.
SUFFIXES = frozenset(suffix for one in FORMATS for suffix in one.suffixes)
# For help and docs: "PDF, PowerPoint, … or plain text".
TITLES = f"{', '.join(one.title for one in FORMATS[:-1])} or {FORMATS[-1].title}"

_NOT_YET = (
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Word document"),
    (re.compile(rb"\{\\rtf"), "an RTF document"),
    (
        re.compile(rb"PK\x03\x04.{26,200}?mimetypeapplication/vnd\.oasis\.opendocument\.(?!text)", re.DOTALL),
        "a sheet or drawing",
    ),
    (re.compile(rb"PK\x03\x04.*\nxl/workbook\.", re.DOTALL), "a spreadsheet"),
)


def format_named(name: str) -> Format:
    """Return the format of a name."""
    for one in FORMATS:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in FORMATS)
    raise DocumentError(f"There is no document format '{name}'.", f"Known formats: {known}.")


def _names(archive: bytes) -> list[bytes]:
    """List the names in the directory of a ZIP archive; what else looks like a directory belongs to a file in it."""
    at = archive.rfind(b"PK\x05\x06", -_DIRECTORY_END)
    if at < 0:
        return []
    start = int.from_bytes(archive[at + 16 : at + 20], "little")
    names: list[bytes] = []
    while archive.startswith(b"PK\x01\x02", start) and len(names) < _MOST_NAMES:
        name, extra, comment = (int.from_bytes(archive[start + at : start + at + 2], "little") for at in (28, 30, 32))
        names.append(archive[start + 46 : start + 46 + name])
        start += 46 + name + extra + comment
    return names


def find_format(content: bytes | str, name: str | None = None) -> Format:
    """Find the format in the content, unless its name is given."""
    if name is not None:
        return format_named(name)
    head = content[:HEAD_BYTES]
    head = head.encode("utf-8", "replace") if isinstance(head, str) else head
    if isinstance(content, bytes) and head.startswith(_ZIP):
        head = b"\n".join((head[:_MIMETYPE], *(_names(content) or [head[_FIRST_NAME:]])))
    for pattern, what in _NOT_YET:
        if pattern.match(head):
            raise DocumentError(
                f"This is {what}, which this version of memsum cannot read yet.", "Convert it to text first."
            )
    found = next(one for one in FORMATS if one.detects(head))
    if found.name in ("rst", "markdown", "plain") and (refused := refuse_kind(head.decode("utf-8", "replace"))):
        raise DocumentError(f"This is {refused[0]}, and no document.", refused[1])
    return found
