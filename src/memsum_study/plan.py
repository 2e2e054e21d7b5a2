"""The plan of a study: who judges what, in which order and on which side.

A plan is made from documents and systems, or from the records of an earlier study. Pairs, order and sides
are drawn from the study's secret, so that only its file can tell. A seed alone would not do: whoever knows it, and the
options of the study, could compute the sides.
"""

from __future__ import annotations

import random
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memsum._version import __version__
from memsum.errors import CorpusError
from memsum_study.records import CRITERIA, LOSS, TIE, WIN, Ranks, Record, StudyError

if TYPE_CHECKING:
    from memsum_train.evaluation.data import Data, Prediction
    from memsum_train.evaluation.systems import System

Choice = Literal["left", "right", "tie"]
SEED = 2022
_SECRET_BYTES = 32
_CHOICE: dict[Ranks, Choice] = {WIN: "left", LOSS: "right", TIE: "tie"}


@dataclass(frozen=True)
class StudySettings:
    """The settings of a study; all but its secret."""

    title: str
    data: str
    seed: int
    overlap: int
    ties: bool
    version: str


@dataclass(frozen=True)
class StudyDocument:
    """A document with its human summary."""

    name: str
    text: tuple[str, ...]
    reference: tuple[str, ...]


@dataclass(frozen=True)
class Annotator:
    """A person, known by an unguessable code."""

    id: int
    name: str
    code: str


@dataclass(frozen=True)
class Ballot:
    """An annotator's judgment of a pair; no choices means it was skipped."""

    choices: Mapping[str, Choice] | None
    comment: str = ""
    seconds: float | None = None
    active_seconds: float | None = None


@dataclass(frozen=True)
class Task:
    """A pair as an annotator sees it: nothing in it tells whose the summaries are."""

    number: int
    document: int
    text: tuple[str, ...]
    reference: tuple[str, ...]
    left: tuple[int, ...]  # positions in document order, as any other order would tell systems apart
    right: tuple[int, ...]
    ballot: Ballot | None


@dataclass(frozen=True)
class AnnotatorProgress:
    """The progress of an annotator; `skipped` are the numbers of skipped pairs."""

    total: int
    judged: int
    skipped: tuple[int, ...]

    @property
    def left(self) -> int:
        return self.total - self.judged - len(self.skipped)


@dataclass(frozen=True)
class Pair:
    """Two systems on one document; systems and documents are numbers."""

    document: int
    first: int
    second: int


@dataclass(frozen=True)
class Assignment:
    """A pair for an annotator, at a position of that annotator's list, with one of its systems on the left."""

    pair: Pair
    annotator: int
    position: int
    left: int
    right: int


@dataclass(frozen=True)
class Plan:
    """All of a new study, before it is written; an imported one comes with its ballots."""

    settings: StudySettings
    systems: tuple[tuple[str, str], ...]  # name and signature
    documents: tuple[StudyDocument, ...]
    extracts: Mapping[tuple[int, int], tuple[int, ...]]  # of (document, system)
    annotators: tuple[str, ...]
    assignments: tuple[Assignment, ...]
    ballots: Mapping[Assignment, Ballot]
    secret: str = field(default="", repr=False)  # what order and sides were drawn from; it stays in the study's file

    def is_automatic(self, assignment: Assignment) -> bool:
        """Tell whether both systems extract the same set, which is a tie that nobody needs to see."""
        document, ballot = assignment.pair.document, self.ballots.get(assignment)
        if ballot is not None and ballot.choices is not None and set(ballot.choices.values()) != {"tie"}:
            return False  # someone has judged it, and found a difference
        return set(self.extracts[document, assignment.left]) == set(self.extracts[document, assignment.right])


