"""Phrases for the positions of quotes, and quotes that are safe to print."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memsum.summary.summary import Context, Summary, SummarySentence


# A document must not be able to talk to the reader's terminal, and half a surrogate pair cannot be written at all.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def one_line(text: str) -> str:
    """Remove line ends, runs of white space, and characters that are not there to be read."""
    return " ".join(_UNPRINTABLE.sub("", text).split())


def spoken(sentence: SummarySentence | Context) -> str:
    """Put a quote or its context on one line, after the name of its speaker, if it has one."""
    name = one_line(sentence.speaker) if sentence.speaker else ""
    return f"{name}: {one_line(sentence.text)}" if name else one_line(sentence.text)


def position(sentence: SummarySentence, summary: Summary) -> str:
    """Describe the position of a sentence, for people: they count from 1."""
    parts = [one_line(sentence.source)] if sentence.source is not None else []
    parts += [one_line(sentence.section)] if sentence.section else []
    if sentence.page is not None:
        parts.append(f"page {sentence.page}")
    parts.append(f"sentence {sentence.index + 1} of {len(summary.documents[sentence.document].sentences)}")
    if sentence.relevance is not None:
        parts.append(f"relevance {sentence.relevance:.2f}")
    return ", ".join(parts)


def count_of(summary: Summary) -> str:
    """Return how many sentences the summary has, of how many."""
    count = summary.document_sentences
    return f"{len(summary)} of {count:,} sentences" if count != 1 else f"{len(summary)} of 1 sentence"


def keyword_line(summary: Summary) -> str:
    """List the keywords of the document with their counts, if they are to be shown and there are any."""
    if not summary.shows_keywords or not summary.keywords:
        return ""
    return f"Keywords: {', '.join(f'{one_line(term.text)} ({term.count})' for term in summary.keywords)}"


def ending(summary: Summary) -> str:
    """Return why the summary ends where it does, in half a sentence."""
    return {
        "policy": "the model stopped here",
        "max_sentences": "the maximum",
        "sentences": "as many as asked for",
        "words": "as many words as asked for",
        "characters": "as many characters as asked for",
        "ratio": "the share that was asked for",
        "document": "all of them",
        "relevance": "no other relevant sentence" if summary.sentences else "no relevant sentence found",
    }[summary.stop.reason]
