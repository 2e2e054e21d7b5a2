"""How much of a page's running text is read, and how much else: memsum's reader beside trafilatura.

    python benchmarks/web_pages.py [--pages 20] [--folder FOLDER] [--show]

Pages: those of Debian's documentation packages (fetched with `apt-get download`, unpacked into FOLDER, not installed),
whose running text a rule for their generator finds; and the made pages of `tests/data/gold/html` (encyclopedia,
news, blog, journal), whose running text is written beside them. Needs trafilatura and lxml_html_clean from PyPI.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import trafilatura
from lxml import html

from memsum.document import read_document

_GOLD = Path(__file__).parents[1] / "tests" / "data" / "gold" / "html"
_LARGEST = 400_000  # bytes of a page
_FEWEST = 150  # words of running text in it

# Package, where its pages are, and where on a page the text is.
SITES = {
    "Sphinx, python3.11-doc": ("python3.11-doc", "usr/share/doc/python3.11/html/**/*.html", "//div[@role='main']"),
    "Sphinx, developers-reference": (
        "developers-reference",
        "usr/share/developers-reference/*.html",
        "//div[@role='main'] | //div[@itemprop='articleBody']",
    ),
    "DocBook, postgresql-doc-15": (
        "postgresql-doc-15",
        "usr/share/doc/postgresql-doc-15/html/*.html",
        "//body/div[not(contains(@class, 'nav'))]",
    ),
    "Publican, debian-handbook": (
        "debian-handbook",
        "usr/share/doc/debian-handbook/html/en-US/*.html",
        "//body/div[not(contains(@class, 'nav'))]",
    ),
    "AsciiDoc, git-doc": ("git-doc", "usr/share/doc/git-doc/*.html", "//div[@id='content' or @id='preamble']"),
    "Texinfo, octave-doc": ("octave-doc", "usr/share/doc/octave/octave.html/*.html", "//body"),
}
# What is no running text on any of them.
_FURNITURE = """
    //script | //style | //pre | //nav | //table | //figcaption | //div[@class='title']
    | //a[@class='headerlink' or @class='copiable-anchor'] | //p[@class='title' or contains(@class, 'admonition-title')]
    | //ul[contains(@class, 'toc') or contains(@class, 'docnav')] | //ol[contains(@class, 'toc')]
    | //div[contains(@class, 'header') or contains(@class, 'nav') or contains(@class, 'toc') or @class='footer'
        or contains(@class, 'related') or contains(@class, 'contents') or contains(@class, 'sidebar') or @class='verse']
"""
READERS: dict[str, Callable[[bytes], str]] = {
    "memsum": lambda data: _memsum(data),
    "trafilatura": lambda data: _trafilatura(data),
}


def main() -> None:
    """Fetch, read, compare, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=20, help="of each package")
    parser.add_argument("--folder", type=Path, help="where packages are kept; those already there are not fetched")
    parser.add_argument("--show", action="store_true", help="name the pages that memsum reads badly")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.folder or Path(temporary)).resolve()
        for name, (package, pattern, path) in SITES.items():
            pages = _pages(_unpacked(package, folder), pattern, path, arguments.pages)
            compare(name, pages, arguments.show)
    made = [(file, file.read_bytes(), _made(file)) for file in sorted(_GOLD.glob("*.html"))]
    compare("made pages", (page for page in made if b"<table" not in page[1]), True)


def compare(name: str, pages: Iterator[tuple[Path, bytes, list[str]]], show: bool) -> None:
    """Words found of those expected, and expected of those found, over all pages of a kind."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    seconds: Counter[str] = Counter()
    for file, data, expected in pages:
        for reader, read in READERS.items():
            start = time.process_time()
            found = _words(read(data))
            seconds[reader] += time.process_time() - start
            common = sum((Counter(expected) & Counter(found)).values())
            sums[reader].update(common=common, expected=len(expected), found=len(found), pages=1)
            if show and reader == "memsum" and common < 0.95 * max(len(expected), len(found)):
                print(f"    {file.name}: {len(expected)} words expected, {len(found)} found, {common} common")
    for reader, counts in sums.items():
        recall, precision = counts["common"] / counts["expected"], counts["common"] / max(1, counts["found"])
        both = f"recall {recall:.1%} precision {precision:.1%}"
        speed = f"{1000 * seconds[reader] / counts['pages']:.0f} ms"
        print(f"{name:<30} {counts['pages']:>3} pages  {reader:<12} {both}  {speed}", flush=True)


def _memsum(data: bytes) -> str:
    """The sentences outside tables, which are left out of the other's text, too."""
    document = read_document(data, format="html", isolated=False)
    tables = {block.start for block in document.blocks if block.kind == "table"}
    starts = [block.start for block in document.blocks]
    blocks = (starts[bisect_right(starts, sentence.start) - 1] for sentence in document.sentences)
    kept = (one.text for one, block in zip(document.sentences, blocks, strict=True) if block not in tables)
    return " ".join(kept)


def _trafilatura(data: bytes) -> str:
    """Its text without headings and blocks of code, which memsum does not count as running text either."""
    document = trafilatura.bare_extraction(data, include_tables=False, include_comments=False)
    if document is None:
        return ""
    elements = list(document.body.iter())  # kept, so that no id is used twice
    skipped = {
        id(inner)
        for element in document.body.iter("head", "title", "code")
        if element.tag != "code" or "\n" in (element.text or "")
        for inner in element.iter()
    }
    texts = [element.text for element in elements if id(element) not in skipped]
    tails = [
        element.tail
        for element in elements
        if element.getparent() is not None and id(element.getparent()) not in skipped
    ]
    return " ".join(text for text in (*texts, *tails) if text)


def _unpacked(package: str, folder: Path) -> Path:
    target = folder / package
    if not target.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", package], cwd=folder, check=True, capture_output=True)
        archive = next(folder.glob(f"{package}_*.deb"))
        subprocess.run(["dpkg-deb", "-x", archive, target], check=True)
    return target


def _pages(folder: Path, pattern: str, path: str, most: int) -> Iterator[tuple[Path, bytes, list[str]]]:
    files = sorted(file for file in folder.glob(pattern) if file.is_file() and file.stat().st_size <= _LARGEST)
    random.Random(0).shuffle(files)
    for file in files:
        data = file.read_bytes()
        expected = _expected(data, path)
        if len(expected) >= _FEWEST:
            yield file, data, expected
            most -= 1
            if not most:
                return


def _expected(data: bytes, path: str) -> list[str]:
    """The words of the innermost paragraphs, items, terms and definitions where a page has its text."""
    tree = html.document_fromstring(data)
    for element in tree.xpath(_FURNITURE):
        if element.getparent() is not None:
            element.drop_tree()
    words = []
    for element in (element for part in tree.xpath(path) for element in part.iter("p", "dt", "dd", "li", "div")):
        is_paragraph = element.tag != "div" or element.get("class") == "para"
        inside = element.xpath(".//p | .//div[@class='para']")
        if is_paragraph and not inside and not any(parent.tag == "p" for parent in element.iterancestors()):
            words += _words(element.text_content())
    return words


def _made(file: Path) -> list[str]:
    return _words(file.with_suffix(".expected").read_text(encoding="utf-8"))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


if __name__ == "__main__":
    main()
