"""`memsum model`: show and verify model folders, and make those of a training or of others ready for use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memsum.beside import find_function
from memsum.cli.console import say
from memsum.cli.options import MODEL_HELP
from memsum.errors import ModelError, needs_extra
from memsum.printable import message_line, one_line

if TYPE_CHECKING:
    from memsum.model import ModelConfig

app = typer.Typer(no_args_is_help=True, help="List, show, verify, export and import models.")

Name = Annotated[str, typer.Argument(metavar="MODEL", help=MODEL_HELP)]


@app.command("list")
def list_() -> None:
    """List the models inside the package, by the names that --model takes.

    memsum model list
    """
    from memsum.model import ModelConfig, list_models

    for source in list_models():
        stop = ModelConfig.load(source.folder).stop
        typer.echo(f"{source.name}\t{_megabytes(source.folder)}\tat most {stop.max_sentences} sentences")


@app.command()
def show(model: Name = "default") -> None:
    """Show what a model is made of, how it stops, where it comes from, and whether its files are intact.

    memsum model show default
    """
    from memsum.model import ModelConfig, find_model, verify_model
    from memsum.model.verify import MANIFEST_FILE, read_manifest

    source = find_model(model)
    config = ModelConfig.load(source.folder)
    verified = f"no: it has no {MANIFEST_FILE}"
    if read_manifest(source.folder) is not None:
        verify_model(source.folder)
        verified = "yes, all files are as they were exported"
    rows = [*_properties(config, source.folder), ("verified", verified)]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        typer.echo(f"{name:{width}}  {one_line(str(value))}")


@app.command()
def verify(model: Name = "default") -> None:
    """Compare every file of a model with its manifest, and load it; the exit status is 0 if they are intact.

    memsum model verify default
    """
    from memsum.model import find_model, verify_model
    from memsum.summarizer import Summarizer

    source = find_model(model)
    verify_model(source.folder)
    Summarizer.load(source.folder)
    typer.echo(message_line(f"{source.name}: all files intact."))


@app.command()
def export(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model folder of a training run.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write.")],
    precision: Annotated[
        Literal["fp32", "int8"], typer.Option(help="int8 is smaller by a factor of four and faster; check its scores.")
    ] = "fp32",
    weights: Annotated[
        bool,
        typer.Option(
            "--weights/--no-weights", help="Keep the weights for `memsum adapt`; with int8, in half precision."
        ),
    ] = True,
) -> None:
    """Prepare a trained model for use without PyTorch: graphs for the runtime, and a manifest.

    memsum model export run/model --output papers

    memsum summarize paper.txt --model papers
    """
    with needs_extra("train", "Exporting a model"):
        export_model = find_function("export_model")

    export_model(model, output, precision, weights=weights)
    say(f"{output}: {_megabytes(output)}, {precision}.")


@app.command("import")
def import_(
    from_authors: Annotated[
        tuple[Path, Path],
        typer.Option(metavar="MODEL.pt VOCABULARY.pkl", help="The two files the paper's authors published."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write.")],
    stop_threshold: Annotated[
        float, typer.Option(min=0, max=1, help="Stop when the stop probability exceeds this (p_thres).")
    ] = 0.6,
    max_sentences: Annotated[int, typer.Option(min=1, help="Maximum number of sentences of a summary (N_max).")] = 7,
    max_tokens: Annotated[int, typer.Option(min=2, help="Cut or pad sentences to this many tokens.")] = 100,
    document_sentences: Annotated[int, typer.Option(min=1, help="Cut or pad documents to this many sentences.")] = 500,
) -> None:
    """Import a checkpoint of the paper's authors; it selects the sentences that their code selects.

    memsum model import --from-authors model.pt vocabulary_200dim.pkl --output pubmed

    memsum batch papers.jsonl summaries.jsonl --model pubmed --min-sentences 0
    """
    from memsum.model import StopSettings

    with needs_extra("train", "Importing a checkpoint"):
        import_checkpoint = find_function("import_checkpoint")

    stop = StopSettings(stop_threshold, max_sentences)
    import_checkpoint(*from_authors, output, stop=stop, max_tokens=max_tokens, max_sentences=document_sentences)
    say(f"{output}: {_megabytes(output)}.")


def _properties(config: ModelConfig, folder: Path) -> list[tuple[str, str]]:
    from memsum.text import WordVectors

    vocabulary, stop, own = WordVectors.load(folder).vocabulary, config.stop, config.penalties
    blocks = [f"{name} {value}" for name, value in config.policy.items() if isinstance(value, str)]
    by = "the network" if stop.by == "policy" else "the expected length"
    rows = [
        ("folder", str(folder)),
        ("size", _megabytes(folder)),
        ("network", ", ".join([*blocks, f"dimension {config.policy.get('dimension')}"])),
        ("words", f"{len(vocabulary):,} ({vocabulary.unknown} for unknown ones)"),
        ("stop", f"by {by}, at a probability of {stop.threshold:g}, at most {stop.max_sentences} sentences"),
        ("penalties", f"low-value sentences {own.low_value:g}, sentences that need context {own.needs_context:g}"),
        ("graphs", _precision(folder)),
    ]
    corpus, imported = config.training.get("train"), config.training.get("imported")
    rows += [("trained on", str(corpus["name"]))] if isinstance(corpus, dict) and "name" in corpus else []
    rows += [("imported", ", ".join(imported))] if isinstance(imported, dict) else []
    return rows


def _precision(folder: Path) -> str:
    """Return the precision of a model's graphs, as the export wrote it into them."""
    from memsum.model.verify import GRAPH_FILES

    path = folder / GRAPH_FILES[0]
    if not path.exists():
        return "none yet; memsum model export makes them"
    import onnxruntime  # type: ignore[import-untyped]

    try:
        # Without its fallback, which prints to stdout.
        session = onnxruntime.InferenceSession(path.read_bytes(), enable_fallback=0)
        metadata = session.get_modelmeta().custom_metadata_map
    except Exception:  # ONNX Runtime has a dozen exceptions without a common base of their own
        raise ModelError(f"{path} is damaged.", "Fetch or export the model again.") from None
    return str(metadata.get("precision", "of unknown precision"))


def _megabytes(folder: Path) -> str:
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    return f"{size / 1e6:.1f} MB"
