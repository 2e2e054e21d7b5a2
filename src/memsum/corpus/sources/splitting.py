"""Running text becomes the sentences of a corpus: split, one line each, free of what cannot be encoded."""

from __future__ import annotations

from collections.abc import Iterable

from memsum.document.sentences import split_sentences


def tidy(text: str) -> str:
    """Put a sentence on one line: ROUGE-Lsum takes a line end for the end of a sentence."""
    return " ".join(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").split())


def sentences_of(paragraphs: Iterable[str]) -> list[str]:
    """Split paragraphs into sentences; none goes on past the end of its paragraph."""
    return [
        sentence
        for paragraph in paragraphs
        for start, end in split_sentences(paragraph)
        if (sentence := tidy(paragraph[start:end]))
    ]
