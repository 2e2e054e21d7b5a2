"""How an evaluation is shown: tables for people, Markdown for documents, JSON for programs, all with signatures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from memsum.training.evaluation.measuring import Difference, Evaluation, SystemResult
from memsum.training.report.table import Number, Row, Table, as_markdown, as_text
from memsum.training.rouge import VARIANTS, CorpusScore

Format = Literal["table", "json", "markdown"]
TITLES = {"rouge1": "R-1", "rouge2": "R-2", "rougeL": "R-L", "rougeLsum": "R-Lsum"}


def render(evaluation: Evaluation, form: Format, width: int | None = None, *, colour: bool = False) -> str:
    """The whole evaluation as text; `width` and `colour` are those of a terminal."""
    if form == "json":
        return _json(evaluation)
    footer = [evaluation.data, metric_signature(evaluation)]
    footer += [f"{result.name}: {result.signature}" for result in evaluation.results]
    if form == "markdown":
        tables = [as_markdown(table).rstrip("\n") for table in _tables(evaluation)]
        return "\n\n".join([*tables, "\n".join(f"- `{line}`" for line in footer)])
    tables = [f"{as_text(table, width, colour=colour, stacked=True)}\n" for table in _tables(evaluation)]
    return "\n".join([*tables, *footer])


def metric_signature(evaluation: Evaluation) -> str:
    """How all scores of an evaluation were computed, in one line."""
    one = evaluation.results[0].rouge[0]
    return f"{replace(one.signature, variant='+'.join(VARIANTS))}|{_resampling(one)}"


def _resampling(score: CorpusScore) -> str:
    return f"bootstrap:{score.resamples}|level:{score.level:g}|seed:{score.seed}"


def _tables(evaluation: Evaluation) -> list[Table]:
    level = evaluation.results[0].rouge[0].level
    tables = [_results(f"ROUGE F1 with {100 * level:g} % intervals", evaluation.results)]
    for source, results in evaluation.by_source.items():
        documents = results[0].rouge[0].documents
        tables.append(_results(f"{source}: {documents:,} document{'s' if documents > 1 else ''}", results))
    if evaluation.differences:
        tables.append(_differences(evaluation.differences))
    return tables


def _results(title: str, results: Sequence[SystemResult]) -> Table:
    rows: list[Row] = []
    for result in results:
        scores = [Number(100 * s.mean, 100 * s.interval.low, 100 * s.interval.high) for s in result.rouge]
        lengths = (Number(result.sentences, digits=1), f"{result.words:,.0f}")
        rows.append((result.name, *scores, *lengths, Number(100 * result.repeats, digits=1)))
    head = ("system", *(TITLES[variant] for variant in VARIANTS), "sentences", "words", "dup. %")
    return Table("scores", title, head, tuple(rows))


def _differences(differences: Sequence[Difference]) -> Table:
    first = differences[0].first
    rows: list[Row] = [
        (difference.second, *(Number.difference(one, 100, p_value=True) for one in difference.rouge))
        for difference in differences
    ]
    title = f"How much better {first} is (paired bootstrap, two-sided p)"
    return Table("differences", title, (f"{first} minus", *(TITLES[v] for v in VARIANTS)), tuple(rows))


def _json(evaluation: Evaluation) -> str:
    """All numbers, unrounded; every score with its own signature."""
    content: dict[str, object] = {
        "data": evaluation.data,
        "signature": metric_signature(evaluation),
        "systems": [_result_json(result, evaluation.data) for result in evaluation.results],
        "differences": [_difference_json(difference) for difference in evaluation.differences],
    }
    if evaluation.by_source:
        content["sources"] = {
            source: [_result_json(result, f"{evaluation.data}|source:{source}") for result in results]
            for source, results in evaluation.by_source.items()
        }
    return json.dumps(content, indent=2, ensure_ascii=False)


def _result_json(result: SystemResult, data: str) -> dict[str, object]:
    return {
        "name": result.name,
        "signature": result.signature,
        "documents": result.rouge[0].documents,
        **{
            score.signature.variant: {
                "mean": score.mean,
                "low": score.interval.low,
                "high": score.interval.high,
                "signature": f"{result.signature}|{data}|{score.signature}|{_resampling(score)}",
            }
            for score in result.rouge
        },
        "sentences": result.sentences,
        "words": result.words,
        "repeats": result.repeats,
    }


def _difference_json(difference: Difference) -> dict[str, object]:
    return {
        "first": difference.first,
        "second": difference.second,
        **{
            variant: {
                "difference": one.difference,
                "low": one.interval.low,
                "high": one.interval.high,
                "p_value": one.p_value,
            }
            for variant, one in zip(VARIANTS, difference.rouge, strict=True)
        },
    }
