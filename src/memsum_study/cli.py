"""`memsum study`: the blind human evaluation, from drawing the pairs to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from memsum.cli.console import progress_bar
from memsum.cli.options import Device, Output, ReportFormat

app = typer.Typer(no_args_is_help=True, help="Run a blind human evaluation: create, serve and report on a study.")

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY.db", help="The study's file.")]


@app.command()
def new(
    study: Annotated[Path, typer.Argument(metavar="STUDY.db", help="The file to write.")],
    documents: Annotated[str, typer.Option(metavar="DATA", help="Corpus with human summaries.")],
    systems: Annotated[
        list[str],
        typer.Option(
            metavar="[NAME=]SYSTEM...", help="A predictions file, a model, or a baseline such as lead-7; two or more."
        ),
    ],
    more: Annotated[list[str] | None, typer.Argument(metavar="[NAME=]SYSTEM...", hidden=True)] = None,
    annotators: Annotated[int, typer.Option(min=1, help="Number of annotators.")] = 1,
    overlap: Annotated[int, typer.Option(min=1, help="Number of annotators per pair.")] = 1,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of systems per document, if there are several.")] = 1,
    sample: Annotated[int | None, typer.Option(min=1, help="Draw N documents at random.", show_default="all")] = None,
    ties: Annotated[bool, typer.Option("--ties", help="Allow annotators to see no difference.")] = False,
    title: Annotated[str, typer.Option(help="Title of the page for annotators.")] = "Summary study",
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed for drawing documents; sides and order also depend on a secret.")
    ] = 2022,
    device: Device = "auto",
) -> None:
    """Draw the pairs of a new study, and give each annotator a list and a code.

    memsum study new study.db --documents test.jsonl --systems ours=run/model lead=lead-7 --annotators 4 --overlap 2
    """
    from memsum_study.plan import StudyOptions, open_systems, plan_study
    from memsum_study.store import require_new, write_study
    from memsum_train.evaluation.data import load_data

    require_new(study)
    options = StudyOptions(annotators, overlap, pairs, sample, ties, seed)
    data = load_data(documents)
    opened = open_systems([*systems, *(more or [])], data, device)
    with progress_bar("extracting", lambda: min(sample or len(data), len(data)) * len(opened)) as advance:
        plan = plan_study(title, data, opened, options, advance)
    write_study(study, plan)
    same = sum(plan.is_automatic(assignment) for assignment in plan.assignments)
    typer.echo(
        f"{study}: {len(plan.documents)} documents, {len(plan.assignments)} judgments by {annotators}"
        f" annotator{'s' if annotators > 1 else ''}, of which {same} are ties of identical summaries.",
        err=True,
    )


@app.command()
def serve(
    study: StudyFile,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8765,
    model: Annotated[
        str | None,
        typer.Option(help="Model whose word vectors find relevant sentences.", show_default="the default model"),
    ] = None,
) -> None:
    """Serve a study to its annotators, and print the link of each.

    memsum study serve study.db --port 8765
    """
    from memsum_study.web.app import serve as run

    run(study, host, port, model, typer.echo)


@app.command()
def report(
    study: Annotated[Path, typer.Argument(metavar="STUDY.db|RECORDS.jsonl", help="A study, or a file of records.")],
    format_: ReportFormat = "table",
    output: Output = None,
    plot: Annotated[Path | None, typer.Option(help="Also draw the average ranks to this PNG, SVG or PDF file.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the resampling.")] = 2022,
) -> None:
    """Report what the annotators found: ranks, tests, lengths, agreement, and whether the side mattered.

    memsum study report study.db --format markdown --plot ranks.png
    """
    from memsum.files import write_atomically
    from memsum_study.report import plot as draw
    from memsum_study.report import render, report_file

    found = report_file(study, seed)
    text = render(found, format_)
    if output is not None:
        write_atomically(output, f"{text}\n".encode())
    else:
        typer.echo(text)
    if plot is not None:
        draw(found, plot)


@app.command()
def export(
    study: StudyFile,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")],
    format_: Annotated[
        Literal["jsonl", "csv", "label-studio"], typer.Option("--format", "-f", help="Records, a table, or tasks.")
    ] = "jsonl",
) -> None:
    """Write all judgments to a file, with the systems' names: not for annotators.

    memsum study export study.db --format csv --output votes.csv
    """
    from memsum.files import write_atomically
    from memsum_study.records import render_records
    from memsum_study.store import Study

    with Study(study) as opened:
        write_atomically(output, render_records(opened.records(), format_).encode())


@app.command("import")
def import_(
    records: Annotated[Path, typer.Argument(metavar="RECORDS.jsonl", help="Records of an earlier study.")],
    study: Annotated[Path, typer.Argument(metavar="STUDY.db", help="The file to write.")],
    title: Annotated[str, typer.Option(help="Title of the study.")] = "Imported study",
) -> None:
    """Turn a file of records, such as the paper's, into a study.

    memsum study import records.jsonl study.db
    """
    from memsum_study.plan import plan_import
    from memsum_study.records import read_records
    from memsum_study.store import write_study

    write_study(study, plan_import(title, read_records(records)))
