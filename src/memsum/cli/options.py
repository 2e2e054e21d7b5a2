"""Options that several commands share, so that they have one name, one type and one explanation."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

MODEL_HELP = "A name, a folder, or hf:owner/name of the Hugging Face Hub."

Model = Annotated[str, typer.Option("--model", "-m", metavar="MODEL", help=MODEL_HELP)]
Sentences = Annotated[int | None, typer.Option(min=1, help="Return exactly N sentences.", metavar="N")]
Words = Annotated[int | None, typer.Option(min=1, help="Return at most N words.", metavar="N")]
Characters = Annotated[int | None, typer.Option(min=1, help="Return at most N characters.", metavar="N")]
Ratio = Annotated[float | None, typer.Option(metavar="SHARE", help="Return this share of the sentences, such as 0.1.")]
MaxSentences = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="The policy stops after N sentences at the latest.", show_default="the model's own"
    ),
]
MinSentences = Annotated[int, typer.Option(min=0, metavar="N", help="Return at least N, whatever stops the summary.")]
StopThreshold = Annotated[
    float | None,
    typer.Option(
        metavar="P",
        help="The policy stops at this probability; lower values stop earlier.",
        show_default="the model's own",
    ),
]
About = Annotated[
    str | None,
    typer.Option(metavar="QUESTION", help="Only what bears on this question or topic.", show_default=False),
]
Order = Annotated[Literal["document", "extraction"], typer.Option(help="Order of the sentences.")]
BlockTrigrams = Annotated[
    bool, typer.Option("--block-trigrams", help="Skip sentences that share a trigram with the summary.")
]
By = Annotated[
    Literal["section"] | None,
    typer.Option(help="Give each section its share, under its heading.", show_default=False),
]
Spread = Annotated[bool, typer.Option("--spread", help="Spread the quotes evenly over the document.")]
Keywords = Annotated[bool, typer.Option("--keywords", help="Add the document's own terms, with their counts.")]
NoContext = Annotated[bool, typer.Option("--no-context", help="Leave out the sentence before a quote that needs it.")]
Explain = Annotated[bool, typer.Option("--explain", help="Add the scores and stop probabilities of every step.")]
Language = Annotated[
    str | None,
    typer.Option(metavar="CODE", help="Language of the document: en, de, zh …", show_default="found in the text"),
]
Threads = Annotated[int | None, typer.Option(min=1, metavar="N", help="Cores per document.", show_default="up to 4")]

# Of commands that read or write corpora and batches.
Workers = Annotated[
    int | None, typer.Option("--workers", "-w", min=1, metavar="N", help="Processes.", show_default="one per core")
]
Restart = Annotated[bool, typer.Option("--restart", help="Discard what an earlier run left, and start again.")]
Engine = Annotated[Literal["local", "ray"], typer.Option(help="Processes on this machine, or a Ray cluster.")]
Address = Annotated[str | None, typer.Option(help="Ray cluster address.", show_default="a cluster on this machine")]

# Of commands that run PyTorch.
Device = Annotated[str, typer.Option(help="Device for models: auto, cpu, cuda or cuda:N.")]
Limit = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Use only the first N documents.", show_default="no limit")
]
