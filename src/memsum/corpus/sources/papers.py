"""Papers and reports as JSON objects with `abstract` and `sections`, each a list of paragraphs."""

from __future__ import annotations

from collections.abc import Mapping

from memsum.corpus.records import Example
from memsum.corpus.sources.splitting import sentences_of, tidy
from memsum.errors import CorpusError


def is_paper(record: Mapping[str, object]) -> bool:
    """Recognise a record of this kind."""
    return "abstract" in record and "sections" in record


def example_from_paper(record: Mapping[str, object]) -> Example:
    """Split a paper into sentences that know the title of their top-level section; its other keys are kept."""
    raw_sections = record["sections"]
    if not isinstance(raw_sections, list):
        raise CorpusError('"sections" must be a list of objects with a title and paragraphs.')
    text: list[str] = []
    titles: list[str] = []
    for section in raw_sections:
        if not isinstance(section, Mapping):
            raise CorpusError('"sections" must hold objects with a title and paragraphs.')
        sentences = sentences_of(_paragraphs(section, "paragraphs"))
        text += sentences
        titles += [tidy(str(section.get("title") or section.get("heading") or ""))] * len(sentences)
    rest = {key: value for key, value in record.items() if key not in ("abstract", "sections")}
    summary = sentences_of(_paragraphs(record, "abstract"))
    return Example.from_json({**rest, "text": text, "summary": summary, "sections": titles})


def _paragraphs(record: Mapping[str, object], key: str) -> list[str]:
    value = record.get(key)
    paragraphs = [value] if isinstance(value, str) else value
    if not isinstance(paragraphs, list) or not all(isinstance(paragraph, str) for paragraph in paragraphs):
        raise CorpusError(f'"{key}" must be a list of paragraphs.')
    return paragraphs
