"""Lines of plain text that are not prose: of mails, letters, news, minutes and contracts; and turns of transcripts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

from memsum.document.readers.base import listed

# Fields of a mail's head in a few languages; one of the first kind must be there.
_HEAD = r"from|to|subject|von|an|betreff|de|à|objet|para|asunto|da|oggetto|re"
_MORE = (
    r"cc|bcc|kopie|sent|date|reply-to|message-id|gesendet|datum|envoyé|date d['’]envoi|enviado|fecha|importance|"
    r"attachments?|anlagen|priority|organization|x-[\w-]{1,40}"
)
_ABOUT = (
    r"time|location|place|venue|room|present|attendees|attending|participants|apologies|absent|regrets|chair|"
    r"chairperson|secretary|minutes|minutes by|minute taker|recorded by|next meeting|status|version|author|"
    r"ref|reference|our ref|your ref|duration|facilitator"
)
_FIELD = re.compile(rf"\*?(?:(?P<head>{_HEAD})|{_MORE}|(?P<about>{_ABOUT}))\*?[ \t]?:(?:[ \t]+|$)", re.IGNORECASE)
_SUBJECT = re.compile(r"\*?(?:subject|betreff|objet|asunto|oggetto|re)\*?[ \t]?:[ \t]+", re.IGNORECASE)
_ANSWERED = re.compile(r"(?:(?:re|fwd?|aw|wg|tr|rv|antw)[ \t]?:[ \t]*){1,9}", re.IGNORECASE)
_EARLIER = re.compile(
    r"-{2,}[ ]?(?:original message|ursprüngliche nachricht|message d['’]origine|mensaje original)[ ]?-{2,}",
    re.IGNORECASE,
)
_FORWARDED = re.compile(
    r"-{2,}[ ]?(?:forwarded message|weitergeleitete nachricht|message transféré)[ ]?(?:by [^\n]{0,60})?-{2,}"
    r"|begin forwarded message:",
    re.IGNORECASE,
)
_ATTRIBUTION = re.compile(
    r"(?:on|am|le|el|op|il)\s.{5,200}?(?:wrote|schrieb.{0,80}|a écrit|escribió|schreef.{0,80}|ha scritto)\s?:",
    re.IGNORECASE | re.DOTALL,
)
_GREETING = re.compile(
    r"(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|greetings|to whom it may concern|liebe[rs]?|"
    r"sehr geehrte[rs]?|hallo|guten (?:morgen|tag)|bonjour|cher|chère|madame|monsieur|hola|estimad[oa]s?|buenos días)"
    r"\b[^.?!:\n]{0,60}[,:!]?",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?:with )?(?:best|kind|kindest|warm|many)?\s?(?:regards|wishes|thanks)|best|sincerely|thanks(?: again)?|"
    r"thank you|cheers|yours(?: (?:truly|faithfully|sincerely|ever))?|respectfully(?: submitted)?|all the best|"
    r"(?:mit )?(?:freundlichen|besten|vielen|herzlichen|viele|liebe|beste|schöne) grüße(?:n)?|cordialement|"
    r"bien (?:à vous|cordialement)|(?:un )?saludos?(?: cordial(?:es)?)?|atentamente|sent from my [^\n]{1,40}|"
    r"get outlook for [^\n]{1,20}|(?:von|envoyé de) mein?e?m? [^\n]{1,30} gesendet)[,.!]?",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"(?:this (?:e-?mail|message|communication)\b[^.\n]{0,80}\b(?:confidential|intended|attachments?)|"
    r"confidentiality notice|disclaimer\b|(?:please )?consider the environment|to unsubscribe\b|unsubscribe\b)",
    re.IGNORECASE,
)
_RULE = re.compile(r"(?:[ \t]*[-=*_~#+.•·]){3,400}[ \t]*")
_BLANK = re.compile(r"_{4,}|\.{8,}|…{4,}")
_SIGNED = re.compile(
    r"(?:by|name|title|date|signed|signature|position|witness(?:ed by)?|print(?:ed)? name|place|for and on behalf of"
    r"|unterschrift|datum|ort)\b[^.\n]{0,60}",
    re.IGNORECASE,
)
_PAGE = re.compile(r"(?:page|seite|p\.)\s?\d{1,4}(?:\s?(?:of|von|/)\s?\d{1,4})?|[-–—]\s?\d{1,4}\s?[-–—]", re.IGNORECASE)
_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|avr|juin|juil|août|déc)[a-zé]{0,7}"
)
_DATE = (
    rf"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\.?\s+{_MONTH}\.?,?\s+\d{{4}}|{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}"
    r"|\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})"
)
_BYLINE = re.compile(
    r"by\s+(?-i:[A-Z])[^.?!\n]{2,90}(?:\.\s?[A-Z][^.?!\n]{1,40})?"
    r"|(?:published|updated|posted|last (?:updated|modified)|first published|filed)\b[^?!\n]{0,80}"
    rf"|{_DATE}(?:[,\s|·–-]{{0,5}}(?:at\s)?\d{{1,2}}[:.]\d{{2}}.{{0,20}})?",
    re.IGNORECASE,
)
_DATELINE = re.compile(
    rf"[A-Z][A-Z'’. -]{{2,40}}(?:,\s[A-Z][A-Za-z. ]{{1,25}})?(?:,?\s(?i:{_MONTH})\.?\s\d{{1,2}})?"
    r"(?:\s?\([A-Za-z][A-Za-z ./-]{1,30}\))?\s(?:—|–|--|-)\s(?=[A-Z“\"'])"
)
_CLAUSE = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?[ \t]+(?=[A-Z])")
_LICENCE = re.compile(r"\*\*\*\s?(?P<edge>START|END) OF (?:THE|THIS) PROJECT GUTENBERG", re.IGNORECASE)
_PICTURE = re.compile(
    r"\[(?:illustration|image|photo|transcriber['’]s note|footnote \d{1,3})\b[^\]]{0,2000}\]", re.IGNORECASE
)

LONGEST_LINE = 120  # characters; a longer one is no line of furniture, but for notices


def is_field(line: str) -> Literal["mail", "more", ""]:
    """Whether a line is a field of a head: one that mails must have, another one, or none."""
    found = _FIELD.match(line)
    if found is None:
        return ""
    return "mail" if found["head"] else "more"


def subject(line: str) -> int:
    """Where the words of a subject begin in its line, without "Re:" and the like; 0 if it is none."""
    found = _SUBJECT.match(line)
    if found is None:
        return 0
    again = _ANSWERED.match(line, found.end())
    return again.end() if again and again.end() < len(line) else found.end()


def is_earlier(line: str) -> bool:
    """Whether the mail that was answered begins below a line."""
    return _is(_EARLIER, line)


def is_forwarded(line: str) -> bool:
    """Whether a forwarded mail begins below a line."""
    return _is(_FORWARDED, line)


def is_attribution(lines: str) -> bool:
    """Whether one to three lines say who wrote what is quoted below."""
    return len(lines) <= 300 and lines.endswith(":") and _ATTRIBUTION.fullmatch(lines) is not None


def is_greeting(line: str) -> bool:
    """Whether a line only greets."""
    return _is(_GREETING, line)


def is_closing(line: str) -> bool:
    """Whether a line only takes leave: names and addresses follow."""
    return _is(_CLOSING, line)


def is_notice(line: str) -> bool:
    """Whether a paragraph that begins with a line is what offices put below every mail."""
    return _NOTICE.match(line) is not None


def is_rule(line: str) -> bool:
    """Whether a line is drawn with signs."""
    return ("____" not in line and _is(_RULE, line, 400)) or _is(_PAGE, line)


def is_to_be_signed(line: str) -> bool:
    """Whether a line is there to be signed or filled in: blanks, and little else."""
    if len(line) > 4 * LONGEST_LINE or not _BLANK.search(line):
        return False
    return sum(map(str.isalpha, line)) <= max(30, len(line) // 3)


def is_beside_signature(line: str) -> bool:
    """Whether a line beside blanks says who signs, or when."""
    return _is(_SIGNED, line)


def is_byline(line: str) -> bool:
    """Whether a line says who wrote a text, or when it appeared."""
    return _is(_BYLINE, line)


def dateline(text: str, start: int, end: int) -> int:
    """Where the words of a news item begin, behind "PARIS (Agency) - "."""
    found = _DATELINE.match(text, start, end)
    return found.end() if found else start


def clause(text: str, start: int, end: int) -> int:
    """Where the words of a numbered clause begin, behind "2.1 "."""
    found = _CLAUSE.match(text, start, end)
    return found.end() if found else start


def licence_edge(line: str) -> str:
    """ "START" or "END" where a book of Project Gutenberg begins or ends between its licence, else nothing."""
    found = _LICENCE.match(line)
    return found["edge"].upper() if found else ""


def after_licence(text: str) -> int:
    """Where a book begins behind the licence that it was published under; 0 if there is none."""
    found = next((found for found in _LICENCE.finditer(text) if found["edge"].upper() == "START"), None)
    return text.find("\n", found.end()) + 1 if found else 0


def is_picture(paragraph: str) -> bool:
    """Whether a paragraph in brackets stands for a picture or is a note of the transcriber."""
    return paragraph.startswith("[") and _PICTURE.fullmatch(paragraph) is not None


def _is(pattern: re.Pattern[str], line: str, longest: int = LONGEST_LINE) -> bool:
    return len(line) <= longest and pattern.fullmatch(line) is not None


_STAMP = r"[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?[\])]?"
# "Ana Weber", "Speaker 2", "Chair of the Board"; and offices of two words, "Harbour master", but not "My point".
_OFFICE = (
    r"(?!(?:The|An?|My|Our|Your|His|Her|Their|This|That|These|One|Another|Next|First|Second|Last|So|And|But|What)[ ])"
    r"[A-Z][\w'’-]{2,30}[ ][a-z][\w'’-]{2,20}(?=[ \t]?:)"
)
_NAME = r"[A-Z][\w.'’&-]{0,30}(?:[ ](?:[A-Z0-9(][\w.'’&)-]{0,30}|of|the|de|van|von|der|for|and)){0,5}"
_TURN = re.compile(
    rf"(?:{_STAMP}[ \t]{{1,4}}(?:[-–—][ ])?)?(?P<name>{_OFFICE}|{_NAME})"
    rf"(?:[ ]?[\[(][^\])\n]{{1,40}}[\])])?(?:[ \t]?:(?=\s|$)|[ \t]{{1,8}}{_STAMP}[ \t]*$)[ \t]*"
)
# Words before a colon that name a thing and not a person.
_THINGS = listed(
    """
    note notes warning caution tip tips important example examples figure table date time subject from to cc bcc re
    sent location place venue present attendees attending participants apologies absent agenda action actions decision
    decisions summary abstract keywords source sources title author authors chapter section step part tel phone fax
    mobile email e-mail web website url http https address price total item items ingredients method update background
    objective conclusion conclusions results purpose result reason name by signed signature witness type status
    version model p.s. ps
    """
)
_DIRECTION = re.compile(r"\([^()\n]{1,200}\)|\[[^\[\]\n]{1,200}\]")
_LEAST_TURNS = 3
_LEAST_SHARE = 0.4  # of the paragraphs


class Turn(NamedTuple):
    """Who speaks, and where the words begin."""

    speaker: str
    words: int


def find_turn(text: str, start: int, end: int) -> Turn | None:
    """The turn that begins with a line, if one does."""
    if ":" not in text[start : min(end, start + 250)]:
        return None
    found = _TURN.match(text, start, end)
    if found is None or found["name"].lower() in _THINGS:
        return None
    return Turn(found["name"], found.end())


def is_transcript(text: str, lines: Iterable[tuple[int, int]], paragraphs: int) -> bool:
    """Whether these lines, of so many paragraphs, are mostly turns of people who speak more than once."""
    turns = (find_turn(text, start, end) for start, end in lines)
    speakers = Counter(turn.speaker for turn in turns if turn)
    again = sum(count for count in speakers.values() if count > 1)
    turns_taken = speakers.total()
    return 2 * again >= turns_taken >= max(_LEAST_TURNS, _LEAST_SHARE * paragraphs)


def is_direction(line: str) -> bool:
    """Whether a line is no words but what happens meanwhile: "(Applause)"."""
    return _DIRECTION.fullmatch(line) is not None