def draw_pairs(documents: int, systems: int, per_document: int, secret: str) -> list[Pair]:
    """Give each document some pairs of systems, so that all pairs come up equally often, give or take one."""
    chance = random.Random(f"{secret}/pairs")
    kinds = list(combinations(range(systems), 2))
    per_document = min(per_document, len(kinds))
    uses = dict.fromkeys(kinds, 0)
    pairs = []
    for document in chance.sample(range(documents), documents):
        drawn = sorted(chance.sample(kinds, len(kinds)), key=uses.__getitem__)[:per_document]
        for kind in drawn:
            uses[kind] += 1
            pairs.append(Pair(document, *kind))
    return pairs


def assign(pairs: Sequence[Pair], annotators: int, overlap: int, secret: str) -> list[Assignment]:
    """Give each pair to `overlap` annotators: equal work for all, each in an order of their own, sides balanced."""
    chance = random.Random(f"{secret}/assignments")
    lists: list[list[Pair]] = [[] for _ in range(annotators)]
    for pair in pairs:
        everyone = sorted(chance.sample(range(annotators), annotators), key=lambda one: len(lists[one]))
        for annotator in everyone[:overlap]:
            lists[annotator].append(pair)
    lead: Counter[tuple[int, int]] = Counter()  # how much more often the first system of a kind was on the left
    assignments = []
    for annotator, own in enumerate(lists):
        chance.shuffle(own)
        swapped: dict[tuple[int, int], list[bool]] = {}
        # Of each kind of pair, half of an annotator's and half of everyone's are swapped, give or take one.
        for kind, count in sorted(Counter((pair.first, pair.second) for pair in own).items()):
            swapped[kind] = [False, True] * (count // 2)
            if count % 2:
                odd = lead[kind] > 0 if lead[kind] else chance.random() < 0.5
                lead[kind] += -1 if odd else 1
                swapped[kind].append(odd)
            chance.shuffle(swapped[kind])
        for position, pair in enumerate(own, start=1):
            left, right = pair.first, pair.second
            if swapped[left, right].pop():
                left, right = right, left
            assignments.append(Assignment(pair, annotator, position, left, right))
    return assignments


@dataclass(frozen=True)
class StudyOptions:
    """The options of a new study."""

    annotators: int = 1
    overlap: int = 1
    pairs: int = 1  # of systems for each document
    sample: int | None = None
    ties: bool = False
    seed: int = SEED

    def __post_init__(self) -> None:
        if self.overlap > self.annotators:
            raise StudyError(
                f"A pair cannot be judged by {self.overlap} of {self.annotators} annotators.",
                "Ask for more --annotators, or less --overlap.",
            )


def plan_study(
    title: str,
    data: Data,
    systems: Sequence[System],
    options: StudyOptions,
    advance: Callable[[int], None] = lambda done: None,
    secret: str | None = None,
) -> Plan:
    """Let all systems extract from the documents, and deal the pairs out to annotators.

    The seed chooses the documents; pairs, order and sides depend on a secret too, which is drawn anew for each study.
    """
    from memsum_train.evaluation.data import make_data

    if len(systems) < 2:
        raise StudyError("A study compares at least two systems.", "Give --systems a=… b=…")
    chosen = list(range(len(data)))
    if options.sample is not None and options.sample < len(data):
        chosen = sorted(random.Random(f"{options.seed}/documents").sample(chosen, options.sample))
    examples = [data.examples[index] for index in chosen]
    signature = make_data(data.name, examples).signature  # of the sample, if it is one
    extracts: dict[tuple[int, int], tuple[int, ...]] = {}
    for number, system in enumerate(systems):
        # A file of predictions has been read for all documents.
        read = system.predictions
        predicted = [read[index] for index in chosen] if read is not None else system.predict(examples)
        for document, prediction in enumerate(predicted):
            name = str(examples[document].id or chosen[document])
            extracts[document, number] = locate(prediction, examples[document].text, system.name, name)
            advance(1)
    secret = secret or secrets.token_hex(_SECRET_BYTES)
    drawn_from = f"{options.seed}/{secret}"
    pairs = draw_pairs(len(examples), len(systems), options.pairs, drawn_from)
    return Plan(
        settings=StudySettings(title, signature, options.seed, options.overlap, options.ties, __version__),
        systems=tuple((system.name, system.signature) for system in systems),
        documents=tuple(
            StudyDocument(str(example.id if example.id is not None else index), example.text, example.summary)
            for index, example in zip(chosen, examples, strict=True)
        ),
        extracts=extracts,
        annotators=tuple(f"annotator {number + 1}" for number in range(options.annotators)),
        assignments=tuple(assign(pairs, options.annotators, options.overlap, drawn_from)),
        ballots={},
        secret=secret,
    )


def locate(prediction: Prediction, text: Sequence[str], system: str, document: str) -> tuple[int, ...]:
    """Return the indices of a prediction's sentences; of a sentence that repeats, the first index not taken."""
    if prediction.indices is not None:
        return tuple(dict.fromkeys(prediction.indices))
    indices: list[int] = []
    for sentence in prediction.sentences:
        found = [index for index, one in enumerate(text) if one == sentence and index not in indices]
        if not found:
            raise StudyError(
                f"{system} has a sentence that is not in document {document}: {sentence[:60]!r}.",
                "A study compares extracts: each sentence must be one of the document's, to the letter.",
            )
        indices.append(found[0])
    return tuple(indices)


def plan_import(title: str, records: Sequence[Record]) -> Plan:
    """Turn records into a study in which all has been judged."""
    names = tuple(dict.fromkeys(name for record in records for name in sorted(record.systems)))
    people = tuple(dict.fromkeys(record.annotator for record in records))
    documents = tuple(dict.fromkeys((record.text, record.summary) for record in records))
    extracts: dict[tuple[int, int], tuple[int, ...]] = {}
    counts = dict.fromkeys(people, 0)
    ballots: dict[Assignment, Ballot] = {}
    for number, record in enumerate(records, start=1):
        document = documents.index((record.text, record.summary))
        left, right = (names.index(name) for name in record.systems)
        for system, extract in zip((left, right), record.extracts, strict=True):
            if not extract.is_quoted(record.text):
                raise CorpusError(f"Record {number} has a sentence that is not at its position in the document.")
            if extracts.setdefault((document, system), extract.positions) != extract.positions:
                raise CorpusError(f"Record {number} has another summary of {names[system]} than an earlier record.")
        counts[record.annotator] += 1
        pair = Pair(document, min(left, right), max(left, right))
        one = Assignment(pair, people.index(record.annotator), counts[record.annotator], left, right)
        ballots[one] = Ballot({name: _CHOICE[record.ranks[name]] for name in CRITERIA}, record.comment, record.seconds)
    settings = StudySettings(title, f"records:{len(records)}", SEED, 1, True, __version__)
    return Plan(
        settings=settings,
        systems=tuple((name, "imported") for name in names),
        documents=tuple(StudyDocument(str(i), *document) for i, document in enumerate(documents)),
        extracts=extracts,
        annotators=people,
        assignments=tuple(ballots),
        ballots=ballots,
    )


def open_systems(values: Sequence[str], data: Data, device: str = "auto") -> list[System]:
    """Open systems given as `NAME=` and a predictions file, a model, or a baseline such as `lead-7`."""
    from memsum.model import list_models
    from memsum_train.evaluation.baselines import parse_baseline
    from memsum_train.evaluation.systems import check_systems, file_system, open_models

    systems: list[System] = []
    for value in values:
        name, _, what = value.rpartition("=")
        path, embedded = Path(what), {source.name for source in list_models()}
        if path.is_file():
            systems.append(file_system(name or path.name.split(".")[0], path, data))
        elif path.is_dir() or what in embedded or "/" in what:
            systems += open_models([f"{name}={what}" if name else what], device)
        else:
            baseline = parse_baseline(what)
            systems.append(replace(baseline, name=name or baseline.name))
    check_systems(systems)
    return systems
