"""Take the pictures of the page anew, in Chromium, of documents that are typeset here.

    python docs/pictures.py [NAME …]

The names are those of the files `images/page-NAME.png`; the scan needs the extra `ocr`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import pypdfium2
from markdown_it import MarkdownIt
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

DOCS = Path(__file__).parent
DONE = "#result[aria-busy=false] #list li"
PATIENCE = 300_000  # milliseconds
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
STYLE = """
  body { font: 10pt/1.35 "DejaVu Serif", serif; } h1 { font-size: 17pt; text-align: center; margin: 0 0 8pt; }
  h2 { font-size: 12pt; margin: 12pt 0 4pt; } h3 { font-size: 10.5pt; } .by { text-align: center; margin: 0 0 3pt; }
  p { margin: 0 0 6pt; text-align: justify; hyphens: auto; } .columns { column-count: 2; column-gap: 20pt; }
  pre { font-size: 8pt; white-space: pre-wrap; } table { font-size: 8pt; } @page { size: A4; margin: 18mm 17mm; }
"""
PLACE = "Institute of Rural Transport, University of Northfield"
BY = f"<p class=by>Anna Berg, Tomás Ruiz, Wen Li</p><p class=by>{PLACE}</p>"
MANUAL = (
    "summarize",
    "documents",
    "batch",
    "server",
    "training",
    "evaluation",
    "study",
)


def paper(text: str) -> str:
    """Return a text as a paper in two columns, with authors."""
    title, _, body = MarkdownIt().render(text).partition("</h1>")
    return f"{title}</h1>{BY}<div class=columns>{body}</div>"


def manual() -> str:
    """Return the guides as one manual."""
    pages = (
        re.sub(r"^#", "##", (DOCS / f"{name}.md").read_text("utf-8"), flags=re.MULTILINE)
        for name in MANUAL
    )
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", "\n\n".join(pages))
    return f"<h1>A manual of memsum</h1>{MarkdownIt().enable('table').render(text)}"


def typeset(browser: Browser, body: str) -> bytes:
    """Return a PDF of a page of HTML."""
    page = browser.new_page()
    page.set_content(f"<html lang=en><style>{STYLE}</style><body>{body}</body></html>")
    pdf = page.pdf(prefer_css_page_size=True)
    page.close()
    return pdf


def scanned(pdf: bytes) -> bytes:
    """Return a PDF whose pages are pictures of the first ones of another."""
    scan = pypdfium2.PdfDocument.new()
    with pypdfium2.PdfDocument(pdf) as source:
        for sheet in islice(source, 2):
            picture = sheet.render(scale=150 / 72, grayscale=True)
            image = pypdfium2.PdfImage.new(scan)
            image.set_bitmap(picture)
            image.set_matrix(pypdfium2.PdfMatrix().scale(*sheet.get_size()))
            page = scan.new_page(*sheet.get_size())
            page.insert_obj(image)
            page.gen_content()
    out = BytesIO()
    scan.save(out)
    return out.getvalue()


@contextmanager
def serving() -> Iterator[str]:
    """Run a server, and give its address."""
    command = [
        sys.executable,
        "-m",
        "memsum",
        "serve",
        "--port",
        "0",
        "--workers",
        "1",
        "--timeout",
        "300",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stderr is not None  # noqa: S101
        try:
            yield re.search(r"http://\S+", process.stderr.readline())[0]  # type: ignore[index]
        finally:
            process.terminate()


def give(page: Page, *paths: Path) -> None:
    """Give the page some files, and wait until it shows them."""
    page.set_input_files("#file", paths)
    page.wait_for_selector(DONE)
    if page.locator("#pages").is_visible() and page.viewport_size == WIDE:
        page.wait_for_selector(".page.drawn")
    page.evaluate("document.activeElement.blur()")


def ask(page: Page, question: str) -> None:
    """Ask a question, and wait for the answer."""
    page.fill("#about", question)
    page.keyboard.press("Enter")
    page.wait_for_selector(f'#asked .chip[aria-pressed=true]:text-is("{question}")')
    page.wait_for_selector("#result[aria-busy=false]")


def pictures(folder: Path) -> dict[str, Callable[[Page], Any]]:
    """Return what each picture shows: how to get there from the start."""
    buses, meeting = DOCS / "demo/night-buses.md", DOCS / "demo/harbour-meeting.txt"
    first = folder / "night-buses.pdf"

    def third(page: Page) -> None:
        give(page, first)
        page.click("#tab-pages")
        page.locator("#list li a").nth(2).click()
        page.wait_for_selector(".page.drawn >> nth=1")

    def by_section(page: Page) -> None:
        give(page, buses)
        page.click("#changer")
        page.select_option("#order", "section")
        page.wait_for_selector("#list summary")

    def contents(page: Page) -> None:
        give(page, folder / "manual.pdf")
        page.locator("#list li a").nth(4).click()
        page.click("#contents summary")

    def checked(page: Page) -> None:
        page.click("[data-try=check]")
        page.wait_for_selector("#verdicts > li")

    def from_text(question: str) -> Callable[[Page], None]:
        return lambda page: (give(page, buses), ask(page, question))[0]

    return {
        "paper": lambda page: give(page, first),
        "dark": lambda page: give(page, first),
        "phone": lambda page: give(page, first),
        "phone-document": third,
        "scan": lambda page: give(page, folder / "scan.pdf"),
        "manual": contents,
        "minutes": lambda page: give(page, meeting),
        "checked": checked,
        "about": from_text("How long did passengers wait?"),
        "missing": from_text("Who won the football match?"),
        "section": by_section,
        "together": lambda page: give(page, first, folder / "harbour.pdf"),
    }


def take(browser: Browser, address: str, name: str, steps: Callable[[Page], Any]) -> None:
    """Take a picture, with few colors: it is a fifth as large."""
    is_phone = name.startswith("phone")
    page = browser.new_page(
        viewport=PHONE if is_phone else WIDE,  # type: ignore[arg-type]
        color_scheme="dark" if name == "dark" else "light",
        reduced_motion="reduce",
        has_touch=is_phone,
    )
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    steps(page)
    page.wait_for_timeout(1500)
    with Image.open(BytesIO(page.screenshot())) as picture:
        few = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=3)
        few.save(DOCS / "images" / f"page-{name}.png", optimize=True)
    page.close()
    print(name, flush=True)


def main() -> None:
    """Typeset the documents, and take the pictures."""
    with tempfile.TemporaryDirectory() as made, sync_playwright() as engine, serving() as address:
        folder = Path(made)
        browser = engine.chromium.launch(executable_path=shutil.which("chromium"))
        bodies = {
            "night-buses": paper((DOCS / "demo/night-buses.md").read_text("utf-8")),
            "harbour": MarkdownIt().render(
                "# " + (DOCS / "demo/harbour-meeting.txt").read_text("utf-8")
            ),
            "manual": manual(),
        }
        for name, body in bodies.items():
            (folder / f"{name}.pdf").write_bytes(typeset(browser, body))
        (folder / "scan.pdf").write_bytes(scanned((folder / "night-buses.pdf").read_bytes()))
        for name, steps in pictures(folder).items():
            if name in (sys.argv[1:] or [name]):
                take(browser, address, name, steps)
        browser.close()


if __name__ == "__main__":
    main()
