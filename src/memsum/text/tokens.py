"""The tokenizer: raw text and the pre-tokenised corpora of this field give the same tokens.

`"(n=12) 6-year-old"` and `"( n = 12 ) 6-year - old"` are both `( n = 12 ) 6 year old`. To get there, hyphens, slashes
and quotes only separate; numbers above 99 keep their shape, not their value (`0.05` → `#.##`); and citations, which
some corpora have cut out and others not, are dropped.
"""

from __future__ import annotations

import re
import unicodedata

# Letters of scripts that put no space between words, for a class of a pattern.
UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
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
    if is_ascii and (plain := _split_plain(text)) is not None:
        return plain
    if "n't" in text or "n’t" in text or "cannot" in text:
        tokens = _TOKEN.findall(text)
    else:
        tokens = (_ASCII_TOKEN if is_ascii else _PLAIN_TOKEN).findall(text)
    if "’" in text:
        tokens = [token.replace("’", "'") for token in tokens]
    if _LONG_NUMBER.search(text) or not is_ascii:
        tokens = [_shape(token) if token[0].isdigit() else token for token in tokens]
    return tokens


def _split_plain(text: str) -> list[str] | None:
    """The same tokens of ASCII without digits, apostrophes and contractions; to split is faster than any pattern."""
    marks = set(text.encode().translate(None, _LETTERS_AND_SPACES))
    if not _UNPLAIN.isdisjoint(marks) or "cannot" in text:
        return None
    for mark in marks:
        text = text.replace(*_SPACED[mark])
    return text.split()


def _shape(number: str) -> str:
    """Keep 0 to 99; of any other number, keep its shape."""
    if len(number) <= 2:
        return number
    return number.translate(_SHAPE) if number.isascii() else _DIGIT.sub("#", number)
