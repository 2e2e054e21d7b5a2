"""What is seen of a document, and not read: web pages against Chromium, office files against LibreOffice, Markdown.

    python benchmarks/visible.py (html | office | markdown) FOLDER... [--most 500] [--show]

Each file below the folders is shown by another program, and what that shows is looked for in `document.text`: of web
pages and Markdown the lines of at least five words, of office files each word. Needs Chromium for web pages
(playwright) and LibreOffice (`soffice`) for office files; Markdown is rendered by markdown-it-py.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import html

from memsum.document import read_document
from memsum.document.readers import html as html_reader
from memsum.document.readers.visibility import Hidden
from memsum.errors import DocumentError

_FEWEST_WORDS = 5
_ENOUGH = 0.8
_WORD = re.compile(r"\w+")
_LABEL = re.compile(r"\[![A-Z]+\]|\[[ xX]\]")  # of an alert or a task
_FORMS = "//form | //dialog | //menu | //button | //noscript | //fieldset"


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def lines_of(text: str) -> list[str]:
    """The lines of a text that have words enough, as their words."""
    return [" ".join(words) for line in text.splitlines() if len(words := words_of(line)) >= _FEWEST_WORDS]


def lost_lines(shown: str, read: str) -> list[str]:
    """The lines of which not even four in five runs of three words are read: marks in a line may differ."""
    said = set(_runs(words_of(read)))
    lines = [(line, list(_runs(line.split()))) for line in lines_of(shown)]
    return [line for line, runs in lines if sum(run in said for run in runs) < _ENOUGH * len(runs)]


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(words, words[1:], words[2:], strict=False)


def files(folders: list[Path], endings: tuple[str, ...], most: int) -> list[Path]:
    found = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix.lower() in endings)
    found = [path for path in found if path.is_file() and path.stat().st_size < 2**20]
    return sorted(random.Random(0).sample(found, min(most, len(found))))


def measure_html(paths: list[Path], show: bool) -> None:
    """Count lines that Chromium shows, that are not read, and that are not because of a style or a form."""
    from playwright.sync_api import Error, sync_playwright

    lines = missing = by_style = by_form = pages = failed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_context(offline=True).new_page()
        for path in paths:
            try:
                page.goto(path.resolve().as_uri(), timeout=20_000)
                shown = page.evaluate("document.body ? document.body.innerText : ''")
                document = read_document(path, format="html")
            except (Error, DocumentError):
                failed += 1
                continue
            pages += 1
            lines += len(lines_of(shown))
            lost = lost_lines(shown, document.text)
            missing += len(lost)
            if not lost:
                continue
            data = path.read_bytes()
            styled = set(lost) - set(lost_lines(shown, html_reader.read(data, None, Hidden(is_read=True)).text))
            inside = " ".join(words_of(" ".join(one.text_content() for one in html.fromstring(data).xpath(_FORMS))))
            formed = {line for line in lost if line in inside} - styled
            by_style += len(styled)
            by_form += len(formed)
            for line in [*styled, *formed] if show else ():
                print(f"    {path.name}: {line[:100]}")
        browser.close()
    print(
        f"{pages:,} pages ({failed} not read), {lines:,} lines shown, {missing:,} not in the text (around the article)"
    )
    print(
        f"lost by style {by_style}, by form {by_form}: {100 * (by_style + by_form) / max(lines, 1):.3f} % of the lines"
    )


def measure_office(paths: list[Path], show: bool) -> None:
    """Count words that LibreOffice exports, and that are not read."""
    total: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for path in paths:
        kind = path.suffix.lower().lstrip(".")
        try:
            shown = Counter(words_of(_exported(path)))
            read = Counter(words_of(read_document(path).text))
        except (DocumentError, FileNotFoundError, subprocess.TimeoutExpired) as error:
            total[f"{kind} files not read"] += 1
            if show:
                print(f"    {path.name}: {error}")
            continue
        missing = {word: count for word, count in (shown - read).items() if not word.isdecimal()}
        total[kind] += sum(count for word, count in shown.items() if not word.isdecimal())
        total[f"{kind} files"] += 1
        lost[kind] += sum(missing.values())
        if missing and show:
            print(f"    {path.name}: {sum(missing.values())} of {shown.total()}: {' '.join(missing)[:150]}")
    for kind in ("docx", "odt", "pptx"):
        share = 100 * lost[kind] / max(total[kind], 1)
        unread = total[f"{kind} files not read"]
        print(f"{kind}: {total[f'{kind} files']} files ({unread} not read), {total[kind]:,} words, {share:.3f} % lost")


def _exported(path: Path) -> str:
    """The text of a file as LibreOffice exports it; of slides by way of a PDF."""
    is_slides = path.suffix.lower() == ".pptx"
    with tempfile.TemporaryDirectory() as folder:
        target = "pdf" if is_slides else "txt:Text (encoded):UTF8"
        command = ["soffice", f"-env:UserInstallation=file:///tmp/memsum-office-{Path.home().name}", "--headless"]
        subprocess.run(
            [*command, "--convert-to", target, "--outdir", folder, str(path)],
            capture_output=True,
            timeout=120,
            check=False,
        )
        made = Path(folder) / f"{path.stem}.{'pdf' if is_slides else 'txt'}"
        if not is_slides:
            return made.read_text(encoding="utf-8-sig")
        import pypdfium2

        with pypdfium2.PdfDocument(made) as document:
            return "\n".join(page.get_textpage().get_text_bounded() for page in document)


def measure_markdown(paths: list[Path], show: bool) -> None:
    """Count lines of rendered Markdown that are not read."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    lines = lost = 0
    for path in paths:
        source = path.read_text(encoding="utf-8", errors="replace")
        if "{{" in source or "{%" in source:
            continue  # a template: nobody sees its tags
        try:
            read = read_document(path, format="markdown").text
        except DocumentError:
            continue
        rendered = _LABEL.sub("", parser.render(source)).replace("<br", " <br")
        tree = html.fromstring(f"<div>{rendered}</div>")
        for element in tree.xpath("//script | //style | //template | //*[@hidden] | //comment()"):
            element.drop_tree()
        blocks = tree.xpath("//p | //li | //h1 | //h2 | //h3 | //h4 | //td | //th")
        shown = "\n".join(" ".join(block.text_content().split()) for block in blocks if not block.xpath(".//p | .//li"))
        missing = lost_lines(shown, read)
        lines += len(lines_of(shown))
        lost += len(missing)
        for line in missing if show else ():
            print(f"    {path}: {line[:120]}")
    print(f"{len(paths):,} files, {lines:,} blocks of at least five words, {lost} lost")


_MEASURES: dict[str, tuple[tuple[str, ...], Callable[[list[Path], bool], None]]] = {
    "html": ((".html", ".htm", ".xhtml"), measure_html),
    "office": ((".docx", ".odt", ".pptx"), measure_office),
    "markdown": ((".md",), measure_markdown),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=_MEASURES)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=500, help="files")
    parser.add_argument("--show", action="store_true", help="print what is lost")
    arguments = parser.parse_args()
    endings, measure = _MEASURES[arguments.kind]
    measure(files(arguments.folders, endings, arguments.most), arguments.show)


if __name__ == "__main__":
    main()
