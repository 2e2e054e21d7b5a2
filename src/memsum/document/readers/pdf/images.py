"""Pictures of pages: drawn by pdfium in a process that is killed when a page takes too long or too much memory."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from memsum.document.readers.pdf.words import LOCK, open_pdf
from memsum.errors import DocumentError
from memsum.isolation import SandboxDiedError, SandboxReply, ask_isolated

SECONDS = 4.0  # for one page; that of a paper takes a twentieth of a second
MEDIA_TYPE = "image/png"
_MOST_PIXELS = 8_000_000  # of a picture: a strip of paper is drawn narrower than was asked for


def draw_page(pdf: bytes, number: int, width: int, *, seconds: float = SECONDS) -> bytes:
    """Return a picture of a page, counted from 1, as a PNG of so many columns."""
    header = {"number": number, "width": width}
    try:
        return ask_isolated(f"{__name__}:draw_packed", header, pdf, max(min(seconds, SECONDS), 0.001))[1]
    except TimeoutError:
        raise DocumentError(f"Page {number} takes too long to draw.", "Read its text instead.") from None
    except SandboxDiedError:
        raise DocumentError(f"Page {number} needs too much memory to be drawn.", "Read its text instead.") from None


def draw_packed(header: dict[str, Any], pdf: bytes) -> SandboxReply:
    """Draw a page inside a sandbox."""
    return {}, _png(_pixels(pdf, header["number"], header["width"]))


def _pixels(pdf: bytes, number: int, width: int) -> npt.NDArray[np.uint8]:
    """Return rows, columns and colors of a page; one without colors has only rows and columns."""
    import pypdfium2

    with LOCK:
        opened = open_pdf(pdf)
        try:
            page = opened[number - 1]
            across, down = (max(side, 1.0) for side in page.get_size())
            scale = min(width / across, (_MOST_PIXELS / (across * down)) ** 0.5)
            pixels: npt.NDArray[np.uint8] = page.render(scale=scale, rev_byteorder=True).to_numpy()[..., :3]
            is_gray = (pixels[..., 0] == pixels[..., 1]).all() and (pixels[..., 1] == pixels[..., 2]).all()
            return np.ascontiguousarray(pixels[..., 0] if is_gray else pixels)
        except (pypdfium2.PdfiumError, IndexError, ValueError):
            raise DocumentError(f"Page {number} cannot be drawn: the PDF is damaged.") from None
        finally:
            opened.close()


def _png(pixels: npt.NDArray[np.uint8]) -> bytes:
    height, width = pixels.shape[:2]
    rows = pixels.reshape(height, -1)
    filtered = np.zeros((height, rows.shape[1] + 1), np.uint8)  # a row begins with its filter: 0 is none
    filtered[:, 1:] = rows
    header = struct.pack("!IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    # Text is mostly white: more effort than the least would take twice the time and save a tenth.
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes(), 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))
