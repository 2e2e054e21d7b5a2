"""Plans a study: from documents and systems, or from the records of one that has taken place."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memsum._version import __version__
from memsum.errors import CorpusError
from memsum.study.plan import Assignment, Ballot, Choice, Pair, Plan, StudyDocument, StudySettings, assign, draw_pairs
from memsum.study.records import CRITERIA, LOSS, TIE, WIN, Ranks, Record
from memsum.study.schema import StudyError

if TYPE_CHECKING:
    from memsum.training.evaluation import Data, Prediction, System

SEED = 2022
_SECRET_BYTES = 32
_CHOICE: dict[Ranks, Choice] = {WIN: "left", LOSS: "right", TIE: "tie"}


@dataclass(frozen=True)
class StudyOptions:
    """How a study is laid out."""

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
    if len(systems) < 2:
        raise StudyError("A study compares at least two systems.", "Give --systems a=… b=…")
    chosen = _sample(len(data), options)
    examples = [data.examples[place] for place in chosen]
    extracts: dict[tuple[int, int], tuple[int, ...]] = {}
    for number, system in enumerate(systems):
        for document, prediction in enumerate(_predictions(system, data, chosen)):
            name = str(examples[document].id or chosen[document])
            extracts[document, number] = locate(prediction, examples[document].text, system.name, name)
            advance(1)
    secret = secret or secrets.token_hex(_SECRET_BYTES)
    drawn_from = f"{options.seed}/{secret}"
    pairs = draw_pairs(len(examples), len(systems), options.pairs, drawn_from)
    return Plan(
        settings=StudySettings(title, str(data), options.seed, options.overlap, options.ties, __version__),
        systems=tuple((system.name, str(system)) for system in systems),
        documents=tuple(
            StudyDocument(str(example.id if example.id is not None else place), example.text, example.summary)
            for place, example in zip(chosen, examples, strict=True)
        ),
        extracts=extracts,
        annotators=tuple(f"annotator {number + 1}" for number in range(options.annotators)),
        assignments=tuple(assign(pairs, options.annotators, options.overlap, drawn_from)),
        ballots={},
        secret=secret,
    )


def locate(prediction: Prediction, text: Sequence[str], system: str, document: str) -> tuple[int, ...]:
    """Where a prediction's sentences stand in the document; of a sentence that repeats, the first place not taken."""
    if prediction.indices is not None:
        return tuple(dict.fromkeys(prediction.indices))
    places: list[int] = []
    for sentence in prediction.sentences:
        found = [place for place, one in enumerate(text) if one == sentence and place not in places]
        if not found:
            raise StudyError(
                f"{system} has a sentence that is not in document {document}: {sentence[:60]!r}.",
                "A study compares extracts: each sentence must be one of the document's, to the letter.",
            )
        places.append(found[0])
    return tuple(places)


def plan_import(title: str, records: Sequence[Record]) -> Plan:
    """Turn records into a study in which all has been judged."""
    names = tuple(dict.fromkeys(name for record in records for name in sorted(record.systems)))
    people = tuple(dict.fromkeys(record.annotator for record in records))
    documents = tuple(dict.fromkeys((record.text, record.summary) for record in records))
    extracts: dict[tuple[int, int], tuple[int, ...]] = {}
    places = dict.fromkeys(people, 0)
    ballots: dict[Assignment, Ballot] = {}
    for number, record in enumerate(records, start=1):
        document = documents.index((record.text, record.summary))
        left, right = (names.index(name) for name in record.systems)
        for system, extract in zip((left, right), record.extracts, strict=True):
            if not extract.is_quoted(record.text):
                raise CorpusError(f"Record {number} has a sentence that is not where it says in its document.")
            if extracts.setdefault((document, system), extract.positions) != extract.positions:
                raise CorpusError(f"Record {number} has another summary of {names[system]} than an earlier record.")
        places[record.annotator] += 1
        pair = Pair(document, min(left, right), max(left, right))
        one = Assignment(pair, people.index(record.annotator), places[record.annotator], left, right)
        ballots[one] = Ballot(_choices(record.ranks), record.comment, record.seconds)
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
    from memsum.training.evaluation.baselines import parse_baseline
    from memsum.training.evaluation.systems import PredictionsFile, check_systems, open_models

    systems: list[System] = []
    for value in values:
        name, _, what = value.rpartition("=")
        path, embedded = Path(what), {source.name for source in list_models()}
        if path.is_file():
            systems.append(PredictionsFile.open(name or path.name.split(".")[0], path, data))
        elif path.is_dir() or what in embedded or "/" in what:
            systems += open_models([f"{name}={what}" if name else what], device)
        else:
            baseline = parse_baseline(what)
            systems.append(_Named(name, baseline) if name else baseline)
    check_systems(systems)
    return systems


class _Named:
    """A system under another name."""

    def __init__(self, name: str, system: System) -> None:
        self.name = name
        self.predict = system.predict
        self._signature = str(system)

    def __str__(self) -> str:
        return self._signature


def _sample(count: int, options: StudyOptions) -> list[int]:
    if options.sample is None or options.sample >= count:
        return list(range(count))
    return sorted(random.Random(f"{options.seed}/documents").sample(range(count), options.sample))


def _predictions(system: System, data: Data, chosen: Sequence[int]) -> Sequence[Prediction]:
    from memsum.training.evaluation.systems import PredictionsFile

    if isinstance(system, PredictionsFile):  # it has been read for all documents
        return [system.predictions[place] for place in chosen]
    return list(system.predict([data.examples[place] for place in chosen]))


def _choices(ranks: Mapping[str, Ranks]) -> dict[str, Choice]:
    return {criterion: _CHOICE[ranks[criterion]] for criterion in CRITERIA}
