"""Tell which language a text is in, by its script, letters and commonest words: enough to split it into sentences."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

from memsum.languages import read_groups, read_lists

_CODE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_PIECES, _PIECE = 5, 4_000  # characters looked at: so many pieces of this length, spread over the text
_LEAST_SHARE = 0.08  # of the words must be among a language's commonest
_LEAST = 0.6  # score of a language: 1 for a word that no other has
_OF_LETTERS = 0.5  # score of a letter that no other has; so much is taken off for one that a language has not
_RIVAL = 0.07  # of a language's score, by words that it has not; of 0.05, 0.07, 0.12 it tells 10 % from none best
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Each byte in lower case, or a space where it cannot be of a word.
_OF_WORDS = bytes(
    code if code >= 128 or code in b"abcdefghijklmnopqrstuvwxyz'" else 32 for code in bytes(range(256)).lower()
)

_FILE = "profiles"
_SCRIPTS = [line.split() for line in read_lists(_FILE)["scripts"]]
_SCRIPT_OF = bytearray(0x10000)  # for each character, 0 for none of them
for _number, (_, *_ranges) in enumerate(_SCRIPTS, 1):
    for _range in _ranges:
        _first, _last = int(_range[:4], 16), int(_range[5:], 16)
        _SCRIPT_OF[_first : _last + 1] = bytes([_number]) * (_last + 1 - _first)
_ASCII = re.compile(r"[\0-\x7f]+")  # the quick part of a text: its letters are all Latin
_NO_LETTERS = bytes(code for code in range(0x80) if not _SCRIPT_OF[code])
_OWN_LETTERS = [line.split() for line in read_lists(_FILE)["own letters"]]
_RUSSIAN = re.compile("[ыэё]")  # Bulgarian has none of these
_NORWEGIAN = ("kj", "gj", "sjon", "øy")  # Danish has nearly the same words, but hardly these letters
_COMMONEST = {code: frozenset(words.split()) for code, words in read_groups(_FILE, "commonest").items()}
_STARTERS = read_groups("others/abbreviations", "starters")
_NAMES = dict(line.split(" ", 1) for line in read_lists(_FILE)["names"])


def _invert(known: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return the languages that have each word, or letter."""
    languages: dict[str, list[str]] = {}
    for code, members in known.items():
        for member in members:
            languages.setdefault(member, []).append(code)
    return languages


_LANGUAGES_OF = _invert({code: words.union(_STARTERS.get(code, "").split()) for code, words in _COMMONEST.items()})
_LANGUAGES_WITH = _invert(dict(line.split() for line in read_lists(_FILE)["letters"]))


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language; None where too little of it is known."""
    return _detect(text)[0]


def detect_languages(text: str) -> tuple[str | None, bool]:
    """Return the code of a text's language, and whether parts of it may be in another."""
    language, rival = _detect(text)
    return language, rival >= _RIVAL


def _detect(text: str) -> tuple[str | None, float]:
    """Return the code of a text's language, and how much there is of another, of as much."""
    step = len(text) // _PIECES
    is_short = len(text) <= _PIECES * _PIECE
    sample = text if is_short else " ".join(text[at : at + _PIECE] for at in range(0, _PIECES * step, step))
    foreign = 0.0
    if not sample.isascii():
        sample = unicodedata.normalize("NFC", sample)
        counts = _letters(sample)
        latin = counts.pop("latin")
        most = max(counts, key=counts.__getitem__)
        # A letter of these scripts says about as much as two or three of the Latin one.
        foreign = 2 * counts[most]
        if foreign > latin:
            language = _by_letters(sample, most, counts)
            others = [count for code, count in counts.items() if code != most and not {code, most} <= {"zh", "ja"}]
            return language, max(latin, 2 * max(others)) / foreign
        foreign /= max(latin, 1)
    words = _count_words(sample)
    known = [(_LANGUAGES_OF[word], words[word]) for word in words.keys() & _LANGUAGES_OF.keys()]
    scores, hits, apart = dict.fromkeys(_COMMONEST, 0.0), dict.fromkeys(_COMMONEST, 0), dict.fromkeys(_COMMONEST, 0.0)
    for codes, count in known:
        for code in codes:
            scores[code] += count / len(codes)
            hits[code] += count
    most = max(scores, key=scores.__getitem__)
    for codes, count in known:
        for code in codes if most not in codes else ():
            apart[code] += count / len(codes)
    rival = max(foreign, max(apart.values()) / max(scores[most], 1))
    scores["no"] += _OF_LETTERS * sum(map(sample.count, _NORWEGIAN)) * (scores["no"] > 0)
    if not sample.isascii():
        # What letters beside a to z tell of Latin languages.
        letters = Counter(filter(_LANGUAGES_WITH.__contains__, _ASCII.sub("", sample.lower())))
        for code in scores:
            scores[code] -= _OF_LETTERS * letters.total()
        for letter, count in letters.items():
            for code in _LANGUAGES_WITH[letter]:
                scores[code] += _OF_LETTERS * count * (1 + 1 / len(_LANGUAGES_WITH[letter]))
    first, second = sorted(scores, key=scores.__getitem__, reverse=True)[:2]
    share = _LEAST_SHARE if rival < _RIVAL else _LEAST_SHARE / 2
    is_known = scores[first] >= (_LEAST if hits[first] > 1 else 1) and hits[first] >= share * words.total()
    is_clear = scores[first] > scores[second] or "en" not in (first, second)  # of two others either is nearer than none
    return first if is_known and is_clear else None, rival


def language_name(code: str) -> str | None:
    """Return the English name of a language, such as "German" for "de-AT"."""
    return _NAMES.get(code.replace("_", "-").partition("-")[0])


def is_language(code: object) -> bool:
    """Tell whether something has the form of a language's code, such as "de" or "pt-BR"."""
    return isinstance(code, str) and _CODE.fullmatch(code) is not None


def _count_words(sample: str) -> Counter[str]:
    """Count words in lower case; `_WORD` sees only those that are not of plain letters."""
    spaced = sample.encode("utf-8", "surrogatepass").translate(_OF_WORDS)
    words = Counter(spaced.decode("utf-8", "surrogatepass").split())
    for other in [word for word in words if "'" in word or not word.isascii()]:
        count = words.pop(other)
        for word in _WORD.findall(other.lower()):
            words[word] += count
    return words


def _letters(sample: str) -> dict[str, int]:
    counts = [0] * (len(_SCRIPTS) + 1)
    counts[_SCRIPT_OF[ord("a")]] = len(sample.encode("ascii", "ignore").translate(None, _NO_LETTERS))
    for character, count in Counter(_ASCII.sub("", sample)).items():
        if ord(character) < len(_SCRIPT_OF):
            counts[_SCRIPT_OF[ord(character)]] += count
    return dict(zip((script for script, *_ in _SCRIPTS), counts[1:], strict=True))


def _by_letters(sample: str, most: str, counts: dict[str, int]) -> str:
    """Return the language of a script, where some letters or another script beside it tell its languages apart."""
    if most in ("zh", "ja"):
        return "ja" if 10 * counts["ja"] > counts["zh"] else "zh"
    for code, script, letters in _OWN_LETTERS:
        if script == most and 100 * sum(map(sample.lower().count, letters)) > counts[most]:
            return code
    if most == "ru" and 200 * sample.count("ъ") > counts[most] and not _RUSSIAN.search(sample):
        return "bg"
    return most
