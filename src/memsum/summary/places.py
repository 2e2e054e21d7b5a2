"""Words for the places of quotes, and quotes that are safe to print."""

from __future__ import annotations

import re

from memsum.summary.quotes import Context, Quotes, SummarySentence

# A document must not be able to talk to the reader's terminal, and half a surrogate pair cannot be written at all.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def one_line(text: str) -> str:
    """A text without line ends, runs of white space, and characters that are not there to be read."""
    return " ".join(_UNPRINTABLE.sub("", text).split())


def spoken(sentence: SummarySentence | Context) -> str:
    """A quote, or what stands before it, on one line, behind the name of who says it, if the document tells."""
    name = one_line(sentence.speaker) if sentence.speaker else ""
    return f"{name}: {one_line(sentence.text)}" if name else one_line(sentence.text)


def place(sentence: SummarySentence, summary: Quotes) -> str:
    """Where a sentence stands, for people: they count from 1."""
    parts = [one_line(sentence.source)] if sentence.source is not None else []
    parts += [one_line(sentence.section)] if sentence.section else []
    if sentence.page is not None:
        parts.append(f"page {sentence.page}")
    parts.append(f"sentence {sentence.index + 1} of {len(summary.documents[sentence.document].sentences)}")
    if sentence.relevance is not None:
        parts.append(f"relevance {sentence.relevance:.2f}")
    return ", ".join(parts)


def count_of(summary: Quotes) -> str:
    """How many sentences the summary has, of how many."""
    count = summary.document_sentences
    return f"{len(summary)} of {count:,} sentences" if count != 1 else f"{len(summary)} of 1 sentence"


def keyword_line(summary: Quotes) -> str:
    """The keywords of the document with their counts, if they are to be shown and there are any."""
    if not summary.shows_keywords or not summary.keywords:
        return ""
    return f"Keywords: {', '.join(f'{one_line(term.text)} ({term.count})' for term in summary.keywords)}"


def ending(summary: Quotes) -> str:
    """Why the summary ends where it does, in half a sentence."""
    return {
        "policy": "stopped by the policy",
        "max_sentences": "the most that was allowed",
        "sentences": "as many as asked for",
        "words": "as many words as asked for",
        "characters": "as many characters as asked for",
        "ratio": "the share that was asked for",
        "document": "all there is",
        "relevance": "nothing else bears on the question" if summary.sentences else "nothing bears on the question",
    }[summary.stop.reason] + f" (p_stop {summary.stop.probability:.2f})"
