"""Which language a text is in, by its script, letters and commonest words: enough to split it and know one's limits."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from memsum.multilingual.abbreviations import STARTERS

_CODE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_PIECES, _PIECE = 5, 4_000  # characters looked at: so many pieces of this length, spread over the text
_LEAST_SHARE = 0.08  # of the words must be among a language's commonest
_LEAST = 0.6  # score of a language: 1 for a word that no other has
_OF_LETTERS = 0.5  # score of a letter that no other has; so much is taken off for one that a language has not
_RIVAL = 0.12  # of the score of one language that another has, where a text may be in both
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Each byte in lower case, or a space where it cannot be of a word.
_OF_WORDS = bytes(
    code if code >= 128 or code in b"abcdefghijklmnopqrstuvwxyz'" else 32 for code in bytes(range(256)).lower()
)

# Letters that only one script has, from first to last; where several languages share it, the commonest is meant.
_SCRIPTS = {
    "latin": "AZazÀɏ",
    "zh": "\u3400\u4dbf\u4e00\u9fff\uf900\ufaff",
    "ja": "\u3041\u30ff",
    "ko": "\u1100\u11ff\uac00\ud7a3",
    "ru": "\u0400\u04ff",
    "el": "\u0370\u03ff",
    "ar": "\u0600\u06ff",
    "he": "\u0590\u05ff",
    "hi": "\u0900\u097f",
    "bn": "\u0980\u09ff",
    "ta": "\u0b80\u0bff",
    "te": "\u0c00\u0c7f",
    "th": "\u0e00\u0e7f",
    "hy": "\u0530\u058f",
    "ka": "\u10a0\u10ff",
    "am": "\u1200\u137f",
}
_SCRIPT_OF = np.zeros(0x10000, dtype=np.uint8)  # for each character, 0 for none of them
for _number, _ends in enumerate(_SCRIPTS.values(), 1):
    for _first, _last in zip(_ends[::2], _ends[1::2], strict=True):
        _SCRIPT_OF[ord(_first) : ord(_last) + 1] = _number
# Letters that tell a language from others of its script, if one in a hundred is among them.
_OWN_LETTERS = {
    "sr": ("ru", re.compile("[јљњћђџ]")),
    "be": ("ru", re.compile("[ў]")),
    "uk": ("ru", re.compile("[іїєґ]")),
    "ur": ("ar", re.compile("[ٹڈڑےہں]")),
    "fa": ("ar", re.compile("[پچژگیک]")),
}
_RUSSIAN = re.compile("[ыэё]")  # Bulgarian has none of these
_NORWEGIAN = re.compile("[kg]j|sjon|øy")  # Danish has nearly the same words, but hardly these letters
# Letters of Latin alphabets beside a to z.
_LETTERS = {
    "ca": "àçèéíïòóúü",
    "cs": "áčďéěíňóřšťúůýž",
    "da": "æøåé",
    "de": "äöüß",
    "es": "áéíñóúü",
    "fi": "äöå",
    "fr": "àâæçèéêëîïôœùûü",
    "hr": "čćđšž",
    "hu": "áéíóöőúüű",
    "it": "àèéìòù",
    "nl": "éëï",
    "no": "æøåéô",
    "pl": "ąćęłńóśźż",
    "pt": "ãáàâçéêíóôõú",
    "ro": "ăâîșțşţ",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "sv": "åäöé",
    "tr": "çğıöşüâî",
    "vi": "ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịĩọỏốồổỗộớờởỡợụủũứừửữựỳỵỷỹàáãèéìíòóõùúý",
}

_COMMONEST = {
    code: frozenset(words.split())
    for code, words in {
        "en": "the of and to in is was that for it with as on are by this be at from which have were not or we but "
        "a an he she they his her their has had been will would can may if there what when who all one more "
        "into about than them these those some also its you your do does how where because such other only no "
        "so shall should everyone any",
        "de": "der die und das den von zu mit ist des im nicht ein eine dem auf für sich auch es wurde wird bei "
        "nach dass sind aus er sie war wir oder einen einer",
        "fr": "le la les de des et du en un une est que qui dans pour par sur pas au plus ne ce il elle sont avec "
        "nous se aux cette été ont",
        "es": "el la los las de del que y en un una es por con para no se su al lo como más fue ha pero son sus "
        "este entre cuando",
        "it": "il la di che e un una per in non è si con del della dei le i gli da al sono nel come più anche alla "
        "ha ma dalla",
        "pt": "o a os as de do da que e em um uma para com não por se no na dos das é foi ao mais como mas são pelo "
        "pela",
        "nl": "de het een van en in is dat op te zijn met voor niet die aan er om ook als bij werd maar naar uit "
        "wordt hij zij",
        "sv": "och att det i en som är på för av med den till inte har de ett om var men sig så från han vi kan",
        "da": "og at det i en som er på for af med den til ikke har de et om var men sig så fra han vi kan blev "
        "efter også mod bliver hvad nogle noget nogen meget igen kun hvor hvis uden mellem gennem jeg mig dig "
        "selv være været gør når eller dette ved skal din enhver",
        "no": "og å det i en som er på for av med den til ikke har de et om var men seg så fra han vi kan ble etter "
        "også mot blir hva noen noe mye igjen bare hvor hvis uten mellom gjennom jeg meg deg selv være vært "
        "gjør når eller dette ved skal din enhver",
        "pl": "i w na z się nie do to że jest o jak po od za przez dla są był ale oraz tym został może która który "
        "lub aby można ma prawo każdy które jego być ze jej czy tylko tej ich bez także",
        "cs": "a v se na je že s z do o to jako za by ale jsou pro byl která který bylo jeho k po od při si být "
        "nebo pokud může lze aby ve pouze mezi také podle má mít každý právo jen které kteří není svého až "
        "než ani ze této tento",
        "tr": "ve bir bu da de için ile olarak daha olan çok en gibi kadar sonra ne ise ancak var değil oldu veya "
        "ya ki olabilir bunu şekilde diğer yeni içinde tarafından herkes hakkı her hiç kimse gerekir edilir "
        "üzere hakkında",
        "fi": "ja on ei että se oli hän ovat kun myös mutta joka ole tai kuin niin sekä mukaan voi jo jos sen tämä "
        "tämän jokaisella oikeus olla hänen sitä eli ne siitä vain mitä voit kaikki",
        "hu": "a az és hogy nem is egy ez volt meg csak már de van mint ki el még vagy azt amely",
        "vi": "và của là các có cho không được trong một những với này đã người khi để ở như từ về cũng đến theo "
        "tại nếu bạn thì sẽ phải đó cần nhiều hay hoặc làm ra vào còn mọi trên dùng quyền đều do việc",
        "id": "yang dan di dengan untuk dari pada ini adalah dalam itu tidak akan ke oleh sebagai juga atau karena "
        "telah dapat ada mereka bahwa",
        "ca": "el la els les de del que i en un una és per amb no es al com més va ha però són dels aquest aquesta",
        "hr": "i je u na se da su za od s o kao koji koja koje iz bi ali ili nije bio bila biti može te što sve "
        "samo prema ako kako kada također jer ima ovaj ova ovo nakon između svaki svatko ne po pri pravo bez "
        "mogu treba",
        "sk": "a v sa na je že s z do o to ako za by ale sú pre bol ktorá ktorý bolo jeho k po od pri aj si byť "
        "alebo ak môže možno aby vo len medzi tiež podľa má mať každý právo ktoré ktorí nie svojho až než ani "
        "zo tejto tento",
        "ro": "și de în la a cu pe că din nu este o un pentru mai care se au fost sau prin ca ce dar",
    }.items()
}


def _invert(known: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return the languages that have each word, or letter."""
    languages: dict[str, list[str]] = {}
    for code, members in known.items():
        for member in members:
            languages.setdefault(member, []).append(code)
    return languages


