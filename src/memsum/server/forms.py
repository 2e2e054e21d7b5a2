"""Parse the body of a request: JSON, or a form with files (`multipart/form-data`), of a bounded number of parts.

Only workers do. A form is split in one pass, and kept in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from memsum.printable import one_line
from memsum.server.middleware import Refusal
from memsum.server.requests import Form, Upload

JSON = "application/json"
FORM = "multipart/form-data"
M = TypeVar("M", bound=BaseModel)
F = TypeVar("F", bound=Form)
_LONGEST_NAME = 100
_MOST_FIELDS = 20
_MOST_VALUES = 1_500_000  # of a JSON body: twice 64 documents of 10,000 sentences, which strings and commas count
_MOST_KEYS = 10_000
_VALUES = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[,:\[{]', re.DOTALL)
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


def parse(content_type: str, body: bytes, model: type[M], form: type[F] | None = None) -> M | F:
    """Parse a JSON body as `model`, or a form with a file as `form`; raise a Refusal if it is neither."""
    kind = content_type.partition(";")[0].strip().lower()
    try:
        if kind == JSON:
            keys = 0
            for values, found in enumerate(
                _VALUES.finditer(body)
            ):  # parsed, each takes up to a hundred times its bytes
                keys += found[0] == b":"
                if values > _MOST_VALUES or keys > _MOST_KEYS:
                    raise Refusal(413, "The request has more values than any document needs.", "Send plain text.")
            return model.model_validate_json(body, strict=True)
        if kind == FORM and form is not None:
            return form.model_validate(_fields(content_type, body, form.most_files))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"] if part not in ("constrained-str", "constrained-int"))
        says = f"{first['msg'].rstrip('.')}."
        raise Refusal(422, one_line(f"{where}: {says}" if where else says)) from None
    raise Refusal(415, f"The body of this request has to be {JSON if form is None else f'{JSON} or {FORM}'}.")


def _fields(content_type: str, body: bytes, most_files: int) -> dict[str, Any]:
    """Return the fields of a form: text, except for its files; empty ones are left out."""
    try:
        parts = read_form(content_type, body, most_files, _MOST_FIELDS)
    except FormError as error:
        raise Refusal(422, f"The form cannot be read: {error}.") from None
    files, texts = [], []
    for part in parts:
        if part.filename is not None:  # without folders, for messages
            name = one_line(PurePath(part.filename.replace("\\", "/")).name)[:_LONGEST_NAME]
            value: str | Upload = Upload(name or "document", part.content)
        else:
            value = part.content.decode("utf-8", "replace")
        if part.name == "file" and value:
            files.append(value)
        elif value:
            texts.append((part.name, value))
    if not files or not all(isinstance(file, Upload) for file in files):
        raise Refusal(422, "The form has no field 'file' with a file in it.")
    questions = tuple(value for name, value in texts if name == "about")
    if len(dict(texts)) < len(texts) - max(len(questions) - 1, 0):
        raise Refusal(422, "The form has a field more than once.")
    several = {"about": questions} if len(questions) > 1 else {}
    return {**dict(texts), **several, "file": files[0] if most_files == 1 else files}


def read_form(content_type: str, body: bytes, most_files: int, most_fields: int) -> list[Part]:
    """Split a form into its parts; raise FormError if it is none, or has more of them than it may."""
    parts: list[Part] = []
    left = {True: most_files, False: most_fields}
    for part in _parts(content_type, body):
        is_file = part.filename is not None
        if not left[is_file]:
            raise FormError(f"it has more than {f'{most_files} files' if is_file else f'{most_fields} fields'}")
        if not is_file and len(part.content) > _LONGEST_FIELD:
            raise FormError(f"a field has more than {_LONGEST_FIELD:,} bytes")
        left[is_file] -= 1
        parts.append(part)
    return parts


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
