"""Text and names that others wrote, made safe for terminals, assistants and our own sentences."""

from __future__ import annotations

import re

# A document must not be able to talk to the reader's terminal, half a surrogate pair cannot be written at all, and what
# nobody sees (tag characters, zero-width ones, fillers, variation selectors) carries words that only machines read.
_CODES = r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff"
_DIRECTIONS = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_UNSEEN = (
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u2800\u3164"
    r"\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Joiners shape words of many scripts, and emoji: they stay between two letters or signs of these, and nowhere else.
_JOINED = r"\u0600-\u1fff\u2190-\u2bff\u3000-\ud7ff\uf900-\ufdff\ufe0f\U00010000-\U0001faff"
_PICTURES = r"#*0-9\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_UNPRINTABLE = re.compile(rf"[{_CODES}{_DIRECTIONS}{_UNSEEN}]")
_JOINERS = "\u200c\u200d\ufe0e\ufe0f"
# Compiled for the first text with joiners: it takes 3 ms.
_WITH_JOINERS = (
    rf"{_UNPRINTABLE.pattern}"
    rf"|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
    rf"|(?<![{_PICTURES}])[\ufe0e\ufe0f]"
)
_LONGEST_NAME = 80
_LONGEST_MESSAGE = 600  # two names of files and a sentence


def printable(text: str) -> str:
    """Remove characters that are not there to be read."""
    return _unprintable_in(text).sub("", text)


def one_line(text: str) -> str:
    """Remove line ends, runs of white space, and characters that are not there to be read."""
    return " ".join(printable(text).split())


def message_line(text: str) -> str:
    """Put a message, which may have names that somebody else chose, on one line; of a long one the middle is cut."""
    line, half = one_line(text), _LONGEST_MESSAGE // 2
    return line if len(line) <= _LONGEST_MESSAGE else f"{line[:half]} … {line[-half:]}"


def quoted_name(name: str) -> str:
    """Put a name that somebody else chose between quotation marks, on one line and of bounded length."""
    line = one_line(name).replace("“", '"').replace("”", '"')
    return f"“{line[: _LONGEST_NAME - 1]}…”" if len(line) > _LONGEST_NAME else f"“{line}”"


def escaped(json_line: str) -> str:
    """Write what is unprintable in a line of JSON as escapes: it means the same, and is seen."""

    def escape(found: re.Match[str]) -> str:
        return re.sub("(....)", r"\\u\1", found[0].encode("utf-16-be", "surrogatepass").hex())

    return _unprintable_in(json_line).sub(escape, json_line)


def _unprintable_in(text: str) -> re.Pattern[str]:
    return re.compile(_WITH_JOINERS) if any(joiner in text for joiner in _JOINERS) else _UNPRINTABLE
