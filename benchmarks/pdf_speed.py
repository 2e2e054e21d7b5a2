"""A two-column paper of 15 pages: read and summarized by the library and by the server, and the page's slider.

    python benchmarks/pdf_speed.py [--model DIR] [--layout ieee-journal] [--pages 15] [--rounds 7]
    python benchmarks/pdf_speed.py --ratio [FILE.pdf …]

The second form compares reading with what pdfium needs to extract the raw text of the same files: CPU time of one
process, in turns, the best of all rounds; without files it typesets papers in eight layouts.

Warm: the model is loaded and one document was read before. Times are medians; CPU times are those of all processes that
take part. Memory is the peak of a process that does nothing else. Needs what `pdf.py` needs, and playwright.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from pdf_engines import ENGINES
from pdf_make import LAYOUTS
from pdf_text import Writer
from server import serving
from server_client import Place

MOST_PARAGRAPHS = 60
QUESTIONS = [
    "What was measured?",
    "How were the groups chosen?",
    "limits of the study",
    "Which model fits best?",
    "cost",
]
PUBLISHERS = ["ieee-journal", "acm-sigconf", "elsevier-5p", "springer-llncs", "revtex-prl", "browser-one", "typst-two",
              "office-one"]  # fmt: skip
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync"]  # fmt: skip
# Every length once, from the key or pointer to the page laid out anew; milliseconds.
SLIDE = """() => {
  const slider = document.getElementById("length");
  const times = [];
  for (let length = 1; length <= Number(slider.max); length++) {
    const began = performance.now();
    slider.value = length;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect();
    times.push(performance.now() - began);
  }
  return times;
}"""


# From the arrival of the document to that of the first picture of a page, and how long that took itself; milliseconds.
DRAWN = """() => {
  const [read] = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/v1/readings"));
  const [first] = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/pages/"));
  return [first.responseEnd - read.responseEnd, first.responseEnd - first.startTime];
}"""


def make_paper(layout: str, pages: int, folder: Path) -> Path:
    """A paper of exactly so many pages."""
    from pypdfium2 import PdfDocument

    path = folder / "paper.pdf"
    for paragraphs in range(pages // 3, MOST_PARAGRAPHS):
        LAYOUTS[layout](Writer(paragraphs).paper(paragraphs), path)
        with PdfDocument(path) as made:
            count = len(made)
        if count == pages:
            return path
    sys.exit(f"No paper of {layout} has {pages} pages.")


def ratio(paths: list[Path], rounds: int) -> None:
    """CPU time of reading files over that of pdfium's own extraction of their text."""
    from pypdfium2 import PdfDocument

    from memsum.document.readers.pdf import read

    def extract(data: bytes) -> None:
        with PdfDocument(data) as pdf:
            for page in pdf:
                textpage = page.get_textpage()
                textpage.get_text_range()
                textpage.close()
                page.close()

    def spent(work: Callable[[bytes], object], data: bytes) -> float:
        began = time.process_time()
        work(data)
        return 1000 * (time.process_time() - began)

    total = [0.0, 0.0]
    print(f"{'file':<32} {'pdfium ms':>9} {'read ms':>8} {'ratio':>6}")
    for path in paths:
        data = path.read_bytes()
        pairs = [(spent(extract, data), spent(read, data)) for _ in range(rounds)]
        raw, ours = (min(column) for column in zip(*pairs, strict=True))
        total = [total[0] + raw, total[1] + ours]
        print(f"{path.name[-32:]:<32} {raw:>9.1f} {ours:>8.1f} {ours / raw:>6.2f}", flush=True)
    print(f"{'all':<32} {total[0]:>9.1f} {total[1]:>8.1f} {total[1] / total[0]:>6.2f}")


def in_library(model: str, path: Path, rounds: int) -> None:
    """Read and summarize in this process, which is started for that."""
    from memsum import Summarizer, read_document

    summarizer = Summarizer.load(model)
    spent: list[tuple[float, float, float]] = []
    for _ in range(rounds + 1):
        began, cpu = time.perf_counter(), time.process_time()
        document = read_document(path)
        read = time.perf_counter()
        summary = summarizer.summarize(document)
        end = time.perf_counter()
        spent.append((read - began, end - read, time.process_time() - cpu))
    reading, summarizing, cpu = (1000 * statistics.median(column) for column in zip(*spent[1:], strict=True))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {len(document.sentences)} sentences, {summary.document_words} words, {len(summary)} in the summary")
    print(f"  library: read {reading:.0f} ms, summarize {summarizing:.0f} ms, {cpu:.0f} ms of CPU, {most:.0f} MB")


