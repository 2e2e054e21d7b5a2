"""Mails: the words of a message, plain or HTML; head, quoted replies and signature stay out, attachments are named.

Parts are found here, line by line and to a small depth, because the standard parser's time grows with depth times size;
what their fields mean, and how they are encoded, is the standard library's.
"""

from __future__ import annotations

import codecs
import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr

from memsum.document.build import build_document
from memsum.document.document import Block, Document
from memsum.document.readers import html
from memsum.document.readers.decoding import decode
from memsum.document.readers.plain import plain_blocks, subject_start
from memsum.document.readers.visibility import Hidden
from memsum.errors import DocumentError
from memsum.printable import quoted_name

_FIELD = re.compile(
    rb"^(content-type|content-transfer-encoding|content-disposition|subject|from|to|date):([^\n]*(?:\n[ \t][^\n]*)*)",
    re.IGNORECASE | re.MULTILINE,
)
_BLANK_LINE = re.compile(rb"\r?\n[ \t]*\r?\n|\A\r?\n")
_CHARSET = re.compile(r"utf|ascii|iso|cp|windows|koi8|gb|big5|shift|euc|hz|mac|tis")  # not punycode: it is slow
_GAP = "\n\n"
_DEEPEST = 8  # parts inside each other
_MOST_PARTS = 1_000
_LONGEST_HEAD = 2**18  # bytes
_LONGEST_FIELD = 2_000  # bytes; long enough for what is read here
_MOST_NAMES = 10  # attachments that are named
_SHOWN = ("From", "To", "Date")


def read(source: bytes | str, language: str | None = None, hidden: Hidden | None = None) -> Document:
    """Read the subject as the title, the head, and the words of the message."""
    data = source.encode("utf-8", "surrogateescape") if isinstance(source, str) else source
    parts = list(_parts(data, 0))
    if not parts:
        raise DocumentError("The mail is damaged: it has no parts.")
    attached = [part.name for part in parts if part.is_attachment]
    mail = _Mail(parts[0].message)
    for part in _chosen([part for part in parts if not part.is_attachment]):
        mail.add(part, hidden or Hidden())
    if not mail.has_words:
        # Without their names: those are text of the mail, and an error is not.
        but = f" but {len(attached)} attachment{'s' if len(attached) > 1 else ''}" if attached else ""
        raise DocumentError(f"The mail has no text{but}.", "Save the attachments, and give those.")
    return mail.build(attached, language)


_LINK = re.compile(r"https?://\S{1,2000}|www\.\S{1,2000}")
_LONG_WORD = re.compile(r"[^\W\d_]{4,50}")
_SENTENCE = re.compile(r"[^.!?\n]+")
_TELLING = 4  # long words of a sentence that tell whether a page has it, too


@dataclass(frozen=True)
class _Part:
    """A part that holds no others: its fields, and its bytes as they are sent."""

    message: Message
    is_html: bool = False
    is_attachment: bool = False
    alternative: int = 0  # the same for parts that say the same in different formats; 0 for others

    @property
    def name(self) -> str:
        return _decoded(self.message.get_filename() or "") or self.message.get_content_type()

    def text(self) -> tuple[bytes | str, tuple[str, ...]]:
        """Return the words, decoded where the part says how."""
        payload = self.message.get_payload(decode=True)
        data = payload if isinstance(payload, bytes) else b""
        with contextlib.suppress(LookupError, UnicodeDecodeError, ValueError):
            charset = codecs.lookup(self.message.get_content_charset() or "utf-8").name
            if _CHARSET.match(charset):
                return data.decode(charset), ()
        return decode(data)


def _parts(
    data: bytes, depth: int, outer: Message | None = None, alternative: int = 0, left: Iterator[int] | None = None
) -> Iterator[_Part]:
    """Yield the parts of a message in order; `outer` has the mail's own fields, which its first part gets, too.

    `left` has a number for each part that the whole mail may still have.
    """
    left = iter(range(_MOST_PARTS)) if left is None else left
    if next(left, None) is None:
        raise DocumentError(f"The mail has more than {_MOST_PARTS:,} parts.")
    head, body = _split(data)
    message = _fields(head)
    outer = outer or message
    if message.get_content_maintype() == "multipart":
        boundary = message.get_boundary()
        if not boundary or depth == _DEEPEST:
            raise DocumentError("The mail is damaged, or its parts are too deep inside each other.")
        inside = depth + 1 if message.get_content_subtype() == "alternative" else alternative
        for part in _between(body, boundary.encode("utf-8", "surrogateescape")):
            yield from _parts(part, depth + 1, outer, inside, left)
        return
    for name in ("Subject", *_SHOWN):
        if name not in message and name in outer:
            message[name] = outer[name]
    kind = message.get_content_type()
    is_whole = outer is message  # and not a part beside others, which may be a patch or a calendar
    is_text = kind in ("text/plain", "text/html") or (is_whole and message.get_content_maintype() == "text")
    is_attachment = not is_text or message.get_content_disposition() == "attachment"
    if not is_attachment:
        message.set_payload(body.decode("ascii", "surrogateescape"))
    yield _Part(message, kind == "text/html", is_attachment, alternative)


