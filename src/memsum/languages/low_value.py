"""Low-value sentences: labels, fragments, roadmaps, pleasantries, boilerplate.

A rule on wording alone, without weights. A sentence that speaks of its document ("Section 2 presents ..."), to its
listeners ("Thank you very much.") or of nothing ("For example,") tells a reader nothing. Results, conclusions, aims,
holdings, requirements and speech are fine; where the wording leaves doubt, the number is below one half.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memsum.english import rows_with, word_set
from memsum.english.stop_words import DANGLING, EMPTY, FILLERS, VERBS

READ = 400  # characters of a sentence that are looked at
SHORT = 12  # words; longer sentences are no labels, however they look

SPOKEN = word_set("um uh okay yeah mm hmm alright")
DOUBLED = word_set("had that very")  # words that are written twice in a row, too
STUMBLING = 2.5  # times the share of fillers
PERSONS = word_set("i you he she it we they this that there who")
CLAUSE = VERBS | PERSONS
STATING = VERBS - {"see"}
BEGINNING_LOST = word_set(
    "is are was were has have by of to with which that who whose and or et al shows show illustrates depicts gives "
    "revises summarizes lists presents plots compares provides describes displays"
)
IN_CITATIONS = word_set(
    "v vs at n nn and of the see supra infra ante post cert denied id ibid also cf ed eds e g pp p vol no in quoting "
    "citing et al seq a b c d"
)
LEADING = word_set("following follows below these this example as are is include includes including consists we such")
OF_BILLS = word_set("secretary section shall amended paragraph subsection act means administrator director commission")

_QUOTES = "\"'“”‘’«» \t\n\r"
_MARKS = ".,;:?!()[]{}\"'/*_|=<>+-"
_TO_SPACES = bytes.maketrans(_MARKS.encode(), b" " * len(_MARKS))

_LIST_MARK = re.compile(r"(?:\( ?[a-z0-9]{1,4} ?\)|[0-9a-z]{1,2}[.)]|[•●▪*·–-])\s{1,3}", re.I)
_UNREAD = re.compile(r"[*?] \? \?|\* \?")  # what remains of citations in tokenised text
_TAG = re.compile(r", ?[a-z]{2,6}(?: ?n['’]t)? (?:i|you|he|she|it|we|they|there) ?\?$")  # "..., isn't it?" asserts
_CONTENTS_LINE = re.compile(r"(?:\.{4}|(?:\. ){4}|… ?…)[. …]{0,200}[0-9ivxlc]{1,5}$|[._]{10}")
_HEADER = re.compile(
    r"(?:from|to|cc|bcc|subject|sent|date|reply-to|e-?mail|tel|phone|fax|doi|key ?words|issn|isbn|received|accepted|"
    r"published|posted|correspondence(?: to)?) ?: |https?:|www\.",
    re.I,
)
_BYLINE = re.compile(r"By (?:(?:[A-Z][^ ]{0,20}|and|de|van|von) ){1,7}[A-Z][^ ]{0,20}$")
_INITIAL = re.compile(r"(?:^| )[a-z] ?\. ")
_VOLUME = re.compile(r"\* ?[0-9]{1,4} ?\*|\b(?:19|20)[0-9]{2} ?;|\bdoi ?:|doi\.org/|\([12][0-9]{3}[a-z]?\) ?[.,;]?$")
_CAPTION = re.compile(
    r"(?:supplementary |additional )?(?:figure|fig\.?|table|box|exhibit|plate|scheme|photo|image|chart|file) ?"
    r"(?:s?[0-9]{1,3}[a-z]?|[ivx]{1,5}) ?[.:|–—-]"
)
_SEE = re.compile(
    r"\(?(?:but |please |for (?:example|instance|details|an? [a-z ]{1,40}|(?:more|further) [a-z ]{1,30}) ?,? )?"
    r"see(?: (?!,)|, e)"
)

# What a long sentence of cased text has that is a header, a caption, a citation, a line of contents or a fragment.
_UNUSUAL = ("§", " v. ", "U.S.", "http", "..", ". . .", "……", "__", "|")
_UNUSUAL_BEGINNING = re.compile(rf"{_HEADER.pattern}|{_CAPTION.pattern}|{_SEE.pattern}|©|copyright|\+--|---|\$ ", re.I)

# A pattern is costly, so it is tried only on sentences that have one of its words. All repetitions are bounded.
_PART = r"(?:section|chapter|subsection|appendix|module|unit|lesson)"
_TELLS = (
    r"(?:presents?|describes?|discuss(?:es)?|introduces?|reviews?|outlines?|concludes?|reports?|explains?|"
    r"summari[sz]es?|deals? with|is devoted|is concerned|details?|draws?|compares?|examines?|focus(?:es)? on|"
    r"explores?|looks? at|considers?)\b"
)
_VIEW = (
    r"(?:see|discuss|describe|show|examine|consider|explore|return|look|learn|study|turn|review|introduce|present|"
    r"analy[sz]e|focus|explain)\b(?! that\b)"
)
_WORK = (
    r"(?:work|research|study|studies|investigations?|experiments?|trials?|analys[ei]s|exploration|"
    r"evaluations?|validation)\b"
)


class Rule(NamedTuple):
    """A pattern, tried only where one of the words occurs in a sentence of not more than so many words."""

    words: frozenset[str]
    finds: Callable[[str], object]
    most: int
    poor: float


def _match(pattern: str, flags: int = 0) -> Callable[[str], object]:
    """Match a pattern at the beginning of a sentence; it is compiled when first tried, which most never are."""
    return lambda text: _compiled(pattern, flags).match(text)


def _search(pattern: str) -> Callable[[str], object]:
    return lambda text: _compiled(pattern, 0).search(text)


@cache
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _contains(phrase: str) -> Callable[[str], object]:
    return lambda text: phrase in text


def _phrases(poor: float, most: int, phrases: str) -> list[Rule]:
    """Return rules for phrases that need no pattern, each tried where its longest word occurs."""
    return [
        Rule(frozenset({max(re.findall(r"\w+", phrase), key=len)}), _contains(phrase), most, poor)
        for phrase in phrases.split("|")
    ]


_RULES = (
    # Roadmaps: what is where in the document.
    Rule(
        word_set("section sections sect sec secs chapter chapters appendix subsection module unit lesson"),
        _match(
            r"(?:(?:finally|also) ?,? )?(?:in |the )?(?:sections?|sects?\.?|secs?\.?|chapters?|appendix)[ ~]{0,3}"
            r"(?:(?:\[[^\]]{1,40}\]|(?:[0-9]{1,2}(?![0-9])|[ivx@.§a-e])[^ ]{0,20})[ ,]{1,3}){1,4}(?:and [^ ]{1,12} )?"
            rf"(?:we\b|i\b|this (?:paper|article|document|guide|page)\b|(?:also |then |finally |briefly )?{_TELLS})"
            r"|(?:finally ?,? )?(?:in )?(?:this|these|each|"
            r"the (?:next|following|last|final|previous|present|remaining)) "
            rf"{_PART}s?(?: will)?(?: ?[:,]|(?: briefly| then| also| first| next)? (?:we\b|uses?\b|{_TELLS}))"
            rf"|(?:[^ ]{{1,12}} ){{0,3}}(?:earlier|later|elsewhere) in (?:this|the) {_PART}"
            r"|(?:[^ ]{1,16} ){1,8}section (?:below|above) "
        ),
        45,
        0.8,
    ),
    *_phrases(
        0.9,
        60,
        "rest of this paper|rest of the paper|rest of this article|rest of the article|rest of this report|"
        "rest of this chapter|rest of this document|rest of this guide|rest of this manual|rest of this tutorial|"
        "rest of this lesson|remainder of this document|remainder of this guide|remainder of this paper|"
        "remainder of the paper|remainder of this article|"
        "remainder of this report|remainder of the article|outline of this paper|outline of the paper|"
        "paper is organized|paper is organised|paper is structured|paper is arranged|paper is divided|"
        "article is organized|article is organised|article is structured|report is organized|report is structured|"
        "chapter is organized|work is organized|letter is organized|review is organized|review is structured|"
        "organized as follows|organised as follows|structured as follows|proceeds as follows",
    ),
    Rule(
        word_set(
            "see discuss describe show examine consider explore return look learn study turn review introduce present "
            "analyze analyse focus explain outline summarize summarise report"
        ),
        _match(
            r"(?:(?:then|next|now|first|finally|below|here) ?,? )?(?:"
            rf"(?:we|i|let us)(?: will| shall|'ll)?(?: now| next| then| first| briefly){{1,2}} {_VIEW}"
            r"|(?:we|you|i)(?: will| shall|'ll) (?:also )?(?:see|discuss|describe|consider|return|look|learn|turn|"
            r"review)\b|, we (?:describe|present|discuss|review|introduce|outline|summari[sz]e|report)\b)"
        ),
        30,
        0.6,
    ),
    Rule(
        word_set("ll will let shall item minutes move"),
        _search(
            r"\b(?:we'll|we will|i'll|let's)(?: now| just| then)? (?:go to|go on to|go over|move on|turn to|"
            r"come back to|show you|get started|wrap up|start with|begin with)\b|\bshall we (?:start|begin|move|"
            r"continue)\b|\b(?:item|minutes)\b.{0,60}\b(?:agenda|meeting)\b|\bmove (?:on )?to (?:item|the next)"
        ),
        25,
        0.6,
    ),
    # Announcements of work that is not in the document.
    Rule(
        word_set(
            "future further more additional larger follow prospective plan intend hope remains remain needs need yet "
            "warrants deserves requires awaits planning"
        ),
        _match(
            r"(?!(?:although|though|while|despite) ).{0,250}?(?:"
            r"\b(?:future|further|additional|more|larger|follow-? ?up|prospective) "
            rf"(?:[a-z-]{{1,16}} ){{0,2}}{_WORK}.{{0,120}}"
            r"\b(?:needed|required|warranted|necessary|should|will|must|includes?|remain|needs?|focus)\b"
            r"|\b(?:in|as) (?:the |our |a )?(?:near )?future(?: ?,? (?:we|i) | (?:[a-z]{1,12} )?"
            r"(?:works?|research|stud(?:y|ies)|investigations?|papers?|publications?|directions?)\b)"
            r"|\bwe (?:plan|intend|hope|would like|are planning) to (?:extend|investigat|explor|study|apply|use|"
            r"improve|incorporat|test|compar|examin|develop|evaluat|perform|address|conduct|add|integrat|consider)"
            r"|\b(?:remains?|needs?|yet|warrants?|deserves?|requires?|awaits?) (?:to be )?"
            r"(?:further |additional |future )?(?:explored|investigated|elucidated|seen|determined|clarified|"
            r"examined|studied|verified|investigation|elucidation|study)\b)",
            re.S,
        ),
        32,
        0.7,
    ),
    # Words to listeners and helpers.
    Rule(
        word_set("thank thanks good welcome dear sincerely regards yours ladies"),
        _match(
            r"(?:(?:and|so|well|okay|ok|um|uh|oh|yes|no|fine|right|now|hello|hi),? ){0,3}(?:thank you|thanks|"
            r"many thanks|good (?:morning|afternoon|evening)|welcome (?:to|back|all|every|and)|"
            r"dear (?:sir|madam|mr|mrs|ms|dr|all|colleague|editor)|yours (?:sincerely|truly|faithfully)|sincerely|"
            r"(?:best|kind) regards|ladies and gentlemen)"
        ),
        25,
        0.9,
    ),
    Rule(word_set("hello hi hey goodbye bye cheers"), _match(r"(?:hello|hi|hey|goodbye|bye|cheers)\b"), 9, 0.8),
    Rule(
        word_set("thank welcome acknowledge gratefully grateful happy pleased glad look statement remarks testimony"),
        _search(
            r"\b(?:to|wanna|must|also|and|we|i|gratefully|authors) (?:also )?(?:thank|welcome you|gratefully)\b"
            r"|\backnowledge (?:financial|funding|support|the (?:financial|support|help|assistance))"
            r"|\b(?:am|are) (?:very |most |also |deeply )?grateful (?:to|for)\b|\bwelcome (?:every|"
            r"to (?:our\b|this\b|the .{0,30}\b(?:meeting|session|committee|show|programme|podcast)))"
            r"|\b(?:happy|pleased|glad|look forward) to (?:respond|answer|tak)"
            r"|\b(?:completes|concludes) (?:my|our|this) (?:prepared |written |opening )?"
            r"(?:statement|remarks|testimony)"
        ),
        45,
        0.8,
    ),
    *_phrases(
        0.7,
        16,
        "has the floor|have the floor|several limitations|some limitations|few limitations|number of limitations|"
        "several strengths|examples to clarify|examples to illustrate",
    ),
    # Formalities of minutes.
    Rule(
        word_set("quorum agenda minutes welcomed opened closed order ended adjourned apologies remembered silence"),
        _match(
            r".{0,80}\bquorum (?:was|is|has been) (?:present|met|reached|established|found)\b"
            r"|(?:the )?(?:agenda|minutes)\b.{0,60}\b(?:was|were) (?:approved|adopted|accepted|read|confirmed)\b"
            r"|(?:the |our )?(?:chair[a-z]{0,8}|president|convenor|moderator|mayor)\b.{0,40}\b(?:welcomed|"
            r"(?:opened|closed) (?:the|this) (?:meeting|session|assembly)|called the meeting to order)\b"
            r"|(?:the )?(?:meeting|assembly|session) (?:was |is )?(?:called to order|opened|ended|closed|adjourned|"
            r"remembered|began|started)\b"
            r"|apologies (?:were|had been|for absence)\b|.{0,40}\bminute of silence\b"
        ),
        25,
        0.8,
    ),
    # Pointers to other pages, posts, videos and people, and lead-ins to a list.
    Rule(
        word_set("more further additional full complete"),
        _match(
            r"(?:to|want to) (?:learn|read|find out|see|hear|know) more\b"
            r"|for (?:more|further|additional|full|complete) (?:information|details|background|guidance|help|reading|"
            r"instructions|on\b|about\b)"
            r"|.{0,80}\b(?:you|anyone|readers)(?: can| will| may|'ll|’ll)?(?: also)? (?:find|read|view|learn|see) "
            r"(?:more|additional|further|(?:the|a) (?:full|complete))\b"
            r"|.{0,30}\b(?:more|additional|further) (?:information|details|examples|guidance|resources)\b.{0,80}"
            r"\b(?:found|available|online|here|visit)\b"
        ),
        45,
        0.8,
    ),
    Rule(
        word_set("check look tuned follow sign subscribe eye"),
        _search(
            r"\b(?:check out|(?:take|have) a look at|stay tuned|follow us|sign up (?:for|to|here)|subscribe to|"
            r"keep an eye)\b"
        ),
        30,
        0.6,
    ),
    Rule(
        word_set("watch listen read view browse download visit"),
        _match(
            r"(?:please )?(?:watch|(?:watch ?/ ?)?listen to|read|view|browse|download|visit) .{1,90}\b(?:videos?|"
            r"webinar|recording|posts?|article|interview|slides|talk|podcast|page|site|website|blog|guidance|guide|faq)\b"
        ),
        25,
        0.6,
    ),
    Rule(
        word_set("post posts series trilogy installment instalment"),
        _search(
            r"\b(?:in|of|from) (?:(?:the|our|my|an?|this|that|these) )?(?:first|second|third|last|previous|next|"
            r"earlier|later|future|upcoming|final|recent) (?:blog )?(?:posts?|installments?|instalments?)\b"
            r"|\bthis (?:blog )?(?:post|series|trilogy) (?:is|was) (?:part|the|originally|also|written)\b"
            r"|\bof this (?:series|trilogy)\b|\bpart (?:[a-z]{3,6}|[0-9]{1,2}) (?:in|of) (?:a|an|our|this|the) "
            r"(?:[a-z-]{1,12} )?series\b"
        ),
        45,
        0.6,
    ),
    Rule(
        word_set("originally cross republished crossposted"),
        _search(r"\b(?:originally|first) (?:published|appeared|posted) (?:on|in|at|by)\b|\bcross-? ?posted\b"),
        45,
        0.8,
    ),
    Rule(
        word_set("here below following"),
        _match(
            r"(?:but |and |so |now )?(?:here(?:'s| is| are|’s)|below (?:is|are)|the following (?:is|are)) (?:an?|the|"
            r"some|several|two|three|four|five|six|seven|ten|[0-9]{1,2}|our|my|how|what|more|other|just)\b"
        ),
        25,
        0.6,
    ),
    Rule(
        word_set("here"),
        _search(r", here are (?:some|several|(?:a )?few|the|our|my|two|three|four|five|[0-9]{1,2})\b"),
        35,
        0.6,
    ),
    Rule(
        word_set("details"),
        _match(
            r"(?:the |more |further |full )?details (?:about|regarding|on|of|for) .{1,90}\b(?:is|are|can be|may be) "
            r"(?:found|described|given|available|documented|explained|provided) (?:in|on|at)\b"
        ),
        35,
        0.6,
    ),
    Rule(
        word_set("try looking cover"),
        _search(
            r"\bgive (?:[^ ]{1,20} ){1,3}a try\b"
            r"|\blooking for (?:help|suggestions|feedback|contributors|contributions|volunteers)\b"
            r"|\bthis (?:how-? ?to|tutorial|lesson|article|post|chapter) "
            r"(?:does not|doesn['’]t|will not|won['’]t) cover\b"
        ),
        40,
        0.6,
    ),
    Rule(
        word_set("email mail contact reach touch know join"),
        _search(
            r"\b(?:please|feel free to)(?: also)? (?:e-?mail|contact|reach out|get in touch|let us know|join us|"
            r"send us|write to)\b"
        ),
        30,
        0.6,
    ),
    Rule(
        word_set("nothing updates update progress"),
        _search(
            r"\bnothing to (?:discuss|report|add)\b"
            r"|^(?:[^ ]{1,20} ){0,2}(?:nothing new|no progress|no (?:new )?updates?) ?(?:[.,;]|$|this\b|since\b)"
        ),
        25,
        0.6,
    ),
    Rule(
        word_set("disclaimer editor note credit photo"),
        _match(r"(?:disclaimer|editor['’]?s note|(?:photo|image) credit) ?:"),
        60,
        0.8,
    ),
    # Boilerplate of papers, reports, opinions, bills and web pages.
    *_phrases(
        0.9,
        60,
        "all rights reserved|copyright (c|copyright ( c|copyright and related rights|creative commons|"
        "no conflict of interest|no conflicts of interest|no competing interest|no competing interests|"
        "no competing financial interests|no potential conflict|informed consent was|written consent was|"
        "consent was obtained|consent was taken|consent was provided|consent for publication|contributed equally to|"
        "author contributions|authors' contributions|authors’ contributions|revised the manuscript|"
        "wrote the manuscript|drafted the manuscript|wrote the paper|approved the final manuscript|"
        "study was supported|study was funded|work was supported|work is supported|work was funded|"
        "work was partially supported|work was partly supported|work has been supported|research was supported|"
        "research was funded|supported by a grant|supported by grants|supported by the national science|"
        "supported by the national institutes|supported by the national natural|available on request|"
        "available upon request|available on reasonable request|available upon reasonable request|"
        "publication history|supplementary material is|supplementary information is|"
        "generally accepted government auditing|those standards require that we|provides a reasonable basis for our|"
        "sending copies of this|no charge on|contact points for our|key contributions to this|"
        "questions about this report|questions about this statement|took no part in the consideration|"
        "took no part in the decision|delivered the opinion|filed an opinion|filed a dissenting|"
        "filed a concurring|it is so ordered|joins in all but|joins in part|act may be cited as|"
        "title may be cited as|section may be cited as|chapter may be cited as|table of contents|"
        "in witness whereof|click here",
    ),
    Rule(
        word_set("ethics ethical board helsinki"),
        _search(
            r"\b(?:approv|waive|permission|consent|accordance|compl(?:y|ie)).{0,120}\b(?:ethics|ethical|review board|"
            r"helsinki)|\b(?:ethics|ethical|review board)\b.{0,120}\b(?:approv|waive|clearance)|ethical clearance"
        ),
        60,
        0.9,
    ),
    # Captions and pointers to them; a sentence that tells what the figure shows ("that", a percentage) is spared.
    Rule(
        word_set(
            "image images photograph photographs micrograph radiograph illustration schematic diagram photo snapshot"
        ),
        _match(
            r"(?:the |an? )?(?:[a-z-]{1,20} ){0,4}(?:image|photograph|micrograph|radiograph|illustration|schematic|"
            r"diagram|photo|snapshot)s? (?:of|showing) (?!.{0,150}\b(?:is|are|was|were|can|has|have)\b)"
        ),
        25,
        0.6,
    ),
    Rule(
        word_set("figure figures fig figs table tables graph graphs diagram chart box appendix picture photograph"),
        _match(
            r"(?:the |this |these )?(?:figures?|figs?\b\.?|tables?|graphs?|diagrams?|charts?|box|appendix|pictures?|"
            r"photographs?)\b(?! of)(?!.{0,200}(?:%|\bthat\b))"
        ),
        SHORT,
        0.7,
    ),
    Rule(
        word_set(
            "figure figures fig figs table tables supplementary supplement appendix file section box eq eqs equation "
            "@xcite online below above"
        ),
        _search(
            r"\b(?:see|appears?)(?: [^ ]{1,20}){0,4} in (?:\( ?)?(?:figs?\b|figures?\b|tables?\b|@xcite)|"
            r"(?<!which )\b(?:is|are|was|were|be|been) (?:also |further |briefly |schematically )?(?:shown|given|"
            r"listed|presented|summari[sz]ed|described|depicted|provided|illustrated|available|reported|found|"
            r"included|detailed|seen|plotted|displayed|discussed) (?:(?:below|above) ?[.,]|(?:in|at|by|"
            r"on)(?: (?:more )?detail in)? (?:\( ?|the |our |additional )?(?:figs?\b|figures?\b|tables?\b|supplement|"
            r"appendix|file|section|box\b|eqs?\b|equation|@xcite|online))(?!.{0,200}%)"
        ),
        20,
        0.6,
    ),
    # Bills: which words of another law change.
    Rule(
        word_set("striking inserting adding redesignating amending deleting"),
        _match(
            r"in (?:the )?(?:sub)?(?:section|paragraph|clause|item|heading|matter|first|second|third|table)\b.{0,60}"
            r"[,—-] ?(?:by|\()|(?:and )?by (?:striking|inserting|adding|redesignating|amending|deleting)\b"
        ),
        80,
        0.7,
    ),
    Rule(
        word_set("amended"),
        _search(
            r"is (?:further )?amended.{0,40}(?:striking (?:sub)?(?:section|paragraph|clause)|redesignating|"
            r"following[^:]{0,40}: ?.{0,40}$)"
        ),
        60,
        0.7,
    ),
)  # fmt: skip

BY_WORD: dict[str, list[Rule]] = {}
for _rule in _RULES:
    for _word in _rule.words:
        BY_WORD.setdefault(_word, []).append(_rule)
CUES = frozenset(BY_WORD)


def low_value(sentences: Sequence[str]) -> NDArray[np.float32]:
    """Return for each sentence of a document a number from 0 (fine) to 1 (of low value)."""
    cased = _is_cased(sentences)
    read = [sentence[:READ] for sentence in sentences]
    unusual = rows_with(read, _UNUSUAL) if cased else range(len(read))
    ratings = (
        # Of a sentence that was cut, nothing is known about its end.
        _rate(text, cased, whole=len(sentence) <= READ, usual=row not in unusual)
        for row, (text, sentence) in enumerate(zip(read, sentences, strict=True))
    )
    return np.fromiter(ratings, np.float32, len(read))


def _is_cased(sentences: Sequence[str]) -> bool:
    """Tell whether the document has capital letters; in lowercased text a small first letter means nothing."""
    parts = [sentence[:READ] for sentence in sentences[:50]]
    return 2 * sum(part != part.lower() for part in parts) > len(parts)


def _rate(text: str, cased: bool, *, whole: bool, usual: bool) -> float:
    text = text.strip(_QUOTES)
    if text[:1] >= "\u2e80":  # scripts without spaces between words
        return 0.0
    body = _without_speaker(text) if cased else text
    mark = _LIST_MARK.match(body)
    if mark:
        body = body[mark.end() :].strip(_QUOTES)
    low = body.lower()
    words = _words(low)
    if not words:
        return 1.0
    poor = 0.0
    # Most sentences are long, end in a period, and need only be tried by their cue words.
    usual = usual and body is text and len(words) > SHORT and low[-1] == "." and not text[0].islower()
    if not usual or _UNUSUAL_BEGINNING.match(text):
        poor = _beginning(text, low, words, cased)
        if whole:
            poor = max(poor, _ending(low, words))
            if len(words) <= SHORT:
                poor = max(poor, _short(body, words, listed=mark is not None))
        if len(words) <= 40:
            poor = max(poor, _citation(body, low, words, cased))
    # "Subsection (a) a person" is no stumbling.
    if not SPOKEN.isdisjoint(words) or ("(" not in low and any(map(str.__eq__, words, words[1:]))):
        poor = max(poor, _stumbling(words))
    for word in CUES.intersection(words):
        for rule in BY_WORD[word]:
            if poor < rule.poor and len(words) <= rule.most and rule.finds(low):
                poor = rule.poor
    return poor


def quoted_words(text: str) -> str:
    """Return a sentence without quotation marks, the name of a speaker, and the mark of a list."""
    body = _without_speaker(text.strip(_QUOTES))
    mark = _LIST_MARK.match(body)
    return body[mark.end() :].strip(_QUOTES) if mark else body


def _words(low: str) -> list[str]:
    """Return the words without marks; several times faster than a pattern or `str.translate`."""
    if not low.isascii():
        for mark in "“”‘’–—…":
            low = low.replace(mark, " ")
    return low.encode(errors="replace").translate(_TO_SPACES).decode().split()


def _without_speaker(text: str) -> str:
    """Return the words of a turn in a transcript ("Project Manager: ...") without the speaker."""
    colon = text.find(": ", 0, 42)
    if colon < 0:
        return text
    names = text[:colon].split()
    return text if len(names) > 5 or any(name[0].islower() for name in names) else text[colon + 2 :].strip(_QUOTES)


def _ending(low: str, words: list[str]) -> float:
    """Rate questions, lead-ins, and sentences that break off."""
    number, last = len(words), low[-1]
    if last == "?":
        if _UNREAD.search(low, max(0, len(low) - 12)):
            return 0.0
        if _TAG.search(low, max(0, len(low) - 20)):
            return 0.4
        return 0.9 if number <= 12 else 0.6 if number <= 20 else 0.3
    if last == ":":
        if number > 25 or words[-1].isdigit():
            return 0.4
        return 0.6 if number > 8 and LEADING.isdisjoint(words) else 0.8
    if low.endswith(("...", "…")) and number <= 30:
        return 0.6
    if last in "—–-":
        return 0.3 if OF_BILLS.isdisjoint(words) else 0.7
    if last.isalnum() and words[-1] in DANGLING and not low.endswith(("; and", "; or")):
        return 0.8 if number <= 30 and " . " not in low else 0.3
    if (".." in low or ". . ." in low or "……" in low or "__" in low) and _CONTENTS_LINE.search(low):
        return 1.0
    return 0.0


def _short(body: str, words: list[str], *, listed: bool) -> float:
    """Rate labels, small talk, and sentences too slight to be understood alone."""
    number, known = len(words), frozenset(words)
    if known <= FILLERS:
        return 1.0
    if number <= 3 and len(body) <= 40:
        return 0.7
    if number <= 8 and known <= EMPTY:
        return 0.7
    if not SPOKEN.isdisjoint(known) and len(known - EMPTY) <= 2:
        return 0.6
    if (body[0] == "(" and body[-1] == ")" and body[-2] not in ".!") or _BYLINE.match(body):
        return 0.7
    if not CLAUSE.isdisjoint(known) or any(word.endswith("ed") for word in words):
        return 0.0
    if listed:
        return 0.7 if number <= 9 and body[-1] != ";" else 0.2
    if body.rstrip("0123456789,–-").endswith((".", "!", "?", ";", ")")):
        return 0.6 if number <= 4 else 0.0
    return 0.7 if number <= 9 else 0.4


def _stumbling(words: list[str]) -> float:
    """Rate speech by its fillers and by words said twice in a row."""
    twice = sum(one == other and one not in DOUBLED for one, other in pairwise(words))
    return min(STUMBLING * (sum(word in SPOKEN for word in words) + twice) / max(len(words), 8), 1.0)


def _beginning(text: str, low: str, words: list[str], cased: bool) -> float:
    """Rate headers, captions, pointers, and sentences whose beginning is lost."""
    if len(words) <= 30 and (_HEADER.match(text) or low.startswith(("©", "copyright ©", "copyright 1", "copyright 2"))):
        return 0.9
    if _CAPTION.match(low) or low.count("|") > 2 or low.startswith(("+--", "---", "$ ")):
        return 0.8
    if "see" in low[:60] and len(words) <= 40 and _SEE.match(low):
        return 0.8 if any(character.isdigit() for character in low) or "supplement" in low or "section" in low else 0.4
    if cased and text[:1].islower():
        return 0.7 if words[0] in BEGINNING_LOST and len(words) <= 25 else 0.3
    return 0.0


def _citation(body: str, low: str, words: list[str], cased: bool) -> float:
    """Rate bare citations and fragments of formulas."""
    number = len(words)
    if cased:
        if number > SHORT and "§" not in body and " v. " not in body and "U.S." not in body and "http" not in body:
            return 0.0
        if not any(character.isdigit() for character in body) or not STATING.isdisjoint(words):
            return 0.0
        small = sum(word[0].islower() and word.strip(".,;:()[]§") not in IN_CITATIONS for word in body.split())
        return 0.9 if small <= 1 else 0.0
    plain = sum(word.isalpha() and len(word) > 2 for word in words)
    formulas = low.count("@xmath")
    if formulas and (plain <= 4 or 4 * formulas >= number or low.startswith("let @xmath")):
        return 0.7
    if not VERBS.isdisjoint(words) or "%" in low or any(word.endswith("ed") for word in words):
        return 0.0
    if plain <= 0.35 * number or _VOLUME.search(low) or 4 * len(_INITIAL.findall(low)) >= number:
        return 0.9
    return 0.0
