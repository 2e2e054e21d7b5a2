"""What the paper says of two systems, and what our intervals say: agreement, contradiction, or not enough data."""

from __future__ import annotations

from dataclasses import dataclass

from memsum.experiments.scores import MEAN, Scores, Verdict, compare, verdict

_UNITS = {MEAN: " mean ROUGE", "sentences": " sentences", "words": " words", "duplicates": " % duplicates"}
_MORE: dict[Verdict, str] = {
    "better": "more",
    "worse": "fewer",
    "not distinguishable": "not distinguishably more or fewer",
}


@dataclass(frozen=True)
class Claim:
    """That the first system does better or worse than the second (or has more, or less), by the paper's numbers."""

    first: Scores
    second: Scores
    paper: Verdict | None = None  # None: it does not say
    measure: str = MEAN


def conclude(claim: Claim) -> str:
    """One sentence, from the interval of the difference alone."""
    found = compare(claim.first, claim.second, claim.measure)
    ours = verdict(found)
    low, high = found.interval.low, found.interval.high
    numbers = f"{found.difference:+.2f}{_UNITS.get(claim.measure, '')}, 95 % interval {low:+.2f} to {high:+.2f}"
    if claim.measure == MEAN:
        said = f"is {_than(ours)} {claim.second.name}"
    else:
        said = f"has {_MORE[ours]} {claim.measure} than {claim.second.name}"
    agreement = f": {_agreement(ours, claim, claim.paper)}" if claim.paper else ""
    return f"{claim.first.name} {said} ({numbers}){agreement}."


def _than(ours: Verdict) -> str:
    return "not distinguishable from" if ours == "not distinguishable" else f"{ours} than"


def _agreement(ours: Verdict, claim: Claim, paper: Verdict) -> str:
    if ours == paper:
        return "the paper finds no difference either" if ours == "not distinguishable" else "as in the paper"
    if ours == "not distinguishable":
        what = paper if claim.measure == MEAN else _MORE[paper]
        return f"the paper finds {what}, which these data neither confirm nor refute"
    if paper == "not distinguishable":
        return "the paper finds no difference"
    return "this contradicts the paper"
