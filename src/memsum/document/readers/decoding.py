"""Text files: from bytes to characters."""

from __future__ import annotations

import codecs
import re

from memsum.errors import DocumentError, install_command

NOT_UTF8 = "The file is not UTF-8 and was read as {encoding}; some characters may be wrong."

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")
_MAX_CONTROL_SHARE = 0.02
_BINARY = "The file holds binary data, not text."
_HINT = "Convert it to text, Markdown or JATS XML in UTF-8 first."
_PICTURE = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8|II\*\0|MM\0\*|BM.{12}\x28\0|RIFF....WEBP|....ftyp(?:heic|avif)", re.DOTALL
)


def decode(source: bytes | str) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file and warnings about its encoding; a str is taken as it is."""
    if isinstance(source, str):
        return source, ()
    text, warnings = _decode(source)
    if "\0" in text or len(_CONTROL.findall(text)) > _MAX_CONTROL_SHARE * len(text):
        raise DocumentError(_BINARY, _HINT)
    return text, warnings


def _decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode("utf-16"), ()
        except UnicodeDecodeError:
            raise DocumentError("The file begins like UTF-16 text but is damaged.", _HINT) from None
    if _PICTURE.match(data):
        raise DocumentError(
            "This is a picture.",
            f"Save it as a PDF: scans are read with the extra `ocr`. Install it: {install_command('ocr')}",
        )
    if b"\0" in data:
        raise DocumentError(_BINARY, _HINT)
    for encoding, name in (("utf-8-sig", ""), ("cp1252", "Windows-1252"), ("latin-1", "Latin-1")):
        try:
            return data.decode(encoding), (NOT_UTF8.format(encoding=name),) if name else ()
        except UnicodeDecodeError:
            continue
    raise AssertionError("Latin-1 decodes every byte")
