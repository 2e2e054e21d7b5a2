"""Names of sections: what a heading says about the text below it, and where in its section a sentence stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

from memsum.languages import read_lists, read_patterns

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
_LONGEST = 200  # letters of a heading that are looked at
_NAMED = 0.3  # share of the sentences whose section must be known for headings to mean anything

SectionRole = Literal["abstract", "reference", "boilerplate"]
_ROLES: tuple[SectionRole, ...] = ("abstract", "reference", "boilerplate")
_ENGLISH, _OTHERS = "english/section_names", "others/section_names"
_NUMBER = re.compile(r"^(?:(?:section|chapter)\s+)?(?:\d{1,2}(?:\.\d{1,2})*|[ivx]{1,5})[.:)]?\s+", re.IGNORECASE)
_NUMBER_OF_OTHERS = re.compile(r"^[一二三四五六七八九十百第章节節部제장]{1,6}[、．.\s]\s*|^[^\W\d_]{1,2}[.)]\s+")
_MARKS = re.compile(r"[^\w\s]+")
_NUMBERING = re.compile(r"(?:[\divx]{1,8}(?:\.[\divx]{1,4}){0,5}[.:)]?(?=\s|$)|[.:])")


def section_name(heading: str) -> str:
    """Return a heading without its number, case and punctuation, for comparison."""
    return " ".join(_MARKS.sub("", _NUMBER.sub("", heading.strip())).lower().split())


def _name_in_others(heading: str) -> str:
    return section_name(_NUMBER_OF_OTHERS.sub("", heading[:_LONGEST].strip()))


@cache
def _role_of(file: str) -> dict[str, SectionRole]:
    return {name: role for role in _ROLES for name in read_lists(file)[role]}


@cache
def _names(file: str) -> frozenset[str]:
    lists = read_lists(file)
    return frozenset([*_role_of(file), *lists["body"]]).difference(lists.get("ambiguous", ()))


@cache
def _last_words() -> frozenset[str]:
    return frozenset(name.split()[-1] for name in _names(_ENGLISH) | _names(_OTHERS))


def is_section_name(line: str) -> bool:
    """Tell whether a line is the name of a section that most papers and reports have, in any language."""
    if line.isascii():  # few lines end as a name does: the quick answer
        last = next((word for part in reversed(line.split()) if (word := _MARKS.sub("", part))), "")
        if last.lower() not in _last_words():
            return False
    return section_name(line) in _names(_ENGLISH) or _name_in_others(line) in _names(_OTHERS)


def section_role(heading: str, *, in_any_language: bool = False) -> SectionRole | None:
    """Return what the text below a heading is, if it is not running text."""
    role = _role_of(_ENGLISH).get(section_name(heading))
    return _role_of(_OTHERS).get(_name_in_others(heading)) if role is None and in_any_language else role


def is_contents(heading: str) -> bool:
    """Tell whether a heading is that of a list of the headings below."""
    return section_name(heading) in ("contents", "table of contents")


def is_summary(heading: str) -> bool:
    """Tell whether a heading is that of a document's own summary, if the document begins with it."""
    return section_name(heading) in read_lists(_ENGLISH)["own summary"]


@cache
def _patterns(file: str) -> list[tuple[int, re.Pattern[str]]]:
    """Return the words of each kind's headings; the first kind of which a heading has one is its kind."""
    heads = [key for key in read_lists(file) if key.startswith("kind: ")]
    return [(KINDS.index(key.removeprefix("kind: ")), re.compile(read_patterns(file, key))) for key in heads]


@lru_cache(maxsize=1000)  # a document asks for each of its headings twice
def section_kind(heading: str, *, in_any_language: bool = False) -> int:
    """Return the index in `KINDS` of a heading's kind; a heading of nothing but a number is unknown."""
    whole = heading[:_LONGEST].lower()
    words = whole.strip()
    words = _NUMBERING.sub("", words, count=1).strip(" .:") if _NUMBERING.match(words) else words.strip(" .:")
    if not words:
        return 0
    kind = next((kind for kind, pattern in _patterns(_ENGLISH) if pattern.search(words)), _OTHER)
    if kind != _OTHER or not in_any_language:
        return kind
    return next((kind for kind, pattern in _patterns(_OTHERS) if pattern.search(whole)), _OTHER)


def mark_sections(
    headings: Sequence[str | None] | None, number: int, *, in_any_language: bool = False
) -> NDArray[np.float32]:
    """Return for each sentence of a document the kind of its section and the section's number, (N, 2).

    Where hardly any heading is of a known kind, all sentences are of an unknown kind.
    """
    import numpy as np  # here: readers need the names of sections, and start sooner without it

    marks = np.zeros((number, 2), np.float32)
    if not headings:
        return marks
    begin = 0
    for run, (heading, members) in enumerate(groupby(headings)):
        end = begin + len(list(members))
        marks[begin:end] = section_kind(heading or "", in_any_language=in_any_language), run
        begin = end
    known = (marks[:, 0] > 0) & (marks[:, 0] != _OTHER)
    if known.mean() < _NAMED:
        marks[:, 0] = 0
    return marks


def quote_kinds(headings: Sequence[str | None], sentences: Sequence[str]) -> list[QuoteKind | None]:
    """Return which part of the document's argument each sentence is, by its section's heading and its own wording.

    None where headings do not tell.
    """
    kinds = mark_sections(headings, len(sentences))[:, 0].astype(int).tolist()
    found = [_QUOTE_KINDS.get(KINDS[kind]) for kind in kinds]
    aim = re.compile(read_patterns(_ENGLISH, "aims"))
    return [
        "aim" if kind == "background" and aim.search(sentence[:_AIM_WITHIN].lower()) else kind
        for kind, sentence in zip(found, sentences, strict=True)
    ]


def section_signals(marks: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return one column per kind, and how far into its section a sentence stands: 0 to 1, 0.5 if kinds are unknown."""
    import numpy as np

    number = len(marks)
    signals = np.zeros((number, len(KINDS) + 1), np.float32)
    signals[np.arange(number), marks[:, 0].astype(np.int64)] = 1
    signals[:, -1] = 0.5
    if marks[:, 0].any():
        first = np.flatnonzero(np.diff(marks[:, 1], prepend=np.nan) != 0)
        sizes = np.diff(first, append=number)
        signals[:, -1] = (np.arange(number) - np.repeat(first, sizes) + 0.5) / np.repeat(sizes, sizes)
    return signals
