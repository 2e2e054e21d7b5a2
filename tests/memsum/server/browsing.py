"""What a reader does and sees on the page in a real browser."""

from __future__ import annotations

import re
import shutil

import pytest

from memsum import Summarizer, read_document

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MARKS = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")]

# Drops files as a person would: the page sees the events, not an input element.
DROP = """(files) => {
  const transfer = new DataTransfer();
  for (const [name, data] of files) transfer.items.add(new File([Uint8Array.from(data)], name));
  for (const type of ["dragover", "drop"]) {
    window.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""


DONE = "#result[aria-busy=false] #list li"  # shown, and every length is known
PATIENCE = 60_000  # milliseconds, on a machine that does much else


def is_trouble(message: playwright.ConsoleMessage) -> bool:
    return message.type == "error" and not re.search("responded with a status of (404|422)", message.text)


def drop(page: playwright.Page, name: str, content: bytes) -> None:
    drop_all(page, {name: content})


def drop_all(page: playwright.Page, files: dict[str, bytes]) -> None:
    page.evaluate(DROP, [[name, list(content)] for name, content in files.items()])
    page.wait_for_selector(DONE)


def quotes(page: playwright.Page) -> list[str]:
    return page.locator("#list li > a").all_inner_texts()


def marks(page: playwright.Page) -> list[str]:
    return [re.sub(r"^\d+", "", text) for text in page.locator("#document mark").all_inner_texts()]


def slide(page: playwright.Page, to: int) -> None:
    page.locator("#length").fill(str(to))


def expected(summarizer: Summarizer, text: str, **options: object) -> list[str]:
    return [" ".join(sentence.text.split()) for sentence in summarizer.summarize(read_document(text), **options)]  # type: ignore[arg-type]


def in_view(page: playwright.Page, node: playwright.Locator) -> bool:
    top: float = node.evaluate("node => node.getBoundingClientRect().top")
    return 0 <= top < page.viewport_size["height"]
