"""Names of sections: what a heading says about the text below it, and where in its section a sentence stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Literal

import numpy as np
from numpy.typing import NDArray


def _names(listed: str) -> frozenset[str]:
    return frozenset(name.strip() for name in listed.split("|"))


KINDS = (
    "unknown",
    "abstract",
    "introduction",
    "background",
    "methods",
    "results",
    "discussion",
    "conclusion",
    "recommendations",
    "back matter",
    "other",
)
_OTHER = KINDS.index("other")

QuoteKind = Literal["background", "aim", "method", "result", "conclusion"]
_QUOTE_KINDS: dict[str, QuoteKind] = {
    "abstract": "background",
    "introduction": "background",
    "background": "background",
    "methods": "method",
    "results": "result",
    "discussion": "conclusion",
    "conclusion": "conclusion",
    "recommendations": "conclusion",
}
_AIM_WITHIN = 200  # letters of a sentence
_AIM = re.compile(
    r"\b(?:aim(?:s|ed)?|objectives?|purpose|goal) (?:of|is|was|were|are|to|at)\b|\bhere ?,? we\b|\bin order to test\b"
    r"|\b(?:in )?th(?:is|e present) (?:[a-z-]{1,20} ){0,2}(?:study|paper|work|article|report|review|thesis|trial)\b"
    r".{0,60}\b(?:examin|investigat|propos|present|introduc|describ|explor|answer|assess|evaluat|address|develop|compar|"
    r"discuss|provid|aim|report|ask|determin|seek|analy[sz])"
    r"|\bwe (?:propose|introduce|aim|sought|seek|hypothesi[sz]e|investigate|ask(?:ed)? whether)\b"
)
_LONGEST = 200  # letters of a heading that are looked at
_NAMED = 0.3  # share of the sentences whose section must be known for headings to mean anything

# Headings that most papers and reports have, without number, case and punctuation.
_BODY_NAMES = _names(
    """
    introduction | background | overview | motivation | related work | literature review | theory | preliminaries
    | objective | objectives | aim | aims | purpose | materials and methods | methods and materials | methods | method
    | methodology | materials | model | approach | patients and methods | subjects and methods | study design | data
    | data and methods | experiments | experimental | experimental section | experimental setup | evaluation | analysis
    | statistical analysis | case report | case presentation | results | findings | results and discussion | discussion
    | discussion and conclusion | discussion and conclusions | limitations | implications | recommendations
    | future work | conclusion | conclusions | concluding remarks | summary | executive summary
    """
)
SectionRole = Literal["abstract", "reference", "boilerplate"]
_ROLES: dict[SectionRole, frozenset[str]] = {
    "abstract": _names("abstract"),
    "reference": _names("references | reference | bibliography | literature cited | works cited | references cited"),
    "boilerplate": _names(
        """
        acknowledgements | acknowledgments | acknowledgement | acknowledgment | funding | funding statement
        | funding information | conflict of interest | conflicts of interest | conflict of interests
        | competing interests | competing interest | declaration of interest | declaration of competing interest
        | declarations | disclosure | disclosures | disclosure statement | author contributions | authors contributions
        | contributions | author information | authors information | data availability | data availability statement
        | code availability | availability of data and materials | ethics statement | ethics approval
        | ethical approval | informed consent | ethics approval and consent to participate | consent for publication
        | supplementary material | supplementary materials | supplementary information | supporting information
        | additional information | abbreviations | publishers note | table of contents | contents | see also
        | external links | further reading
        """
    ),
}
# Headings of technical proposals (PEPs, RFCs, EIPs): nearly all have one of them, and hardly a manual has.
_PROPOSALS = _names(
    """
    motivation | rationale | rationale and alternatives | rationale and goals | specification | detailed design
    | backwards compatibility | backward compatibility | drawbacks | unresolved questions | security considerations
    | security implications | guidelevel explanation | referencelevel explanation | rejected ideas
    | rejected alternatives | prior art | future possibilities | how to teach this | how we teach this | proposal
    | proposed solution | reference implementation
    """
)
_ROLE_OF = {name: role for role, names in _ROLES.items() for name in names}

# The first kind whose words a heading has is its kind.
_WORDS = {
    "abstract": r"abstract|summary|highlights|synopsis",
    "back matter": (
        r"acknowledg|contribut|competing|conflict|funding|abbreviat|supplement|pre-publication|appendix|gao contact"
        r"|related gao|references|ethic|availab|author|disclosure|trial registration|consent|additional information"
        r"|copyright|exercises|key terms|glossary"
    ),
    "recommendations": r"recommendation|matters? for congress",
    "conclusion": r"conclu|perspective|outlook|future (?:work|direct)|implications|take.?home|rationale",
    "introduction": r"introduc|overview|motivation|objective|purpose|short title|why great care",
    "methods": (
        r"method|material|experimental|procedure|statistical anal|study design|patients|participants|subjects|model"
        r"|approach|data(?:set)?s?$|task|protocol|trial|specification|implementation|reference-level|guide-level"
    ),
    "results": r"result|finding|experiment|evaluation|outcome|analys",
    "discussion": (
        r"discuss|limitation|issues? for congress|policy (?:issues|considerations|options)|considerations|drawback"
    ),
    "background": r"background|related work|literature|previous work|history|context|prior art",
}
_PATTERNS = [(KINDS.index(kind), re.compile(words)) for kind, words in _WORDS.items()]
_NUMBER = re.compile(r"^(?:(?:section|chapter)\s+)?(?:\d{1,2}(?:\.\d{1,2})*|[ivx]{1,5})[.:)]?\s+", re.IGNORECASE)
_NUMBERING = re.compile(r"(?:[\divx]{1,8}(?:\.[\divx]{1,4}){0,5}[.:)]?(?=\s|$)|[.:])")


def section_name(heading: str) -> str:
    """Return a heading without its number, case and punctuation, for comparison."""
    return " ".join(re.sub(r"[^\w\s]", "", _NUMBER.sub("", heading.strip())).lower().split())


def is_section_name(heading: str) -> bool:
    """Tell whether a line is the name of a section that most papers and reports have."""
    name = section_name(heading)
    return name in _BODY_NAMES or name in _ROLE_OF


def section_role(heading: str) -> SectionRole | None:
    """Return what the text below a heading is, if it is not running text."""
    return _ROLE_OF.get(section_name(heading))


def is_proposal(headings: Iterable[str | None]) -> bool:
    """Tell whether a document has a section that technical proposals have."""
    return any(heading and section_name(heading) in _PROPOSALS for heading in headings)


def section_kind(heading: str) -> int:
    """Return the index in `KINDS` of a heading's kind; a heading of nothing but a number is unknown."""
    words = heading[:_LONGEST].lower().strip()
    words = _NUMBERING.sub("", words, count=1).strip(" .:") if _NUMBERING.match(words) else words.strip(" .:")
    if not words:
        return 0
    return next((kind for kind, pattern in _PATTERNS if pattern.search(words)), _OTHER)