def by_server(place: Place, process: int, path: Path, rounds: int) -> None:
    """Upload it as the page does, and ask for the order of extraction as the page then does."""
    boundary = "paper"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="paper.pdf"\r\n\r\n'
    body = head.encode() + path.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
    connection = http.client.HTTPConnection(*place, timeout=120)
    first, further, cpu = [], [], []
    for _ in range(rounds + 1):
        before, began = _family(process)[0], time.perf_counter()
        connection.request("POST", "/v1/readings", body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})
        reading = json.loads(connection.getresponse().read())
        first.append(time.perf_counter() - began)
        began = time.perf_counter()
        connection.request("GET", f"/v1/readings/{reading['id']}?extractions=30")
        connection.getresponse().read()
        further.append(time.perf_counter() - began)
        cpu.append(_family(process)[0] - before)
    asked = []
    for question in QUESTIONS * 2:
        began = time.perf_counter()
        connection.request("GET", f"/v1/readings/{reading['id']}?{urlencode({'extractions': 30, 'about': question})}")
        connection.getresponse().read()
        asked.append(time.perf_counter() - began)
    times = [1000 * statistics.median(column[1:]) for column in (first, further, cpu)]
    print(
        f"  server: answer {times[0]:.0f} ms, the rest of the order {times[1]:.0f} ms, {times[2]:.0f} ms of CPU;",
        end=" ",
    )
    print(f"{_family(process)[1]:.0f} MB with the process that reads")
    print(f"  a question: {1000 * statistics.median(asked):.0f} ms at the median of {len(asked)}")


def _family(process: int) -> tuple[float, float]:
    """CPU seconds, and the sum of the peaks in MB, of a process and its children."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    peak = int(status["VmHWM"].split()[0]) / 1024
    rest = [_family(child) for child in children]
    return seconds + sum(one[0] for one in rest), peak + sum(one[1] for one in rest)


def slide(place: Place, path: Path) -> None:
    """Move the slider of the page through all lengths."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(120_000)
        page.goto(f"http://{place[0]}:{place[1]}/")
        page.set_input_files("#file", path)
        page.wait_for_selector("#result[aria-busy=false] #list li")
        page.wait_for_selector(".page.drawn")
        drawn = page.evaluate(DRAWN)
        page.evaluate(SLIDE)
        times = page.evaluate(SLIDE)
        browser.close()
    print(f"  first page: {drawn[0]:.0f} ms from the answer to its picture, {drawn[1]:.0f} ms of it for the picture")
    print(f"  slider: {statistics.median(times):.1f} ms at the median, {max(times):.1f} ms at most, of {len(times)}")


def main() -> None:
    """Make the paper and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="default")
    parser.add_argument("--layout", default="ieee-journal", choices=LAYOUTS)
    parser.add_argument("--pages", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ratio", nargs="*", type=Path, metavar="FILE", help="only compare with pdfium's extraction")
    parser.add_argument("--library", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.library:
        in_library(arguments.model, arguments.library, arguments.rounds)
        return
    with tempfile.TemporaryDirectory() as folder:
        if arguments.ratio is not None:
            files = arguments.ratio or [Path(folder) / f"{name}.pdf" for name in PUBLISHERS]
            for file in files if not arguments.ratio else ():
                (LAYOUTS | ENGINES)[file.stem](Writer(len(file.stem)).paper(6), file)
            ratio(files, arguments.rounds)
            return
        path = make_paper(arguments.layout, arguments.pages, Path(folder))
        print(f"{arguments.layout}, {arguments.pages} pages, {path.stat().st_size / 1024:.0f} kB:", flush=True)
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--library", str(path)], check=True)
        with serving(arguments.model, 2) as (place, process):
            by_server(place, process, path, arguments.rounds)
            slide(place, path)


if __name__ == "__main__":
    main()
