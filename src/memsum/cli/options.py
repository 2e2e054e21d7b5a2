"""Options that several commands share; those of a summary derive from `memsum.options`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import typer

if TYPE_CHECKING:
    from dataclasses import Field

# `memsum.document.formats.TITLES`, which would import numpy for help; a test compares both.
FORMATS = (
    "PDF, PowerPoint, EPUB, OpenDocument, Word, subtitles, mail, HTML, JATS XML, Jupyter notebook, reStructuredText, "
    "LaTeX, Markdown or plain text"
)
MODEL_HELP = "A name, a folder, or hf:owner/name of the Hugging Face Hub."

Model = Annotated[str, typer.Option("--model", "-m", metavar="MODEL", help=MODEL_HELP)]
Language = Annotated[
    str | None,
    typer.Option(metavar="CODE", help="Language of the document: en, de, zh …", show_default="detected"),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Leave out hidden sentences even where they are much of the document.")
]
Threads = Annotated[int | None, typer.Option(min=1, metavar="N", help="Cores per document.", show_default="up to 4")]

# Of commands that read or write corpora and batches.
Workers = Annotated[
    int | None, typer.Option("--workers", "-w", min=1, metavar="N", help="Processes.", show_default="one per core")
]
Restart = Annotated[bool, typer.Option("--restart", help="Discard what an earlier run left, and start again.")]
Engine = Annotated[Literal["local", "ray"], typer.Option(help="Processes on this machine, or a Ray cluster.")]
Address = Annotated[str | None, typer.Option(help="Ray cluster address.", show_default="a cluster on this machine")]

# Of commands that print a result.
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write here, not to stdout.")]
ReportFormat = Annotated[Literal["table", "json", "markdown"], typer.Option("--format", "-f", help="Output format.")]

# Of commands that run PyTorch.
Device = Annotated[str, typer.Option(help="Device for models: auto, cpu, cuda or cuda:N.")]
Processes = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Processes.", show_default="one per core or GPU")
]
Limit = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Use only the first N documents.", show_default="no limit")
]


def expand_options(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter `options` of a command by flags of a summary."""
    if "options" not in command.__annotations__:
        return command
    from memsum.options import SummaryOptions, option_types

    signature = inspect.signature(command, eval_str=True, locals={"SummaryOptions": SummaryOptions})
    chosen = get_args(signature.parameters["options"].annotation)[1:]  # of Annotated[SummaryOptions, names...]
    flags = [_flag(*declared) for name, declared in option_types().items() if name in chosen or not chosen]
    parameters: list[inspect.Parameter] = []
    for one in signature.parameters.values():
        parameters += flags if one.name == "options" else [one.replace(kind=one.KEYWORD_ONLY)]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        of_summary = {flag.name: given.pop(flag.name) for flag in flags}
        several = {name: tuple(value) or None for name, value in of_summary.items() if isinstance(value, list)}
        command(options=SummaryOptions(**{**of_summary, **several}), **given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _flag(hint: Any, option: Field[Any]) -> inspect.Parameter:
    """Make a parameter of Typer from the declaration of an option."""
    about = option.metadata
    flag = option.name.replace("_", "-")
    name = f"--{flag}/--no-{flag}" if bool in (hint, *get_args(hint)) and option.default is not False else f"--{flag}"
    if any(get_origin(kind) is tuple for kind in get_args(hint)):
        hint = list[str] | None  # the flag may be given several times
    names = [name, about["short"]] if "short" in about else [name]
    info = typer.Option(
        *names,
        help=about["help"],
        metavar=about.get("metavar"),
        min=about.get("ge") if "le" not in about else None,
        show_default=about.get("shown", option.default is not None),
    )
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=Annotated[hint, info]
    )
