"""Files and strings become Documents here: a text, its blocks, and sentences with their offsets in it."""

from __future__ import annotations

from memsum.document.document import Block, BlockKind, Box, Document, Sentence
from memsum.document.load import read_document

__all__ = ["Block", "BlockKind", "Box", "Document", "Sentence", "read_document"]
