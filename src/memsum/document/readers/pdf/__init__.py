"""The PDF reader, in the order of its work: words, lines, furniture, order, chunks, classify, paragraphs, compose."""

from __future__ import annotations

from memsum.document.readers.pdf.reader import PdfReader

__all__ = ["PdfReader"]
