"""Forms with files (`multipart/form-data`): a bounded number of parts, found in one pass, kept in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

FORM = "multipart/form-data"
_LONGEST_HEAD = 8192  # bytes of the lines that name a part
_LONGEST_FIELD = 2**20  # bytes of a part that is no file
# RFC 2046; a boundary of other characters has to be quoted, and no client makes one.
_BOUNDARY = re.compile(r';[ \t]*boundary=(?:"([^"\r\n]{1,70})"|([^\s;,"]{1,70}))', re.IGNORECASE)
_DISPOSITION = re.compile(r"^content-disposition:[ \t]*form-data[ \t]*(;.*)?$", re.IGNORECASE | re.MULTILINE)
_PARAMETER = re.compile(r';[ \t]*(name|filename)=(?:"((?:[^"\\\r\n]|\\.)*)"|([^\s;"]*))', re.IGNORECASE)
_ESCAPED = re.compile(r'\\(["\\])')


class FormError(ValueError):
    """A body that is no form; the message is a part of a sentence."""


@dataclass(frozen=True)
class Part:
    """A field of a form; one with a file name is a file."""

    name: str
    content: bytes = field(repr=False)
    filename: str | None = None


def read_form(content_type: str, body: bytes, most_files: int, most_fields: int) -> list[Part]:
    """Split a form into its parts; raise FormError if it is none, or has more of them than it may."""
    parts: list[Part] = []
    left = {True: most_files, False: most_fields}
    for part in _parts(content_type, body):
        is_file = part.filename is not None
        if not left[is_file]:
            raise FormError(f"it has more than {most_files if is_file else most_fields} {_name(is_file)}")
        if not is_file and len(part.content) > _LONGEST_FIELD:
            raise FormError(f"a field has more than {_LONGEST_FIELD:,} bytes")
        left[is_file] -= 1
        parts.append(part)
    return parts


def _name(is_file: bool) -> str:
    return "files" if is_file else "fields"


def _parts(content_type: str, body: bytes) -> Iterator[Part]:
    found = _BOUNDARY.search(content_type)
    if found is None:
        raise FormError("its type names no boundary")
    boundary = b"--" + re.escape((found[1] or found[2]).encode("latin-1", "replace"))
    line = boundary + b"(?:(--)|[ \t]{0,80}\r\n)"
    ends = re.compile(b"\r\n" + line)  # with a literal in front it is found in one pass, whatever the body has
    delimiter = re.match(line, body) or ends.search(body)
    while delimiter is not None and not delimiter[1]:
        end = ends.search(body, delimiter.end() - 2)  # a part without lines begins with the delimiter's own line end
        if end is None:
            raise FormError("it is cut off")
        yield _part(body, delimiter.end(), end.start())
        delimiter = end
    if delimiter is None:
        raise FormError("it does not begin with its boundary")


def _part(body: bytes, start: int, end: int) -> Part:
    blank = body.find(b"\r\n\r\n", start, min(end, start + _LONGEST_HEAD))
    head = body[start:blank].decode("utf-8", "replace").replace("\r\n", "\n") if blank >= 0 else ""
    disposition = _DISPOSITION.search(head)
    given = _PARAMETER.findall(disposition[1] or "") if disposition else ()
    parameters = {name.lower(): _ESCAPED.sub(r"\1", quoted or bare) for name, quoted, bare in given}
    if "name" not in parameters:
        raise FormError("a part of it has no name")
    return Part(parameters["name"], body[blank + 4 : end], parameters.get("filename"))
