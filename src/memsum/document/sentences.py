"""Find where sentences begin and end: rules about the words around each mark, with word lists for each language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from memsum.languages import read_groups, read_words

_english = partial(read_words, "english/abbreviations")


def _others(heading: str) -> dict[str, frozenset[str]]:
    return {code: frozenset(words.split()) for code, words in read_groups("others/abbreviations", heading).items()}


# What these words are is written above the lists.
_CONTINUING, _TITLES, _BEFORE_NUMBER = _english("continuing"), _english("titles"), _english("before number")
_CLOSING, _LETTERED, _STARTERS = _english("closing"), _english("lettered"), _english("starters")
_CLEAR_STARTERS, _HOURS, _ZONES = _english("clear starters"), _english("hours"), _english("zones")
_CONTINUING_IN, _CLOSING_IN, _STARTERS_IN = _others("continuing"), _others("closing"), _others("starters")
_BEHIND_NUMBER_IN, _BEFORE_ORDINAL_IN = _others("behind number"), _others("before ordinal")
_WITH_ORDINALS = read_words("others/abbreviations", "with ordinals")
_WITH_CAPITALS = read_words("others/abbreviations", "with capitals")
_IN_CAPITALS = read_words("others/abbreviations", "in capitals")

_LINE = re.compile(
    r"""(?:
        [^\S\n]*(?:(?P<bullet>[•‣◦▪●■*–-]) | \(?(?P<label>[0-9]{1,3}|[a-z])[.)])[^\S\n]+(?=\S)
        | (?P<resumed>(?=[A-Z]))
    )""",
    re.VERBOSE,
)
_REACH = 40  # characters looked back for the end of the line before
_SHORT_LINE = 50  # characters; a shorter line did not end because it was full


class ItemSpan(NamedTuple):
    """A stretch of text: a list item, whose `content` begins behind its marker, or what stands before a list."""

    start: int
    content: int
    end: int

    @property
    def is_item(self) -> bool:
        return self.content > self.start


def split_items(text: str, start: int, end: int) -> Iterator[ItemSpan]:
    """Cut at list items, and where a list that no blank line ends gives way to ordinary text."""
    first = content = start
    previous = ""
    for line in _lines(text, start, end):
        before = text[max(first, line.start() - _REACH) : line.start()].rstrip()
        if line["resumed"] is not None:
            label = ""
            line_before = max(first, text.rfind("\n", first, max(first, line.start() - 1)) + 1)
            is_cut = previous != "" and line.start() - line_before <= _SHORT_LINE
        else:
            label = line["label"] or "•"
            is_cut = _is_item(label, line["bullet"], previous, opens=not before or before[-1] in ":.;?!")
        if is_cut:
            if line.start() > first:
                yield ItemSpan(first, content, line.start())
            first, content, previous = line.start(), line.end(), label
    if end > first:
        yield ItemSpan(first, content, end)


def _lines(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield where `_LINE` matches: only the beginnings of lines are tried, not every character."""
    at = start
    while 0 <= at < end:
        line = _LINE.match(text, at, end)
        if line:
            yield line
        at = text.find("\n", at, end) + 1 or -1


def _is_item(label: str, bullet: str | None, previous: str, *, opens: bool) -> bool:
    """Return a bullet after a finished line or another item, a label that begins or continues a count."""
    if bullet:
        return opens or previous == "•" or bullet not in "*–-"
    if label.isdecimal():
        return previous == str(int(label) - 1) or (opens and label == "1")
    return previous == chr(ord(label) - 1) or (opens and label == "a")


