"""How much of the running text of PDFs is read, in the right order: papers typeset from a known text.

    python benchmarks/pdf.py [--only NAME] [--keep FOLDER]

Needs pdflatex with publishers' classes (Debian: texlive-publishers, texlive-latex-extra, lmodern), chromium, groff,
LibreOffice (libreoffice-writer-nogui), and from PyPI reportlab, pyphen and typst.
"""

from __future__ import annotations

import argparse
import difflib
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

from pypdfium2 import PdfDocument

from memsum.document import read_document
from pdf_engines import ENGINES, sentences
from pdf_make import LAYOUTS
from pdf_text import Paper, Writer

MADE = LAYOUTS | ENGINES


def main() -> None:
    """Typeset, read, compare, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=list(MADE))
    parser.add_argument("--keep", type=Path, help="folder for the PDFs; those already there are not typeset again")
    parser.add_argument("--seed", type=int, default=0, help="another number writes other papers")
    parser.add_argument("--show", action="store_true", help="print the differences")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        head = ("layout", "pages", "words", "found", "extra", "hyphens", "abstract", "title")
        print("{:<20} {:>5} {:>6} {:>7} {:>6} {:>9} {:>8} {:>5}".format(*head))
        results = [measure(name, folder, arguments.seed, arguments.show) for name in arguments.only]
    shares = [result.found for result in results]
    ends, wrong = sum(result.ends for result in results), sum(result.wrong for result in results)
    clean = sum(result.extra == 0 for result in results)
    print(f"{len(shares)} layouts, words in order: mean {sum(shares) / len(shares):.2%}, lowest {min(shares):.2%}")
    print(f"hyphens right at {1 - wrong / max(ends, 1):.2%} of {ends} line ends with a hyphen")
    print(f"nothing but running text in {clean} of {len(shares)}")


class Result(NamedTuple):
    """What was found of one layout: the share of words, words that do not belong, hyphens at line ends."""

    found: float
    extra: int
    ends: int
    wrong: int


def measure(name: str, folder: Path, seed: int, show: bool) -> Result:
    """Compare what is read of one layout with what was typeset."""
    paper = Writer(sum(map(ord, name)) + seed).paper(3)
    path = folder / f"{name}.pdf"
    if not path.exists():
        MADE[name](paper, path)
    document = read_document(path)
    words = paper.running_words() if not name.startswith("slides") else shown_on_slides(paper)
    read = [word for sentence in document.sentences for word in sentence.text.split()]
    matcher = difflib.SequenceMatcher(None, words, read, autojunk=False)
    right = sum(block.size for block in matcher.get_matching_blocks())
    changes = [(words[a:b], read[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
    wrong = sum(meant != got and _bare(meant) == _bare(got) for meant, got in changes)
    extra = sum(len(got) for meant, got in changes if _bare(meant) != _bare(got) and len(got) > len(meant))
    abstract = difflib.SequenceMatcher(
        None, paper.abstract.split(), [w for s in document.abstract for w in s.text.split()], autojunk=False
    ).ratio()
    title = (document.title or "").lower() == paper.title.lower()
    pages = max((sentence.page or 0 for sentence in document.sentences), default=0)
    ends = hyphens_at_ends(path)
    print(
        f"{name:<20} {pages:>5} {len(words):>6} {right / len(words):>7.2%} {extra:>6} {ends - wrong:>4}/{ends:<4}"
        f" {abstract:>8.2f} {'yes' if title else 'no':>5}",
        flush=True,
    )
    if show:
        for meant, got in changes:
            print(f"    {' '.join(meant)!r} -> {' '.join(got)!r}")
        print("    abstract:", " ".join(s.text for s in document.abstract)[:300], "\n    title:", document.title)
    return Result(right / len(words), extra, ends, wrong)


def shown_on_slides(paper: Paper) -> list[str]:
    """The words of the first four sentences of each paragraph, which are its slide's bullets."""
    kept = (text for kind, text in paper.flow if kind in ("p", "item"))
    return [word for text in kept for sentence in sentences(text)[:4] for word in sentence.split()]


def hyphens_at_ends(path: Path) -> int:
    """How many lines of a PDF end with a hyphen, by pdfium's own count."""
    with PdfDocument(path) as pdf:
        texts = [page.get_textpage().get_text_range() for page in pdf]
    return sum(len(re.findall(r"[a-z](?:\ufffe|\x02|-(?=\r?\n))", text)) for text in texts)


def _bare(words: list[str]) -> str:
    return "".join(words).replace("-", "")


if __name__ == "__main__":
    main()
