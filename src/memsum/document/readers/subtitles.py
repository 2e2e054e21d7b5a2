"""Subtitles, WebVTT and SubRip: the cues of recorded meetings and talks become turns and paragraphs."""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

from memsum.document.build import DocumentBuilder
from memsum.document.document import BlockKind, Document
from memsum.document.readers.decoding import decode
from memsum.document.speech import find_speech

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}[^\n]*")
_VOICE = re.compile(r"<v(?:\.[\w.-]{1,60})?\s+([^<>]{1,100})>")
_MARKUP = re.compile(r"<[^<>\n]{1,200}>|\{\\[^{}\n]{1,60}\}")
_TURN = re.compile(r"(?:>>+|-)\s*")  # before the words of another speaker
_SOUND = re.compile(r"[\[(♪♫][^\])♪♫]{0,200}[\])♪♫]?")
_PAUSE = 4.0  # seconds after which a paragraph begins where nobody is named
_LONG = 600  # characters after which one begins with the next sentence


class _Cue(NamedTuple):
    time: str
    begin: float
    end: float
    lines: list[str]


def read(source: bytes | str, language: str | None = None) -> Document:
    """Read subtitles: who speaks is known by `<v Name>` or "Name:"; numbers, times and styles are no text."""
    text, warnings = decode(source)
    builder = DocumentBuilder()
    speaker: str | None = None
    time: str | None = None
    words: list[str] = []
    length, last, before = 0, 0.0, ""

    def close() -> None:
        nonlocal length
        said = " ".join(words)
        named = f"{speaker}: " if speaker else ""
        kind: BlockKind = "paragraph" if said else "boilerplate"
        builder.add(kind, f"{named}{said}", speaker=speaker, hidden=len(named), time=time)
        words.clear()
        length = 0

    for cue in _cues(text):
        for line in cue.lines:
            voice = _VOICE.search(line)
            shown = " ".join(unescape(_MARKUP.sub("", line)).split())
            is_repeated = shown == before and cue.begin - last < 1  # captions that roll show a line again
            if not shown or is_repeated:
                continue
            before = shown
            if _SOUND.fullmatch(shown):
                builder.add("boilerplate", shown)
                continue
            turn = _TURN.match(shown)
            shown = shown[turn.end() :] if turn else shown
            speech = find_speech(shown, 0, len(shown))
            name = voice[1].strip() if voice else speech.speaker if speech else None
            shown = shown[speech.words :] if speech and not voice else shown
            is_ended = bool(words) and words[-1].endswith((".", "?", "!", "…"))
            if words and (
                (name and name != speaker)
                or (turn and is_ended)
                or (is_ended and (length > _LONG or (speaker is None and cue.begin - last > _PAUSE)))
            ):
                close()
                speaker = None if turn and not name else speaker
            speaker = name or speaker
            time = time if words else cue.time
            words.append(shown)
            length += len(shown)
        last = cue.end
    if words:
        close()
    return builder.build(format="subtitles", language=language, warnings=warnings)


def _cues(text: str) -> list[_Cue]:
    """Return the cues; notes, styles, numbers and names of cues are left out."""
    cues: list[_Cue] = []
    lines: list[str] | None = None
    for line in text.splitlines():
        if found := _TIMING.fullmatch(line):
            lines = []
            times = [float(part or 0) for part in found.groups()]
            begin, end = (3600 * h + 60 * m + s + f / 1000 for h, m, s, f in (times[:4], times[4:]))
            cues.append(_Cue(line.partition("-->")[0].strip(), begin, end, lines))
        elif not line.strip():
            lines = None
        elif lines is not None:
            lines.append(line)
    return cues
