"""`memsum corpus`: build corpora of documents with summaries to train and evaluate on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memsum.cli.console import progress_bar, say
from memsum.cli.options import Address, Engine, ReportFormat, Restart, Workers

if TYPE_CHECKING:
    from memsum.batch.run import JobResult

app = typer.Typer(
    no_args_is_help=True, help="Build corpora of documents with summaries, and prepare them for training."
)

Strict = Annotated[bool, typer.Option("--strict", help="Exit with status 1 if any record is rejected.")]


@app.command()
def build(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="JATS, text and Markdown files, folders of them, JSONL (.gz, .zst), Parquet, `-` or a dataset's name.",
            show_default=False,
        ),
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="The corpus: .jsonl, .jsonl.gz, .jsonl.zst, or `-`.")],
    truncate: Annotated[
        Literal["introduction"] | None, typer.Option(help="Keep only this part of each document (PubMed-trunc).")
    ] = None,
    min_sentences: Annotated[int, typer.Option(min=1, help="Reject documents with fewer sentences.")] = 1,
    reject_copies: Annotated[
        bool, typer.Option("--reject-copies", help="Reject documents that begin with their own summary.")
    ] = False,
    source: Annotated[
        str | None, typer.Option(help="Name for this kind of documents; training mixes and validates by it.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Stop after N records.", show_default="no limit")] = None,
    text_column: Annotated[str | None, typer.Option(help="Key of the text in JSONL files and datasets.")] = None,
    summary_column: Annotated[str | None, typer.Option(help="Key of the summary in JSONL files and datasets.")] = None,
    config: Annotated[str | None, typer.Option(help="Configuration of a Hugging Face dataset.")] = None,
    split: Annotated[str, typer.Option(help="Split of a Hugging Face dataset.")] = "train",
    workers: Workers = None,
    restart: Restart = False,
    strict: Strict = False,
) -> None:
    """Build a corpus of documents with summaries: split into sentences, one JSON object per line.

    The kind of each source is recognized by its content: JATS files (the abstract is the summary), objects with
    `abstract` and `sections`, pairs of `text` and `summary` (strings or lists of sentences), or a Hugging Face dataset.
    Rejected records are listed with the reason in OUTPUT.errors.jsonl. If interrupted, the same command resumes it.

        memsum corpus build articles/ --output articles.jsonl

        memsum corpus build papers-train-*.jsonl.zst --output train.jsonl.zst

        memsum corpus build ccdv/pubmed-summarization --split validation --output valid.jsonl.zst
    """
    from memsum.batch.run import Run, choose_engine
    from memsum_train.corpus.build import Conversion, build_corpus, find_sources

    conversion = Conversion(
        truncate == "introduction", min_sentences, reject_copies, text_column, summary_column, config, split, source
    )
    with progress_bar("building", lambda: limit or find_sources(sources, conversion).count()) as advance:
        run = Run(choose_engine("local", workers), restart=restart, limit=limit, strict=strict, advance=advance)
        counts = build_corpus(sources, output, conversion, run)
    _report(counts, output)


@app.command()
def episodes(
    source: Annotated[str, typer.Argument(metavar="IN", help="A corpus, or `-`.", show_default=False)],
    output: Annotated[str, typer.Argument(metavar="OUT", help="The corpus with episodes, or `-`.", show_default=False)],
    branching: Annotated[
        int, typer.Option("--branching", "-b", min=1, help="Sentences tried from each partial summary.")
    ] = 2,
    maximum: Annotated[
        int, typer.Option("--maximum", "-m", min=1, help="Maximum number of sentences in an episode.")
    ] = 7,
    cap: Annotated[int, typer.Option(min=1, help="Maximum number of episodes per document.")] = 20,
    length_penalty: Annotated[
        float, typer.Option("--length-penalty", min=0, max=1, help="Compare sentences by gain / words ** PENALTY.")
    ] = 0.0,
    workers: Workers = None,
    restart: Restart = False,
    strict: Strict = False,
    engine: Engine = "local",
    address: Address = None,
) -> None:
    """Find the high-ROUGE episodes of each document: the extractions that training imitates.

    Adds `indices` and `score` to each record; they are empty for a document with no sentence like its summary. If
    interrupted, the same command resumes, and the output is the same as that of an uninterrupted run.

        memsum corpus episodes train.jsonl.zst train-episodes.jsonl.zst

        memsum corpus episodes reports.jsonl reports-episodes.jsonl --maximum 22
    """
    from memsum.batch.inputs import Lines
    from memsum.batch.run import Run, choose_engine
    from memsum_train.paper.episodes import EpisodeSearch, add_episodes

    with progress_bar("searching", Lines(source).count) as advance:
        run = Run(choose_engine(engine, workers, address), restart=restart, strict=strict, advance=advance)
        counts = add_episodes(source, output, EpisodeSearch(branching, maximum, cap, length_penalty), run)
    _report(counts, output, f" ({counts.flagged:,} without an episode)" if counts.flagged else "")


@app.command()
def sample(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder for the files.", show_default=False)],
) -> None:
    """Write a small corpus to try everything on: train.jsonl, valid.jsonl and test.jsonl, of numpy's documentation.

    memsum corpus sample sample
    """
    from memsum_train.corpus.sample import write_sample

    for name, count in write_sample(folder).items():
        say(f"{count} documents to {folder / name}.jsonl.")


@app.command()
def redundant(
    source: Annotated[str, typer.Argument(metavar="IN", help="A corpus, or `-`.", show_default=False)],
    output: Annotated[str, typer.Argument(metavar="OUT", help="Its redundant variant, or `-`.", show_default=False)],
    near: Annotated[bool, typer.Option("--near", help="Leave one or two words out of each copy.")] = False,
    restart: Restart = False,
    strict: Strict = False,
) -> None:
    """Repeat each sentence right after itself, to test whether a model repeats itself.

    Episodes are kept: each index points to one of the two copies, at random.

        memsum corpus redundant valid.jsonl.zst valid-redundant.jsonl.zst
    """
    from memsum.batch.inputs import Lines
    from memsum.batch.run import Run
    from memsum_train.corpus.variants import make_redundant

    with progress_bar("repeating", Lines(source).count) as advance:
        counts = make_redundant(source, output, Run(restart=restart, strict=strict, advance=advance), near=near)
    _report(counts, output)


@app.command()
def check(
    source: Annotated[str, typer.Argument(metavar="IN", help="A corpus.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the documents without a fault here.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Language of the documents.", show_default="that of most")
    ] = None,
) -> None:
    """List what nothing can be learned from, with the lines, and leave it out.

    Lines that are no record, empty texts and summaries, texts of one sentence, other languages, documents that are
    there twice, and summaries that are copies of the text. Without --output, the status is 1 if there is any.

        memsum corpus check my-papers.jsonl --output clean.jsonl
    """
    from memsum.batch.run import refuse_overwriting
    from memsum_train.corpus.check import check_corpus, usable_examples
    from memsum_train.corpus.records import write_examples

    if output is not None:
        refuse_overwriting(source, str(output))
    found = check_corpus(source, language)
    for sentence in found.sentences():
        say(sentence)
    if output is not None:
        kept = write_examples(output, usable_examples(source, found))
        say(f"{kept:,} of {found.documents:,} documents to {output}.")
    else:
        say(f"{found.documents - len(found.faulty):,} of {found.documents:,} documents can be learned from.")
        if found.faults:
            raise typer.Exit(1)


@app.command()
def stats(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Corpora, or `-`.", show_default=False)],
    format_: ReportFormat = "table",
    strict: Strict = False,
) -> None:
    """Print how long documents and summaries are, and how much of a summary is found in its document.

    Words are runs of letters and numbers. Coverage, density and compression are those of Grusky et al. (2018), novel
    bigrams are those in the summary but not in the document, and the oracle is each document's best episode.

        memsum corpus stats train.jsonl.zst valid.jsonl.zst --format markdown
    """
    from memsum_train.corpus.stats import all_statistics, render

    corpora = all_statistics(files)
    for statistics in corpora:
        for complaint in statistics.complaints:
            say(complaint)
    render(corpora, format_)
    if strict and any(statistics.bad_lines for statistics in corpora):
        raise typer.Exit(1)


def _report(counts: JobResult, output: str, remark: str = "") -> None:
    rejected = f"{counts.failed:,} rejected" + (f", see {counts.errors}" if counts.errors else "")
    records = "1 record" if counts.kept == 1 else f"{counts.kept:,} records"
    say(f"{records} to {output}{remark}; {rejected}.")