def _split(data: bytes) -> tuple[bytes, bytes]:
    end = _BLANK_LINE.search(data, 0, _LONGEST_HEAD)
    if end is None:
        if len(data) >= _LONGEST_HEAD:
            raise DocumentError("The head of the mail is larger than any mail's.")
        return data, b""
    return data[: end.start()], data[end.end() :]


def _fields(head: bytes) -> Message:
    """Return the few fields that are looked at, each once and not longer than it needs to be."""
    message = Message()
    for found in _FIELD.finditer(head):
        name = found[1].decode().title()
        value = found[2][:_LONGEST_FIELD].decode("utf-8", "replace")
        if name not in message:
            message[name] = " ".join(value.split())
    return message


def _between(body: bytes, boundary: bytes) -> Iterator[bytes]:
    """Yield what stands between the lines of a boundary; the last one may be missing."""
    line = re.compile(rb"^--" + re.escape(boundary) + rb"(--)?[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
    start = None
    for found in line.finditer(body):
        if start is not None:
            yield body[start : found.start()]
        start = None if found[1] else found.end()
        if found[1]:
            return
    if start is not None:
        yield body[start:]


def _chosen(parts: list[_Part]) -> list[_Part]:
    """Return of parts that say the same, the plain one; HTML where there is no other, or where they say it differently.

    Mail programs show the HTML: what only the plain part says nobody sees.
    """
    plain = {part.alternative: part for part in parts if not part.is_html and part.alternative}
    shown = {part.alternative: part for part in parts if part.is_html and part.alternative in plain}
    differ = {group for group, page in shown.items() if _says_more(plain[group], page)}
    return [
        part
        for part in parts
        if part.alternative not in shown or part.is_html == (part.alternative in differ) or not part.alternative
    ]


def _says_more(plain: _Part, page: _Part) -> bool:
    """Tell whether a plain part has a sentence whose words the page beside it does not show."""
    content, _ = page.text()
    text, _ = plain.text()
    try:
        seen = set(_LONG_WORD.findall(html.read(content).text.lower()))
    except DocumentError:
        return False
    text = text if isinstance(text, str) else text.decode("utf-8", "replace")
    for sentence in _SENTENCE.findall(_LINK.sub(" ", text.lower())):
        words = _LONG_WORD.findall(sentence)
        if len(words) >= _TELLING and 2 * len(seen.intersection(words)) < len(set(words)):
            return True
    return False


class _Mail:
    """The text of a mail as it grows: subject, sender and date, and the words below them."""

    def __init__(self, message: Message) -> None:
        self.warnings: tuple[str, ...] = ()
        self.has_words = False
        self._texts: list[str] = []
        self._masked: list[str] = []
        self._blocks: list[Block] = []
        self._length = 0
        self._author = _decoded(parseaddr(message.get("From", ""))[0])
        title = _decoded(message.get("Subject", ""))
        title = title[max(0, subject_start(f"Subject: {title}") - len("Subject: ")) :]
        lines = [(title, "title"), *((f"{name}: {_decoded(message[name])}", "") for name in _SHOWN if message[name])]
        for line, kind in lines:
            if line:
                self._add(line, line, [Block("title" if kind else "boilerplate", 0, len(line))])

    def add(self, part: _Part, hidden: Hidden) -> None:
        content, warnings = part.text()
        if not content.strip():
            return
        self.has_words = True
        if part.is_html:
            page = html.read(content, hidden=hidden)
            warnings += page.warnings
            blocks = [replace(one, kind="heading", level=1) if one.kind == "title" else one for one in page.blocks]
            self._add(page.text, page.text, blocks)
        else:
            text = str(content)
            blocks, masked = plain_blocks(text, is_mail=True)
            self._add(text, masked, blocks)
        self.warnings += tuple(warning for warning in warnings if warning not in self.warnings)

    def build(self, attached: list[str], language: str | None) -> Document:
        """Return the document; attachments are named, not read."""
        warnings = self.warnings
        if attached:
            more = f" and {len(attached) - _MOST_NAMES} more" if len(attached) > _MOST_NAMES else ""
            names = ", ".join(map(quoted_name, attached[:_MOST_NAMES]))
            warnings += (f"The mail's attachments were not read: {names}{more}.",)
        text, masked = _GAP.join(self._texts), _GAP.join(self._masked)
        return build_document(
            text,
            self._blocks,
            format="eml",
            language=language,
            masked=masked,
            warnings=warnings,
            authors=[self._author],
        )

    def _add(self, text: str, masked: str, blocks: list[Block]) -> None:
        at = self._length
        self._blocks += [replace(one, start=at + one.start, end=at + one.end, section=None) for one in blocks]
        self._texts.append(text)
        self._masked.append(masked)
        self._length += len(text) + len(_GAP)


def _decoded(value: str) -> str:
    """Return a field as one reads it, on one line."""
    with contextlib.suppress(MessageError, LookupError, ValueError):
        value = str(make_header(decode_header(value)))
    return " ".join(value.split())
