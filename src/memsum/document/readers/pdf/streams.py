"""Streams that unpack to far more than they are: a small PDF must not fill the memory before its first page is read."""

from __future__ import annotations

import re
import zlib

from memsum.errors import DocumentError

MAX_CONTENT = 16 << 20  # bytes of what draws a page; a page of text has 20,000, a map of many lines some millions
MAX_DATA = 64 << 20  # bytes of anything else that is unpacked: a font, a table of objects

_STREAM = re.compile(rb"stream(?<!endstream)\r?\n")  # the word first: found thirty times as fast
_PACKED = re.compile(rb"/(?:FlateDecode|LZWDecode|RunLengthDecode|Fl|LZW|RL)\b")
_DATA = re.compile(rb"/(?:Length1|ObjStm|XRef|FontFile|CIDFontType0C|Type1C|OpenType|FunctionType|N \d)\b")
_PICTURE = re.compile(rb"/Subtype\s*/Image\b")
_DICTIONARY = 2000  # bytes before a stream in which its dictionary is looked for
_MOST = 1032  # bytes of which deflate makes one
_STEP = 1 << 20


def check_streams(data: bytes) -> None:
    """Refuse a file with a stream that unpacks to more than is read; pictures are not unpacked."""
    for found in _STREAM.finditer(data):
        start = found.end()
        before = data[max(found.start() - _DICTIONARY, 0) : found.start()]
        dictionary = before[before.rfind(b"obj") + 3 :]
        if _PICTURE.search(dictionary):
            continue
        filters = len(_PACKED.findall(dictionary))
        most = MAX_DATA if _DATA.search(dictionary) else MAX_CONTENT
        if filters == 0 or (filters == 1 and _length(data, start) * _MOST <= most):
            continue
        if filters > 1 or _unpacks_to_more(data, start, most):
            raise DocumentError(
                f"The PDF has a part that unpacks to more than {most >> 20} MB.", "Print it to a new PDF, or split it."
            )


def _length(data: bytes, start: int) -> int:
    end = data.find(b"endstream", start)
    return (end if end >= 0 else len(data)) - start


def _unpacks_to_more(data: bytes, start: int, most: int) -> bool:
    """Whether a deflated stream has more than so many bytes; what is none has as many as can be unpacked."""
    unpacker = zlib.decompressobj()
    rest: bytes = data[start : start + _length(data, start)]
    total = 0
    try:
        while rest and total <= most and not unpacker.eof:
            total += len(unpacker.decompress(rest, _STEP))
            rest = unpacker.unconsumed_tail
    except zlib.error:
        pass
    return total > most