def mark_sections(headings: Sequence[str | None] | None, number: int) -> NDArray[np.float32]:
    """Return for each sentence of a document the kind of its section and the section's number, (N, 2).

    Where hardly any heading is of a known kind, all sentences are of an unknown kind.
    """
    marks = np.zeros((number, 2), np.float32)
    if not headings:
        return marks
    begin = 0
    for run, (heading, members) in enumerate(groupby(headings)):
        end = begin + len(list(members))
        marks[begin:end] = section_kind(heading or ""), run
        begin = end
    known = (marks[:, 0] > 0) & (marks[:, 0] != _OTHER)
    if known.mean() < _NAMED:
        marks[:, 0] = 0
    return marks


def quote_kinds(headings: Sequence[str | None], sentences: Sequence[str]) -> list[QuoteKind | None]:
    """Return which part of the document's argument each sentence is, by its section's heading and its own wording.

    None where headings do not tell.
    """
    kinds = mark_sections(headings, len(sentences))[:, 0].astype(np.int64).tolist()
    return [_quote_kind(_QUOTE_KINDS.get(KINDS[kind]), text) for kind, text in zip(kinds, sentences, strict=True)]


def _quote_kind(kind: QuoteKind | None, sentence: str) -> QuoteKind | None:
    return "aim" if kind == "background" and _AIM.search(sentence[:_AIM_WITHIN].lower()) else kind


def section_signals(marks: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return one column per kind, and how far into its section a sentence stands: 0 to 1, 0.5 if kinds are unknown."""
    number = len(marks)
    signals = np.zeros((number, len(KINDS) + 1), np.float32)
    signals[np.arange(number), marks[:, 0].astype(np.int64)] = 1
    signals[:, -1] = 0.5
    if marks[:, 0].any():
        first = np.flatnonzero(np.diff(marks[:, 1], prepend=np.nan) != 0)
        sizes = np.diff(first, append=number)
        signals[:, -1] = (np.arange(number) - np.repeat(first, sizes) + 0.5) / np.repeat(sizes, sizes)
    return signals
