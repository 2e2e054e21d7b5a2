"""Low-value sentences: labels, fragments, roadmaps, pleasantries, boilerplate.

A rule on wording alone, without weights. A sentence that speaks of its document ("Section 2 presents ..."), to its
listeners ("Thank you very much.") or of nothing ("For example,") tells a reader nothing. Results, conclusions, aims,
holdings, requirements and speech are fine; where the wording leaves doubt, the number is below one half.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from operator import eq

import numpy as np
from numpy.typing import NDArray

from memsum.languages import read_lists, read_patterns, read_words, rows_with
from memsum.languages.stop_words import DANGLING, EMPTY, FILLERS, VERBS

READ = 400  # characters of a sentence that are looked at
SHORT = 12  # words; longer sentences are no labels, however they look

_FILE = "english/low_value"
SPOKEN, DOUBLED = read_words(_FILE, "spoken"), read_words(_FILE, "doubled")
STUMBLING = 2.5  # times the share of fillers
CLAUSE = VERBS | read_words(_FILE, "persons")
STATING = VERBS - {"see"}
BEGINNING_LOST, IN_CITATIONS = read_words(_FILE, "beginning lost"), read_words(_FILE, "in citations")
LEADING, OF_BILLS = read_words(_FILE, "leading"), read_words(_FILE, "of bills")

_QUOTES = "\"'“”‘’«» \t\n\r"
_MARKS = ".,;:?!()[]{}\"'/*_|=<>+-"
_TO_SPACES = bytes.maketrans(_MARKS.encode(), b" " * len(_MARKS))

_LIST_MARK = re.compile(r"(?:\( ?[a-z0-9]{1,4} ?\)|[0-9a-z]{1,2}[.)]|[•●▪*·–-])\s{1,3}", re.I)
_UNREAD = re.compile(r"[*?] \? \?|\* \?")  # what remains of citations in tokenised text
_TAG = re.compile(r", ?[a-z]{2,6}(?: ?n['’]t)? (?:i|you|he|she|it|we|they|there) ?\?$")  # "..., isn't it?" asserts
_CONTENTS_LINE = re.compile(r"(?:\.{4}|(?:\. ){4}|… ?…)[. …]{0,200}[0-9ivxlc]{1,5}$|[._]{10}")
_HEADER = re.compile(
    r"(?:from|to|cc|bcc|subject|sent|date|reply-to|e-?mail|tel|phone|fax|doi|key ?words|issn|isbn|received|accepted|"
    r"published|posted|correspondence(?: to)?) ?: |https?:|www\.",
    re.I,
)
_BYLINE = re.compile(r"By (?:(?:[A-Z][^ ]{0,20}|and|de|van|von) ){1,7}[A-Z][^ ]{0,20}$")
_INITIAL = re.compile(r"(?:^| )[a-z] ?\. ")
_VOLUME = re.compile(r"\* ?[0-9]{1,4} ?\*|\b(?:19|20)[0-9]{2} ?;|\bdoi ?:|doi\.org/|\([12][0-9]{3}[a-z]?\) ?[.,;]?$")
_CAPTION = re.compile(
    r"(?:supplementary |additional )?(?:figure|fig\.?|table|box|exhibit|plate|scheme|photo|image|chart|file) ?"
    r"(?:s?[0-9]{1,3}[a-z]?|[ivx]{1,5}) ?[.:|–—-]"
)
_SEE = re.compile(
    r"\(?(?:but |please |for (?:example|instance|details|an? [a-z ]{1,40}|(?:more|further) [a-z ]{1,30}) ?,? )?"
    r"see(?: (?!,)|, e)"
)

# What a long sentence of cased text has that is a header, a caption, a citation, a line of contents or a fragment.
_UNUSUAL = ("§", " v. ", "U.S.", "http", "..", ". . .", "……", "__", "|")
_UNUSUAL_BEGINNING = re.compile(rf"{_HEADER.pattern}|{_CAPTION.pattern}|{_SEE.pattern}|©|copyright|\+--|---|\$ ", re.I)


@dataclass(frozen=True)
class Rule:
    """Patterns, tried only where one of the words occurs in a sentence of not more than so many words."""

    name: str
    rating: float
    most: int
    begins: bool
    words: frozenset[str]
    patterns: Sequence[str]

    @cached_property
    def finds(self) -> Callable[[str], object]:
        """Compile the patterns when first tried, which most never are."""
        pattern = re.compile(f"(?:{'|'.join(self.patterns)})")
        return pattern.match if self.begins else pattern.search


RULES: list[Rule] = []
_BY_WORD: dict[str, list[Rule]] = {}
for _heading, (_listed, *_patterns) in read_lists(_FILE).items():
    _name, _, _settings = _heading.partition(": ")
    if _settings:
        _rating, _most, _where = _settings.split()
        _rule = Rule(_name, float(_rating), int(_most), _where == "begins", frozenset(_listed.split()), _patterns)
        RULES.append(_rule)
        for _word in _rule.words:
            _BY_WORD.setdefault(_word, []).append(_rule)
_CUES = frozenset(_BY_WORD)


def low_value(sentences: Sequence[str]) -> NDArray[np.float32]:
    """Return for each sentence of a document a number from 0 (fine) to 1 (of low value)."""
    read = [sentence[:READ] for sentence in sentences]
    # In lowercased text a small first letter means nothing.
    cased = 2 * sum(part != part.lower() for part in read[:50]) > len(read[:50])
    unusual = rows_with(read, _UNUSUAL) if cased else range(len(read))
    ratings = (
        # Of a sentence that was cut, nothing is known about its end.
        _rate(text, cased, whole=len(sentence) <= READ, usual=row not in unusual)
        for row, (text, sentence) in enumerate(zip(read, sentences, strict=True))
    )
    return np.fromiter(ratings, np.float32, len(read))


def _rate(text: str, cased: bool, *, whole: bool, usual: bool) -> float:
    text = text.strip(_QUOTES)
    if text[:1] >= "\u2e80":  # scripts without spaces between words
        return 0.0
    body = _without_speaker(text) if cased else text
    mark = _LIST_MARK.match(body)
    if mark:
        body = body[mark.end() :].strip(_QUOTES)
    low = body.lower()
    words = _words(low)
    if not words:
        return 1.0
    poor = 0.0
    # Most sentences are long, end in a period, and need only be tried by their cue words.
    usual = usual and body is text and len(words) > SHORT and low[-1] == "." and not text[0].islower()
    if not usual or _UNUSUAL_BEGINNING.match(text):
        poor = _beginning(text, low, words, cased)
        if whole:
            poor = max(poor, _ending(low, words))
            if len(words) <= SHORT:
                poor = max(poor, _short(body, words, listed=mark is not None))
        if len(words) <= 40:
            poor = max(poor, _citation(body, low, words, cased))
    # "Subsection (a) a person" is no stumbling.
    if not SPOKEN.isdisjoint(words) or ("(" not in low and any(map(eq, words, words[1:]))):
        twice = sum(one == other and one not in DOUBLED for one, other in pairwise(words))
        spoken = sum(word in SPOKEN for word in words)
        poor = max(poor, min(STUMBLING * (spoken + twice) / max(len(words), 8), 1.0))
    for word in _CUES.intersection(words):
        for rule in _BY_WORD[word]:
            if poor < rule.rating and len(words) <= rule.most and rule.finds(low):
                poor = rule.rating
    return poor


def quoted_words(text: str) -> str:
    """Return a sentence without quotation marks, the name of a speaker, and the mark of a list."""
    body = _without_speaker(text.strip(_QUOTES))
    mark = _LIST_MARK.match(body)
    return body[mark.end() :].strip(_QUOTES) if mark else body


def _words(low: str) -> list[str]:
    """Return the words without marks; several times faster than a pattern or `str.translate`."""
    if not low.isascii():
        for mark in "“”‘’–—…":
            low = low.replace(mark, " ")
    return low.encode(errors="replace").translate(_TO_SPACES).decode().split()


def _without_speaker(text: str) -> str:
    """Return the words of a turn in a transcript ("Project Manager: ...") without the speaker."""
    colon = text.find(": ", 0, 42)
    if colon < 0:
        return text
    names = text[:colon].split()
    return text if len(names) > 5 or any(name[0].islower() for name in names) else text[colon + 2 :].strip(_QUOTES)


def _ending(low: str, words: list[str]) -> float:
    """Rate questions, lead-ins, and sentences that break off."""
    number, last = len(words), low[-1]
    if last == "?":
        if _UNREAD.search(low, max(0, len(low) - 12)):
            return 0.0
        if _TAG.search(low, max(0, len(low) - 20)):
            return 0.4
        return 0.9 if number <= 12 else 0.6 if number <= 20 else 0.3
    if last == ":":
        if number > 25 or words[-1].isdigit():
            return 0.4
        return 0.6 if number > 8 and LEADING.isdisjoint(words) else 0.8
    if low.endswith(("...", "…")) and number <= 30:
        return 0.6
    if last in "—–-":
        return 0.3 if OF_BILLS.isdisjoint(words) else 0.7
    if last.isalnum() and words[-1] in DANGLING and not low.endswith(("; and", "; or")):
        return 0.8 if number <= 30 and " . " not in low else 0.3
    if (".." in low or ". . ." in low or "……" in low or "__" in low) and _CONTENTS_LINE.search(low):
        return 1.0
    return 0.0


def _short(body: str, words: list[str], *, listed: bool) -> float:
    """Rate labels, small talk, and sentences too slight to be understood alone."""
    number, known = len(words), frozenset(words)
    if known <= FILLERS:
        return 1.0
    if number <= 3 and len(body) <= 40:
        return 0.7
    if number <= 8 and known <= EMPTY:
        return 0.7
    if not SPOKEN.isdisjoint(known) and len(known - EMPTY) <= 2:
        return 0.6
    if (body[0] == "(" and body[-1] == ")" and body[-2] not in ".!") or _BYLINE.match(body):
        return 0.7
    if not CLAUSE.isdisjoint(known) or any(word.endswith("ed") for word in words):
        return 0.0
    if listed:
        return 0.7 if number <= 9 and body[-1] != ";" else 0.2
    if body.rstrip("0123456789,–-").endswith((".", "!", "?", ";", ")")):
        return 0.6 if number <= 4 else 0.0
    return 0.7 if number <= 9 else 0.4


def _beginning(text: str, low: str, words: list[str], cased: bool) -> float:
    """Rate headers, captions, pointers, and sentences whose beginning is lost."""
    if len(words) <= 30 and (_HEADER.match(text) or low.startswith(("©", "copyright ©", "copyright 1", "copyright 2"))):
        return 0.9
    if _CAPTION.match(low) or low.count("|") > 2 or low.startswith(("+--", "---", "$ ")):
        return 0.8
    if "see" in low[:60] and len(words) <= 40 and _SEE.match(low):
        return 0.8 if any(character.isdigit() for character in low) or "supplement" in low or "section" in low else 0.4
    if cased and text[:1].islower():
        return 0.7 if words[0] in BEGINNING_LOST and len(words) <= 25 else 0.3
    return 0.0


def _citation(body: str, low: str, words: list[str], cased: bool) -> float:
    """Rate bare citations and fragments of formulas."""
    number = len(words)
    if cased:
        if number > SHORT and "§" not in body and " v. " not in body and "U.S." not in body and "http" not in body:
            return 0.0
        if not any(character.isdigit() for character in body) or not STATING.isdisjoint(words):
            return 0.0
        small = sum(word[0].islower() and word.strip(".,;:()[]§") not in IN_CITATIONS for word in body.split())
        return 0.9 if small <= 1 else 0.0
    plain = sum(word.isalpha() and len(word) > 2 for word in words)
    formulas = low.count("@xmath")
    if formulas and (plain <= 4 or 4 * formulas >= number or low.startswith("let @xmath")):
        return 0.7
    if not VERBS.isdisjoint(words) or "%" in low or any(word.endswith("ed") for word in words):
        return 0.0
    if plain <= 0.35 * number or _VOLUME.search(low) or 4 * len(_INITIAL.findall(low)) >= number:
        return 0.9
    return 0.0


_FULL_STOPS = ("。", "오.", "요.", "다.", "ें।", "ें.")


@cache
def _pointers() -> tuple[re.Pattern[str], re.Pattern[str]]:
    begins, ends = (read_patterns("others/pointers", heading) for heading in ("begins", "ends"))
    return re.compile(begins), re.compile(rf"{ends}[。.।]$")


def points_elsewhere(sentence: str) -> bool:
    """Tell whether a sentence in another language only says where to read on."""
    begins, ends = _pointers()
    return begins.match(sentence) is not None or (
        sentence.endswith(_FULL_STOPS) and ends.search(sentence[-20:]) is not None
    )