# A space may be missing before these: "is done.However, it". Names in code, such as "time.Now", are none of them.
_CAPITALISED = "|".join(sorted(word.capitalize() for word in _CLEAR_STARTERS))
_BREAKS = "\n\r\f\v\u2029"
_BREAK = re.compile(r"(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*(?:\r\n|\r|\n)\s*|[\f\v\u2029]\s*")
_TERMINATOR_PATTERN = (
    r"""
    (?P<mark>[.!?…؟۔।॥։።](?<![.!?…]{2})(?:(?<=[.])(?:\s\.){1,8} | [.!?…؟]*))
    (?P<close>["'”’»«“)\]}*_]*(?:[\s\u202f]»)?)
    (?P<cite>                                   # a citation set behind the period belongs to the sentence before it
        (?: (?:,?\s?\[[\s^]?\d[\d\s,;–-]{0,60}\]){1,9}
          | (?<=[.])\(\d[\d\s,;–-]{0,60}\)
          | (?:(?<=[a-z)\]%][.])|(?<=\b(?:19|20)\d\d[.]))\d{1,3}(?:[,–-]\s?\d{1,3}){0,9}
        )(?=\s+["“(]?[A-Z])
    )?
    (?P<gap>\s+ | (?<=[a-z][a-z][!?])(?=[A-Z][a-z]) | (?<=[a-z0-9)\]%][.!?])(?=(?:"""
    rf"""{_CAPITALISED}"""
    r""")[\s,]))
    """
)
_TERMINATOR = re.compile(_TERMINATOR_PATTERN, re.VERBOSE)
# In other languages capitals have accents, or there are none: ".[36] É".
_FOREIGN_TERMINATOR = re.compile(_TERMINATOR_PATTERN.replace("[A-Z])", r"\w)"), re.VERBOSE)
_LAST_WORD = re.compile(r"[^\s(\[{\"“‘/*_–—-]+$")
_NEXT_WORD = re.compile(r"(?P<open>[\"“”„'‘’‚(\[{«»¿¡*_]*)\s?(?P<word>(?:[^\W_]+(?:[-'’][^\W_]+)*)?)(?P<dot>\.?)")
# Marks of scripts that put no space behind a sentence, with the brackets they close; and "!" or "?" used like them.
_FULL_STOP = re.compile(
    r"(?:[。！？｡]|[!?](?=[\u3041-\u30ff\u3400-\u9fff]))[。！？｡!?…]*(?P<close>[」』”’》）〉】)]*)"
    r"(?:,?\s?\[\d[\d\s,;–-]{0,60}\])*"
)
# Closing marks and citations that end a segment: no sentence of their own.
_REST = re.compile(r"(?:[\s.,;\"”’»«)\]」』）]|\[[\s^]?\d[\d\s,;–-]{0,60}\])*")
_LABEL = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivx]{1,5}|[IVX]{1,5})[.)\]]*$")
_NUMBER_SIGN = re.compile(r"#\d")  # "the new policy. #40"
_IN_WORDS = {ord(mark): None for mark in "'’-"}
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]$")

_PAIRS = tuple((pair[0], pair[1]) for pair in ("()", "[]", "“”", "「」", "『』", "（）", "«»", "»«", "”“"))
_WORD_REACH = 40  # characters looked back for the last word
_QUOTED_SENTENCE = 3  # spaces in a sentence that begins a quotation of several
_PAIR_REACH = 250  # characters looked back and ahead for the two ends of a quotation or bracket


def split_sentences(text: str, language: str | None = None) -> list[tuple[int, int]]:
    """Offsets of the sentences of one block of text: trimmed, in order, without overlap; None is taken for English."""
    return list(each_sentence(text, language))


def each_sentence(text: str, language: str | None = None) -> Iterator[tuple[int, int]]:
    """Yield what `split_sentences` lists."""
    for start, end in _segments(text):
        for stop in _stops(text, start, end, language or "en"):
            chunk = text[start:stop]
            stripped = chunk.strip()
            if stripped:
                first = start + len(chunk) - len(chunk.lstrip())
                yield first, first + len(stripped)
            start = stop


