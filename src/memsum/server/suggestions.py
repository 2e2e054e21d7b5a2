"""Questions to suggest about a document: made of what it defines, its headings and its terms, and answered by it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from memsum.languages.section_names import is_section_name
from memsum.options import SummaryOptions
from memsum.printable import one_line

if TYPE_CHECKING:
    from memsum.reading import Reading

_MOST = 3
_TRIED = 9  # questions that are asked to find so many with answers
_LONGEST = 60  # characters
_SENTENCES = 30  # whose headings are taken
_VERB = r"(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|should|must|may|might)"
_NUMBER = re.compile(
    r"(?:[\d.)(]+|[IVX]+\.|(?:chapter|part|section|appendix|step)\s+[\dIVX]\S*)[\s:.–-]*", re.IGNORECASE
)
_QUESTION = re.compile(rf"(?:how|why|when|where|wh(?:at|ich|om?)|{_VERB})\b.*\?", re.IGNORECASE)
_CLAUSE = re.compile(
    rf"((?:how(?: (?:far|long|many|much|often|old))?|why|when|where|what)) (.*?)\b({_VERB}) (.+)", re.IGNORECASE
)
_WHO = re.compile(rf"who {_VERB} .+", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:it|this|that|these|those|they)\b|[(\[#]", re.IGNORECASE)  # at what only the text tells
_NO_TOPIC = re.compile(
    rf"[^a-z]+|.*[.:!?;]|.*\b{_VERB}\b.*|(?:i|we|you|it|this|that|these|there|our|your|let|do|don.t|further|other|more|if|when|what|how|why)"
    r"\b.*|(?:list|table|index) of\b.*|.*\b(?:contents|history|reading|links|agenda|contributors|authors?|notes|goals)",
    re.IGNORECASE,
)
_BEFORE_NOUNS = r"(?:the|an?|of|in|for|with|by|on|about|no|our|your|their|its|this|these|all|any|from)"
_ARTICLES = ("the", "a", "an")


def suggest(reading: Reading, deadline: float) -> list[str]:
    """Return a few questions that the document answers, each with another sentence."""
    found: dict[int, str] = {}
    for tried, question in enumerate(dict.fromkeys(_candidates(reading))):
        if tried == _TRIED or len(found) == _MOST:
            break
        answers = reading.summarize(SummaryOptions(about=question), deadline=deadline)
        if answers.found and answers:
            found.setdefault(answers[0].number, question)
    return list(found.values())


def _candidates(reading: Reading) -> Iterator[str]:
    """Yield questions: those that headings ask, what is defined, then topics of headings and terms by turns."""
    quotes = reading.summarize(SummaryOptions(sentences=_SENTENCES, order="extraction", context=False))
    headings = dict.fromkeys(_NUMBER.sub("", one_line(quote.section), count=1) for quote in quotes if quote.section)
    if all(document.language != "en" for document in reading.documents):
        yield from (heading for heading in headings if heading.endswith("?") and len(heading) <= _LONGEST)
        return
    text = " ".join(document.text for document in reading.documents)
    topics = (f"What does it say about {topic}?" for heading in headings if (topic := _topic(heading, text)))
    terms = (
        f"What does it say about {term}?"
        for keyword in reading.keywords
        if " " in keyword.text and (term := _with_article(keyword.text, text))
    )
    turns = (question for pair in zip_longest(topics, terms) for question in pair if question)
    for question in chain(filter(None, map(_asked, headings)), _defined(reading), turns):
        if len(question) <= _LONGEST:
            yield question


def _asked(heading: str) -> str | None:
    """Return what a heading asks, if it does: "How the trial was organized" asks "How was the trial organized?"."""
    if _POINTS.search(heading):
        return None
    if _QUESTION.fullmatch(heading):
        return heading
    if _WHO.fullmatch(heading):
        return f"{heading}?"
    clause = _CLAUSE.fullmatch(heading)
    return f"{clause[1]} {clause[3]} {clause[2]}{clause[4]}?" if clause else None


def _defined(reading: Reading) -> Iterator[str]:
    """Yield questions for terms that a sentence defines: "A sprint is a …"."""
    sentences = [sentence.text for document in reading.documents for sentence in document.sentences]
    for keyword in reading.keywords:
        term = keyword.text
        defines = (
            rf"((?:An?|The) )?[“\"']?{re.escape(term)}(s?)[”\"']? (is|are|means?|refers? to) (?:an?|the|any|all)\b"
        )
        for number in keyword.sentences:
            found = re.match(defines, sentences[number], re.IGNORECASE)
            if found and (found[1] or not re.match(r"\w+ing ", term, re.IGNORECASE)):  # doing something is no term
                article, plural, verb = (found[1] or "").lower(), found[2], found[3].lower()
                yield f"What {verb} {article}{term}{plural}?" if verb in ("is", "are") else f"What does “{term}” mean?"
                break


def _topic(heading: str, text: str) -> str | None:
    """Return what a heading names, as it is written inside a sentence; None if it may be something else."""
    words = heading.split()
    if not 1 <= len(words) <= 7 or len(heading) < 5 or is_section_name(heading) or _NO_TOPIC.fullmatch(heading):
        return None
    first = words[0].lower()
    is_begun = first in _ARTICLES or first.endswith("ing")
    if not is_begun and not re.search(rf"\b{_BEFORE_NOUNS} {re.escape(first)}\b", text, re.IGNORECASE):
        return None  # a verb, or a word that the text does not use
    if is_begun or re.search(rf"\b{re.escape(first)}\b", text):
        words[0] = first
    return " ".join([words[0], *(_inside(word, text) for word in words[1:])])


def _inside(word: str, text: str) -> str:
    """Write a word of a heading as it is mostly written in the text."""
    forms = (word.lower(), word)
    return max(forms, key=lambda form: len(re.findall(rf"\b{re.escape(form)}\b", text)))


def _with_article(term: str, text: str) -> str | None:
    """Put the article before a term that it has in the text; None for what may be no noun."""
    escaped = re.escape(term)
    counts = {article: len(re.findall(rf"\b{article} {escaped}\b", text, re.IGNORECASE)) for article in _ARTICLES}
    article = max(counts, key=counts.__getitem__)
    goes_without = term.endswith("s") or term[:1].isupper()
    if goes_without and 2 * counts[article] < len(re.findall(rf"\b{escaped}\b", text, re.IGNORECASE)):
        return term
    return f"{article} {term}" if counts[article] else None
