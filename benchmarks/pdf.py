"""How much of the running text of PDFs is read, in the right order, and how fast: papers typeset from a known text.

    python benchmarks/pdf.py [--only NAME] [--keep FOLDER]

Needs pdflatex with publishers' classes (Debian: texlive-publishers, texlive-latex-extra, lmodern), chromium, and from
PyPI reportlab and pyphen.
"""

from __future__ import annotations

import argparse
import difflib
import tempfile
import time
from pathlib import Path

from memsum.document import read_document
from pdf_make import LAYOUTS
from pdf_text import Writer


def main() -> None:
    """Typeset, read, compare, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=list(LAYOUTS))
    parser.add_argument("--keep", type=Path, help="folder for the PDFs; those already there are not typeset again")
    parser.add_argument("--seed", type=int, default=0, help="another number writes other papers")
    parser.add_argument("--show", action="store_true", help="print the differences")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(
            f"{'layout':<20} {'pages':>5} {'words':>6} {'found':>7} {'extra':>6} {'ms':>6} {'abstract':>8} {'title':>5}"
        )
        shares = [measure(name, folder, arguments.seed, arguments.show) for name in arguments.only]
    print(f"{len(shares)} layouts, mean {sum(shares) / len(shares):.2%}, lowest {min(shares):.2%}")


def measure(name: str, folder: Path, seed: int, show: bool) -> float:
    """The share of one layout's running words that are read in the right order."""
    paper = Writer(sum(map(ord, name)) + seed).paper(3)
    path = folder / f"{name}.pdf"
    if not path.exists():
        LAYOUTS[name](paper, path)
    start = time.process_time()
    document = read_document(path)
    spent = time.process_time() - start
    words = paper.running_words()
    read = [word for sentence in document.sentences for word in sentence.text.split()]
    matcher = difflib.SequenceMatcher(None, words, read, autojunk=False)
    right = sum(block.size for block in matcher.get_matching_blocks())
    abstract = difflib.SequenceMatcher(
        None, paper.abstract.split(), [w for s in document.abstract for w in s.text.split()], autojunk=False
    ).ratio()
    title = (document.title or "").lower() == paper.title.lower()
    pages = max((sentence.page or 0 for sentence in document.sentences), default=0)
    print(
        f"{name:<20} {pages:>5} {len(words):>6} {right / len(words):>7.2%} {len(read) - right:>6} {spent * 1000:>6.0f}"
        f" {abstract:>8.2f} {'yes' if title else 'no':>5}",
        flush=True,
    )
    if show:
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag != "equal":
                print(f"    {tag}: {' '.join(words[a:b])!r} -> {' '.join(read[c:d])!r}")
        print("    abstract:", " ".join(s.text for s in document.abstract)[:300], "\n    title:", document.title)
    return right / len(words)


if __name__ == "__main__":
    main()