def _segments(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts that no sentence crosses: between blank lines, and the items of lists."""
    start = 0
    gaps = _BREAK.finditer(text) if any(character in text for character in _BREAKS) else ()
    for gap in gaps:
        for span in split_items(text, start, gap.start()):
            yield from _full_stops(text, span.start, span.end)
        start = gap.end()
    for span in split_items(text, start, len(text)):
        yield from _full_stops(text, span.start, span.end)


def _full_stops(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a segment between marks that end a sentence without a space, such as "。"."""
    first = start
    marks = () if text.isascii() else _FULL_STOP.finditer(text, start, end)
    for mark in marks:
        at = mark.end()
        goes_on = mark["close"] and at < end and text[at].isalpha()  # "「行く。」と言った。"
        if at < end and not goes_on and not _is_inside_pair(text, first, at, end):
            yield first, at
            first = at
    yield first, end


def _stops(text: str, start: int, end: int, language: str) -> Iterator[int]:
    """Yield where each sentence of a segment ends, white space behind it included."""
    cased = text[start:end] != text[start:end].lower()
    first = start
    for mark in (_TERMINATOR if language == "en" else _FOREIGN_TERMINATOR).finditer(text, start, end):
        if mark.end() == end:
            break
        ahead = _NEXT_WORD.match(text, mark.end(), end)
        said = text[first : min(mark.start(), first + _PAIR_REACH)]
        if ahead is None or not any(map(str.isalnum, said)):  # "»… Ich"
            continue
        if end - mark.end() < _PAIR_REACH and _REST.fullmatch(text, mark.end(), end):
            break
        if _ends_sentence(text, first, mark, ahead, language, cased=cased):
            yield mark.end()
            first = mark.end()
    yield end


def _ends_sentence(
    text: str, first: int, mark: re.Match[str], ahead: re.Match[str], language: str, *, cased: bool
) -> bool:
    """Tell whether a mark ends the sentence that began at `first`: the first matching rule decides."""
    word = ahead["word"]
    if not word and not ahead["open"]:
        if _NUMBER_SIGN.match(text, mark.end()):
            return False
        return text[mark.end()] not in ",;:)]}%=<>/|–—-+±×§€"
    if _is_inside_pair(text, first, mark.end("close"), mark.endpos):
        return False
    lower = cased and word.islower() and word.translate(_IN_WORDS).isalpha()
    if mark["mark"] != ".":
        return not lower

    before = text[max(first, mark.start() - _WORD_REACH) : mark.start()]
    spaced = before[-1:].isspace()  # pre-tokenised text: "was seen . the patients"
    before = before.rstrip()
    found = _LAST_WORD.search(before, before.rfind(" ") + 1)
    last = found[0] if found else ""
    key = last.lower()
    if language != "en" and spaced and lower:  # "con un . al inicio"
        return False
    if language != "en" and not spaced:
        return _ends_foreign_sentence(last, before, mark, ahead, language, lower=lower)
    is_set_off = word[:1].isupper() or spaced
    starts = is_set_off and word.lower() in _STARTERS and not ahead["dot"]

    if _LABEL.match(last) and _stands_first(before[: -len(last)].rstrip(), mark.start() - first):
        return False
    if key in _CONTINUING or (key in _TITLES and (last.istitle() or not cased)):
        return False
    if mark["cite"]:
        return True
    if key in _BEFORE_NUMBER and (
        any(map(str.isdigit, word)) or (key != "no" and last.istitle() and _ROMAN.fullmatch(word))
    ):
        return False
    if key in _HOURS and (word in _ZONES or any(map(str.isdigit, word))):
        return False
    if _INITIALS.match(last):
        if mark["close"] or (ahead["dot"] and len(word) == 1):
            return False
        return starts or (is_set_off and (last.islower() or _names_by_letter(before)))
    if "." in last and not word[:1].isalpha():  # "H.J.Res. 114"
        return False
    if key in _CLOSING and not last.isupper():
        return starts and not mark["close"]
    # A short word may be an unknown abbreviation, or a number in a list.
    is_short = len(last) <= 2 if last.isdecimal() else len(last) <= 4 and last.isalpha()
    return spaced or not lower or not (mark["close"] or is_short)


def _ends_foreign_sentence(
    last: str, before: str, mark: re.Match[str], ahead: re.Match[str], language: str, *, lower: bool
) -> bool:
    """Tell whether a period between two words ends a sentence that is not English: the first matching rule decides."""
    language, word = language.partition("-")[0], ahead["word"]
    if len(last) > _LONGEST_ABBREVIATION and last.isalpha() and word[:1].isupper():
        return True
    if lower:
        return False
    if _LABEL.match(last) and _stands_first(before[: -len(last)].rstrip(), len(before)):
        return False
    if mark["cite"] or (last.endswith((")", "]")) and word[:1].isalpha() and not word[:1].islower()):
        return True
    starters, key = _STARTERS_IN.get(language, _NOTHING), word.lower().replace("’", "'")
    opens = key in starters or key[: key.find("'") + 1] in starters  # "L'eau"
    earlier = before[: -len(last)].split() if last else []
    is_ordinal = language in _WITH_ORDINALS and not mark["close"] and _ORDINAL.fullmatch(last)
    if is_ordinal and not before[: -len(last)].endswith(("-", "–")):  # "1952–66" counts nothing
        if earlier and earlier[-1].lower() in _BEFORE_ORDINAL_IN.get(language, _NOTHING):
            return False
        # Where nouns have small letters, a capital begins a sentence, unless it is another number: "60. XX wieku".
        has_nouns = language in _WITH_CAPITALS or _ORDINAL.fullmatch(word) or not word[:1].isalpha()
        return opens or not has_nouns
    found = _DOTTED.search(before)
    keys = {_ELISION.sub("", last.lower()), found[0].replace(" ", "").lower() if found else ""}
    if not keys.isdisjoint(_BEHIND_NUMBER_IN.get(language, _NOTHING)):
        return word[:1].isupper() and (opens or (bool(earlier) and earlier[-1][-1] in _COUNTING))
    if not keys.isdisjoint(_CLOSING_IN.get(language, _NOTHING)):
        return opens or (language not in _WITH_CAPITALS and word[:1].isupper())
    if last in _IN_CAPITALS:
        return False
    is_acronym = len(last) > 1 and last.isalpha() and last.isupper()  # "979 EC", unlike "ec."
    if not is_acronym and not keys.isdisjoint(_CONTINUING_IN.get(language, _NOTHING)):
        return mark["close"] != "" and opens
    if _INITIALS.match(last) and not mark["close"]:
        return opens and word[:1].isupper() and not ahead["dot"] and bool(earlier)  # "Vitamin C. Der"
    is_short = last.islower() and len(last) <= _PLAIN_WORD
    return not (is_short and len(word) > 1 and _ROMAN.fullmatch(word))  # "séc. XX"


_NOTHING: frozenset[str] = frozenset()
_ROMAN = re.compile(r"[IVX]{1,5}")
_ORDINAL = re.compile(rf"\d{{1,3}}|{_ROMAN.pattern}")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.[ \u00a0]?)+[^\W\d_]+$")  # "z. B", "т.е", "m.in"
_ELISION = re.compile(r"\w+['’](?=\w\w)")  # "l’art. 5"
_COUNTING = frozenset("0123456789IVXХ")  # last letters of numbers, Roman ones too; the last is Cyrillic
_PLAIN_WORD = 4  # letters
_LONGEST_ABBREVIATION = 7  # letters


