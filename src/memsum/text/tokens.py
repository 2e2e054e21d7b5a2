"""The tokenizer: raw text and the pre-tokenised corpora of this field give the same tokens.

`"(n=12) 6-year-old"` and `"( n = 12 ) 6-year - old"` are both `( n = 12 ) 6 year old`. To get there, hyphens, slashes
and quotes only separate; numbers above 99 keep their shape, not their value (`0.05` → `#.##`); and citations, which
some corpora have cut out and others not, are dropped.
"""

from __future__ import annotations

import re
import unicodedata

_CITATION = re.compile(
    r"""
      \[ \s* \d{1,3} (?: \s* [,;–—-]+ \s* \d{1,3} )* \s* \]      # [ 1 ], [2,3], [4–7]
    | \( [^()]{0,300}? \bet\s+al\b [^()]{0,300}? \)              # (Smith et al., 2019; …)
    | @xcite
    """,
    re.VERBOSE,
)
_TOKEN = re.compile(
    r"""
      \d+ (?: [.,]\d+ )*          # 12   0.05   1,234.5
    | n['’]t\b | ['’]s\b          # do n't   fisher 's
    | [^\W\d_]+? (?= n['’]t\b )   # do|n't
    | can (?= not\b )             # can|not
    | [^\W\d_] [^\W_]*            # patients   p53   h2o
    | [^\w\s"'`‘’“”„«»/⁄\\_‐‑‒–—―−\ud800-\udfff-]  # one punctuation mark or symbol; no half of a surrogate pair
    """,
    re.VERBOSE,
)
_FORMULA = re.compile(r"@xmath\d*")  # how the arXiv corpus marks a formula
_DIGIT = re.compile(r"\d")
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]"}
_BRACKET = re.compile("|".join(_BRACKETS))


def tokenize(text: str) -> list[str]:
    """Split a sentence into lower-case tokens."""
    text = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()
    if "@x" in text:
        text = _FORMULA.sub(" x ", text)
    if "rb-" in text or "sb-" in text:
        text = _BRACKET.sub(lambda match: _BRACKETS[match[0]], text)
    if "[" in text or "(" in text or "@" in text:
        text = _CITATION.sub(" ", text)
    return [_shape(token) if token[0].isdigit() else token.replace("’", "'") for token in _TOKEN.findall(text)]


def _shape(number: str) -> str:
    """Keep 0 to 99; of any other number, keep its shape."""
    if len(number) <= 2:
        return number
    return _DIGIT.sub("#", number)
