"""Visible words of PDFs that are lost: those that `pdftotext` finds and that a drawing of the page shows.

    python benchmarks/pdf_visible.py FILE.pdf... [--show 20]

A word is lost if neither it and the word before it nor it and the word after it stand in what was read, and it was
read less often than `pdftotext` (Debian's poppler-utils) finds it. It is visible if the page, drawn by pdfium with two
pixels for a point, has ink where it stands. Words of two letters or more count, but not those with characters that
their font does not name; a file of which text was left out with a warning is counted apart.
"""

from __future__ import annotations

import argparse
import html
import re
import subprocess
import sys
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pypdfium2

from memsum.document import read_document
from memsum.errors import DocumentError

SCALE = 2.0  # pixels for a point
INK = 11  # of 255, between two pixels of a word
_PAGE = re.compile(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', re.DOTALL)
_WORD = re.compile(r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>')


class Word(NamedTuple):
    """A word of a page and its rectangle: points from the upper left corner."""

    page: int
    box: tuple[float, float, float, float]
    text: str


def plain(text: str) -> str:
    """Return the letters and figures of a text, without what hyphens and ligatures change."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def find_words(path: Path) -> list[Word]:
    """Return the words that `pdftotext` finds."""
    found = subprocess.run(
        ["pdftotext", "-bbox", "-cropbox", str(path), "-"],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    return [
        Word(number, (float(word[1]), float(word[2]), float(word[3]), float(word[4])), html.unescape(word[5]))
        for number, page in enumerate(_PAGE.finditer(found.stdout))
        for word in _WORD.finditer(page[3])
    ]


def find_lost(words: list[Word], text: str) -> list[Word]:
    """Return the words that were not read."""
    if not words:
        return []
    spelled = [plain(word.text) for word in words]
    read, found = plain(text), "".join(spelled)
    pairs = [first + second in read for first, second in pairwise(spelled)]
    around = zip([False, *pairs], [*pairs, False], strict=True)
    alone = [
        (word, one)
        for word, one, (before, after) in zip(words, spelled, around, strict=True)
        if word.text.isprintable() and sum(map(str.isalpha, one)) > 1 and not before and not after
    ]
    missing = {one for one in {one for _, one in alone} if read.count(one) < found.count(one)}
    return [word for word, one in alone if one in missing]


def only_visible(path: Path, words: list[Word]) -> list[Word]:
    """Return the words where the page has ink."""
    seen: list[Word] = []
    with pypdfium2.PdfDocument(path) as pdf:
        pdf.init_forms()
        for number in sorted({word.page for word in words}):
            pixels = pdf[number].render(scale=SCALE).to_numpy().astype(np.int16)
            for word in (word for word in words if word.page == number):
                left, top, right, bottom = (max(round(side * SCALE), 0) for side in word.box)
                area = pixels[top:bottom, left:right].reshape(-1, pixels.shape[2])
                if area.size and int((area.max(axis=0) - area.min(axis=0)).max()) >= INK:
                    seen.append(word)
    return seen


def main() -> None:
    """Print the files that lose visible words, and how many words were looked for in all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--show", type=int, default=0, help="lost words to print of each file")
    options = parser.parse_args()
    total = lost = warned = files = refused = 0
    for path in options.files:
        try:
            document = read_document(path)
        except DocumentError as error:
            refused += 1
            print(f"{path.name}: {error.message}", file=sys.stderr)
            continue
        words = find_words(path)
        found = only_visible(path, find_lost(words, document.text))
        files, total = files + 1, total + len(words)
        if any("hidden" in warning for warning in document.warnings):
            warned += len(found)
        else:
            lost += len(found)
        if found:
            print(f"{path.name}: {len(found)} of {len(words)} words; {'; '.join(document.warnings)}")
            for word in found[: options.show]:
                print(f"  page {word.page + 1}: {word.text}")
    print(f"{files} files, {refused} refused; of {total:,} words {lost:,} lost ({lost / max(total, 1):.3%})")
    print(f"lost with a warning: {warned:,}")


if __name__ == "__main__":
    main()
