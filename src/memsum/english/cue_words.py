"""The words, phrases and patterns by which `memsum.english.low_value` knows a poor quote.

Patterns are costly, words are not: a pattern is tried only on sentences that have one of its words. All repetitions in
patterns are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

SHORT = 12  # words; longer sentences are no labels, however they look


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# A short sentence with none of these and no word in -ed is taken for a label.
VERBS = _set(
    "is are was were be been being am isn aren wasn weren has have had hasn haven hadn do does did doesn don didn will "
    "would won wouldn shall should shouldn can could cannot couldn may might must let get gets got go goes went gone "
    "come comes came make makes made take takes took give gives gave say says said see sees saw know knows knew think "
    "thinks thought find finds found show shows tell tells told become becomes became leave leaves left put keep keeps "
    "kept begin begins began bring brings brought hold holds held write writes wrote stand stood hear heard mean means "
    "meant meet met run runs ran paid sit sat speak spoke lay lead leads led grow grows grew lose lost fall fell send "
    "sent build built draw drew break broke spent rise rises rose drive drove bought wore chose sought threw caught "
    "dealt shook struck slept woke flew blew swung hung shot shut hit read understand understood forget forgot swear "
    "want wants need needs seem seems feel feels felt look looks like likes use uses try tries ask asks works requires "
    "provides includes include remains suggest suggests indicate indicates increases decreases contains allows affects "
    "causes occurs follows agree agrees disagree disagrees reverse affirm dissent concur directs authorizes amends "
    "prohibits establishes yields plays differs depends varies exists wait stop listen"
)
# Words that say nothing alone: a turn made only of the first is small talk, a short sentence of both says nothing.
FILLERS = _set(
    "okay ok yeah yes yep yup no nope um uh umm uhm mm hmm mmm hm huh ah oh eh er right alright sure fine well so "
    "and but or then now just good great cool nice excellent perfect exactly absolutely definitely true correct "
    "indeed really thanks thank you all very much kindly hello hi hey goodbye bye welcome everybody everyone morning "
    "afternoon evening night sir madam ma am sorry pardon please fair enough i see know mean think agree guess "
    "suppose it s that this is there we re do don t not a the to of for at in on me too again here lot one let go "
    "ahead order chair chairman mr mrs ms minister speaker doctor"
)
EMPTY = FILLERS | _set(
    "he she they them him her his their its my your our us was were are be been have has had did does can could will "
    "would what who where when why how which if as with by from up out down off about get got went come came going "
    "look looked said asked replied answered thing things stuff way bit some any another other possible something "
    "anything nothing example instance an these those first second next finally also only even still maybe perhaps "
    "kind sort"
)
SPOKEN = _set("um uh okay yeah mm hmm alright")
PERSONS = _set("i you he she it we they this that there who")
CLAUSE = VERBS | PERSONS
STATING = VERBS - {"see"}
DANGLING = _set(
    "a an the of is are was were as that which in on at to and or for with by from into than if because its their "
    "his our"
)
BEGINNING_LOST = _set(
    "is are was were has have by of to with which that who whose and or et al shows show illustrates depicts gives "
    "revises summarizes lists presents plots compares provides describes displays"
)
IN_CITATIONS = _set(
    "v vs at n nn and of the see supra infra ante post cert denied id ibid also cf ed eds e g pp p vol no in quoting "
    "citing et al seq a b c d"
)
LEADING = _set("following follows below these this example as are is include includes including consists we such")
OF_BILLS = _set("secretary section shall amended paragraph subsection act means administrator director commission")

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
    """Whether a sentence begins with a pattern, which is compiled when it is first tried: most never are."""
    return lambda text: _compiled(pattern, flags).match(text)


def _search(pattern: str) -> Callable[[str], object]:
    """Whether a pattern is anywhere in a sentence."""
    return lambda text: _compiled(pattern, 0).search(text)


@cache
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _contains(phrase: str) -> Callable[[str], object]:
    return lambda text: phrase in text


def _phrases(poor: float, most: int, phrases: str) -> list[Rule]:
    """Phrases that need no pattern, each tried where its longest word occurs."""
    return [
        Rule(frozenset({max(re.findall(r"\w+", phrase), key=len)}), _contains(phrase), most, poor)
        for phrase in phrases.split("|")
    ]


_RULES = (
    # Roadmaps: what is where in the document.
    Rule(
        _set("section sections sect sec secs chapter chapters appendix subsection module unit lesson"),
        _match(
            r"(?:finally ?,? )?(?:in |the )?(?:sections?|sects?\.?|secs?\.?|chapters?|appendix)[ ~]{0,3}"
            r"(?:(?:\[[^\]]{1,40}\]|(?:[0-9]{1,2}(?![0-9])|[ivx@.§a-e])[^ ]{0,20})[ ,]{1,3}){1,4}(?:and [^ ]{1,12} )?"
            rf"(?:we\b|i\b|(?:also |then |finally |briefly )?{_TELLS})"
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
        "rest of this chapter|remainder of this paper|remainder of the paper|remainder of this article|"
        "remainder of this report|remainder of the article|outline of this paper|outline of the paper|"
        "paper is organized|paper is organised|paper is structured|paper is arranged|paper is divided|"
        "article is organized|article is organised|article is structured|report is organized|report is structured|"
        "chapter is organized|work is organized|letter is organized|review is organized|review is structured|"
        "organized as follows|organised as follows|structured as follows|proceeds as follows",
    ),
    Rule(
        _set(
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
        _set("ll will let shall item minutes move"),
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
        _set(
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
    # What is said to listeners and helpers.
    Rule(
        _set("thank thanks good welcome dear sincerely regards yours ladies"),
        _match(
            r"(?:(?:and|so|well|okay|ok|um|uh|oh|yes|no|fine|right|now|hello|hi),? ){0,3}(?:thank you|thanks|"
            r"many thanks|good (?:morning|afternoon|evening)|welcome (?:to|back|all|every|and)|"
            r"dear (?:sir|madam|mr|mrs|ms|dr|all|colleague|editor)|yours (?:sincerely|truly|faithfully)|sincerely|"
            r"(?:best|kind) regards|ladies and gentlemen)"
        ),
        25,
        0.9,
    ),
    Rule(_set("hello hi hey goodbye bye cheers"), _match(r"(?:hello|hi|hey|goodbye|bye|cheers)\b"), 9, 0.8),
    Rule(
        _set("thank welcome acknowledge gratefully grateful happy pleased glad look statement remarks testimony"),
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
        "several strengths|here are some|examples to clarify|examples to illustrate",
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
        _set("ethics ethical board helsinki"),
        _search(
            r"\b(?:approv|waive|permission|consent|accordance|compl(?:y|ie)).{0,120}\b(?:ethics|ethical|review board|"
            r"helsinki)|\b(?:ethics|ethical|review board)\b.{0,120}\b(?:approv|waive|clearance)|ethical clearance"
        ),
        60,
        0.9,
    ),
    # Captions and pointers to them; a sentence that tells what the figure shows ("that", a percentage) is spared.
    Rule(
        _set("image images photograph photographs micrograph radiograph illustration schematic diagram photo snapshot"),
        _match(
            r"(?:the |an? )?(?:[a-z-]{1,20} ){0,4}(?:image|photograph|micrograph|radiograph|illustration|schematic|"
            r"diagram|photo|snapshot)s? (?:of|showing) (?!.{0,150}\b(?:is|are|was|were|can|has|have)\b)"
        ),
        25,
        0.6,
    ),
    Rule(
        _set("figure figures fig figs table tables graph graphs diagram chart box appendix picture photograph"),
        _match(
            r"(?:the |this |these )?(?:figures?|figs?\b\.?|tables?|graphs?|diagrams?|charts?|box|appendix|pictures?|"
            r"photographs?)\b(?! of)(?!.{0,200}(?:%|\bthat\b))"
        ),
        SHORT,
        0.7,
    ),
    Rule(
        _set(
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
        _set("striking inserting adding redesignating amending deleting"),
        _match(
            r"in (?:the )?(?:sub)?(?:section|paragraph|clause|item|heading|matter|first|second|third|table)\b.{0,60}"
            r"[,—-] ?(?:by|\()|(?:and )?by (?:striking|inserting|adding|redesignating|amending|deleting)\b"
        ),
        80,
        0.7,
    ),
    Rule(
        _set("amended"),
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
