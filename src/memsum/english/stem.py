"""Word forms: stems that all forms of a word share (Porter's second English stemmer), and singulars."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from memsum.english import word_set

_VOWELS = frozenset("aeiouy")
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_BEFORE_LI = frozenset("cdeghkmnrt")
_SHORTEST = 3  # letters; shorter words have no endings
# Words whose endings only look like endings, and their stems.
_IRREGULAR = {
    **{word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")},
    **{"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie"},
    **{"idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl"},
}
# Past forms that no ending tells; not those that are mostly another word ("left", "rose").
PAST = {
    **{"paid": "pay", "bought": "buy", "sold": "sell", "told": "tell", "said": "say", "made": "make"},
    **{"had": "have", "took": "take", "taken": "take", "gave": "give", "given": "give", "went": "go"},
    **{"gone": "go", "came": "come", "became": "become", "began": "begin", "begun": "begin", "ran": "run"},
    **{"held": "hold", "kept": "keep", "sent": "send", "spent": "spend", "lent": "lend", "built": "build"},
    **{"brought": "bring", "thought": "think", "taught": "teach", "caught": "catch", "sought": "seek"},
    **{"fought": "fight", "met": "meet", "won": "win", "lost": "lose", "got": "get", "gotten": "get"},
    **{"sat": "sit", "stood": "stand", "understood": "understand", "found": "find", "grew": "grow"},
    **{"grown": "grow", "knew": "know", "known": "know", "shown": "show", "drew": "draw", "drawn": "draw"},
    **{"threw": "throw", "thrown": "throw", "flew": "fly", "flown": "fly", "wrote": "write", "written": "write"},
    **{"drove": "drive", "driven": "drive", "spoke": "speak", "spoken": "speak", "broke": "break"},
    **{"broken": "break", "chose": "choose", "chosen": "choose", "fell": "fall", "fallen": "fall"},
    **{"risen": "rise", "ate": "eat", "eaten": "eat", "seen": "see", "wore": "wear", "worn": "wear"},
    **{"stole": "steal", "stolen": "steal", "forgot": "forget", "forgotten": "forget", "hid": "hide"},
    **{"hidden": "hide", "slept": "sleep", "sank": "sink", "sunk": "sink", "drank": "drink", "drunk": "drink"},
    **{"swam": "swim", "sang": "sing", "sung": "sing", "rang": "ring", "fed": "feed", "led": "lead"},
    **{"dealt": "deal", "meant": "mean", "felt": "feel", "heard": "hear"},
}
_WHOLE = word_set("inning outing canning herring earring proceed exceed succeed")
# Beginnings that end before a suffix may: "university" and "universe", "organization" and "organ" are different words.
_PREFIXES = ("gener", "commun", "arsen", "univers", "later", "emerg", "organ")
# Suffixes of each step and what replaces them.
_DERIVED = {
    **{"tional": "tion", "enci": "ence", "anci": "ance", "abli": "able", "entli": "ent", "izer": "ize"},
    **{"ization": "ize", "ational": "ate", "ation": "ate", "ator": "ate", "alism": "al", "aliti": "al", "alli": "al"},
    **{"fulness": "ful", "ousli": "ous", "ousness": "ous", "iveness": "ive", "iviti": "ive", "biliti": "ble"},
    **{"bli": "ble", "ogi": "og", "fulli": "ful", "lessli": "less", "li": ""},
}
_QUALITIES = {
    **{"tional": "tion", "ational": "ate", "alize": "al", "icate": "ic", "iciti": "ic", "ical": "ic"},
    **{"ful": "", "ness": "", "ative": ""},
}
_LAST = word_set("al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return what the forms of an English word in lower case have in common: "save" of saved, saves and savings."""
    word = word.replace("’", "'").strip("'").removesuffix("'s")
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return word
    word = PAST.get(word, word)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = _mark_consonants(word)
    first = next((len(prefix) for prefix in _PREFIXES if word.startswith(prefix)), None)
    first = _region(word, 0) if first is None else first
    second = _region(word, first)
    word = _without_plural(word)
    if word not in _WHOLE:
        word = _without_inflection(word, first)
        if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
            word = word[:-1] + "i"
        word = _without_derivation(word, first)
        word = _without_quality(word, first, second)
        suffix = _longest(word, _LAST)
        if suffix and len(word) - len(suffix) >= second and (suffix != "ion" or word[-4] in "st"):
            word = word.removesuffix(suffix)
        word = _without_e(word, first, second)
    return word.lower()


def singular(noun: str) -> str:
    """Return a noun in lower case without the ending of its plural."""
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    if noun.endswith(("ses", "xes", "ches", "shes")):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) else noun


def _mark_consonants(word: str) -> str:
    """Capitalize each "y" that is a consonant: at the beginning, and after a vowel."""
    if "y" not in word:
        return word
    letters = list(word)
    for i, letter in enumerate(letters):
        if letter == "y" and (i == 0 or letters[i - 1] in _VOWELS):
            letters[i] = "Y"
    return "".join(letters)


def _region(word: str, start: int) -> int:
    """Return where the region behind the first consonant that follows a vowel begins."""
    for i in range(start + 1, len(word)):
        if word[i] not in _VOWELS and word[i - 1] in _VOWELS:
            return i + 1
    return len(word)


def _has_vowel(part: str) -> bool:
    return not _VOWELS.isdisjoint(part)


def _ends_short(word: str) -> bool:
    """Tell whether a word ends in a short syllable: "hop", "at"."""
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    return (
        len(word) > 2
        and word[-1] not in _VOWELS
        and word[-1] not in "wxY"
        and word[-2] in _VOWELS
        and word[-3] not in _VOWELS
    )


def _longest(word: str, suffixes: Collection[str]) -> str:
    return next((word[i:] for i in range(max(0, len(word) - 7), len(word)) if word[i:] in suffixes), "")


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _without_inflection(word: str, first: int) -> str:
    """Remove the endings of verbs: agreed, walking, hopped."""
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            return f"{word.removesuffix(ending)}ee" if len(word) - len(ending) >= first else word
    ending = next((ending for ending in ("ingly", "edly", "ing", "ed") if word.endswith(ending)), "")
    short = word.removesuffix(ending)
    if not ending or not _has_vowel(short):
        return word
    if short.endswith(("at", "bl", "iz")):
        return f"{short}e"
    if short.endswith(_DOUBLES):
        return short[:-1]
    return f"{short}e" if len(short) <= first and _ends_short(short) else short


def _without_derivation(word: str, first: int) -> str:
    suffix = _longest(word, _DERIVED)
    short = word.removesuffix(suffix)
    if not suffix or len(short) < first:
        return word
    if (suffix == "ogi" and not short.endswith("l")) or (suffix == "li" and short[-1] not in _BEFORE_LI):
        return word
    return short + _DERIVED[suffix]


def _without_quality(word: str, first: int, second: int) -> str:
    suffix = _longest(word, _QUALITIES)
    short = word.removesuffix(suffix)
    if not suffix or len(short) < (second if suffix == "ative" else first):
        return word
    return short + _QUALITIES[suffix]


def _without_e(word: str, first: int, second: int) -> str:
    short = word[:-1]
    if word.endswith("e") and (len(short) >= second or (len(short) >= first and not _ends_short(short))):
        return short
    return short if word.endswith("ll") and len(short) >= second else word
