"""One style for all figures: readable at 600 pixels wide, safe for the color-blind, the same bytes from equal data.

Nothing here opens a window or touches matplotlib's global settings beyond the drawing of a figure.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memsum.errors import MemsumError, needs_extra
from memsum.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 6.0  # inches: at 600 pixels, text of 10 points is 14 pixels high
_PIXELS_PER_INCH = 200  # of the PNG, for sharp screens
_NOTE_WIDTH = 118  # characters of the small print that fit into WIDTH

# The palette of Okabe and Ito without its yellow, which is too light for lines on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
# What is left out of a file because it differs between runs and versions: dates, and who wrote it.
_ANONYMOUS: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_LINES = ("-", "--", "-.", ":")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_STYLE = Path(__file__).with_name("memsum.mplstyle")


@contextmanager
def drawing(
    rows: int = 1, columns: int = 1, *, height: float = 3.4, note: str | None = None
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Yield a figure and its axes, row by row, to draw on while our style holds; afterwards `write_figure` writes it.

    The note, mostly a signature, stands below in small print.
    """
    with _style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False)
        if note:  # broken at spaces and, in signatures, before bars
            spaced = note.replace("|", " |")
            lines = textwrap.wrap(spaced, _NOTE_WIDTH, break_long_words=True, break_on_hyphens=False)
            note = "\n".join(lines).replace(" |", "|")
            figure.supxlabel(note, fontsize=6.5, color="#6b6b6b", x=0.01, ha="left", linespacing=1.3)
        yield figure, list(grid.flat)


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure in the format that the suffix names; equal figures give equal bytes."""
    kind = path.suffix[1:].lower()
    if kind not in _ANONYMOUS:
        raise MemsumError(
            f"{path} does not end like the name of a picture.", f"Use {', '.join(f'.{one}' for one in _ANONYMOUS)}."
        )
    stream = BytesIO()
    with _style():
        dpi = _PIXELS_PER_INCH if kind == "png" else "figure"
        figure.savefig(stream, format=kind, dpi=dpi, metadata=_ANONYMOUS[kind])
    write_atomically(path, stream.getvalue())


def series(index: int) -> dict[str, Any]:
    """Return the style of the n-th line: its color, and a dash and a marker that tell it apart in gray too."""
    return {
        "color": COLORS[index % len(COLORS)],
        "linestyle": _LINES[index % len(_LINES)],
        "marker": _MARKERS[index % len(_MARKERS)],
    }


@contextmanager
def _style() -> Iterator[None]:
    """Set our style on top of matplotlib's defaults for a while: a user's matplotlibrc changes nothing here."""
    with needs_extra("plots", "Drawing figures"):
        from matplotlib import style
    with style.context(_STYLE, after_reset=True):
        yield
