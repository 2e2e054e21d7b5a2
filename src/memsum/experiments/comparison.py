"""Tables 2 and 3: the policy beside baselines, anyone's predictions, and the published figures of other systems."""

from __future__ import annotations

from memsum.evaluation import Data, PredictionsFile, parse_baseline
from memsum.experiments.context import Context, Report
from memsum.experiments.corpora import Corpus
from memsum.experiments.published import DATASETS, PUBLISHED
from memsum.experiments.scores import MEAN, ROUGE, Claim, Scores, conclude, difference_table, score_table, signatures
from memsum.experiments.variants import FULL, NEUSUM, SUMMARUNNER
from memsum.report.table import Row, Table

TRAINED = (FULL, NEUSUM, SUMMARUNNER)
RANKINGS = {"Lead": "lead", "LexRank": "lexrank"}


def run(context: Context) -> Report:
    """Compare on every corpus; predictions files are of the main one."""
    tables: list[Table] = []
    conclusions: list[str] = []
    lines: list[str] = []
    measured: dict[str, list[Scores]] = {}
    for corpus in context.corpora:
        data = corpus.data("test")
        systems = _systems(context, corpus, data)
        measured[corpus.name] = systems
        full, *others = [systems[-1], *systems[:-1]]
        tables.append(score_table(f"comparison-{corpus.name}", f"Systems on {corpus.name}", systems))
        tables.append(difference_table(f"differences-{corpus.name}", f"Compared with {FULL.name}", full, others))
        conclusions += [f"On {corpus.name}: {conclude(claim)}" for claim in _claims(systems)]
        lines += signatures(str(data), systems)
    tables.append(_published(measured))
    return Report(
        title="Comparison",
        question="How does the policy compare with extraction by rules, by learned baselines, and with the ceiling of "
        "extraction? (Tables 2 and 3)",
        tables=tuple(tables),
        conclusions=tuple(conclusions),
        signatures=tuple(dict.fromkeys(lines)),
    )


def _systems(context: Context, corpus: Corpus, data: Data) -> list[Scores]:
    """The oracle, rules, predictions, and last what was trained; the policy is the last of all."""
    context.train(TRAINED, corpus)
    full, neusum, summarunner = (context.scores(variant, corpus, data) for variant in TRAINED)
    oracle = Scores.of("ORACLE", [context.summarise(parse_baseline("oracle"), data)])
    rules = [_ranking(context, title, corpus, data) for title in RANKINGS]
    files = context.config.predictions if corpus == context.main else {}
    given = [PredictionsFile.open(name, path, data) for name, path in files.items()]
    others = [Scores.of(system.name, [context.summarise(system, data)]) for system in given]
    return [oracle, *rules, *others, summarunner, neusum, full]


def _ranking(context: Context, title: str, corpus: Corpus, data: Data) -> Scores:
    """A ranking that takes as many sentences as validation finds best, as all models do."""
    from memsum.training.validation import MAXIMA

    most = context.config.training.max_sentences
    valid = corpus.data("valid")
    candidates = [parse_baseline(f"{RANKINGS[title]}-{k}") for k in sorted({k for k in MAXIMA if k < most} | {most})]
    tried = {system: Scores.of(title, [context.summarise(system, valid)]) for system in candidates}
    best = max(candidates, key=lambda system: tried[system].measures[MEAN].mean())
    return Scores.of(best.name.replace(RANKINGS[title], title), [context.summarise(best, data)])


def _claims(systems: list[Scores]) -> list[Claim]:
    oracle, lead, lexrank, *others, summarunner, neusum, full = systems
    return [
        Claim(full, neusum, "better"),
        Claim(full, summarunner, "better"),
        Claim(neusum, summarunner, "better"),
        Claim(full, lead, "better"),
        Claim(full, lexrank),
        *(Claim(full, other) for other in others),
        Claim(full, oracle, "worse"),
    ]


def _published(measured: dict[str, list[Scores]]) -> Table:
    """What was measured here beside what the paper's tables say of other data."""
    here = {
        corpus: {scores.name.split("-")[0]: _three(scores) for scores in systems}
        for corpus, systems in measured.items()
    }
    names = list(dict.fromkeys([*(name for systems in here.values() for name in systems), *PUBLISHED]))
    rows: list[Row] = []
    for name in names:
        figures = PUBLISHED.get(name, {})
        there = (
            " / ".join(f"{x:.2f}" for x in figures[dataset]) if dataset in figures else None for dataset in DATASETS
        )
        rows.append((name, *(here[corpus].get(name) for corpus in here), *there))
    head = ("system", *(f"{corpus}, here" for corpus in here), *(f"{dataset}†" for dataset in DATASETS))
    note = (
        "R-1 / R-2 / R-L. † As published in the paper, on other data, with far more of it, and by other ROUGE scripts: "
        "to be read beside our numbers, not against them."
    )
    return Table("published", "Measured here, and published on other data", head, tuple(rows), (note,))


def _three(scores: Scores) -> str:
    return " / ".join(f"{scores.measures[measure].mean():.2f}" for measure in ROUGE)
