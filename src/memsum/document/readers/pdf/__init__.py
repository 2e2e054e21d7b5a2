"""The PDF reader, in the order of its work: words, lines, furniture, order, chunks, classify, paragraphs, compose.

Pages that are pictures get their words from `scans`, the rest is the same.
"""

from __future__ import annotations

from memsum.document.readers.pdf.reader import PdfReader, ScanReader
from memsum.document.readers.pdf.words import can_recognise

__all__ = ["PdfReader", "ScanReader", "can_recognise"]
