"""Document files whose abstract is their summary: JATS articles, and texts with a section called abstract."""

from __future__ import annotations

from pathlib import Path

from memsum.corpus.records import Example
from memsum.corpus.sources.splitting import tidy
from memsum.document import read_document
from memsum.errors import CorpusError

DOCUMENT_SUFFIXES = frozenset({".xml", ".nxml", ".txt", ".md"})


def example_from_document(path: Path) -> Example:
    """Make an example of a document's running text and its abstract."""
    document = read_document(path)
    if not document.abstract:
        raise CorpusError("The document has no abstract, so there is no summary to learn from.")
    sentences = [
        (text, tidy(title or ""))
        for title, members in document.top_sections()
        for sentence in members
        if (text := tidy(sentence.text))
    ]
    record: dict[str, object] = {
        "id": path.stem,
        "text": [text for text, _ in sentences],
        "summary": [text for sentence in document.abstract if (text := tidy(sentence.text))],
        "sections": [section for _, section in sentences],
    }
    if document.title:
        record["title"] = document.title
    return Example.from_json(record)
