"""Which sentences make poor quotes whatever they are about: labels, fragments, roadmaps, pleasantries, boilerplate.

A rule on wording alone, without weights. A sentence that speaks of its document ("Section 2 presents ..."), to its
listeners ("Thank you very much.") or of nothing ("For example,") tells a reader nothing. Results, conclusions, aims,
holdings, requirements and speech are fine; where the wording leaves doubt, the number is below one half.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memsum.english.cue_words import (
    BEGINNING_LOST,
    BY_WORD,
    CLAUSE,
    CUES,
    DANGLING,
    EMPTY,
    FILLERS,
    IN_CITATIONS,
    LEADING,
    OF_BILLS,
    SHORT,
    SPOKEN,
    STATING,
    VERBS,
)

READ = 400  # characters of a sentence that are looked at
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


def poor_quotes(sentences: Sequence[str]) -> NDArray[np.float32]:
    """For each sentence of a document, as it stands there, a number from 0 (fine) to 1 (a poor quote)."""
    cased = _is_cased(sentences)
    return np.fromiter((_poorness(sentence, cased) for sentence in sentences), np.float32, len(sentences))


def _is_cased(sentences: Sequence[str]) -> bool:
    """Whether the document has capital letters; in text made lowercase a small beginning means nothing."""
    parts = [sentence[:READ] for sentence in sentences[:50]]
    return 2 * sum(part != part.lower() for part in parts) > len(parts)


def _poorness(sentence: str, cased: bool) -> float:
    whole = len(sentence) <= READ  # otherwise nothing is known of its end
    text = sentence[:READ].strip(_QUOTES)
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
    poor = _beginning(text, low, words, cased)
    if whole:
        poor = max(poor, _ending(low, words))
        if len(words) <= SHORT:
            poor = max(poor, _short(body, words, listed=mark is not None))
    if len(words) <= 40:
        poor = max(poor, _citation(body, low, words, cased))
    for word in CUES.intersection(words):
        for rule in BY_WORD[word]:
            if poor < rule.poor and len(words) <= rule.most and rule.finds(low):
                poor = rule.poor
    return poor


def quoted_words(text: str) -> str:
    """A sentence without quotation marks, the name of a speaker, and the mark of a list."""
    body = _without_speaker(text.strip(_QUOTES))
    mark = _LIST_MARK.match(body)
    return body[mark.end() :].strip(_QUOTES) if mark else body


def _words(low: str) -> list[str]:
    """The words without marks; several times faster than a pattern or `str.translate`."""
    if not low.isascii():
        for mark in "“”‘’–—…":
            low = low.replace(mark, " ")
    return low.encode(errors="replace").translate(_TO_SPACES).decode().split()


def _without_speaker(text: str) -> str:
    """The words of a turn in a transcript ("Project Manager: ...")."""
    colon = text.find(": ", 0, 42)
    if colon < 0:
        return text
    names = text[:colon].split()
    return text if len(names) > 5 or any(name[0].islower() for name in names) else text[colon + 2 :].strip(_QUOTES)


def _ending(low: str, words: list[str]) -> float:
    """Questions, what only leads to something else, and sentences that break off."""
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
    if last in "—–-":
        return 0.3 if OF_BILLS.isdisjoint(words) else 0.7
    if last.isalnum() and words[-1] in DANGLING and not low.endswith(("; and", "; or")):
        return 0.8 if number <= 30 and " . " not in low else 0.3
    if (".." in low or ". . ." in low or "……" in low or "__" in low) and _CONTENTS_LINE.search(low):
        return 1.0
    return 0.0


def _short(body: str, words: list[str], *, listed: bool) -> float:
    """Labels, turns of small talk, and sentences too slight to be understood alone."""
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
    """Headers, captions, pointers, and sentences whose beginning is lost."""
    if len(words) <= 30 and (_HEADER.match(text) or low.startswith(("©", "copyright ©", "copyright 1", "copyright 2"))):
        return 0.9
    if _CAPTION.match(low) or low.count("|") > 2 or low.startswith(("+--", "---")):
        return 0.8
    if "see" in low[:60] and len(words) <= 40 and _SEE.match(low):
        return 0.8 if any(character.isdigit() for character in low) or "supplement" in low or "section" in low else 0.4
    if cased and text[:1].islower():
        return 0.7 if words[0] in BEGINNING_LOST and len(words) <= 25 else 0.3
    return 0.0


def _citation(body: str, low: str, words: list[str], cased: bool) -> float:
    """Bare citations and scraps of formulas."""
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
