"""The truncated form of a corpus: a document is only its introduction, as in PubMed-trunc."""

from __future__ import annotations

import re
from dataclasses import replace

from memsum.corpus.records import Example
from memsum.errors import CorpusError

# "1. Introduction", "I. INTRODUCTION", "1 Introduction and aims"
_NUMBERING = r"^\W*(?:(?:\d+(?:\.\d+)*|[ivx]+)[.):]?\s+)?"
_INTRODUCTION = re.compile(_NUMBERING + r"introduction\b", re.IGNORECASE)
_BACKGROUND = re.compile(_NUMBERING + r"background\b", re.IGNORECASE)


def keep_introduction(example: Example) -> Example:
    """Keep the sentences of the introduction, or of the background where no section is called introduction."""
    if example.sections is None:
        raise CorpusError("The document has no sections, so its introduction cannot be told.")
    for title in (_INTRODUCTION, _BACKGROUND):
        chosen = [index for index, section in enumerate(example.sections) if title.match(section)]
        if chosen:
            return replace(
                example,
                text=tuple(example.text[index] for index in chosen),
                sections=tuple(example.sections[index] for index in chosen),
                indices=None,
                scores=None,
            )
    raise CorpusError("The document has no section called introduction or background.")
