"""The text of invented papers, of which every word of the running text is known."""

# ruff: noqa: E501, SIM905

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

NOUNS = """sedimentation rate|water table|field station|efficiency factor|flow coefficient|office building|affine transformation
|measurement campaign|temperature gradient|interglacial deposit|classification threshold|reference laboratory|calibration curve
|first-order approximation|long-term record|state-of-the-art instrument|groundwater sample|reflectance profile|microbial community
|offshore platform|infiltration capacity|steady-state solution|drainage network|confidence interval|finite-element model
|hydrological catchment|spectrophotometric assay|representative subset|multidisciplinary consortium""".replace(
    "\n", ""
).split("|")
VERBS = """confirmed|underestimated|stabilised|reproduced|contradicted|outperformed|influenced|characterised|complicated
|clarified|exceeded|approximated|determined|dominated|reflected|modified""".replace("\n", "").split("|")
ADJECTIVES = """sufficient|unexpected|considerable|systematic|well-known|heterogeneous|conventional|five-fold|inefficient
|independent|quantitative|reproducible|site-specific|intermediate|unambiguous|corresponding""".replace("\n", "").split(
    "|"
)
COMPOUNDS = """machine-learning hard-attention forward-backward previously-studied low-cost data-driven rule-based
cold-start end-to-end fine-grained open-source large-scale peer-reviewed time-consuming decision-making labour-intensive
error-prone cost-effective wide-ranging ground-truth off-the-shelf day-to-day water-soluble heat-resistant
temperature-dependent age-related drug-resistant plant-derived energy-saving self-supervised multi-head semi-arid
sequence-to-sequence single-family sentence-level part-of-speech mixed-effects depth-first window-based high-resolution
context-aware colour-coded client-server question-answering noise-tolerant season-specific""".split()
LONG = """representation hyperparameter characterisation infrastructure electromagnetic photosynthesis macroeconomic biodiversity
immunotherapy counterproductive overestimated understanding nevertheless heterogeneity disproportionately microorganisms
approximately environmental responsibility interpretation straightforward questionnaire transportation communication
administration recommendation misunderstanding decentralised standardised simultaneously comprehensive spectroscopic
hydroelectric particularly circumstances neighbourhood constellation encyclopaedia perpendicular sustainability""".split()
PLACES = [
    "the northern basin",
    "Lake Orta",
    "the upper catchment",
    "the coastal plain",
    "Station 4",
    "the Weser estuary",
    "the second site",
]
TEMPLATES = """In {place}, the {noun} {verb} the {adj} {noun} by {n} per cent, which was {adj} in every season.
We {verb} the {noun} because the {noun} of the earlier study [{c}] was not {adj}.
However, the {adj} {noun} did not differ between {place} and {place} (p = 0.{n}).
The {noun} was measured {n} times, and each {noun} was compared with the {adj} {noun} of {place}.
These observations {verb} the view that a {adj} {noun} follows from the {noun} rather than from the {noun}.
A {noun} of {n}.{m} units was found, i.e. roughly twice the {adj} value reported by Smith et al. [{c}, {d}].
Taken together, the {noun}s of all {n} stations {verb} the {adj} hypothesis of Section {m}.
Although the {noun} {verb} the {noun}, its {adj} effect on the {noun} remained difficult to explain.
As Fig. {m} shows, the {noun} rises after {n} days and then falls to a {adj} level.
Dr. Keller and co-workers [{c}] suggested that the {noun} might be {adj}; our {noun} does not support this.
Why is the {noun} so {adj} when the {noun} is not?
The {adj} method needs a {noun}, a {adj} {noun} and about {n} minutes of work for each sample.
After the flood, every {noun} in {place} was replaced, so that the {adj} {noun} could be excluded as a cause.
This difference was small (n = {n}, 95% confidence interval {m}.1–{m}.9) and of no practical importance.
The {compound} analysis of the {long} data was repeated, because the {compound} version had been {adj}.
A {compound} study of {place} found that {long} effects and {long} ones are seldom {compound} in nature.
For the {long} part we relied on a {compound} procedure and on the {compound} maps of {place}.
The mean rate was {n}.{m} ± 0.{n} at the {noun}, and 3 × {n} samples of the {noun} had to be discarded.
Both the {noun} and the {noun} were stored at 4 °C, fixed within {n} hours and analysed in a different office.
""".strip().split("\n")
_SLOTS = {"place": PLACES, "noun": NOUNS, "verb": VERBS, "adj": ADJECTIVES, "compound": COMPOUNDS, "long": LONG}
HEADINGS = [
    (1, "Introduction"), (1, "Materials and Methods"), (2, "Study area"), (2, "Statistical analysis"), (1, "Results"),
    (2, "Effects on the water table"), (2, "Seasonal differences"), (1, "Discussion"), (1, "Conclusions"),
]  # fmt: skip


