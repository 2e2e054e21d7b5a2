"""The tokenizer: raw text and the pre-tokenized corpora of this field give the same tokens.

`"(n=12) 6-year-old"` and `"( n = 12 ) 6-year - old"` are both `( n = 12 ) 6 year old`. To get there, hyphens, slashes
and quotes only separate; numbers above 99 keep their shape, not their value (`0.05` → `#.##`); and citations, which
some corpora have cut out and others not, are dropped.
"""

from __future__ import annotations

import re
import unicodedata

# Vowels and other signs that stand on letters, for a class of a pattern; Python counts none of them as a letter.
SIGNS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u094f"
    r"\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0acd"
    r"\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03"
    r"\u0d3b-\u0d4d\u0d81-\u0d83\u0dca-\u0ddf\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u102b-\u103e"
    r"\u17b4-\u17d3\u200c\u200d"
)
# Letters of scripts that put no space between words, from first to last; and for a class of a pattern.
UNSPACED_RANGES = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3041, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
)
UNSPACED = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED_RANGES)
_CITATION = re.compile(
    r"""
      \[ \s* \d{1,3} (?: \s* [,;–—-]+ \s* \d{1,3} )* \s* \]      # [ 1 ], [2,3], [4–7]
    | \( [^()]{0,300}? \bet\s+al\b [^()]{0,300}? \)              # (Smith et al., 2019; …)
    | @xcite
    """,
    re.VERBOSE,
)
_NUMBER = r"\d+ (?: [.,]\d+ )*"  # 12   0.05   1,234.5
_WORD = r"[^\W\d_] [^\W_]*"  # patients   p53   h2o
_MARK = r"""[^\w\s"'`‘’“”„«»/⁄\\_‐‑‒–—―−\ud800-\udfff-]"""  # a punctuation mark or symbol; no half of a surrogate pair
_GENITIVE = r"['’]s\b"  # fisher 's
_CONTRACTED = r"""
      n['’]t\b                    # do n't
    | [^\W\d_]+? (?= n['’]t\b )   # do|n't
    | can (?= not\b )             # can|not
"""
_TOKEN = re.compile(f"{_CONTRACTED} | {_WORD} | {_NUMBER} | {_MARK} | {_GENITIVE}", re.VERBOSE)
# The same where nothing is contracted, and in ASCII: two and three times as fast, and most sentences are so.
_PLAIN_TOKEN = re.compile(f"{_WORD} | {_NUMBER} | {_MARK} | {_GENITIVE}", re.VERBOSE)
_ASCII_TOKEN = re.compile(rf"[a-z] [a-z0-9]* | {_NUMBER} | {_MARK} | {_GENITIVE}", re.VERBOSE)
# How ASCII without these is split: spaces around marks, and instead of what only separates.
_UNPLAIN = frozenset(b"0123456789'")
_LETTERS_AND_SPACES = bytes(code for code in range(128) if chr(code).isalpha() or chr(code).isspace())
_SPACED = {code: (chr(code), f" {chr(code)} " if re.match(_MARK, chr(code)) else " ") for code in range(128)}
# Longer runs without a space are cut here: no word is as long, and the marks on one letter alone can be a megabyte,
# which Unicode's normal form sorts in quadratic time.
LONGEST_WORD = 1000
_LONG_WORD = re.compile(rf"(\S{{{LONGEST_WORD}}})\S+")
_FORMULA = re.compile(r"@xmath\d*")  # how the arXiv corpus marks a formula
_DIGIT = re.compile(r"\d")
_LONG_NUMBER = re.compile(r"\d[\d.,]\d")
_SHAPE = {ord(digit): "#" for digit in "0123456789"}
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]"}
_BRACKET = re.compile("|".join(_BRACKETS))


def tokenize(text: str) -> list[str]:
    """Split a sentence into lower-case tokens; of a word longer than `LONGEST_WORD` only its beginning is read."""
    if len(text) > LONGEST_WORD:
        text = _LONG_WORD.sub(r"\1", text)
    text = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()
    if "@x" in text:
        text = _FORMULA.sub(" x ", text)
    if "rb-" in text or "sb-" in text:
        text = _BRACKET.sub(lambda match: _BRACKETS[match[0]], text)
    if "[" in text or "(" in text or "@" in text:
        text = _CITATION.sub(" ", text)
    is_ascii = text.isascii()
    if is_ascii and "cannot" not in text:
        marks = set(text.encode().translate(None, _LETTERS_AND_SPACES))
        if _UNPLAIN.isdisjoint(marks):  # the same tokens, faster than by any pattern
            for mark in marks:
                text = text.replace(*_SPACED[mark])
            return text.split()
    if "n't" in text or "n’t" in text or "cannot" in text:
        tokens = _TOKEN.findall(text)
    else:
        tokens = (_ASCII_TOKEN if is_ascii else _PLAIN_TOKEN).findall(text)
    if "’" in text:
        tokens = [token.replace("’", "'") for token in tokens]
    if _LONG_NUMBER.search(text) or not is_ascii:
        tokens = [_shape(token) if token[0].isdigit() else token for token in tokens]
    return tokens


def _shape(number: str) -> str:
    """Keep 0 to 99; of any other number, keep its shape."""
    if len(number) <= 2:
        return number
    return number.translate(_SHAPE) if number.isascii() else _DIGIT.sub("#", number)
