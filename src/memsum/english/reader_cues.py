"""Cue words by which a sentence shows what it is to a reader: a duty, a decision, a default, a greeting."""

from __future__ import annotations

import re

_OUTCOME = re.compile(
    r"\W{0,3}(?:(?:final |formal )?decisions?|resolution|resolved|outcome|conclusion|actions?(?: items?)?|agreed|"
    r"agreement|consensus|motion)(?: ?:| (?:was|is)\b)",
    re.IGNORECASE,
)

ANYWHERE = {
    "duty": "must shall required require requires need needs needed mandatory obliged obligation obligated",
    "permission": "may can could might able allow allows allowed permit permitted permission",
    "advice": "should recommend recommends recommended advise advised encourage encouraged encourages prefer "
    "preferred ought",
    "negation": "not no never cannot n't without unless except prohibited prohibit neither nor none nothing",
    "decision": "decided decide decision decisions agree agreed agreement concluded conclusion resolved resolution "
    "consensus approved approve action adopted vote voted motion accepted rejected proposal proposed",
    "future": "will going plan plans planned next upcoming soon expected future",
    "finding": "found find findings show showed shows shown result results survey report reported learned key main "
    "important importantly most because therefore means",
    "purpose": "goal goals aim aims purpose objective lesson tutorial guide post article document policy page tool "
    "project",
    "definition": "is are called means refers defined known provides provide lets allows helps enables",
    "contrast": "but however although though while instead yet still unfortunately despite rather",
    "cause": "because since due therefore thus hence so",
    "condition": "if when unless until once before after within whenever where",
    "example": "example instance e.g i.e such like following below above see namely",
    "we": "we our us ours",
    "i": "i my me mine",
    "you": "you your yours yourself",
    "they": "they their them he she his her him",
    "it": "it its this that these those",
    "greeting": "welcome thank thanks hello hi please enjoy happy excited cheers congratulations subscribe join "
    "contact click feel free glad pleased hope",
    "date": "january february march april june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday day days week weeks month months year years hour hours "
    "minutes deadline today yesterday tomorrow",
    "money": "$ € £ % percent million billion thousand usd fee fees price cost costs pay payment budget funding",
    "default": "default defaults note warning caution careful remember ensure avoid always instead best sure important",
    "operation": "install run type command download open click create file folder directory set select button menu",
    "speech": "said says told asked wrote explained noted according",
    "novelty": "first only best largest biggest most major new now today announced announce announces announcing "
    "release released launch launched",
    "people": "people users user members team committee staff employees community students customers public "
    "everyone anyone",
    "risk": "risk risks danger harm problem problems issue issues fail fails failed error errors bug broken wrong "
    "lost loss attack security safety",
    "law": "liability warranty license licence rights terms law legal privacy data personal consent copyright "
    "violation terminate termination agreement conditions",
    "quantity": "all every each any many most several few some both half more less than least",
    "change": "change changes changed update updated added removed replaced improved support supports supported "
    "deprecated",
    "learning": "learn understand know explain explains describes describe teach",
    "reference": "et al figure fig table section chapter",
}
FIRST = {
    "pronoun": "it this that these those they he she them such there here",
    "conjunction": "and or but so then also moreover now well ok okay",
    "contrast": "however although though while instead yet still unfortunately",
    "instruction": "use make do be add run create open click set keep check put remove turn avoid give take write read "
    "ask ensure install choose select try go let include send submit provide follow call wear place never "
    "always start stop consider report test move see note remember clean apply hold pull push tell find "
    "get work plan don",
    "condition": "if when once before after while until unless",
    "we": "we our",
    "i": "i my",
    "you": "you your",
    "the": "the",
    "a": "a an",
    "preposition": "in on at for with by from",
    "to": "to",
    "question": "what how why who where which when",
    "quantity": "all any every each no most many some",
    "for": "for as",
    "there": "there here",
    "number": "1 2 3 4 5 6 7 8 9 10",
}


def is_outcome(sentence: str) -> bool:
    """Tell whether a sentence begins with a label by which minutes call it an outcome: "Decision: …"."""
    return _OUTCOME.match(sentence) is not None