@dataclass
class Paper:
    """A paper as it is typeset; `flow` is its sections' content in order."""

    title: str
    authors: list[str]
    affiliation: str
    abstract: str
    flow: list[tuple[str, str]] = field(default_factory=list)
    references: list[str] = field(default_factory=list)

    def running_words(self) -> list[str]:
        """The words a reader must find, in order."""
        kept = (text for kind, text in self.flow if kind in ("p", "item"))
        return [word for text in kept for word in re.sub(r"\{\{.*?\}\}", "", text).split()]


class Writer:
    """Writes sentences and papers from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def sentence(self) -> str:
        """One sentence of the templates."""
        pick = self.random.choice

        def fill(slot: re.Match[str]) -> str:
            kind = slot[1]
            if kind in "nmcd":
                return str(
                    self.random.randint(11, 89) if kind == "n" else self.random.randint(2, 9 if kind == "m" else 14)
                )
            return pick(_SLOTS[kind])

        text = re.sub(r"\{(\w+)\}", fill, pick(TEMPLATES))
        return text[0].upper() + text[1:]

    def paragraph(self, low: int = 3, high: int = 8) -> str:
        """Some sentences."""
        return " ".join(self.sentence() for _ in range(self.random.randint(low, high)))

    def paper(self, paragraphs: int = 3) -> Paper:
        """A paper with sections, lists, notes, figures, tables and references."""
        paper = Paper(
            f"The {self.random.choice(ADJECTIVES)} {self.random.choice(NOUNS)} and its influence on the {self.random.choice(NOUNS)}",
            ["Anna Berg", "Tomás Ruiz", "Wen Li"],
            "Institute of Applied Limnology, University of Northfield, 12 Harbour Road, Northfield",
            self.paragraph(5, 6),
        )
        for number, (level, heading) in enumerate(HEADINGS):
            paper.flow.append((f"h{level}", heading))
            for _ in range(paragraphs):
                paper.flow.append(("p", self.paragraph()))
            if number % 3 == 1:
                note = "{{" + self.sentence() + "}}"
                text = self.sentence()
                paper.flow.append(("p", f"{text[:-1]}.{note} {self.paragraph()}"))
                paper.flow.append(("figure", self.paragraph(1, 2)))
            if number % 3 == 2:
                paper.flow.append(("p", self.paragraph() + " Three findings stand out:"))
                paper.flow.extend(("item", self.sentence()) for _ in range(3))
                paper.flow.append(("table", self.sentence()))
                paper.flow.append(("p", self.paragraph()))
            if number in (3, 7):
                paper.flow.append(("p", f"{self.paragraph()} The balance is then given by"))
                paper.flow.append(("equation", "Q"))
                paper.flow.append(("p", f"where the first term is the {self.random.choice(NOUNS)}. {self.paragraph()}"))
            if number in (2, 6):
                paper.flow.append(("wide figure" if number == 2 else "wide table", self.paragraph(1, 2)))
                paper.flow.append(("p", self.paragraph()))
        paper.references = [
            f"A. Author and B. Writer, “{self.sentence()[:-1]},” Journal of Lakes, vol. {n + 3}, pp. {n}1–{n}9, 20{n:02d}."
            for n in range(1, 15)
        ]
        return paper