_LANGUAGES_OF = _invert({code: words | STARTERS.get(code, frozenset()) for code, words in _COMMONEST.items()})
_LANGUAGES_WITH = _invert(_LETTERS)


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language; None where too little of it is known."""
    return _detect(text)[0]


def detect_languages(text: str) -> tuple[str | None, bool]:
    """Return the code of a text's language, and whether parts of it may be in another."""
    language, rival = _detect(text)
    return language, rival >= _RIVAL


def _detect(text: str) -> tuple[str | None, float]:
    """Return the code of a text's language, and how much there is of another, of as much."""
    sample = _sample(text)
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
    scores, hits = dict.fromkeys(_COMMONEST, 0.0), dict.fromkeys(_COMMONEST, 0)
    for word in words.keys() & _LANGUAGES_OF.keys():
        for code in _LANGUAGES_OF[word]:
            scores[code] += words[word] / len(_LANGUAGES_OF[word])
            hits[code] += words[word]
    *_, second_best, best = sorted(scores.values())
    rival = max(foreign, second_best / max(best, 1))
    scores["no"] += _OF_LETTERS * len(_NORWEGIAN.findall(sample)) * (scores["no"] > 0)
    if not sample.isascii():
        _score_letters(scores, sample)
    first, second = sorted(scores, key=scores.__getitem__, reverse=True)[:2]
    share = _LEAST_SHARE if rival < _RIVAL else _LEAST_SHARE / 2
    is_known = scores[first] >= (_LEAST if hits[first] > 1 else 1) and hits[first] >= share * words.total()
    is_clear = scores[first] > scores[second] or "en" not in (first, second)  # of two others either is nearer than none
    return first if is_known and is_clear else None, rival


def _score_letters(scores: dict[str, float], sample: str) -> None:
    """Add what letters beside a to z tell of Latin languages to their scores."""
    letters = Counter(character for character in sample.lower() if character in _LANGUAGES_WITH)
    for code in scores:
        scores[code] -= _OF_LETTERS * letters.total()
    for letter, count in letters.items():
        for code in _LANGUAGES_WITH[letter]:
            scores[code] += _OF_LETTERS * count * (1 + 1 / len(_LANGUAGES_WITH[letter]))


_NAMES = {
    "ar": "Arabic",
    "be": "Belarusian",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "ca": "Catalan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "hy": "Armenian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ka": "Georgian",
    "ko": "Korean",
    "am": "Amharic",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sr": "Serbian",
    "sv": "Swedish",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}


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
    units = np.frombuffer(sample.encode("utf-16-le", "surrogatepass"), dtype="<u2")
    counts = np.bincount(_SCRIPT_OF[units], minlength=len(_SCRIPTS) + 1)
    return dict(zip(_SCRIPTS, counts[1:].tolist(), strict=True))


def _by_letters(sample: str, most: str, counts: dict[str, int]) -> str:
    """Return the language of a script, where some letters or another script beside it tell its languages apart."""
    if most in ("zh", "ja"):
        return "ja" if 10 * counts["ja"] > counts["zh"] else "zh"
    for code, (script, letters) in _OWN_LETTERS.items():
        if script == most and 100 * len(letters.findall(sample.lower())) > counts[most]:
            return code
    if most == "ru" and 200 * sample.count("ъ") > counts[most] and not _RUSSIAN.search(sample):
        return "bg"
    return most


def _sample(text: str) -> str:
    if len(text) <= _PIECES * _PIECE:
        return text
    step = len(text) // _PIECES
    return " ".join(text[at : at + _PIECE] for at in range(0, _PIECES * step, step))