def _is_inside_pair(text: str, first: int, at: int, end: int) -> bool:
    """Tell whether an offset is between a bracket or a quotation mark and its partner."""
    low, high = max(first, at - _PAIR_REACH), min(end, at + _PAIR_REACH)
    for left, right in _PAIRS:
        opened = text.rfind(left, low, at)
        if opened >= 0 and text.find(right, opened + 1, at) < 0 and _may_open(text, first, opened):
            if left in "“”«»" and _opens_with(text, first, opened, at):
                continue
            closed = text.find(right, at, high)
            if closed >= 0 and text.find(left, at, closed) < 0:
                return True
    opened = text.rfind('"', low, at)
    if opened < 0 or not (opened == first or text[opened - 1] in " \n(") or text[opened + 1].isspace():
        return False
    if _opens_with(text, first, opened, at):
        return False
    closed = text.find('"', at, high)
    return closed >= 0 and not text[closed - 1].isspace()


def _may_open(text: str, first: int, at: int) -> bool:
    """Tell whether a bracket or quotation mark opens: »German« marks are the « French » ones turned around."""
    if text[at] not in "«»“”":
        return True
    is_apart = at == first or text[at - 1].isspace() or text[at - 1] in "([{'’„“«–—-"
    is_before = text[at + 1 : at + 2].isalnum()
    return is_apart or is_before if text[at] in "«“" else is_apart and is_before


def _opens_with(text: str, first: int, opened: int, at: int) -> bool:
    """Tell whether a quotation begins with the sentence and already has words enough for one of its own."""
    return not text[first:opened].strip() and text.count(" ", opened, at) >= _QUOTED_SENTENCE


def _stands_first(before: str, length: int) -> bool:
    """Tell whether nothing, or the colon or semicolon of a list in the line, precedes a label such as "(a)"."""
    return (not before and length < _WORD_REACH) or before.endswith((":", ";"))


def _names_by_letter(before: str) -> bool:
    """Tell whether the single letter at the end names a group or a type rather than a person or a genus."""
    words = before.rsplit(None, 3)[-3:]
    if words[-2:-1] in (["and"], ["or"]):
        return len(words[0].rstrip(",")) == 1
    return len(words) > 1 and words[-2].lower() in _LETTERED
