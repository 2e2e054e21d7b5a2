"""What kind of answer a question expects, and the words and figures by which a sentence may give it."""

from __future__ import annotations

import re
from typing import Literal

from memsum.english import word_set

AnswerType = Literal["number", "date", "duration", "who", "where", "why", "how"]

_UNITS = r"second|minute|hour|day|night|week|month|year|decade|centur(?:y|ie)"
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
_NUMBERS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|hundred|thousand"
    "|million|billion|dozen|half|third|quarter|twice|once|none|several"
)
# In a question, its marks replaced by spaces.
EXPECTS: dict[AnswerType, re.Pattern[str]] = {
    "number": re.compile(
        r"\bhow (?:many|much|large|big|high|tall|often|far|old|fast|deep|wide|heavy|small|few)\b"
        r"|\b(?:percentage|percent|proportion|number|amount|share|rate|size|maximum|minimum|fraction|ratio|total)\b"
    ),
    "date": re.compile(
        r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|time)\b|\bdeadline\b|\bhow (?:soon|recently|late|early)\b"
    ),
    "duration": re.compile(r"\bhow long\b|\bhow (?:many|much) (?:days|years|weeks|months|hours|minutes|time)\b"),
    "who": re.compile(r"\b(?:who|whom|whose)\b|\bwhich (?:person|people|company|organi[sz]ation|team|agency|group)\b"),
    "where": re.compile(
        r"\bwhere\b|\b(?:what|which) (?:place|city|country|folder|directory|page|website|address|site)\b"
    ),
    "why": re.compile(
        r"\bwhy\b|\bhow come\b|\bwhat (?:is|was|are|were) the (?:reasons?|cause|purpose)\b"
        r"|\bwhat (?:causes?|caused|makes|led)\b"
    ),
    "how": re.compile(
        r"\bhow (?:do|can|should|to|would|could)\b|\bwhat (?:do|should|must) (?:i|we|you)\b|\bwhat can i\b"
    ),
}
# In a sentence that may answer it.
GIVES: dict[AnswerType, re.Pattern[str]] = {
    "number": re.compile(rf"\d|\b(?:{_NUMBERS})\b", re.IGNORECASE),
    "date": re.compile(
        rf"\b(?:1[6-9]|20)\d\d\b|\b(?:{_MONTHS})\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day"
        r"|\b(?:today|tomorrow|yesterday|tonight|noon|midnight|deadline|until|annually|monthly|weekly|daily)\b"
        r"|\d ?[ap]\.?m\b|\d:\d\d",
        re.IGNORECASE,
    ),
    "duration": re.compile(
        rf"(?=.*(?:\d|\b(?:{_NUMBERS}|one|an?)\b)).*\b(?:{_UNITS})s?\b|forever|indefinitely|permanent",
        re.IGNORECASE | re.DOTALL,
    ),
    "who": re.compile(r"(?<=[\w,;:\"“(’'] )(?:[A-Z][a-z]+|[A-Z]{2,})"),
    "where": re.compile(
        r"\b(?:at|in|on|from|to|near|under|here) (?:the )?[A-Z]|https?:|www\.|@"
        r"|\b(?:page|folder|directory|file|website|site|address|room|channel|list|forum|street|city)\b"
    ),
    "why": re.compile(
        r"\b(?:because|since|due to|so that|in order|therefore|reasons?|caused?|leads? to|led to|result(?:ed|s)?|thus"
        r"|hence|as it|otherwise|to (?:avoid|ensure|prevent|make|keep|allow|protect|help|reduce|give))\b",
        re.IGNORECASE,
    ),
    "how": re.compile(
        r"\b(?:can|must|should|need to|by \w+ing|use|using|run|click|type|add|set|send|write|contact|ask|create|install"
        r"|open|choose|select|call|make)\b",
        re.IGNORECASE,
    ),
}
MONEY = re.compile(
    r"\b(?:costs?|prices?|pay|paid|money|fees?|salary|expensive|budget|spend|spent|saved?|fund\w*|charge[ds]?)\b"
)
AMOUNT = re.compile(
    r"(?=.*\d)(?=.*(?:[$€£¥%]|\b(?:euros?|dollars?|pounds?|usd|eur|gbp|cents?|per cent)\b))", re.IGNORECASE | re.DOTALL
)
# Forms of questions: how often the document of a question has no answer differs between them.
FORMS: dict[str, re.Pattern[str]] = {
    "how many": re.compile(r"\bhow many\b"),
    "how much": re.compile(r"\bhow much\b"),
    "how long": re.compile(r"\bhow long\b"),
    "when or where": re.compile(r"^ *(?:when|where)\b"),
    "which": re.compile(r"\bwhich\b"),
    "what": re.compile(r"^ *what\b"),
    "will": re.compile(r"\bwill\b"),
    "yes or no": re.compile(
        r"^ *(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|had|am)\b"
    ),
}
# Tokens that are numbers beside the noun that "how many" asks for.
NUMERALS = word_set(
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty hundred "
    "hundreds thousand thousands million millions billion billions dozen dozens several no single both half couple all "
    "many few"
)
