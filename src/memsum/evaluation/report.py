"""How an evaluation is shown: tables for people, Markdown for documents, JSON for programs, all with signatures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from memsum.errors import MemsumError
from memsum.evaluation.measuring import Difference, Evaluation, Result
from memsum.rouge import VARIANTS, Comparison, CorpusScore, Interval

Format = Literal["table", "json", "markdown"]
TITLES = {"rouge1": "R-1", "rouge2": "R-2", "rougeL": "R-L", "rougeLsum": "R-Lsum"}
_WIDE = 200  # characters of a line that no window bounds
_NAME = 10  # characters after which a system's name is broken where there is no room


@dataclass(frozen=True)
class _Part:
    """One table of a report; a cell is one or several lines."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], ...], ...]


def render(evaluation: Evaluation, form: Format, width: int | None = None, *, colour: bool = False) -> str:
    """The whole report as text; `width` is that of a terminal."""
    if form == "json":
        return as_json(evaluation)
    return as_markdown(evaluation) if form == "markdown" else as_table(evaluation, width, colour=colour)


def require_folder(path: str | Path | None) -> None:
    """Refuse a file in a folder that does not exist before anyone has waited for what goes into it."""
    if path is not None and not Path(path).parent.is_dir():
        raise MemsumError(f"There is no folder {Path(path).parent}.")


def as_table(evaluation: Evaluation, width: int | None = None, *, colour: bool = False) -> str:
    """Tables drawn with lines, intervals below their scores; a number is never cut off, however narrow the window."""
    console = Console(file=StringIO(), width=_WIDE, force_terminal=colour, highlight=False, markup=False)
    for part in _parts(evaluation):
        table = Table(box=SIMPLE_HEAD, title=part.title, title_justify="left", title_style="bold")
        table.show_edge, table.pad_edge, table.padding = False, False, (0, 1, 0, 0)
        table.add_column(part.head[0], overflow="fold", min_width=_NAME)
        for place, title in enumerate(part.head[1:], start=1):
            longest = max(len(line) for row in part.rows for line in row[place])
            table.add_column(title, justify="right", no_wrap=True, min_width=max(len(title), longest))
        for row in part.rows:
            table.add_row(*("\n".join(cell) for cell in row))
        least = Measurement.get(console, console.options, table).minimum
        console.print(table, "", width=max(width or _WIDE, least))
    for line in _footer(evaluation):
        console.print(line, style="dim", soft_wrap=True)
    assert isinstance(console.file, StringIO)  # noqa: S101
    return console.file.getvalue().rstrip("\n")


def as_markdown(evaluation: Evaluation) -> str:
    """The same tables in Markdown."""
    blocks = []
    for part in _parts(evaluation):
        lines = [
            part.head,
            ["---", *["---:"] * (len(part.head) - 1)],
            *([_one_line(cell) for cell in row] for row in part.rows),
        ]
        blocks.append(f"**{part.title}**")
        blocks.append("\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines))
    blocks.append("\n".join(f"- `{line}`" for line in _footer(evaluation)))
    return "\n\n".join(blocks)


def as_json(evaluation: Evaluation) -> str:
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


def metric_signature(evaluation: Evaluation) -> str:
    """How all scores of an evaluation were computed, in one line."""
    one = evaluation.results[0].rouge[0]
    return f"{replace(one.signature, variant='+'.join(VARIANTS))}|{_resampling(one)}"


def _resampling(score: CorpusScore) -> str:
    return f"bootstrap:{score.resamples}|level:{score.level:g}|seed:{score.seed}"


def _parts(evaluation: Evaluation) -> list[_Part]:
    level = evaluation.results[0].rouge[0].level
    parts = [_results_part(f"ROUGE F1 with {100 * level:g} % intervals", evaluation.results)]
    parts += [_results_part(_of_source(source, results), results) for source, results in evaluation.by_source.items()]
    if evaluation.differences:
        parts.append(_differences_part(evaluation.differences))
    return parts


def _of_source(source: str, results: Sequence[Result]) -> str:
    documents = results[0].rouge[0].documents
    return f"{source}: {documents:,} document{'s' if documents > 1 else ''}"


def _results_part(title: str, results: Sequence[Result]) -> _Part:
    head = ("system", *(TITLES[variant] for variant in VARIANTS), "sentences", "words", "dup. %")
    rows = tuple(
        (
            (result.name,),
            *((f"{100 * score.mean:.2f}", _interval(score.interval, "–")) for score in result.rouge),
            (f"{result.sentences:.1f}",),
            (f"{result.words:,.0f}",),
            (f"{100 * result.repeats:.1f}",),
        )
        for result in results
    )
    return _Part(title, head, rows)


def _differences_part(differences: Sequence[Difference]) -> _Part:
    first = differences[0].first
    head = (f"{first} minus", *(TITLES[variant] for variant in VARIANTS))
    rows = tuple(
        ((difference.second,), *(_difference_cell(comparison) for comparison in difference.rouge))
        for difference in differences
    )
    return _Part(f"How much better {first} is (paired bootstrap, two-sided p)", head, rows)


def _difference_cell(comparison: Comparison) -> tuple[str, ...]:
    p = comparison.p_value
    return (f"{100 * comparison.difference:+.2f}", _interval(comparison.interval, " to "), f"p = {p:.3f}")


def _interval(interval: Interval, between: str) -> str:
    return f"{100 * interval.low:.1f}{between}{100 * interval.high:.1f}"


def _footer(evaluation: Evaluation) -> list[str]:
    systems = [f"{result.name}: {result.signature}" for result in evaluation.results]
    return [evaluation.data, metric_signature(evaluation), *systems]


def _one_line(cell: Sequence[str]) -> str:
    value, *interval = cell
    return f"{value} ({', '.join(interval)})" if interval else value


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


def _result_json(result: Result, data: str) -> dict[str, object]:
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
