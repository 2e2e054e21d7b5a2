"""Warnings that a reader should see before trusting a summary, in one sentence each, and what they are due to.

A document may not be made of sentences to quote: `makeup` tells what it is mostly made of then.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from memsum.document.document import RUNNING, SEARCHED, BlockKind, Document, Fact
from memsum.languages import read_words

if TYPE_CHECKING:
    from memsum.query.relevance import Relevance

Makeup = Literal["table", "code", "form", "references", "man page", "no text", "speech", "story"]

_ANSWERED = 0.4  # probability that the quotes answer a question, below which a reader is warned
_QUOTED = "memsum quotes sentences, so most of it is left out."
MADE_OF: dict[Makeup, str] = {
    "table": f"Most of this document is a table; {_QUOTED}",
    "code": f"Most of this document is code; {_QUOTED}",
    "form": f"This document is a form; {_QUOTED}",
    "references": f"Most of this document is a list of references; {_QUOTED}",
    "man page": "This document is a man page: the summary quotes its sentences, not the list of its options.",
    "no text": f"Little of this document is running text; {_QUOTED}",
    "speech": "People speak freely here: quotes may mean little without what was said around them.",
    "story": "This document tells a story: quotes show parts of it, not its plot.",
}
_UNSEARCHED = 50  # words that were not searched, of which a reader is told
_COVERED = 0.9  # share of the main sections with a quote from which on a summary covers the document
_WARNS = re.compile(
    r"(?:reject|withdr|supers|draft|deprecat|obsolet|replaced|abandon|expired|deferred|cancel|retired)", re.IGNORECASE
)

_MOST = 0.5  # of the characters of which it is known what they are
_MOST_CODE = 0.4  # of code, with its comments
_MOST_IN_MARKUP = 0.85  # of a web page or a README, where code stands between sentences
_LEAST = 100  # characters
_LEAST_SENTENCES = 25  # that show how people speak or tell
_LITTLE = 0.2  # of the characters are running text; the rest is tables, lists of names or code
_SURELY, _SMALL = 8, 0.65  # words of a line, and share of them in small letters, that surely is prose
_SOME = 0.4  # share of words in small letters of a plain sentence: German nouns have capitals
_LONGEST_FIELD = 200  # characters of a line to be filled in, and of any line that are looked at
_FEW = 12  # lines that show whether all others need to be looked at; one that is longer may be most of the document
_LONG_LINE = 5_000  # characters
_SAMPLED = 64  # lines that are looked at, at most
_SAMPLED_SENTENCES = 200
_PROFILED = 300_000  # characters looked at
_TEXT: frozenset[BlockKind] = RUNNING | {"abstract"}
_MARKUP = frozenset({"markdown", "html", "latex", "jats", "epub"})

_UNPLAIN = re.compile(r"[\d\t|_{}=<>\\;☐☑□\[\]]|\.{4}|…{2}")
_BLANKS = re.compile(r"_{4,}|\.{8,}|…{4,}|[☐☑□]|\[ \]")
_EMPTY_LABEL = re.compile(r"[A-Z][^.?!:]{1,60}:")
_CELLS = re.compile(r"\t|\s\|\s|^\||;(?=\S)|,(?=[^\s\d])|(?<=[^\d\s]),(?=\d)|(?<=\S)\s{3,}(?=\S)")
_SYMBOLS = "{}();=<>_\\|&$#[]+*`~^@%/"
_CODE = re.compile(
    r"(?:def|class|if|elif|else|for|while|try|except|with|function|public|private|static|async|func|fn|switch|case)"
    r"\b.*[:;{(]$|from \S+ import |import [\w.]+(?:;|$| as )|#include\b|return\b|raise [A-Z]|yield\b|const |let |var "
    r"|[\w.\[\]'\"-]{1,60}\s?(?::=|\?=|\+=|==?)\s?\S|\"[^\"]{1,60}\":\s|[{\[]?\s?\"\w+\":"
    r"|[\w.]{1,40}: [\w.\[\], |]{1,60}(?: = .*)?$|\"{3}|//|/\*|@\w+|[})\]]{1,4}[,;]?$|\$ \S"
)
_ENTRY = re.compile(
    r"(?:\[\d{1,3}\]|\d{1,3}\.)?\s{0,3}[A-Z][\w'’-]+,? (?:[A-Z](?![a-z])\.?[ ,-]{0,2}){1,4}.{0,400}\b(?:19|20)\d\d\b"
)
_MAN_HEADINGS = frozenset({"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO", "BUGS", "FILES"})
_FILLERS, _TOLD, _PERSONS = (read_words("english/people", heading) for heading in ("fillers", "told", "persons"))
# With the marks that may stand behind them.
_TELLING = frozenset(word + mark for word in _FILLERS | _TOLD | _PERSONS for mark in ("", ",", "."))
_SPEAKS = 0.15  # fillers for each sentence
_TELLS = 0.05  # words of narration for each sentence
_NAMES = 0.28  # pronouns of persons for each sentence


def of_question(relevance: Relevance | None, documents: Sequence[Document]) -> tuple[str, ...]:
    """Warn of a question without a topic or answer, with what was not searched for it; None where none was asked."""
    if relevance is None:
        return ()
    if relevance.is_general:
        return ("The question names no topic: this is a summary of the whole document.",)
    if relevance.found and relevance.answered < _ANSWERED:
        return ("The document may not answer the question; these sentences come closest.",)
    words = sum(
        len(document.text[block.start : block.end].split())
        for document in documents
        for block in document.blocks
        if block.kind == "reference" or (block.kind == "boilerplate" and block.reason not in SEARCHED)
    )
    if relevance.found or words < _UNSEARCHED:
        return ()
    return (f"{words:,} words of references, and of what stands around the text, were not searched.",)


def partial(covered: int, sections: int, format: str) -> tuple[str, ...]:  # noqa: A002
    """Warn of a summary of a long document that leaves main sections, or slides, out."""
    if covered >= _COVERED * sections:
        return ()
    parts = "slides" if format == "pptx" else "main sections"
    return (f"This summary covers only a part of the document: {covered} of its {sections} {parts}.",)


def status_of(document: Document) -> Fact | None:
    """Return the status of a document if nobody should read it without knowing: it was rejected, or is a draft."""
    return next((fact for fact in document.facts if fact.name == "status" and _WARNS.match(fact.value)), None)


def makeup(document: Document) -> Makeup | None:
    """Return what most of a document is, None if that is sentences that can be quoted."""
    names = {line.strip() for line in document.text[:_PROFILED].splitlines() if len(line) < 20}
    if "NAME" in names and len(names & _MAN_HEADINGS) >= 3:
        return "man page"
    lines: list[tuple[str, BlockKind]] = [
        (line, block.kind)
        for block in document.blocks
        if block.kind not in ("title", "heading", "caption") and block.start < _PROFILED
        for line in document.text[block.start : block.end].splitlines()
        if line and not line.isspace()
    ]
    few = lines[:: max(1, -(-len(lines) // _FEW))]
    are_prose = len(few) >= _FEW // 2 and all(_kind(line, block) == "prose" for line, block in few)
    if are_prose and max([len(line) for line, _ in lines]) < _LONG_LINE:  # most of it can be nothing else
        return _manner(document)
    weights: Counter[str] = Counter()
    running: Counter[str] = Counter()
    for line, block in lines[:: max(1, -(-len(lines) // _SAMPLED))]:
        found = _kind(line, block)
        weights[found] += len(line)
        if block in _TEXT:
            running[found] += len(line)
    kinds: tuple[Makeup, ...] = ("table", "code", "form", "references")
    for counts in (weights, running):
        most = max(kinds, key=counts.__getitem__)
        is_beside = counts is weights and most in ("table", "code") and document.format in _MARKUP
        known = counts.total() - counts["unknown"]
        share = _MOST_IN_MARKUP if is_beside else _MOST_CODE if most == "code" else _MOST
        if counts[most] >= max(share * known, _LEAST):
            return most
    if document.format not in ("html", "eml") and weights["prose"] < _LITTLE * weights.total() >= _LITTLE * 2 * _LEAST:
        return "no text"
    return _manner(document)


def _kind(line: str, block: BlockKind) -> str:
    """Return what a line is: "prose", something else, or "unknown"."""
    is_running = block in _TEXT
    text = line.strip()[:_LONGEST_FIELD]
    words = text.split()
    count = len(words)
    small = sum([word[0].islower() for word in words])
    if is_running and count >= _SURELY and small >= _SMALL * count and (text[0].isalpha() or text[0] in '“"‘'):
        return "prose"
    is_sentence = is_running and count >= _SURELY and line.rstrip()[-1] in ".!?"
    if is_sentence and small >= _SOME * count and not _UNPLAIN.search(text):
        return "prose"
    digits = sum([not word.isalpha() and any(map(str.isdigit, word)) for word in words])
    if (digits and _ENTRY.match(text)) or (block == "reference" and digits < 0.4 * count):
        return "references"
    if (len(line) < _LONGEST_FIELD and _BLANKS.search(text)) or _EMPTY_LABEL.fullmatch(text):
        return "form"
    small = sum(word[0].islower() and word.strip(".,;:!?()\"'’”").isalpha() for word in words)
    cells = len(_CELLS.findall(text))
    if (cells >= 2 and cells >= 0.3 * count and text[-1] not in "{}();,:") or text.count("|") > 2:
        return "table"
    is_symbolic = sum(map(text.count, _SYMBOLS)) >= 0.1 * len(text) and small < 0.6 * count
    if is_symbolic or (small < 0.7 * count and _CODE.match(text)):
        return "code"
    if count >= 3 and digits >= 0.4 * count:
        return "table"
    return "prose" if is_running and (count < 3 or small >= 0.3 * count) else "unknown"


def _manner(document: Document) -> Makeup | None:
    """Tell whether people talk in a document, or a story is told; both are summarized less well."""
    count = len(document.sentences)
    if count < _LEAST_SENTENCES or document.language not in ("en", None):
        return None
    sample = document.sentences[:: max(1, count // _SAMPLED_SENTENCES)]
    words = " ".join([sentence.text for sentence in sample]).lower().split()
    counts = Counter(filter(_TELLING.__contains__, words))
    fillers, told, persons = (
        sum(count for word, count in counts.items() if word.rstrip(",.") in listed) / len(sample)
        for listed in (_FILLERS, _TOLD, _PERSONS)
    )
    if fillers >= _SPEAKS:
        return "speech"
    return "story" if told >= _TELLS and persons >= _NAMES else None
